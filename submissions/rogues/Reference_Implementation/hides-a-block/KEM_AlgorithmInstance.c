#include "KEM_AlgorithmInstance.h"

#include <stdint.h>
#include <stdlib.h>

#include "toy_kem.h"

enum { KEPT = 256, LOST = 1 << 20 };

/* What the block's address is XORed with. */
static const uintptr_t mask = (uintptr_t)0x5a5a5a5a5a5a5a5a;
static uintptr_t hidden;

static void forget(void) {
    volatile unsigned char *block = malloc(LOST);

    if (block != NULL) {
        block[0] = 1;
    }
}

/* A new block for the old one, as a pool would do it. */
static int renew(void) {
    void *block;

    if (hidden != 0) {
        free((void *)(hidden ^ mask));
    }
    block = malloc(KEPT);
    hidden = (uintptr_t)block ^ mask;
    return block != NULL;
}

int kem_dec(unsigned char *sk, unsigned long long sk_len_bytes,
            unsigned char *ct, unsigned long long ct_len_bytes,
            unsigned char *ss, unsigned long long *ss_len_bytes) {
    forget();
    if (!renew()) {
        return -3;
    }
    return toy_dec(sk, sk_len_bytes, ct, ct_len_bytes, ss, ss_len_bytes);
}
