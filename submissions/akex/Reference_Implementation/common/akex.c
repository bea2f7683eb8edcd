#include "akex.h"

#include <stddef.h>
#include <string.h>

#include "KEX_AlgorithmInstance.h"
#include "drng.h"
#include "fips202.h"

extern DRNG_ctx drng_algorithm;

/* PQClean's primitives draw their randomness here. */
int PQCLEAN_randombytes(unsigned char *output, size_t n);

int PQCLEAN_randombytes(unsigned char *output, size_t n) {
    return get_random_number(&drng_algorithm, output, 8 * (unsigned long long)n);
}

/* What a failed step returns. */
enum { FAILED_LENGTH = -1, FAILED_PRIMITIVE = -2, FAILED_SIGNATURE = -3, FAILED_CONFIRMATION = -4 };

/* Who signs or confirms, so that no message can be taken for another. */
enum { ROLE_A = 0xa, ROLE_B = 0xb, ROLE_KEY = 0xc };

/* The transcript so far, and what it becomes with one more message. */
static void extend(unsigned char transcript[AKEX_HASH_BYTES], const unsigned char *message, size_t bytes) {
    shake256incctx hash;

    shake256_inc_init(&hash);
    shake256_inc_absorb(&hash, transcript, AKEX_HASH_BYTES);
    shake256_inc_absorb(&hash, message, bytes);
    shake256_inc_finalize(&hash);
    shake256_inc_squeeze(transcript, AKEX_HASH_BYTES, &hash);
    shake256_inc_ctx_release(&hash);
}

/* A value that depends on the role, the KEM's secret (where it is given) and the transcript. */
static void bind(unsigned char *output, size_t bytes, unsigned char role, const unsigned char *secret,
                 const unsigned char transcript[AKEX_HASH_BYTES]) {
    shake256incctx hash;

    shake256_inc_init(&hash);
    shake256_inc_absorb(&hash, &role, 1);
    if (secret != NULL) {
        shake256_inc_absorb(&hash, secret, KEM_BYTES);
    }
    shake256_inc_absorb(&hash, transcript, AKEX_HASH_BYTES);
    shake256_inc_finalize(&hash);
    shake256_inc_squeeze(output, bytes, &hash);
    shake256_inc_ctx_release(&hash);
}

static int sign(unsigned char signature[SIGN_BYTES], unsigned char role,
                const unsigned char transcript[AKEX_HASH_BYTES], const unsigned char *sk) {
    unsigned char bound[AKEX_HASH_BYTES];
    size_t length = 0;

    bind(bound, sizeof bound, role, NULL, transcript);
    if (SIGN_SIGNATURE(signature, &length, bound, sizeof bound, sk) != 0 || length != SIGN_BYTES) {
        return FAILED_PRIMITIVE;
    }
    return 0;
}

static int verify(const unsigned char signature[SIGN_BYTES], unsigned char role,
                  const unsigned char transcript[AKEX_HASH_BYTES], const unsigned char *pk) {
    unsigned char bound[AKEX_HASH_BYTES];

    bind(bound, sizeof bound, role, NULL, transcript);
    return SIGN_VERIFY(signature, SIGN_BYTES, bound, sizeof bound, pk) == 0 ? 0 : FAILED_SIGNATURE;
}

unsigned long long kex_get_passes_num() {
    return AKEX_PASSES;
}

unsigned long long kex_get_pk_len_bytes() {
    return SIGN_PUBLICKEYBYTES;
}

unsigned long long kex_get_sk_len_bytes() {
    return SIGN_SECRETKEYBYTES;
}

unsigned long long kex_get_sta_len_bytes() {
    return AKEX_STATE_A_BYTES;
}

unsigned long long kex_get_stb_len_bytes() {
    return AKEX_STATE_B_BYTES;
}

unsigned long long kex_get_ss_len_bytes() {
    return AKEX_SECRET_BYTES;
}

unsigned long long kex_get_total_msg_len_bytes() {
    return AKEX_MESSAGES_BYTES;
}

/* A long-term key pair; the state stays empty until the first pass. */
static int initialise(unsigned char *pk, unsigned long long *pk_len_bytes, unsigned char *sk,
                      unsigned long long *sk_len_bytes, unsigned long long *state_len_bytes) {
    if (*pk_len_bytes < SIGN_PUBLICKEYBYTES || *sk_len_bytes < SIGN_SECRETKEYBYTES) {
        return FAILED_LENGTH;
    }
    *pk_len_bytes = SIGN_PUBLICKEYBYTES;
    *sk_len_bytes = SIGN_SECRETKEYBYTES;
    *state_len_bytes = 0;
    return SIGN_KEYPAIR(pk, sk) == 0 ? 0 : FAILED_PRIMITIVE;
}

