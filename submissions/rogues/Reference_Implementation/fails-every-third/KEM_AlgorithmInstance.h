/*
 * A toy KEM whose every third encapsulation fails.
 */
#ifndef KEM_ALGORITHM_INSTANCE_H
#define KEM_ALGORITHM_INSTANCE_H

#define OUTPUT_BLANK_TEST_VECTORS 0
#define ALGORITHM_INSTANCE "fails-every-third"
#define OWN_ENC

#include "kem_interface.h"

#endif
