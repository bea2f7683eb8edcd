/*
 * The length of a hash function's digest in bits: the interface has it as a macro only.
 */
#include "CryptHash_AlgorithmInstance.h"

unsigned long long ngcc_digest_bits(void);

unsigned long long ngcc_digest_bits(void)
{
    return DIGEST_BIT_LENGTH;
}
