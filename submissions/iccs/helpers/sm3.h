/*
 * SM3 (GB/T 32905-2016) over bit strings, for the helpers beside this file.
 *
 * Bits are counted from the most significant one of byte 0. Bit strings that are appended one
 * after the other follow each other directly, without alignment to bytes.
 */
#ifndef ICCS_SM3_H
#define ICCS_SM3_H

#ifdef __cplusplus
extern "C" {
#endif

#define ICCS_SM3_BYTES 32
#define ICCS_SM3_BLOCK 64

typedef struct {
    unsigned int state[8];
    unsigned long long bits;
    unsigned char block[ICCS_SM3_BLOCK];
} iccs_sm3;

void iccs_sm3_start(iccs_sm3 *context);
void iccs_sm3_append(iccs_sm3 *context, const unsigned char *message, unsigned long long bits);
void iccs_sm3_finish(iccs_sm3 *context, unsigned char digest[ICCS_SM3_BYTES]);

#ifdef __cplusplus
}
#endif

#endif
