/*
 * A toy KEM whose decapsulation asks for a terabyte of heap, and could do without.
 */
#ifndef KEM_ALGORITHM_INSTANCE_H
#define KEM_ALGORITHM_INSTANCE_H

#define OUTPUT_BLANK_TEST_VECTORS 0
#define ALGORITHM_INSTANCE "wants-a-terabyte"
#define OWN_DEC

#include "kem_interface.h"

#endif
