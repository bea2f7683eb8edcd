#include "KEX_AlgorithmInstance.h"
#include "toy_kex.h"

#include <string.h>

#include "auxfunc.h"

void toy_send(unsigned char *state, toy_length *state_bytes, unsigned char *message, toy_length *message_bytes) {
    toy_draw(message, TOY_MESSAGE_BYTES);
    for (int i = 0; i < TOY_MESSAGE_BYTES; i++) {
        state[i] = message[i];
    }
    *state_bytes = TOY_MESSAGE_BYTES;
    *message_bytes = TOY_MESSAGE_BYTES;
}

/* SM3(pka || pkb || m1 || m2); messages without bytes may come without a buffer. */
static int derive(const unsigned char pka[TOY_BYTES], const unsigned char pkb[TOY_BYTES],
                  const unsigned char *m1, toy_length m1_bytes, const unsigned char *m2, toy_length m2_bytes,
                  unsigned char *ss, toy_length *ss_bytes) {
    unsigned char parts[2 * TOY_BYTES + 2 * TOY_MESSAGE_BYTES];

    if (m1_bytes != TOY_MESSAGE_BYTES || m2_bytes != TOY_MESSAGE_BYTES || *ss_bytes < TOY_BYTES) {
        return TOY_WRONG_LENGTH;
    }
    memcpy(parts, pka, TOY_BYTES);
    memcpy(parts + TOY_BYTES, pkb, TOY_BYTES);
    for (int i = 0; i < TOY_MESSAGE_BYTES; i++) {
        parts[2 * TOY_BYTES + i] = m1[i];
        parts[2 * TOY_BYTES + TOY_MESSAGE_BYTES + i] = m2[i];
    }
    *ss_bytes = TOY_BYTES;
    return sm3hash(256, parts, 8 * sizeof parts, ss);
}

unsigned long long kex_get_passes_num() {
    return 2;
}

unsigned long long kex_get_pk_len_bytes() {
    return TOY_BYTES;
}

unsigned long long kex_get_sk_len_bytes() {
    return TOY_BYTES;
}

unsigned long long kex_get_sta_len_bytes() {
    return TOY_MESSAGE_BYTES;
}

unsigned long long kex_get_stb_len_bytes() {
    return TOY_MESSAGE_BYTES;
}

unsigned long long kex_get_ss_len_bytes() {
    return TOY_BYTES;
}

unsigned long long kex_get_total_msg_len_bytes() {
    return 2 * TOY_MESSAGE_BYTES;
}

int kex_init_a(unsigned char *pka, unsigned long long *pka_len_bytes,
               unsigned char *ska, unsigned long long *ska_len_bytes,
               unsigned char *sta, unsigned long long *sta_len_bytes) {
    (void)sta;
    *sta_len_bytes = 0;
    return toy_keygen(pka, pka_len_bytes, ska, ska_len_bytes);
}

int kex_init_b(unsigned char *pkb, unsigned long long *pkb_len_bytes,
               unsigned char *skb, unsigned long long *skb_len_bytes,
               unsigned char *stb, unsigned long long *stb_len_bytes) {
    (void)stb;
    *stb_len_bytes = 0;
    return toy_keygen(pkb, pkb_len_bytes, skb, skb_len_bytes);
}

#ifndef OWN_PASS1
int kex_generate_pass1_msg_a(unsigned char *ska, unsigned long long ska_len_bytes,
                             unsigned char *pkb, unsigned long long pkb_len_bytes,
                             unsigned char *sta, unsigned long long *sta_len_bytes,
                             unsigned char *m1, unsigned long long *m1_len_bytes) {
    (void)ska;
    (void)ska_len_bytes;
    (void)pkb;
    (void)pkb_len_bytes;
    toy_send(sta, sta_len_bytes, m1, m1_len_bytes);
    return 0;
}
#endif

int kex_generate_pass2_msg_b(unsigned char *skb, unsigned long long skb_len_bytes,
                             unsigned char *pka, unsigned long long pka_len_bytes,
                             unsigned char *m1, unsigned long long m1_len_bytes,
                             unsigned char *stb, unsigned long long *stb_len_bytes,
                             unsigned char *m2, unsigned long long *m2_len_bytes) {
    (void)skb;
    (void)skb_len_bytes;
    (void)pka;
    (void)pka_len_bytes;
    (void)m1;
    if (m1_len_bytes != TOY_MESSAGE_BYTES) {
        return TOY_WRONG_LENGTH;
    }
    toy_send(stb, stb_len_bytes, m2, m2_len_bytes);
    return 1;
}

int kex_derive_ss_a(unsigned char *ska, unsigned long long ska_len_bytes,
                    unsigned char *pkb, unsigned long long pkb_len_bytes,
                    unsigned char *mb, unsigned long long mb_len_bytes,
                    unsigned char *sta, unsigned long long sta_len_bytes,
                    unsigned char *ssa, unsigned long long *ssa_len_bytes) {
    unsigned char pka[TOY_BYTES];

    if (ska_len_bytes != TOY_BYTES || pkb_len_bytes != TOY_BYTES) {
        return TOY_WRONG_LENGTH;
    }
    toy_public(pka, ska);
    return derive(pka, pkb, sta, sta_len_bytes, mb, mb_len_bytes, ssa, ssa_len_bytes);
}

int kex_derive_ss_b(unsigned char *skb, unsigned long long skb_len_bytes,
                    unsigned char *pka, unsigned long long pka_len_bytes,
                    unsigned char *ma, unsigned long long ma_len_bytes,
                    unsigned char *stb, unsigned long long stb_len_bytes,
                    unsigned char *ssb, unsigned long long *ssb_len_bytes) {
    unsigned char pkb[TOY_BYTES];

    if (skb_len_bytes != TOY_BYTES || pka_len_bytes != TOY_BYTES) {
        return TOY_WRONG_LENGTH;
    }
    toy_public(pkb, skb);
    return derive(pka, pkb, ma, ma_len_bytes, stb, stb_len_bytes, ssb, ssb_len_bytes);
}
