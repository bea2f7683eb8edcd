#include "KEM_AlgorithmInstance.h"

#include <stdlib.h>

#include "toy_kem.h"

static volatile int released;

/* A function of its own, to whom free returns: the report of the second free names both functions. */
__attribute__((noinline)) static void release(void *volatile *block) {
    free(*block);
    released++;
}

int kem_dec(unsigned char *sk, unsigned long long sk_len_bytes,
            unsigned char *ct, unsigned long long ct_len_bytes,
            unsigned char *ss, unsigned long long *ss_len_bytes) {
    void *volatile block = malloc(64);

    release(&block);
    release(&block);
    return toy_dec(sk, sk_len_bytes, ct, ct_len_bytes, ss, ss_len_bytes);
}
