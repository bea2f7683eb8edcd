#include "functions.h"

int nothing(int digest_len_bits, const unsigned char *msg, unsigned long long msg_len_bits, unsigned char *digest) {
    (void)msg;
    (void)msg_len_bits;
    (void)digest;
    /* Where it is returned an int is passed, too: this is a single instruction. */
    return digest_len_bits;
}
