/*
 * A toy KEM that calls aligned_alloc, which libraries hide from strict C99.
 */
#ifndef KEM_ALGORITHM_INSTANCE_H
#define KEM_ALGORITHM_INSTANCE_H

#define OUTPUT_BLANK_TEST_VECTORS 0
#define ALGORITHM_INSTANCE "aligned-alloc-c99"
#define OWN_ENC

#include "kem_interface.h"

#endif
