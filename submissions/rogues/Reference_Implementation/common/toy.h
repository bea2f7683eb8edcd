/*
 * INSECURE: toy schemes for tests of the meter. Whoever sees a public key has the secret key.
 *
 * They are honest otherwise: they draw from the interface's generator, hash with its SM3, check
 * lengths and agree with themselves. A rogue is one of them with one vice.
 *
 *   key pair     sk = 32 random bytes, pk = sk with each byte XORed with 5a
 *   KEM          message = 32 random bytes, ct = message XOR pk, ss = SM3(message)
 *   signature    sn = salt || SM3(pk || salt || SM3(m)), the salt 32 random bytes
 *   exchange     m1, m2 = random bytes, which the senders keep as their states,
 *                ss = SM3(pka || pkb || m1 || m2)
 */
#ifndef TOY_H
#define TOY_H

#define TOY_BYTES 32

/* What a failed step returns. */
enum { TOY_WRONG_LENGTH = -2 };

typedef unsigned long long toy_length;

/* Draws whole bytes. */
void toy_draw(unsigned char *output, toy_length bytes);

/* A key pair, and the public key of a secret one. */
int toy_keygen(unsigned char *pk, toy_length *pk_bytes, unsigned char *sk, toy_length *sk_bytes);
void toy_public(unsigned char pk[TOY_BYTES], const unsigned char sk[TOY_BYTES]);

#endif
