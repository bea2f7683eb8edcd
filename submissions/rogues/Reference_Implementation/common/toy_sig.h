/*
 * The toy signature scheme. An instance whose header defines OWN_VERIFY brings sig_verify itself;
 * the other functions of the interface are the toy's.
 */
#ifndef TOY_SIG_H
#define TOY_SIG_H

#include "toy.h"

#define TOY_SIGNATURE_BYTES (2 * TOY_BYTES)

/* 0 for a valid signature, -1 for an invalid one. */
int toy_verify(const unsigned char *pk, toy_length pk_bytes, const unsigned char *sn, toy_length sn_bytes,
               const unsigned char *m, toy_length m_bytes);

#endif
