/*
 * A toy KEM whose decapsulation ends the program with status 3.
 */
#ifndef KEM_ALGORITHM_INSTANCE_H
#define KEM_ALGORITHM_INSTANCE_H

#define OUTPUT_BLANK_TEST_VECTORS 0
#define ALGORITHM_INSTANCE "calls-exit"
#define OWN_DEC

#include "kem_interface.h"

#endif