int kex_init_a(unsigned char *pka, unsigned long long *pka_len_bytes,
               unsigned char *ska, unsigned long long *ska_len_bytes,
               unsigned char *sta, unsigned long long *sta_len_bytes) {
    (void)sta;
    return initialise(pka, pka_len_bytes, ska, ska_len_bytes, sta_len_bytes);
}

int kex_init_b(unsigned char *pkb, unsigned long long *pkb_len_bytes,
               unsigned char *skb, unsigned long long *skb_len_bytes,
               unsigned char *stb, unsigned long long *stb_len_bytes) {
    (void)stb;
    return initialise(pkb, pkb_len_bytes, skb, skb_len_bytes, stb_len_bytes);
}

int kex_generate_pass1_msg_a(unsigned char *ska, unsigned long long ska_len_bytes,
                             unsigned char *pkb, unsigned long long pkb_len_bytes,
                             unsigned char *sta, unsigned long long *sta_len_bytes,
                             unsigned char *m1, unsigned long long *m1_len_bytes) {
    (void)ska;
    (void)ska_len_bytes;
    (void)pkb;
    (void)pkb_len_bytes;
    if (KEM_KEYPAIR(m1, sta) != 0) {
        return FAILED_PRIMITIVE;
    }
    memcpy(sta + KEM_SECRETKEYBYTES, m1, KEM_PUBLICKEYBYTES);
    *sta_len_bytes = AKEX_STATE_A_BYTES;
    *m1_len_bytes = AKEX_PASS1_BYTES;
    return 0;
}

int kex_generate_pass2_msg_b(unsigned char *skb, unsigned long long skb_len_bytes,
                             unsigned char *pka, unsigned long long pka_len_bytes,
                             unsigned char *m1, unsigned long long m1_len_bytes,
                             unsigned char *stb, unsigned long long *stb_len_bytes,
                             unsigned char *m2, unsigned long long *m2_len_bytes) {
    unsigned char *secret = stb;
    unsigned char *transcript = stb + KEM_BYTES;
    int result;

    (void)pka;
    (void)pka_len_bytes;
    if (m1_len_bytes != AKEX_PASS1_BYTES || skb_len_bytes != SIGN_SECRETKEYBYTES) {
        return FAILED_LENGTH;
    }
    if (KEM_ENC(m2, secret, m1) != 0) {
        return FAILED_PRIMITIVE;
    }
    memset(transcript, 0, AKEX_HASH_BYTES);
    extend(transcript, m1, AKEX_PASS1_BYTES);
    extend(transcript, m2, KEM_CIPHERTEXTBYTES);
    result = sign(m2 + KEM_CIPHERTEXTBYTES, ROLE_B, transcript, skb);
    extend(transcript, m2 + KEM_CIPHERTEXTBYTES, SIGN_BYTES);
    *stb_len_bytes = AKEX_STATE_B_BYTES;
    *m2_len_bytes = AKEX_PASS2_BYTES;
    return result;
}

int kex_generate_pass3_msg_a(unsigned char *ska, unsigned long long ska_len_bytes,
                             unsigned char *pkb, unsigned long long pkb_len_bytes,
                             unsigned char *m2, unsigned long long m2_len_bytes,
                             unsigned char *sta, unsigned long long *sta_len_bytes,
                             unsigned char *m3, unsigned long long *m3_len_bytes) {
    unsigned char kept[AKEX_KEPT_BYTES];
    unsigned char *transcript = kept + KEM_BYTES;

    if (m2_len_bytes != AKEX_PASS2_BYTES || *sta_len_bytes != AKEX_STATE_A_BYTES ||
        ska_len_bytes != SIGN_SECRETKEYBYTES || pkb_len_bytes != SIGN_PUBLICKEYBYTES) {
        return FAILED_LENGTH;
    }
    memset(transcript, 0, AKEX_HASH_BYTES);
    extend(transcript, sta + KEM_SECRETKEYBYTES, AKEX_PASS1_BYTES);
    extend(transcript, m2, KEM_CIPHERTEXTBYTES);
    if (verify(m2 + KEM_CIPHERTEXTBYTES, ROLE_B, transcript, pkb) != 0) {
        return FAILED_SIGNATURE;
    }
    extend(transcript, m2 + KEM_CIPHERTEXTBYTES, SIGN_BYTES);
    if (KEM_DEC(kept, m2, sta) != 0 || sign(m3, ROLE_A, transcript, ska) != 0) {
        return FAILED_PRIMITIVE;
    }
    extend(transcript, m3, SIGN_BYTES);
    /* The ephemeral secret key is gone from here on. */
    memset(sta, 0, AKEX_STATE_A_BYTES);
    memcpy(sta, kept, sizeof kept);
    *sta_len_bytes = AKEX_KEPT_BYTES;
    *m3_len_bytes = AKEX_PASS3_BYTES;
    return AKEX_PASSES == 3;
}

