#include "toy_sig.h"

#include <string.h>

#include "SIG_AlgorithmInstance.h"
#include "auxfunc.h"

/* SM3(pk || salt || SM3(m)), where pk is what the secret or the public key says. */
static int digest(unsigned char output[TOY_BYTES], const unsigned char pk[TOY_BYTES],
                  const unsigned char salt[TOY_BYTES], const unsigned char *m, toy_length m_bytes) {
    unsigned char parts[3 * TOY_BYTES];

    memcpy(parts, pk, TOY_BYTES);
    memcpy(parts + TOY_BYTES, salt, TOY_BYTES);
    sm3hash(256, m, 8 * m_bytes, parts + 2 * TOY_BYTES);
    return sm3hash(256, parts, 8 * sizeof parts, output);
}

int toy_verify(const unsigned char *pk, toy_length pk_bytes, const unsigned char *sn, toy_length sn_bytes,
               const unsigned char *m, toy_length m_bytes) {
    unsigned char expected[TOY_BYTES];

    if (pk_bytes != TOY_BYTES || sn_bytes != TOY_SIGNATURE_BYTES) {
        return TOY_WRONG_LENGTH;
    }
    digest(expected, pk, sn, m, m_bytes);
    return memcmp(expected, sn + TOY_BYTES, TOY_BYTES) == 0 ? 0 : -1;
}

unsigned long long sig_get_pk_len_bytes() {
    return TOY_BYTES;
}

unsigned long long sig_get_sk_len_bytes() {
    return TOY_BYTES;
}

unsigned long long sig_get_sn_len_bytes() {
    return TOY_SIGNATURE_BYTES;
}

int sig_keygen(unsigned char *pk, unsigned long long *pk_len_bytes,
               unsigned char *sk, unsigned long long *sk_len_bytes) {
    return toy_keygen(pk, pk_len_bytes, sk, sk_len_bytes);
}

int sig_sign(unsigned char *sk, unsigned long long sk_len_bytes,
             unsigned char *m, unsigned long long m_len_bytes,
             unsigned char *sn, unsigned long long *sn_len_bytes) {
    unsigned char pk[TOY_BYTES];

    if (sk_len_bytes != TOY_BYTES) {
        return TOY_WRONG_LENGTH;
    }
    toy_public(pk, sk);
    toy_draw(sn, TOY_BYTES);
    *sn_len_bytes = TOY_SIGNATURE_BYTES;
    return digest(sn + TOY_BYTES, pk, sn, m, m_len_bytes);
}

#ifndef OWN_VERIFY
int sig_verify(unsigned char *pk, unsigned long long pk_len_bytes,
               unsigned char *sn, unsigned long long sn_len_bytes,
               unsigned char *m, unsigned long long m_len_bytes) {
    return toy_verify(pk, pk_len_bytes, sn, sn_len_bytes, m, m_len_bytes);
}
#endif
