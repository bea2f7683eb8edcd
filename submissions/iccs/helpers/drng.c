#include "drng.h"

#include <string.h>

#include "sm3.h"

/* Hash_df of SP 800-90A, section 10.3.1, for 440 bits: two hashes, each over a counter, the number
 * of bits, an optional byte and the input. */
static void derive(unsigned char output[SEEDLEN], const unsigned char *prefix, const unsigned char *input,
                   unsigned long long input_bytes) {
    unsigned char digests[2 * ICCS_SM3_BYTES];

    for (unsigned char i = 0; i < 2; i++) {
        const unsigned char header[5] = {(unsigned char)(i + 1), 0, 0, 0x01, 0xb8};
        iccs_sm3 hash;

        iccs_sm3_start(&hash);
        iccs_sm3_append(&hash, header, 8 * sizeof header);
        if (prefix != NULL) {
            iccs_sm3_append(&hash, prefix, 8);
        }
        iccs_sm3_append(&hash, input, 8 * input_bytes);
        iccs_sm3_finish(&hash, digests + ICCS_SM3_BYTES * i);
    }
    memcpy(output, digests, SEEDLEN);
}

/* Adds a big-endian number to another of 440 bits, modulo 2^440. */
static void add(unsigned char sum[SEEDLEN], const unsigned char *number, unsigned int bytes) {
    unsigned int carry = 0;

    for (unsigned int i = 1; i <= SEEDLEN; i++) {
        carry += sum[SEEDLEN - i];
        if (i <= bytes) {
            carry += number[bytes - i];
        }
        sum[SEEDLEN - i] = (unsigned char)carry;
        carry >>= 8;
    }
}

int init_random_number(DRNG_ctx *drng, const unsigned char *seed, unsigned long long seed_len_bytes) {
    static const unsigned char zero = 0;

    memset(drng, 0, sizeof *drng);
    derive(drng->V, NULL, seed, seed_len_bytes);
    derive(drng->C, &zero, drng->V, SEEDLEN);
    drng->reseed_counter[SEEDLEN - 1] = 1;
    return 0;
}

int get_random_number(DRNG_ctx *drng, unsigned char *random_number, unsigned long long random_number_len_bits) {
    static const unsigned char one = 1;
    static const unsigned char three = 3;
    unsigned long long bytes = (random_number_len_bits + 7) / 8;
    unsigned char counter[SEEDLEN];
    unsigned char digest[ICCS_SM3_BYTES];
    iccs_sm3 hash;

    /* Hashgen of SP 800-90A, section 10.1.1.4. */
    memcpy(counter, drng->V, SEEDLEN);
    for (unsigned long long done = 0; done < bytes; done += ICCS_SM3_BYTES) {
        unsigned long long left = bytes - done;

        iccs_sm3_start(&hash);
        iccs_sm3_append(&hash, counter, 8 * SEEDLEN);
        iccs_sm3_finish(&hash, digest);
        memcpy(random_number + done, digest, left < ICCS_SM3_BYTES ? left : ICCS_SM3_BYTES);
        add(counter, &one, 1);
    }
    if (random_number_len_bits % 8 != 0) {
        random_number[bytes - 1] &= (unsigned char)(0xff00u >> random_number_len_bits % 8);
    }

    iccs_sm3_start(&hash);
    iccs_sm3_append(&hash, &three, 8);
    iccs_sm3_append(&hash, drng->V, 8 * SEEDLEN);
    iccs_sm3_finish(&hash, digest);
    add(drng->V, digest, sizeof digest);
    add(drng->V, drng->C, SEEDLEN);
    add(drng->V, drng->reseed_counter, SEEDLEN);
    add(drng->reseed_counter, &one, 1);
    return 0;
}
