#include "functions.h"

int pseudohash(int digest_len_bits, const unsigned char *msg, unsigned long long msg_len_bits, unsigned char *digest) {
    int result = 0;

    for (int i = 0; i < 5; i++) {
        result |= sm3hash(digest_len_bits, msg, msg_len_bits, digest);
    }
    return result;
}
