/*
 * A toy KEM whose encapsulation writes to address 0.
 */
#ifndef KEM_ALGORITHM_INSTANCE_H
#define KEM_ALGORITHM_INSTANCE_H

#define OUTPUT_BLANK_TEST_VECTORS 0
#define ALGORITHM_INSTANCE "writes-to-null"
#define OWN_ENC

#include "kem_interface.h"

#endif
