#include "KEX_AlgorithmInstance.h"

#include "drng.h"
#include "x25519.h"

extern DRNG_ctx drng_algorithm;

/* The u coordinate of the base point (RFC 7748, section 4.1). */
static const unsigned char base_point[X25519_BYTES] = {9};

unsigned long long kex_get_passes_num() {
    return 0;
}

unsigned long long kex_get_pk_len_bytes() {
    return X25519_BYTES;
}

unsigned long long kex_get_sk_len_bytes() {
    return X25519_BYTES;
}

unsigned long long kex_get_sta_len_bytes() {
    return 0;
}

unsigned long long kex_get_stb_len_bytes() {
    return 0;
}

unsigned long long kex_get_ss_len_bytes() {
    return X25519_BYTES;
}

unsigned long long kex_get_total_msg_len_bytes() {
    return 0;
}

/* A key pair; no state is kept. */
static int initialise(unsigned char *pk, unsigned long long *pk_len_bytes, unsigned char *sk,
                      unsigned long long *sk_len_bytes, unsigned long long *state_len_bytes) {
    if (*pk_len_bytes < X25519_BYTES || *sk_len_bytes < X25519_BYTES) {
        return -1;
    }
    get_random_number(&drng_algorithm, sk, 8 * X25519_BYTES);
    x25519(pk, sk, base_point);
    *pk_len_bytes = X25519_BYTES;
    *sk_len_bytes = X25519_BYTES;
    *state_len_bytes = 0;
    return 0;
}

/* The shared point; one of small order (RFC 7748, section 6.1) is refused. */
static int derive(const unsigned char *sk, unsigned long long sk_len_bytes, const unsigned char *pk,
                  unsigned long long pk_len_bytes, unsigned char *ss, unsigned long long *ss_len_bytes) {
    unsigned char any = 0;

    if (sk_len_bytes != X25519_BYTES || pk_len_bytes != X25519_BYTES || *ss_len_bytes < X25519_BYTES) {
        return -1;
    }
    x25519(ss, sk, pk);
    *ss_len_bytes = X25519_BYTES;
    for (int i = 0; i < X25519_BYTES; i++) {
        any |= ss[i];
    }
    return any == 0 ? -2 : 0;
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

int kex_derive_ss_a(unsigned char *ska, unsigned long long ska_len_bytes,
                    unsigned char *pkb, unsigned long long pkb_len_bytes,
                    unsigned char *mb, unsigned long long mb_len_bytes,
                    unsigned char *sta, unsigned long long sta_len_bytes,
                    unsigned char *ssa, unsigned long long *ssa_len_bytes) {
    (void)mb;
    (void)mb_len_bytes;
    (void)sta;
    (void)sta_len_bytes;
    return derive(ska, ska_len_bytes, pkb, pkb_len_bytes, ssa, ssa_len_bytes);
}

int kex_derive_ss_b(unsigned char *skb, unsigned long long skb_len_bytes,
                    unsigned char *pka, unsigned long long pka_len_bytes,
                    unsigned char *ma, unsigned long long ma_len_bytes,
                    unsigned char *stb, unsigned long long stb_len_bytes,
                    unsigned char *ssb, unsigned long long *ssb_len_bytes) {
    (void)ma;
    (void)ma_len_bytes;
    (void)stb;
    (void)stb_len_bytes;
    return derive(skb, skb_len_bytes, pka, pka_len_bytes, ssb, ssb_len_bytes);
}
