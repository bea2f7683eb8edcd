/*
 * The auxiliary functions of the NGCC interface. Every length is in bits; the unused low bits of a
 * last byte are ignored on input and zero on output.
 */
#ifndef AUXFUNC_H
#define AUXFUNC_H

#ifdef __cplusplus
extern "C" {
#endif

/* SM3; 256 is the only digest length. Returns 0, or -4 for another length. */
int sm3hash(int digest_len_bits, const unsigned char *msg, unsigned long long msg_len_bits, unsigned char *digest);

/* The placeholder hash of 512, 768 or 1024 bits. Returns 0, or -4 for another length. */
int pseudohash(int digest_len_bits, const unsigned char *msg, unsigned long long msg_len_bits, unsigned char *digest);

/* The placeholder extendable-output function. Returns 0. */
int pseudoXOF(unsigned long long output_len_bits, const unsigned char *msg, unsigned long long msg_len_bits,
              unsigned char *output);

#ifdef __cplusplus
}
#endif

#endif
