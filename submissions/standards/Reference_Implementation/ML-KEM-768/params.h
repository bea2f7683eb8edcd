/* The names of ML-KEM-768 in PQClean. */
#ifndef PARAMS_H
#define PARAMS_H

#include "crypto_kem/ml-kem-768/clean/api.h"

#define PRIMITIVE(name) PQCLEAN_MLKEM768_CLEAN_##name

#endif
