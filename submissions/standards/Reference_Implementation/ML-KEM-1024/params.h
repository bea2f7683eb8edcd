/* The names of ML-KEM-1024 in PQClean. */
#ifndef PARAMS_H
#define PARAMS_H

#include "crypto_kem/ml-kem-1024/clean/api.h"

#define PRIMITIVE(name) PQCLEAN_MLKEM1024_CLEAN_##name

#endif
