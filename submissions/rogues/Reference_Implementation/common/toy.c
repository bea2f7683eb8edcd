#include "toy.h"

#include "drng.h"

extern DRNG_ctx drng_algorithm;

void toy_draw(unsigned char *output, toy_length bytes) {
    get_random_number(&drng_algorithm, output, 8 * bytes);
}

void toy_public(unsigned char pk[TOY_BYTES], const unsigned char sk[TOY_BYTES]) {
    for (int i = 0; i < TOY_BYTES; i++) {
        pk[i] = sk[i] ^ 0x5a;
    }
}

int toy_keygen(unsigned char *pk, toy_length *pk_bytes, unsigned char *sk, toy_length *sk_bytes) {
    toy_draw(sk, TOY_BYTES);
    toy_public(pk, sk);
    *pk_bytes = TOY_BYTES;
    *sk_bytes = TOY_BYTES;
    return 0;
}
