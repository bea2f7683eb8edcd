#include "fips202.h"
#include "functions.h"

int both(int digest_len_bits, const unsigned char *msg, unsigned long long msg_len_bits, unsigned char *digest) {
    shake256(digest, (size_t)digest_len_bits / 8, msg, (size_t)msg_len_bits / 8);
    return sm3hash(digest_len_bits, msg, msg_len_bits, digest);
}
