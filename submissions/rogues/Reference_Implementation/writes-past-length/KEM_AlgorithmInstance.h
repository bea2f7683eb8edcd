/*
 * A toy KEM that writes one byte behind the ciphertext.
 */
#ifndef KEM_ALGORITHM_INSTANCE_H
#define KEM_ALGORITHM_INSTANCE_H

#define OUTPUT_BLANK_TEST_VECTORS 0
#define ALGORITHM_INSTANCE "writes-past-length"
#define OWN_ENC

#include "kem_interface.h"

#endif
