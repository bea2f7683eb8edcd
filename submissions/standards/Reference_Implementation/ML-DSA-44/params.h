/* The names of ML-DSA-44 in PQClean. */
#ifndef PARAMS_H
#define PARAMS_H

#include "crypto_sign/ml-dsa-44/clean/api.h"

#define PRIMITIVE(name) PQCLEAN_MLDSA44_CLEAN_##name

#endif
