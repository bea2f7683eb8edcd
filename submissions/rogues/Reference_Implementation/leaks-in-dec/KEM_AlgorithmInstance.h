/*
 * A toy KEM that forgets 4096 bytes of heap in each decapsulation.
 */
#ifndef KEM_ALGORITHM_INSTANCE_H
#define KEM_ALGORITHM_INSTANCE_H

#define OUTPUT_BLANK_TEST_VECTORS 0
#define ALGORITHM_INSTANCE "leaks-in-dec"
#define OWN_DEC

#include "kem_interface.h"

#endif
