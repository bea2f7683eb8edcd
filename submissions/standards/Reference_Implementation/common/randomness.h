/*
 * PQClean's primitives draw their randomness from the generator of the interface.
 */
#ifndef RANDOMNESS_H
#define RANDOMNESS_H

#include <stddef.h>

int PQCLEAN_randombytes(unsigned char *output, size_t n);

#endif
