#include "CryptHash_AlgorithmInstance.h"

#include "fips202.h"

int CryptHash(int digest_len_bits, const unsigned char *msg, unsigned long long msg_len_bits,
              unsigned char *digest) {
    unsigned long long bytes = msg_len_bits / 8;
    unsigned char used = (unsigned char)(msg_len_bits % 8);

    if (digest_len_bits != DIGEST_BIT_LENGTH) {
        return -1;
    }
    if (used == 0) {
        sha3_256(digest, msg, bytes);
        return 0;
    }
    unsigned char tail[2] = {(unsigned char)(msg[bytes] & (0xff00u >> used)), used};
    sha3_256incctx context;
    sha3_256_inc_init(&context);
    sha3_256_inc_absorb(&context, msg, bytes);
    sha3_256_inc_absorb(&context, tail, sizeof tail);
    sha3_256_inc_finalize(digest, &context);
    return 0;
}
