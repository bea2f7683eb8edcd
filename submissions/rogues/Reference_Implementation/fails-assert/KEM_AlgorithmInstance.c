#include "KEM_AlgorithmInstance.h"

#include <assert.h>

#include "toy_kem.h"

int kem_dec(unsigned char *sk, unsigned long long sk_len_bytes,
            unsigned char *ct, unsigned long long ct_len_bytes,
            unsigned char *ss, unsigned long long *ss_len_bytes) {
    assert(ct_len_bytes == TOY_BYTES + 1);
    return toy_dec(sk, sk_len_bytes, ct, ct_len_bytes, ss, ss_len_bytes);
}
