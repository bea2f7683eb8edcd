#include "KEM_AlgorithmInstance.h"

#include "toy_kem.h"

/* Each call hands its own memory on, so that no call can become a jump. */
static int descend(volatile int *from_above) {
    volatile int here[64];

    here[0] = *from_above + 1;
    if (here[0] == 0) {
        return 0;
    }
    return descend(here) + here[0];
}

int kem_enc(unsigned char *pk, unsigned long long pk_len_bytes,
            unsigned char *ss, unsigned long long *ss_len_bytes,
            unsigned char *ct, unsigned long long *ct_len_bytes) {
    volatile int start = 1;

    if (descend(&start) == 0) {
        return -3;
    }
    return toy_enc(pk, pk_len_bytes, ss, ss_len_bytes, ct, ct_len_bytes);
}
