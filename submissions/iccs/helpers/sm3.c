#include "sm3.h"

#include <string.h>

typedef unsigned int word;

static word rotate(word x, unsigned int count) {
    return x << count | x >> (32 - count);
}

static word load(const unsigned char *bytes) {
    return (word)bytes[0] << 24 | (word)bytes[1] << 16 | (word)bytes[2] << 8 | bytes[3];
}

/* The functions P0 and P1 of section 4.4. */
static word permute0(word x) {
    return x ^ rotate(x, 9) ^ rotate(x, 17);
}

static word permute1(word x) {
    return x ^ rotate(x, 15) ^ rotate(x, 23);
}

/* The compression function of section 5.3. */
static void compress(word state[8], const unsigned char block[ICCS_SM3_BLOCK]) {
    word w[68];
    word a = state[0], b = state[1], c = state[2], d = state[3];
    word e = state[4], f = state[5], g = state[6], h = state[7];

    for (int j = 0; j < 16; j++) {
        w[j] = load(block + 4 * j);
    }
    for (int j = 16; j < 68; j++) {
        w[j] = permute1(w[j - 16] ^ w[j - 9] ^ rotate(w[j - 3], 15)) ^ rotate(w[j - 13], 7) ^ w[j - 6];
    }
    /* The constant T, rotated by one more bit each round, changes after the first 16. */
    word t = 0x79cc4519u;
    for (int j = 0; j < 64; j++) {
        if (j == 16) {
            t = rotate(0x7a879d8au, 16);
        }
        word ss1 = rotate(rotate(a, 12) + e + t, 7);
        word ss2 = ss1 ^ rotate(a, 12);
        word ff = j < 16 ? a ^ b ^ c : (a & b) | (a & c) | (b & c);
        word gg = j < 16 ? e ^ f ^ g : (e & f) | (~e & g);
        word tt1 = ff + d + ss2 + (w[j] ^ w[j + 4]);
        word tt2 = gg + h + ss1 + w[j];
        d = c;
        c = rotate(b, 9);
        b = a;
        a = tt1;
        h = g;
        g = rotate(f, 19);
        f = e;
        e = permute0(tt2);
        t = rotate(t, 1);
    }
    state[0] ^= a;
    state[1] ^= b;
    state[2] ^= c;
    state[3] ^= d;
    state[4] ^= e;
    state[5] ^= f;
    state[6] ^= g;
    state[7] ^= h;
}

void iccs_sm3_start(iccs_sm3 *context) {
    /* The initial value of section 5.1. */
    static const word initial[8] = {
        0x7380166fu, 0x4914b2b9u, 0x172442d7u, 0xda8a0600u,
        0xa96f30bcu, 0x163138aau, 0xe38dee4du, 0xb0fb0e4eu,
    };
    memcpy(context->state, initial, sizeof initial);
    memset(context->block, 0, sizeof context->block);
    context->bits = 0;
}

/* Appends up to 8 bits, which lie at the top of `byte` with zeros below them. */
static void append_byte(iccs_sm3 *context, unsigned char byte, unsigned int bits) {
    unsigned int position = (unsigned int)(context->bits / 8 % ICCS_SM3_BLOCK);
    unsigned int offset = (unsigned int)(context->bits % 8);

    context->block[position] |= (unsigned char)(byte >> offset);
    context->bits += bits;
    if (offset + bits < 8) {
        return;
    }
    if (position + 1 == ICCS_SM3_BLOCK) {
        compress(context->state, context->block);
        memset(context->block, 0, sizeof context->block);
        position = 0;
    } else {
        position++;
    }
    if (offset != 0) {
        context->block[position] |= (unsigned char)(byte << (8 - offset));
    }
}

void iccs_sm3_append(iccs_sm3 *context, const unsigned char *message, unsigned long long bits) {
    unsigned long long bytes = bits / 8;
    unsigned int rest = (unsigned int)(bits % 8);

    /* Whole blocks on a block's boundary need no copy. */
    if (context->bits % (8 * ICCS_SM3_BLOCK) == 0) {
        for (; bytes >= ICCS_SM3_BLOCK; bytes -= ICCS_SM3_BLOCK, message += ICCS_SM3_BLOCK) {
            compress(context->state, message);
            context->bits += 8 * ICCS_SM3_BLOCK;
        }
    }
    for (; bytes > 0; bytes--, message++) {
        append_byte(context, *message, 8);
    }
    if (rest != 0) {
        append_byte(context, (unsigned char)(*message & (0xff00u >> rest)), rest);
    }
}

void iccs_sm3_finish(iccs_sm3 *context, unsigned char digest[ICCS_SM3_BYTES]) {
    /* Padding of section 5.2: a one, zeros, and the length in 64 bits at the end of a block. */
    unsigned long long length = context->bits;
    unsigned char tail[8];

    append_byte(context, 0x80, 8 - (unsigned int)(length % 8));
    while (context->bits % (8 * ICCS_SM3_BLOCK) != 8 * (ICCS_SM3_BLOCK - sizeof tail)) {
        append_byte(context, 0, 8);
    }
    for (unsigned int i = 0; i < sizeof tail; i++) {
        tail[i] = (unsigned char)(length >> (56 - 8 * i));
    }
    iccs_sm3_append(context, tail, 8 * sizeof tail);
    for (unsigned int i = 0; i < ICCS_SM3_BYTES; i++) {
        digest[i] = (unsigned char)(context->state[i / 4] >> (24 - 8 * (i % 4)));
    }
}
