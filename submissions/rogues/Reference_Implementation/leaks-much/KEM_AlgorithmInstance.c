#include "KEM_AlgorithmInstance.h"

#include <stdlib.h>

#include "toy_kem.h"

enum { TABLE = 256, LOST = 1 << 20 };

/* Made at the first call and used ever after. */
static unsigned char *table;

/* The store is volatile so that the compiler keeps the allocation. */
static void forget(void) {
    volatile unsigned char *block = malloc(LOST);

    if (block != NULL) {
        block[0] = 1;
    }
}

static int table_is_sound(void) {
    if (table == NULL) {
        table = malloc(TABLE);
        if (table == NULL) {
            return 0;
        }
        for (int i = 0; i < TABLE; i++) {
            table[i] = (unsigned char)(3 * i + 1);
        }
    }
    for (int i = 0; i < TABLE; i++) {
        if (table[i] != (unsigned char)(3 * i + 1)) {
            return 0;
        }
    }
    return 1;
}

int kem_dec(unsigned char *sk, unsigned long long sk_len_bytes,
            unsigned char *ct, unsigned long long ct_len_bytes,
            unsigned char *ss, unsigned long long *ss_len_bytes) {
    forget();
    if (!table_is_sound()) {
        return -3;
    }
    return toy_dec(sk, sk_len_bytes, ct, ct_len_bytes, ss, ss_len_bytes);
}
