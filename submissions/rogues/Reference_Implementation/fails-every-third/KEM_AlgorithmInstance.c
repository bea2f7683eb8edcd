#include "KEM_AlgorithmInstance.h"

#include "toy_kem.h"

static unsigned int calls;

int kem_enc(unsigned char *pk, unsigned long long pk_len_bytes,
            unsigned char *ss, unsigned long long *ss_len_bytes,
            unsigned char *ct, unsigned long long *ct_len_bytes) {
    calls++;
    if (calls % 3 == 0) {
        return -5;
    }
    return toy_enc(pk, pk_len_bytes, ss, ss_len_bytes, ct, ct_len_bytes);
}
