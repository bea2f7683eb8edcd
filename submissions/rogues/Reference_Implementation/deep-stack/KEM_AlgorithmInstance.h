/*
 * A toy KEM whose key generation needs 700 KB of stack, and works.
 */
#ifndef KEM_ALGORITHM_INSTANCE_H
#define KEM_ALGORITHM_INSTANCE_H

#define OUTPUT_BLANK_TEST_VECTORS 0
#define ALGORITHM_INSTANCE "deep-stack"
#define OWN_KEYGEN

#include "kem_interface.h"

#endif
