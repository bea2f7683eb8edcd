/*
 * A toy key exchange whose messages and states are empty, and which works.
 */
#ifndef KEX_ALGORITHM_INSTANCE_H
#define KEX_ALGORITHM_INSTANCE_H

#define OUTPUT_BLANK_TEST_VECTORS 0
#define ALGORITHM_INSTANCE "empty-messages"
#define TOY_MESSAGE_BYTES 0

#include "kex_interface.h"

#endif
