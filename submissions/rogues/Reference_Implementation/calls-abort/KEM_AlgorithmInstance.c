#include "KEM_AlgorithmInstance.h"

#include <stdlib.h>

#include "toy_kem.h"

/* Always 1, which the compiler does not know. */
static volatile int desperate = 1;

int kem_dec(unsigned char *sk, unsigned long long sk_len_bytes,
            unsigned char *ct, unsigned long long ct_len_bytes,
            unsigned char *ss, unsigned long long *ss_len_bytes) {
    if (desperate) {
        abort();
    }
    return toy_dec(sk, sk_len_bytes, ct, ct_len_bytes, ss, ss_len_bytes);
}
