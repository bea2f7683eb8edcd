/*
 * A helper of the NGCC interface as a hash function: what the other candidates' hashing costs is
 * compared with it.
 */
#ifndef CRYPTHASH_ALGORITHM_INSTANCE_H
#define CRYPTHASH_ALGORITHM_INSTANCE_H

#define OUTPUT_BLANK_TEST_VECTORS 0
#define ALGORITHM_INSTANCE "pseudohash-768"
#define DIGEST_BIT_LENGTH 768

#ifdef __cplusplus
extern "C" {
#endif

int CryptHash(int digest_len_bits, const unsigned char *msg, unsigned long long msg_len_bits,
              unsigned char *digest);

#ifdef __cplusplus
}
#endif

#endif
