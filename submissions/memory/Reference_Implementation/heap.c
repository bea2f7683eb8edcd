/*
 * Known sequences on the heap, each of whose figures can be counted on one's fingers.
 */
#include "KEM_AlgorithmInstance.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Volatile, so that the compiler neither knows nor leaves out what is allocated. */
static void *volatile kept;

/* 1000 bytes, then 2400 of zeros, then the first as 10000: the peak is 12400. All freed. */
int use_in_keygen(void) {
    unsigned char *first = malloc(1000);
    unsigned char *second = calloc(3, 800);
    int sound;

    if (first == NULL || second == NULL) {
        return -3;
    }
    first[999] = 7;
    sound = second[0] == 0 && second[2399] == 0;
    first = realloc(first, 10000);
    if (first == NULL || first[999] != 7) {
        return -4;
    }
    free(second);
    free(first);
    free(NULL);
    return sound ? 0 : -5;
}

/*
 * Every other way to a block, of 100 bytes each but the text of 8: the peak is 408. An alignment
 * that is none is refused twice. The text stays in use.
 */
int use_in_enc(void) {
    void *volatile blocks[4] = {NULL};

    blocks[0] = aligned_alloc(64, 100);
    if (posix_memalign((void **)&blocks[1], 256, 100) != 0) {
        return -3;
    }
    blocks[2] = reallocarray(NULL, 25, 4);
    blocks[3] = realloc(NULL, 100);
    kept = strdup("7 bytes");
    if ((uintptr_t)blocks[0] % 64 != 0 || (uintptr_t)blocks[1] % 256 != 0) {
        return -4;
    }
    if (aligned_alloc(48, 96) != NULL || posix_memalign((void **)&blocks[1], 3, 100) == 0) {
        return -5;
    }
    for (int i = 0; i < 4; i++) {
        if (blocks[i] == NULL) {
            return -6;
        }
        free(blocks[i]);
    }
    return 0;
}

/* A block of 5000 bytes that realloc frees, and one of 1 that is lost. */
int use_in_dec(void) {
    void *block = malloc(5000);

    kept = malloc(1);
    return realloc(block, 0) == NULL ? 0 : -3;
}
