/*
 * A toy KEM whose encapsulation calls itself until no stack is left.
 */
#ifndef KEM_ALGORITHM_INSTANCE_H
#define KEM_ALGORITHM_INSTANCE_H

#define OUTPUT_BLANK_TEST_VECTORS 0
#define ALGORITHM_INSTANCE "recurses"
#define OWN_ENC

#include "kem_interface.h"

#endif
