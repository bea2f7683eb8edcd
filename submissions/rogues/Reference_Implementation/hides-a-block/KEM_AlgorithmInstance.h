/*
 * A toy KEM that forgets 1 MiB of heap in each decapsulation, and keeps a block whose address it
 * encrypts.
 */
#ifndef KEM_ALGORITHM_INSTANCE_H
#define KEM_ALGORITHM_INSTANCE_H

#define OUTPUT_BLANK_TEST_VECTORS 0
#define ALGORITHM_INSTANCE "hides-a-block"
#define OWN_DEC

#include "kem_interface.h"

#endif
