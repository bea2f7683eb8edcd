#include "KEM_AlgorithmInstance.h"

#include <stdlib.h>

#include "toy_kem.h"

/* The store is volatile so that the compiler keeps the allocation. */
static void forget(void) {
    volatile unsigned char *block = malloc(4096);

    if (block != NULL) {
        block[0] = 1;
    }
}

int kem_dec(unsigned char *sk, unsigned long long sk_len_bytes,
            unsigned char *ct, unsigned long long ct_len_bytes,
            unsigned char *ss, unsigned long long *ss_len_bytes) {
    forget();
    return toy_dec(sk, sk_len_bytes, ct, ct_len_bytes, ss, ss_len_bytes);
}
