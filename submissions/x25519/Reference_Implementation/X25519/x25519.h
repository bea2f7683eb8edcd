/*
 * X25519 (RFC 7748, section 5), in constant time on 64-bit machines.
 */
#ifndef X25519_H
#define X25519_H

#define X25519_BYTES 32

/* result = scalar * u, all little-endian. */
void x25519(unsigned char result[X25519_BYTES], const unsigned char scalar[X25519_BYTES],
            const unsigned char u[X25519_BYTES]);

#endif
