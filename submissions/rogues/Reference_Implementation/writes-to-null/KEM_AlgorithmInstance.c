#include "KEM_AlgorithmInstance.h"

#include <stddef.h>

#include "toy_kem.h"

int kem_enc(unsigned char *pk, unsigned long long pk_len_bytes,
            unsigned char *ss, unsigned long long *ss_len_bytes,
            unsigned char *ct, unsigned long long *ct_len_bytes) {
    /* Volatile both, or the compiler drops the store or traps in its place. */
    volatile unsigned char *volatile nowhere = NULL;

    *nowhere = 1;
    return toy_enc(pk, pk_len_bytes, ss, ss_len_bytes, ct, ct_len_bytes);
}
