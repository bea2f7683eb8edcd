/*
 * A toy KEM whose encapsulations depend on how many there were before.
 */
#ifndef KEM_ALGORITHM_INSTANCE_H
#define KEM_ALGORITHM_INSTANCE_H

#define OUTPUT_BLANK_TEST_VECTORS 0
#define ALGORITHM_INSTANCE "static-state"
#define OWN_ENC

#include "kem_interface.h"

#endif
