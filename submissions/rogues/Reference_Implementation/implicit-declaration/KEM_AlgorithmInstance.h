/*
 * A toy KEM that calls a function which no header declares.
 */
#ifndef KEM_ALGORITHM_INSTANCE_H
#define KEM_ALGORITHM_INSTANCE_H

#define OUTPUT_BLANK_TEST_VECTORS 0
#define ALGORITHM_INSTANCE "implicit-declaration"
#define OWN_ENC

#include "kem_interface.h"

#endif
