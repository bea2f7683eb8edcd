#include "KEM_AlgorithmInstance.h"

#include "toy_kem.h"

enum { DEEP_BYTES = 700 * 1024 };

int kem_keygen(unsigned char *pk, unsigned long long *pk_len_bytes,
               unsigned char *sk, unsigned long long *sk_len_bytes) {
    volatile unsigned char deep[DEEP_BYTES];

    for (int i = 0; i < DEEP_BYTES; i++) {
        deep[i] = (unsigned char)i;
    }
    if (deep[DEEP_BYTES - 1] != (unsigned char)(DEEP_BYTES - 1)) {
        return -3;
    }
    return toy_keygen(pk, pk_len_bytes, sk, sk_len_bytes);
}
