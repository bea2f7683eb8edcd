/*
 * Frames of 32 KiB of which 512 bytes are written, those at their upper end.
 */
#include "KEM_AlgorithmInstance.h"

#include <stdlib.h>

enum { FRAME = 32 * 1024, WRITTEN = 512 };

static int write_upper_end(volatile unsigned char *frame) {
    int sum = 0;

    for (int i = 1; i <= WRITTEN; i++) {
        frame[FRAME - i] = (unsigned char)i;
        sum += frame[FRAME - i];
    }
    return sum;
}

/* Nothing shows how deep the stack is but the compiler's list. */
__attribute__((noinline)) static int sparse_and_silent(void) {
    volatile unsigned char frame[FRAME];

    return write_upper_end(frame);
}

/* Volatile, so that the compiler does not leave out what is allocated. */
static void *volatile block;

/* A call of malloc shows where the stack pointer is. */
__attribute__((noinline)) static int sparse_with_a_call(void) {
    volatile unsigned char frame[FRAME];
    int sum = write_upper_end(frame);

    block = malloc(10);
    free(block);
    return sum;
}

int use_in_keygen(void) {
    return sparse_and_silent() == 0 ? -3 : 0;
}

int use_in_enc(void) {
    return sparse_with_a_call() == 0 ? -3 : 0;
}

int use_in_dec(void) {
    return 0;
}
