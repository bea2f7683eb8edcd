#include "toy_kem.h"

#include "KEM_AlgorithmInstance.h"
#include "auxfunc.h"

int toy_enc_message(const unsigned char message[TOY_BYTES], const unsigned char *pk, toy_length pk_bytes,
                    unsigned char *ss, toy_length *ss_bytes, unsigned char *ct, toy_length *ct_bytes) {
    if (pk_bytes != TOY_BYTES) {
        return TOY_WRONG_LENGTH;
    }
    for (int i = 0; i < TOY_BYTES; i++) {
        ct[i] = message[i] ^ pk[i];
    }
    *ct_bytes = TOY_BYTES;
    *ss_bytes = TOY_BYTES;
    return sm3hash(256, message, 8 * TOY_BYTES, ss);
}

int toy_enc(const unsigned char *pk, toy_length pk_bytes, unsigned char *ss, toy_length *ss_bytes,
            unsigned char *ct, toy_length *ct_bytes) {
    unsigned char message[TOY_BYTES];

    toy_draw(message, TOY_BYTES);
    return toy_enc_message(message, pk, pk_bytes, ss, ss_bytes, ct, ct_bytes);
}

int toy_dec(const unsigned char *sk, toy_length sk_bytes, const unsigned char *ct, toy_length ct_bytes,
            unsigned char *ss, toy_length *ss_bytes) {
    unsigned char message[TOY_BYTES];

    if (sk_bytes != TOY_BYTES || ct_bytes != TOY_BYTES) {
        return TOY_WRONG_LENGTH;
    }
    toy_public(message, sk);
    for (int i = 0; i < TOY_BYTES; i++) {
        message[i] ^= ct[i];
    }
    *ss_bytes = TOY_BYTES;
    return sm3hash(256, message, 8 * TOY_BYTES, ss);
}

unsigned long long kem_get_pk_len_bytes() {
    return TOY_BYTES;
}

unsigned long long kem_get_sk_len_bytes() {
    return TOY_BYTES;
}

unsigned long long kem_get_ss_len_bytes() {
    return TOY_BYTES;
}

unsigned long long kem_get_ct_len_bytes() {
    return TOY_BYTES;
}

#ifndef OWN_KEYGEN
int kem_keygen(unsigned char *pk, unsigned long long *pk_len_bytes,
               unsigned char *sk, unsigned long long *sk_len_bytes) {
    return toy_keygen(pk, pk_len_bytes, sk, sk_len_bytes);
}
#endif

#ifndef OWN_ENC
int kem_enc(unsigned char *pk, unsigned long long pk_len_bytes,
            unsigned char *ss, unsigned long long *ss_len_bytes,
            unsigned char *ct, unsigned long long *ct_len_bytes) {
    return toy_enc(pk, pk_len_bytes, ss, ss_len_bytes, ct, ct_len_bytes);
}
#endif

#ifndef OWN_DEC
int kem_dec(unsigned char *sk, unsigned long long sk_len_bytes,
            unsigned char *ct, unsigned long long ct_len_bytes,
            unsigned char *ss, unsigned long long *ss_len_bytes) {
    return toy_dec(sk, sk_len_bytes, ct, ct_len_bytes, ss, ss_len_bytes);
}
#endif
