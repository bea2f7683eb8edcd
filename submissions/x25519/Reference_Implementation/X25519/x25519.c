#include "x25519.h"

#include <stdint.h>
#include <string.h>

/* An element of GF(2^255 - 19): the sum of limb[i] * 2^(51 i). */
typedef struct {
    uint64_t limb[5];
} element;

__extension__ typedef unsigned __int128 wide;

static const uint64_t mask = ((uint64_t)1 << 51) - 1;

static element add(element a, element b) {
    for (int i = 0; i < 5; i++) {
        a.limb[i] += b.limb[i];
    }
    return a;
}

/* a - b, with twice the modulus added so that no limb is negative. The limbs of b have 52 bits. */
static element subtract(element a, element b) {
    a.limb[0] += 0xfffffffffffdau - b.limb[0];
    for (int i = 1; i < 5; i++) {
        a.limb[i] += 0xffffffffffffeu - b.limb[i];
    }
    return a;
}

static element carry(const wide product[5]) {
    element r;
    wide c = 0;

    for (int i = 0; i < 5; i++) {
        c += product[i];
        r.limb[i] = (uint64_t)c & mask;
        c >>= 51;
    }
    /* 2^255 is 19. */
    c = r.limb[0] + 19 * c;
    r.limb[0] = (uint64_t)c & mask;
    r.limb[1] += (uint64_t)(c >> 51);
    return r;
}

static element multiply(element a, element b) {
    wide product[5] = {0, 0, 0, 0, 0};

    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 5; j++) {
            uint64_t factor = i + j < 5 ? b.limb[j] : 19 * b.limb[j];
            product[(i + j) % 5] += (wide)a.limb[i] * factor;
        }
    }
    return carry(product);
}

static element multiply_small(element a, uint64_t b) {
    wide product[5];

    for (int i = 0; i < 5; i++) {
        product[i] = (wide)a.limb[i] * b;
    }
    return carry(product);
}

static element square_times(element a, int times) {
    for (; times > 0; times--) {
        a = multiply(a, a);
    }
    return a;
}

/* a^(p - 2), where p - 2 is 250 ones, a zero, a one, a zero and two ones in binary. */
static element invert(element a) {
    element a2 = square_times(a, 1);
    element a9 = multiply(square_times(a2, 2), a);
    element a11 = multiply(a9, a2);
    element ones5 = multiply(square_times(a11, 1), a9);
    element ones10 = multiply(square_times(ones5, 5), ones5);
    element ones20 = multiply(square_times(ones10, 10), ones10);
    element ones40 = multiply(square_times(ones20, 20), ones20);
    element ones50 = multiply(square_times(ones40, 10), ones10);
    element ones100 = multiply(square_times(ones50, 50), ones50);
    element ones200 = multiply(square_times(ones100, 100), ones100);
    element ones250 = multiply(square_times(ones200, 50), ones50);
    return multiply(square_times(ones250, 5), a11);
}

static uint64_t load(const unsigned char *bytes) {
    uint64_t word = 0;

    for (int i = 7; i >= 0; i--) {
        word = word << 8 | bytes[i];
    }
    return word;
}

/* The top bit of u is ignored, as section 5 has it. */
static element unpack(const unsigned char u[X25519_BYTES]) {
    element r;

    r.limb[0] = load(u) & mask;
    r.limb[1] = load(u + 6) >> 3 & mask;
    r.limb[2] = load(u + 12) >> 6 & mask;
    r.limb[3] = load(u + 19) >> 1 & mask;
    r.limb[4] = load(u + 24) >> 12 & mask;
    return r;
}

static void pack(unsigned char u[X25519_BYTES], element a) {
    /* Two rounds of carries leave less than 2^255; adding 19 then shows whether p is reached. */
    for (int round = 0; round < 2; round++) {
        wide product[5];
        for (int i = 0; i < 5; i++) {
            product[i] = a.limb[i];
        }
        a = carry(product);
    }
    uint64_t reached = a.limb[0] + 19;
    for (int i = 1; i < 5; i++) {
        reached = a.limb[i] + (reached >> 51);
    }
    a.limb[0] += 19 * (reached >> 51);
    for (int i = 0; i < 4; i++) {
        a.limb[i + 1] += a.limb[i] >> 51;
        a.limb[i] &= mask;
    }
    a.limb[4] &= mask;

    memset(u, 0, X25519_BYTES);
    for (unsigned int bit = 0; bit < 255; bit++) {
        u[bit / 8] |= (unsigned char)((a.limb[bit / 51] >> bit % 51 & 1) << bit % 8);
    }
}

/* Swaps when `swap` is 1 and does not when it is 0, by the same instructions. */
static void swap_if(uint64_t swap, element *a, element *b) {
    for (int i = 0; i < 5; i++) {
        uint64_t difference = (a->limb[i] ^ b->limb[i]) & (0 - swap);
        a->limb[i] ^= difference;
        b->limb[i] ^= difference;
    }
}

void x25519(unsigned char result[X25519_BYTES], const unsigned char scalar[X25519_BYTES],
            const unsigned char u[X25519_BYTES]) {
    static const element one = {{1, 0, 0, 0, 0}};
    static const element zero = {{0, 0, 0, 0, 0}};
    unsigned char k[X25519_BYTES];
    element x1 = unpack(u), x2 = one, z2 = zero, x3 = x1, z3 = one;
    uint64_t swap = 0;

    memcpy(k, scalar, sizeof k);
    k[0] &= 248;
    k[31] &= 127;
    k[31] |= 64;
    /* The ladder of section 5, in its names. */
    for (int t = 254; t >= 0; t--) {
        uint64_t bit = k[t / 8] >> t % 8 & 1;

        swap_if(swap ^ bit, &x2, &x3);
        swap_if(swap ^ bit, &z2, &z3);
        swap = bit;
        element a = add(x2, z2);
        element aa = multiply(a, a);
        element b = subtract(x2, z2);
        element bb = multiply(b, b);
        element e = subtract(aa, bb);
        element da = multiply(subtract(x3, z3), a);
        element cb = multiply(add(x3, z3), b);
        element sum = add(da, cb);
        element difference = subtract(da, cb);
        x3 = multiply(sum, sum);
        z3 = multiply(x1, multiply(difference, difference));
        x2 = multiply(aa, bb);
        z2 = multiply(e, add(aa, multiply_small(e, 121665)));
    }
    swap_if(swap, &x2, &x3);
    swap_if(swap, &z2, &z3);
    pack(result, multiply(x2, invert(z2)));
}
