/*
 * A toy KEM that brings the helpers of the interface itself, under their official names.
 */
#ifndef KEM_ALGORITHM_INSTANCE_H
#define KEM_ALGORITHM_INSTANCE_H

#define OUTPUT_BLANK_TEST_VECTORS 0
#define ALGORITHM_INSTANCE "own-helpers"

#include "kem_interface.h"

#endif
