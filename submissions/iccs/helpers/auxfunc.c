#include "auxfunc.h"

#include <stdio.h>
#include <string.h>

#include "sm3.h"

/* A bit string to hash or to authenticate. */
typedef struct {
    const unsigned char *bytes;
    unsigned long long bits;
} piece;

static piece whole(const unsigned char *bytes, unsigned long long count) {
    piece p = {bytes, 8 * count};
    return p;
}

/* SM3 of three pieces, one after the other. */
static void hash(unsigned char digest[ICCS_SM3_BYTES], piece first, piece second, piece third) {
    iccs_sm3 context;

    iccs_sm3_start(&context);
    iccs_sm3_append(&context, first.bytes, first.bits);
    iccs_sm3_append(&context, second.bytes, second.bits);
    iccs_sm3_append(&context, third.bytes, third.bits);
    iccs_sm3_finish(&context, digest);
}

static const piece nothing = {NULL, 0};

/* HMAC (RFC 2104) of two pieces with the functions' fixed key, the hashes of the first digits of
 * pi and of e: as long as a block. */
static void authenticate(unsigned char code[ICCS_SM3_BYTES], piece first, piece second) {
    static const unsigned char pi[] = "3.14159265358979";
    static const unsigned char e[] = "2.71828182845904";
    unsigned char inner[ICCS_SM3_BLOCK];
    unsigned char outer[ICCS_SM3_BLOCK];
    unsigned char digest[ICCS_SM3_BYTES];

    hash(inner, whole(pi, sizeof pi - 1), nothing, nothing);
    hash(inner + ICCS_SM3_BYTES, whole(e, sizeof e - 1), nothing, nothing);
    for (unsigned int i = 0; i < ICCS_SM3_BLOCK; i++) {
        outer[i] = inner[i] ^ 0x5c;
        inner[i] ^= 0x36;
    }
    hash(digest, whole(inner, sizeof inner), first, second);
    hash(code, whole(outer, sizeof outer), whole(digest, sizeof digest), nothing);
}

int sm3hash(int digest_len_bits, const unsigned char *msg, unsigned long long msg_len_bits, unsigned char *digest) {
    piece message = {msg, msg_len_bits};

    if (digest_len_bits != 256) {
        fprintf(stderr, "sm3hash: a digest has 256 bits, not %d\n", digest_len_bits);
        return -4;
    }
    hash(digest, message, nothing, nothing);
    return 0;
}

int pseudohash(int digest_len_bits, const unsigned char *msg, unsigned long long msg_len_bits, unsigned char *digest) {
    unsigned char h[4][ICCS_SM3_BYTES];
    unsigned char k[4][ICCS_SM3_BYTES];
    piece message = {msg, msg_len_bits};

    if (digest_len_bits != 512 && digest_len_bits != 768 && digest_len_bits != 1024) {
        fprintf(stderr, "pseudohash: a digest has 512, 768 or 1024 bits, not %d\n", digest_len_bits);
        return -4;
    }
    const unsigned char tag[2] = {(unsigned char)(digest_len_bits / 256), 0};

    authenticate(k[0], whole(tag, sizeof tag), message);
    hash(h[0], message, whole(tag, sizeof tag), nothing);
    hash(h[1], whole(k[0], sizeof k[0]), whole(h[0], sizeof h[0]), nothing);
    if (digest_len_bits > 512) {
        authenticate(k[1], whole(h[0], sizeof h[0]), nothing);
        hash(h[2], whole(h[1], sizeof h[1]), whole(k[1], sizeof k[1]), nothing);
    }
    if (digest_len_bits > 768) {
        authenticate(k[2], whole(h[1], sizeof h[1]), nothing);
        authenticate(k[3], whole(h[2], sizeof h[2]), nothing);
        hash(h[3], whole(k[2], sizeof k[2]), whole(h[2], sizeof h[2]), whole(k[3], sizeof k[3]));
    }
    memcpy(digest, h, (unsigned int)digest_len_bits / 8);
    return 0;
}

int pseudoXOF(unsigned long long output_len_bits, const unsigned char *msg, unsigned long long msg_len_bits,
              unsigned char *output) {
    unsigned long long bytes = (output_len_bits + 7) / 8;
    unsigned char digest[ICCS_SM3_BYTES];
    piece message = {msg, msg_len_bits};
    unsigned long long block = 0;

    for (unsigned long long done = 0; done < bytes; done += ICCS_SM3_BYTES) {
        unsigned long long left = bytes - done;
        block++;
        const unsigned char counter[4] = {
            (unsigned char)(block >> 24), (unsigned char)(block >> 16),
            (unsigned char)(block >> 8), (unsigned char)block,
        };

        hash(digest, message, whole(counter, sizeof counter), nothing);
        memcpy(output + done, digest, left < ICCS_SM3_BYTES ? left : ICCS_SM3_BYTES);
    }
    if (output_len_bits % 8 != 0) {
        output[bytes - 1] &= (unsigned char)(0xff00u >> output_len_bits % 8);
    }
    return 0;
}
