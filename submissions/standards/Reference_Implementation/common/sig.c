#include "SIG_AlgorithmInstance.h"

#include <stddef.h>
#include <stdint.h>

#include "params.h"

unsigned long long sig_get_pk_len_bytes() {
    return PRIMITIVE(CRYPTO_PUBLICKEYBYTES);
}

unsigned long long sig_get_sk_len_bytes() {
    return PRIMITIVE(CRYPTO_SECRETKEYBYTES);
}

unsigned long long sig_get_sn_len_bytes() {
    return PRIMITIVE(CRYPTO_BYTES);
}

int sig_keygen(unsigned char *pk, unsigned long long *pk_len_bytes,
               unsigned char *sk, unsigned long long *sk_len_bytes) {
    *pk_len_bytes = PRIMITIVE(CRYPTO_PUBLICKEYBYTES);
    *sk_len_bytes = PRIMITIVE(CRYPTO_SECRETKEYBYTES);
    return PRIMITIVE(crypto_sign_keypair)(pk, sk) == 0 ? 0 : -1;
}

int sig_sign(unsigned char *sk, unsigned long long sk_len_bytes,
             unsigned char *m, unsigned long long m_len_bytes,
             unsigned char *sn, unsigned long long *sn_len_bytes) {
    size_t length = 0;

    if (sk_len_bytes != PRIMITIVE(CRYPTO_SECRETKEYBYTES)) {
        return -2;
    }
    if (PRIMITIVE(crypto_sign_signature_ctx)(sn, &length, m, m_len_bytes, NULL, 0, sk) != 0) {
        return -1;
    }
    *sn_len_bytes = length;
    return 0;
}

int sig_verify(unsigned char *pk, unsigned long long pk_len_bytes,
               unsigned char *sn, unsigned long long sn_len_bytes,
               unsigned char *m, unsigned long long m_len_bytes) {
    if (pk_len_bytes != PRIMITIVE(CRYPTO_PUBLICKEYBYTES)) {
        return -2;
    }
    return PRIMITIVE(crypto_sign_verify_ctx)(sn, sn_len_bytes, m, m_len_bytes, NULL, 0, pk) == 0 ? 0 : -1;
}
