#include "KEM_AlgorithmInstance.h"

#include <stdlib.h>

#include "toy_kem.h"

/* Volatile, so that the compiler does not leave it out. */
static void *volatile block;

int kem_dec(unsigned char *sk, unsigned long long sk_len_bytes,
            unsigned char *ct, unsigned long long ct_len_bytes,
            unsigned char *ss, unsigned long long *ss_len_bytes) {
    block = malloc((size_t)1 << 40);
    free(block);
    return toy_dec(sk, sk_len_bytes, ct, ct_len_bytes, ss, ss_len_bytes);
}
