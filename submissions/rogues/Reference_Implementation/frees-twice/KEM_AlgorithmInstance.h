/*
 * A toy KEM whose decapsulation gives the same memory back twice.
 */
#ifndef KEM_ALGORITHM_INSTANCE_H
#define KEM_ALGORITHM_INSTANCE_H

#define OUTPUT_BLANK_TEST_VECTORS 0
#define ALGORITHM_INSTANCE "frees-twice"
#define OWN_DEC

#include "kem_interface.h"

#endif
