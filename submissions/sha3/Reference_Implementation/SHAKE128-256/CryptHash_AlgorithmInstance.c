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
        shake128(digest, DIGEST_BIT_LENGTH / 8, msg, bytes);
        return 0;
    }
    unsigned char tail[2] = {(unsigned char)(msg[bytes] & (0xff00u >> used)), used};
    shake128incctx context;
    shake128_inc_init(&context);
    shake128_inc_absorb(&context, msg, bytes);
    shake128_inc_absorb(&context, tail, sizeof tail);
    shake128_inc_finalize(&context);
    shake128_inc_squeeze(digest, DIGEST_BIT_LENGTH / 8, &context);
    shake128_inc_ctx_release(&context);
    return 0;
}
