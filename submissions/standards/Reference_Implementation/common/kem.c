#include "KEM_AlgorithmInstance.h"
#include "params.h"

unsigned long long kem_get_pk_len_bytes() {
    return PRIMITIVE(CRYPTO_PUBLICKEYBYTES);
}

unsigned long long kem_get_sk_len_bytes() {
    return PRIMITIVE(CRYPTO_SECRETKEYBYTES);
}

unsigned long long kem_get_ss_len_bytes() {
    return PRIMITIVE(CRYPTO_BYTES);
}

unsigned long long kem_get_ct_len_bytes() {
    return PRIMITIVE(CRYPTO_CIPHERTEXTBYTES);
}

int kem_keygen(unsigned char *pk, unsigned long long *pk_len_bytes,
               unsigned char *sk, unsigned long long *sk_len_bytes) {
    *pk_len_bytes = PRIMITIVE(CRYPTO_PUBLICKEYBYTES);
    *sk_len_bytes = PRIMITIVE(CRYPTO_SECRETKEYBYTES);
    return PRIMITIVE(crypto_kem_keypair)(pk, sk) == 0 ? 0 : -1;
}

int kem_enc(unsigned char *pk, unsigned long long pk_len_bytes,
            unsigned char *ss, unsigned long long *ss_len_bytes,
            unsigned char *ct, unsigned long long *ct_len_bytes) {
    if (pk_len_bytes != PRIMITIVE(CRYPTO_PUBLICKEYBYTES)) {
        return -2;
    }
    *ss_len_bytes = PRIMITIVE(CRYPTO_BYTES);
    *ct_len_bytes = PRIMITIVE(CRYPTO_CIPHERTEXTBYTES);
    return PRIMITIVE(crypto_kem_enc)(ct, ss, pk) == 0 ? 0 : -1;
}

int kem_dec(unsigned char *sk, unsigned long long sk_len_bytes,
            unsigned char *ct, unsigned long long ct_len_bytes,
            unsigned char *ss, unsigned long long *ss_len_bytes) {
    if (sk_len_bytes != PRIMITIVE(CRYPTO_SECRETKEYBYTES) || ct_len_bytes != PRIMITIVE(CRYPTO_CIPHERTEXTBYTES)) {
        return -2;
    }
    *ss_len_bytes = PRIMITIVE(CRYPTO_BYTES);
    return PRIMITIVE(crypto_kem_dec)(ss, ct, sk) == 0 ? 0 : -1;
}
