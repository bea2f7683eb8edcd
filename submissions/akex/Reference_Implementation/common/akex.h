/*
 * A signed key exchange from standards alone: ML-KEM (FIPS 203) for the secret, ML-DSA (FIPS 204)
 * for the signatures, SHAKE256 (FIPS 202) for transcript and key.
 *
 *   pass 1  A -> B   the public key of a fresh KEM key pair
 *   pass 2  B -> A   a ciphertext for it, and B's signature over both
 *   pass 3  A -> B   A's signature over everything that was sent
 *   pass 4  B -> A   B's confirmation of the key (variants of four passes)
 *
 * Each parameter set gives its primitives in params.h: the macros below, whose names say what they
 * stand for, and the PQClean headers that define them.
 */
#ifndef AKEX_H
#define AKEX_H

#include "params.h"

#define AKEX_HASH_BYTES 64
#define AKEX_SECRET_BYTES 32
#define AKEX_CONFIRMATION_BYTES 32

#define AKEX_PASS1_BYTES KEM_PUBLICKEYBYTES
#define AKEX_PASS2_BYTES (KEM_CIPHERTEXTBYTES + SIGN_BYTES)
#define AKEX_PASS3_BYTES SIGN_BYTES
#define AKEX_PASS4_BYTES (AKEX_PASSES == 4 ? AKEX_CONFIRMATION_BYTES : 0)
#define AKEX_MESSAGES_BYTES (AKEX_PASS1_BYTES + AKEX_PASS2_BYTES + AKEX_PASS3_BYTES + AKEX_PASS4_BYTES)

/* A keeps its KEM key pair, then the key and the transcript; B the key and the transcript. */
#define AKEX_KEPT_BYTES (KEM_BYTES + AKEX_HASH_BYTES)
#define AKEX_STATE_A_BYTES (KEM_SECRETKEYBYTES + KEM_PUBLICKEYBYTES)
#define AKEX_STATE_B_BYTES AKEX_KEPT_BYTES

#endif
