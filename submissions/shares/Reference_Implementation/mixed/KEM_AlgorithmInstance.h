/*
 * Calls of the interface's SM3 and of PQClean's SHAKE.
 */
#ifndef KEM_ALGORITHM_INSTANCE_H
#define KEM_ALGORITHM_INSTANCE_H

#define OUTPUT_BLANK_TEST_VECTORS 0
#define ALGORITHM_INSTANCE "mixed"

#define FUNCTION both
#define MESSAGE_BITS 1024
#define DIGEST_BITS 256
#define ROUNDS 5

#include "kem_interface.h"

#endif
