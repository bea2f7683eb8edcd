#include "KEM_AlgorithmInstance.h"

#include <stdio.h>

#include "toy_kem.h"

static void say(const char *operation) {
    printf("%s on standard output\n", operation);
    fprintf(stderr, "%s on standard error\n", operation);
}

int kem_keygen(unsigned char *pk, unsigned long long *pk_len_bytes,
               unsigned char *sk, unsigned long long *sk_len_bytes) {
    say("keygen");
    return toy_keygen(pk, pk_len_bytes, sk, sk_len_bytes);
}

int kem_enc(unsigned char *pk, unsigned long long pk_len_bytes,
            unsigned char *ss, unsigned long long *ss_len_bytes,
            unsigned char *ct, unsigned long long *ct_len_bytes) {
    say("enc");
    return toy_enc(pk, pk_len_bytes, ss, ss_len_bytes, ct, ct_len_bytes);
}

int kem_dec(unsigned char *sk, unsigned long long sk_len_bytes,
            unsigned char *ct, unsigned long long ct_len_bytes,
            unsigned char *ss, unsigned long long *ss_len_bytes) {
    say("dec");
    return toy_dec(sk, sk_len_bytes, ct, ct_len_bytes, ss, ss_len_bytes);
}
