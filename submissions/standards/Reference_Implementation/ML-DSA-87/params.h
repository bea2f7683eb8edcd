/* The names of ML-DSA-87 in PQClean. */
#ifndef PARAMS_H
#define PARAMS_H

#include "crypto_sign/ml-dsa-87/clean/api.h"

#define PRIMITIVE(name) PQCLEAN_MLDSA87_CLEAN_##name

#endif
