/*
 * A few calls of the interface's SM3.
 */
#ifndef KEM_ALGORITHM_INSTANCE_H
#define KEM_ALGORITHM_INSTANCE_H

#define OUTPUT_BLANK_TEST_VECTORS 0
#define ALGORITHM_INSTANCE "plain"

#define FUNCTION sm3hash
#define MESSAGE_BITS 8000
#define DIGEST_BITS 256
#define ROUNDS 25

#include "kem_interface.h"

#endif
