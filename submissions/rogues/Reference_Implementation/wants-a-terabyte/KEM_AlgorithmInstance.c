#include "KEM_AlgorithmInstance.h"

#include <stdlib.h>

#include "toy_kem.h"

/* Volatile, so that the compiler does not know how much is asked for. */
static volatile size_t terabyte = (size_t)1 << 40;

int kem_dec(unsigned char *sk, unsigned long long sk_len_bytes,
            unsigned char *ct, unsigned long long ct_len_bytes,
            unsigned char *ss, unsigned long long *ss_len_bytes) {
    void *block = malloc(terabyte);

    free(block);
    return toy_dec(sk, sk_len_bytes, ct, ct_len_bytes, ss, ss_len_bytes);
}
