#include "KEM_AlgorithmInstance.h"

#include "toy_kem.h"

/* Goes into the message, and so into ciphertext and shared secret. */
static unsigned char calls;

int kem_enc(unsigned char *pk, unsigned long long pk_len_bytes,
            unsigned char *ss, unsigned long long *ss_len_bytes,
            unsigned char *ct, unsigned long long *ct_len_bytes) {
    unsigned char message[TOY_BYTES];

    toy_draw(message, TOY_BYTES);
    message[0] ^= calls++;
    return toy_enc_message(message, pk, pk_len_bytes, ss, ss_len_bytes, ct, ct_len_bytes);
}
