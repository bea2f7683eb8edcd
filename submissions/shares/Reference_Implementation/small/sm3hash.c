/* No SM3 at all: what counts is that a call takes a few instructions. */
#include "functions.h"

int sm3hash(int digest_len_bits, const unsigned char *msg, unsigned long long msg_len_bits, unsigned char *digest) {
    (void)digest_len_bits;
    digest[0] = (unsigned char)(msg[0] ^ msg_len_bits);
    digest[1] = msg[1];
    return 0;
}
