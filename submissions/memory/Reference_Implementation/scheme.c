#include "KEM_AlgorithmInstance.h"

#include "drng.h"

enum { BYTES = 32 };

extern DRNG_ctx drng_algorithm;

unsigned long long kem_get_pk_len_bytes() {
    return BYTES;
}

unsigned long long kem_get_sk_len_bytes() {
    return BYTES;
}

unsigned long long kem_get_ss_len_bytes() {
    return BYTES;
}

unsigned long long kem_get_ct_len_bytes() {
    return BYTES;
}

static void agree(const unsigned char *key, const unsigned char *ct, unsigned char *ss) {
    for (int i = 0; i < BYTES; i++) {
        ss[i] = key[i] ^ ct[i];
    }
}

int kem_keygen(unsigned char *pk, unsigned long long *pk_len_bytes,
               unsigned char *sk, unsigned long long *sk_len_bytes) {
    get_random_number(&drng_algorithm, sk, 8 * BYTES);
    for (int i = 0; i < BYTES; i++) {
        pk[i] = sk[i];
    }
    *pk_len_bytes = *sk_len_bytes = BYTES;
    return use_in_keygen();
}

int kem_enc(unsigned char *pk, unsigned long long pk_len_bytes,
            unsigned char *ss, unsigned long long *ss_len_bytes,
            unsigned char *ct, unsigned long long *ct_len_bytes) {
    if (pk_len_bytes != BYTES) {
        return -2;
    }
    get_random_number(&drng_algorithm, ct, 8 * BYTES);
    agree(pk, ct, ss);
    *ss_len_bytes = *ct_len_bytes = BYTES;
    return use_in_enc();
}

int kem_dec(unsigned char *sk, unsigned long long sk_len_bytes,
            unsigned char *ct, unsigned long long ct_len_bytes,
            unsigned char *ss, unsigned long long *ss_len_bytes) {
    if (sk_len_bytes != BYTES || ct_len_bytes != BYTES) {
        return -2;
    }
    agree(sk, ct, ss);
    *ss_len_bytes = BYTES;
    return use_in_dec();
}
