/*
 * Calls of a SHAKE that nobody can see from outside.
 */
#ifndef KEM_ALGORITHM_INSTANCE_H
#define KEM_ALGORITHM_INSTANCE_H

#define OUTPUT_BLANK_TEST_VECTORS 0
#define ALGORITHM_INSTANCE "private"

#define FUNCTION own
#define MESSAGE_BITS 1024
#define DIGEST_BITS 256
#define ROUNDS 5

#include "kem_interface.h"

#endif
