/*
 * The deterministic random number generator of the NGCC interface: Hash_DRBG of NIST SP 800-90A
 * over SM3, seeded by the caller alone.
 */
#ifndef DRNG_H
#define DRNG_H

#ifdef __cplusplus
extern "C" {
#endif

#define SEEDLEN (55)

typedef struct {
    unsigned char V[SEEDLEN];
    unsigned char C[SEEDLEN];
    unsigned char reseed_counter[SEEDLEN];
} DRNG_ctx;

/* Seeds the generator with this many bytes; returns 0. */
int init_random_number(DRNG_ctx *drng, const unsigned char *seed, unsigned long long seed_len_bytes);

/* Draws this many bits, the unused low bits of the last byte zero; returns 0. */
int get_random_number(DRNG_ctx *drng, unsigned char *random_number, unsigned long long random_number_len_bits);

#ifdef __cplusplus
}
#endif

#endif
