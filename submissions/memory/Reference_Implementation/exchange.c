#include "KEX_AlgorithmInstance.h"

#include <stdlib.h>
#include <string.h>

#include "drng.h"

enum { BYTES = 32, KEPT = 1000, SCRATCH = 300 };

extern DRNG_ctx drng_algorithm;

unsigned long long kex_get_passes_num() {
    return 1;
}

unsigned long long kex_get_pk_len_bytes() {
    return BYTES;
}

unsigned long long kex_get_sk_len_bytes() {
    return BYTES;
}

unsigned long long kex_get_sta_len_bytes() {
    return sizeof(unsigned char *);
}

unsigned long long kex_get_stb_len_bytes() {
    return BYTES;
}

unsigned long long kex_get_ss_len_bytes() {
    return BYTES;
}

unsigned long long kex_get_total_msg_len_bytes() {
    return BYTES;
}

static int key_pair(unsigned char *pk, unsigned long long *pk_len, unsigned char *sk, unsigned long long *sk_len) {
    get_random_number(&drng_algorithm, sk, 8 * BYTES);
    memcpy(pk, sk, BYTES);
    *pk_len = *sk_len = BYTES;
    return 0;
}

int kex_init_a(unsigned char *pka, unsigned long long *pka_len_bytes,
               unsigned char *ska, unsigned long long *ska_len_bytes,
               unsigned char *sta, unsigned long long *sta_len_bytes) {
    unsigned char *kept = malloc(KEPT);

    if (kept == NULL) {
        return -3;
    }
    memset(kept, 5, KEPT);
    memcpy(sta, &kept, sizeof kept);
    *sta_len_bytes = sizeof kept;
    return key_pair(pka, pka_len_bytes, ska, ska_len_bytes);
}

int kex_init_b(unsigned char *pkb, unsigned long long *pkb_len_bytes,
               unsigned char *skb, unsigned long long *skb_len_bytes,
               unsigned char *stb, unsigned long long *stb_len_bytes) {
    memset(stb, 0, BYTES);
    *stb_len_bytes = BYTES;
    return key_pair(pkb, pkb_len_bytes, skb, skb_len_bytes);
}

int kex_generate_pass1_msg_a(unsigned char *ska, unsigned long long ska_len_bytes,
                             unsigned char *pkb, unsigned long long pkb_len_bytes,
                             unsigned char *sta, unsigned long long *sta_len_bytes,
                             unsigned char *m1, unsigned long long *m1_len_bytes) {
    unsigned char *kept, *volatile scratch = malloc(SCRATCH);

    (void)ska, (void)pkb;
    if (ska_len_bytes != BYTES || pkb_len_bytes != BYTES || *sta_len_bytes != sizeof kept) {
        return -2;
    }
    free(scratch);
    get_random_number(&drng_algorithm, m1, 8 * BYTES);
    *m1_len_bytes = BYTES;
    memcpy(&kept, sta, sizeof kept);
    memcpy(kept, m1, BYTES);
    /* The exchange is complete. */
    return 1;
}

int kex_derive_ss_a(unsigned char *ska, unsigned long long ska_len_bytes,
                    unsigned char *pkb, unsigned long long pkb_len_bytes,
                    unsigned char *mb, unsigned long long mb_len_bytes,
                    unsigned char *sta, unsigned long long sta_len_bytes,
                    unsigned char *ssa, unsigned long long *ssa_len_bytes) {
    unsigned char *kept;

    (void)ska, (void)pkb, (void)mb;
    if (ska_len_bytes != BYTES || pkb_len_bytes != BYTES || mb_len_bytes != 0 || sta_len_bytes != sizeof kept) {
        return -2;
    }
    memcpy(&kept, sta, sizeof kept);
    memcpy(ssa, kept, BYTES);
    *ssa_len_bytes = BYTES;
    if (kept[KEPT - 1] != 5) {
        return -4;
    }
    free(kept);
    return 0;
}

int kex_derive_ss_b(unsigned char *skb, unsigned long long skb_len_bytes,
                    unsigned char *pka, unsigned long long pka_len_bytes,
                    unsigned char *ma, unsigned long long ma_len_bytes,
                    unsigned char *stb, unsigned long long stb_len_bytes,
                    unsigned char *ssb, unsigned long long *ssb_len_bytes) {
    (void)skb, (void)pka, (void)stb;
    if (skb_len_bytes != BYTES || pka_len_bytes != BYTES || ma_len_bytes != BYTES || stb_len_bytes != BYTES) {
        return -2;
    }
    memcpy(ssb, ma, BYTES);
    *ssb_len_bytes = BYTES;
    return 0;
}
