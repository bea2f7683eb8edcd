#include "randomness.h"

#include "drng.h"

extern DRNG_ctx drng_algorithm;

int PQCLEAN_randombytes(unsigned char *output, size_t n) {
    return get_random_number(&drng_algorithm, output, 8 * (unsigned long long)n);
}
