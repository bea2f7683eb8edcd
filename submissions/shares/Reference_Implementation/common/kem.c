/*
 * INSECURE: keys, ciphertext and secret are zeros. What counts is how long operations take.
 *
 *   keygen   calls the instance's function
 *   enc      calls a function that does nothing, as often and with the same arguments
 *   dec      calls the instance's function, and works on something else
 */
#include <string.h>

#include "KEM_AlgorithmInstance.h"
#include "functions.h"

enum { BYTES = 32, TURNS = 20000 };

static void repeat(function *f) __attribute__((noinline, noclone));

static void repeat(function *f) {
    static const unsigned char message[MESSAGE_BITS / 8];
    unsigned char digest[DIGEST_BITS / 8];

    for (int round = 0; round < ROUNDS; round++) {
        f(DIGEST_BITS, message, MESSAGE_BITS, digest);
    }
}

static void work(void) {
    volatile int turn = 0;

    while (turn < TURNS) {
        turn = turn + 1;
    }
}

unsigned long long kem_get_pk_len_bytes() {
    return BYTES;
}

unsigned long long kem_get_sk_len_bytes() {
    return BYTES;
}

unsigned long long kem_get_ss_len_bytes() {
    return BYTES;
}

unsigned long long kem_get_ct_len_bytes() {
    return BYTES;
}

int kem_keygen(unsigned char *pk, unsigned long long *pk_len_bytes,
               unsigned char *sk, unsigned long long *sk_len_bytes) {
    memset(pk, 0, BYTES);
    memset(sk, 0, BYTES);
    *pk_len_bytes = BYTES;
    *sk_len_bytes = BYTES;
    repeat(FUNCTION);
    return 0;
}

int kem_enc(unsigned char *pk, unsigned long long pk_len_bytes,
            unsigned char *ss, unsigned long long *ss_len_bytes,
            unsigned char *ct, unsigned long long *ct_len_bytes) {
    (void)pk;
    (void)pk_len_bytes;
    memset(ss, 0, BYTES);
    memset(ct, 0, BYTES);
    *ss_len_bytes = BYTES;
    *ct_len_bytes = BYTES;
    repeat(nothing);
    return 0;
}

int kem_dec(unsigned char *sk, unsigned long long sk_len_bytes,
            unsigned char *ct, unsigned long long ct_len_bytes,
            unsigned char *ss, unsigned long long *ss_len_bytes) {
    (void)sk;
    (void)sk_len_bytes;
    (void)ct;
    (void)ct_len_bytes;
    memset(ss, 0, BYTES);
    *ss_len_bytes = BYTES;
    repeat(FUNCTION);
    work();
    return 0;
}
