/*
 * A toy signature scheme that verifies only every other time, and accepts anything else.
 */
#ifndef SIG_ALGORITHM_INSTANCE_H
#define SIG_ALGORITHM_INSTANCE_H

#define OUTPUT_BLANK_TEST_VECTORS 0
#define ALGORITHM_INSTANCE "verifies-once"
#define OWN_VERIFY

#include "sig_interface.h"

#endif
