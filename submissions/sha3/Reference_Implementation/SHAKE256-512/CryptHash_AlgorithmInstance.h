/*
 * SHAKE256-512 (FIPS 202) as a hash function of the NGCC interface.
 *
 * FIPS 202 numbers the bits of a byte from the least significant one, the interface from the most
 * significant one, and PQClean's library takes whole bytes. Messages of whole bytes, which is all
 * that is ever timed, are hashed as FIPS 202 has it. Of any other message the last byte is taken
 * with its unused bits zero, and a further byte holds the number of its used bits: a convention of
 * this package, so that every record of the known-answer files is defined.
 */
#ifndef CRYPTHASH_ALGORITHM_INSTANCE_H
#define CRYPTHASH_ALGORITHM_INSTANCE_H

#define OUTPUT_BLANK_TEST_VECTORS 0
#define ALGORITHM_INSTANCE "SHAKE256-512"
#define DIGEST_BIT_LENGTH 512

#ifdef __cplusplus
extern "C" {
#endif

int CryptHash(int digest_len_bits, const unsigned char *msg, unsigned long long msg_len_bits,
              unsigned char *digest);

#ifdef __cplusplus
}
#endif

#endif
