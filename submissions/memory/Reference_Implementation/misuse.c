/*
 * Ways to misuse the heap, chosen by MISUSE; each in the decapsulation.
 */
#include "KEM_AlgorithmInstance.h"

#include <stdint.h>
#include <stdlib.h>

/* Volatile, so that the compiler neither knows nor leaves out what is allocated. */
static unsigned char *volatile block;
static volatile size_t half = SIZE_MAX / 2;

int use_in_keygen(void) {
    return 0;
}

int use_in_enc(void) {
    return 0;
}

int use_in_dec(void) {
#if MISUSE == 1
    /* A product that overflows: 4 less than nothing. */
    block = calloc(half, 4);
#elif MISUSE == 2
    block = malloc(100);
    block += 16;
    free(block);
#elif MISUSE == 3
    block = malloc(100);
    free(block);
    block = realloc(block, 200);
#elif MISUSE == 4
    block = malloc(100);
    block[-1] = 1;
    free(block);
#endif
    return 0;
}
