/*
 * The toy KEM. An instance whose header defines OWN_KEYGEN, OWN_ENC or OWN_DEC brings that function
 * of the interface itself; the others are the toy's.
 */
#ifndef TOY_KEM_H
#define TOY_KEM_H

#include "toy.h"

int toy_enc(const unsigned char *pk, toy_length pk_bytes, unsigned char *ss, toy_length *ss_bytes,
            unsigned char *ct, toy_length *ct_bytes);
int toy_dec(const unsigned char *sk, toy_length sk_bytes, const unsigned char *ct, toy_length ct_bytes,
            unsigned char *ss, toy_length *ss_bytes);

/* What toy_enc does with the message that it has drawn. */
int toy_enc_message(const unsigned char message[TOY_BYTES], const unsigned char *pk, toy_length pk_bytes,
                    unsigned char *ss, toy_length *ss_bytes, unsigned char *ct, toy_length *ct_bytes);

#endif
