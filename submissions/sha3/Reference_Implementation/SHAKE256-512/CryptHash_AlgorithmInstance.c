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
        shake256(digest, DIGEST_BIT_LENGTH / 8, msg, bytes);
        return 0;
    }
    unsigned char tail[2] = {(unsigned char)(msg[bytes] & (0xff00u >> used)), used};
    shake256incctx context;
    shake256_inc_init(&context);
    shake256_inc_absorb(&context, msg, bytes);
    shake256_inc_absorb(&context, tail, sizeof tail);
    shake256_inc_finalize(&context);
    shake256_inc_squeeze(digest, DIGEST_BIT_LENGTH / 8, &context);
    shake256_inc_ctx_release(&context);
    return 0;
}
