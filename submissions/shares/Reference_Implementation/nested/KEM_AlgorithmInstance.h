/*
 * Many calls of a function that calls another one of the interface, in another file.
 */
#ifndef KEM_ALGORITHM_INSTANCE_H
#define KEM_ALGORITHM_INSTANCE_H

#define OUTPUT_BLANK_TEST_VECTORS 0
#define ALGORITHM_INSTANCE "nested"

#define FUNCTION pseudohash
#define MESSAGE_BITS 64
#define DIGEST_BITS 64
#define ROUNDS 300

#include "kem_interface.h"

#endif
