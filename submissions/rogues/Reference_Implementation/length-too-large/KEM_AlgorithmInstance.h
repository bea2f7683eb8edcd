/*
 * A toy KEM that claims a ciphertext longer than the buffer that it asked for.
 */
#ifndef KEM_ALGORITHM_INSTANCE_H
#define KEM_ALGORITHM_INSTANCE_H

#define OUTPUT_BLANK_TEST_VECTORS 0
#define ALGORITHM_INSTANCE "length-too-large"
#define OWN_ENC

#include "kem_interface.h"

#endif
