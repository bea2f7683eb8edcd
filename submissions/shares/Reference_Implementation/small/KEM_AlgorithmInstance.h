/*
 * Very many calls of a function that does next to nothing.
 */
#ifndef KEM_ALGORITHM_INSTANCE_H
#define KEM_ALGORITHM_INSTANCE_H

#define OUTPUT_BLANK_TEST_VECTORS 0
#define ALGORITHM_INSTANCE "small"

#define FUNCTION sm3hash
#define MESSAGE_BITS 64
#define DIGEST_BITS 64
#define ROUNDS 2000

#include "kem_interface.h"

#endif
