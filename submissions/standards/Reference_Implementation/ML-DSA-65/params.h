/* The names of ML-DSA-65 in PQClean. */
#ifndef PARAMS_H
#define PARAMS_H

#include "crypto_sign/ml-dsa-65/clean/api.h"

#define PRIMITIVE(name) PQCLEAN_MLDSA65_CLEAN_##name

#endif
