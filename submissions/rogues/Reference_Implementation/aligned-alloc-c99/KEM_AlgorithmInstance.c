#include "KEM_AlgorithmInstance.h"

#include <stdlib.h>
#include <string.h>

#include "toy_kem.h"

int kem_enc(unsigned char *pk, unsigned long long pk_len_bytes,
            unsigned char *ss, unsigned long long *ss_len_bytes,
            unsigned char *ct, unsigned long long *ct_len_bytes) {
    /* Without -D_GNU_SOURCE the call would be undeclared, and its pointer cut to 32 bits. */
    unsigned char *message = aligned_alloc(64, 64);
    int result;

    if (message == NULL) {
        return -3;
    }
    toy_draw(message, TOY_BYTES);
    result = toy_enc_message(message, pk, pk_len_bytes, ss, ss_len_bytes, ct, ct_len_bytes);
    free(message);
    return result;
}