/* B's last look at A's signature; the transcript then is A's. */
static int accept_a(const unsigned char *pka, const unsigned char *m3, unsigned long long m3_len_bytes,
                    unsigned char transcript[AKEX_HASH_BYTES]) {
    if (m3_len_bytes != AKEX_PASS3_BYTES) {
        return FAILED_LENGTH;
    }
    if (verify(m3, ROLE_A, transcript, pka) != 0) {
        return FAILED_SIGNATURE;
    }
    extend(transcript, m3, SIGN_BYTES);
    return 0;
}

#if AKEX_PASSES == 4
int kex_generate_pass4_msg_b(unsigned char *skb, unsigned long long skb_len_bytes,
                             unsigned char *pka, unsigned long long pka_len_bytes,
                             unsigned char *m3, unsigned long long m3_len_bytes,
                             unsigned char *stb, unsigned long long *stb_len_bytes,
                             unsigned char *m4, unsigned long long *m4_len_bytes) {
    unsigned char *transcript = stb + KEM_BYTES;
    int result;

    (void)skb;
    (void)skb_len_bytes;
    if (pka_len_bytes != SIGN_PUBLICKEYBYTES || *stb_len_bytes != AKEX_STATE_B_BYTES) {
        return FAILED_LENGTH;
    }
    result = accept_a(pka, m3, m3_len_bytes, transcript);
    if (result != 0) {
        return result;
    }
    bind(m4, AKEX_CONFIRMATION_BYTES, ROLE_B, stb, transcript);
    *m4_len_bytes = AKEX_CONFIRMATION_BYTES;
    return 1;
}
#endif

int kex_derive_ss_a(unsigned char *ska, unsigned long long ska_len_bytes,
                    unsigned char *pkb, unsigned long long pkb_len_bytes,
                    unsigned char *mb, unsigned long long mb_len_bytes,
                    unsigned char *sta, unsigned long long sta_len_bytes,
                    unsigned char *ssa, unsigned long long *ssa_len_bytes) {
    (void)ska;
    (void)ska_len_bytes;
    (void)pkb;
    (void)pkb_len_bytes;
    if (sta_len_bytes != AKEX_KEPT_BYTES || *ssa_len_bytes < AKEX_SECRET_BYTES) {
        return FAILED_LENGTH;
    }
#if AKEX_PASSES == 4
    unsigned char expected[AKEX_CONFIRMATION_BYTES];

    bind(expected, sizeof expected, ROLE_B, sta, sta + KEM_BYTES);
    if (mb_len_bytes != sizeof expected || memcmp(mb, expected, sizeof expected) != 0) {
        return FAILED_CONFIRMATION;
    }
#else
    (void)mb;
    (void)mb_len_bytes;
#endif
    bind(ssa, AKEX_SECRET_BYTES, ROLE_KEY, sta, sta + KEM_BYTES);
    *ssa_len_bytes = AKEX_SECRET_BYTES;
    return 0;
}

int kex_derive_ss_b(unsigned char *skb, unsigned long long skb_len_bytes,
                    unsigned char *pka, unsigned long long pka_len_bytes,
                    unsigned char *ma, unsigned long long ma_len_bytes,
                    unsigned char *stb, unsigned long long stb_len_bytes,
                    unsigned char *ssb, unsigned long long *ssb_len_bytes) {
    unsigned char transcript[AKEX_HASH_BYTES];

    (void)skb;
    (void)skb_len_bytes;
    if (stb_len_bytes != AKEX_STATE_B_BYTES || pka_len_bytes != SIGN_PUBLICKEYBYTES ||
        *ssb_len_bytes < AKEX_SECRET_BYTES) {
        return FAILED_LENGTH;
    }
    memcpy(transcript, stb + KEM_BYTES, sizeof transcript);
#if AKEX_PASSES == 4
    /* Pass 4 has looked at A's signature already. */
    (void)pka;
    (void)ma;
    (void)ma_len_bytes;
    (void)accept_a;
#else
    int result = accept_a(pka, ma, ma_len_bytes, transcript);
    if (result != 0) {
        return result;
    }
#endif
    bind(ssb, AKEX_SECRET_BYTES, ROLE_KEY, stb, transcript);
    *ssb_len_bytes = AKEX_SECRET_BYTES;
    return 0;
}
