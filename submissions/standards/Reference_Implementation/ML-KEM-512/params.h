/* The names of ML-KEM-512 in PQClean. */
#ifndef PARAMS_H
#define PARAMS_H

#include "crypto_kem/ml-kem-512/clean/api.h"

#define PRIMITIVE(name) PQCLEAN_MLKEM512_CLEAN_##name

#endif
