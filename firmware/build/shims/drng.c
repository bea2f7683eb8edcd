/*
 * The context of the submission's generator, which the interface leaves to the program around it.
 *
 * Compiled with the submission's own drng.h where it has one. Weak, for a package may define it.
 */
#include "drng.h"

__attribute__((weak)) DRNG_ctx drng_algorithm;
