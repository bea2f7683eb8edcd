/*
 * A toy key exchange whose first pass fails when it is repeated.
 */
#ifndef KEX_ALGORITHM_INSTANCE_H
#define KEX_ALGORITHM_INSTANCE_H

#define OUTPUT_BLANK_TEST_VECTORS 0
#define ALGORITHM_INSTANCE "pass-not-repeatable"
#define OWN_PASS1

#include "kex_interface.h"

#endif
