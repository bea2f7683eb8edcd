/*
 * A toy KEM that prints to both streams in each call, and works.
 */
#ifndef KEM_ALGORITHM_INSTANCE_H
#define KEM_ALGORITHM_INSTANCE_H

#define OUTPUT_BLANK_TEST_VECTORS 0
#define ALGORITHM_INSTANCE "prints"
#define OWN_KEYGEN
#define OWN_ENC
#define OWN_DEC

#include "kem_interface.h"

#endif
