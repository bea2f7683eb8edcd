/*
 * A plain program around one operation of an instance, for tools that watch the memory of plain
 * programs: it gives the operation the inputs that the meter would give it.
 *
 *   prepare OPERATION FILE   what precedes the operation; writes everything it leaves to the file
 *   perform OPERATION FILE   reads the file and performs the operation, once
 *   reserve OPERATION FILE   reads the file and calls a function that uses RESERVED bytes of stack
 *   nothing OPERATION FILE   reads the file
 *
 * It has no heap of its own, and every call is made from one frame, so that what the call adds to
 * the stack is the difference of two runs. Which interface it is for is told by macros: NIST_KEM,
 * NIST_SIG (with CONTEXT) or ICCS_KEM; sizes and names by others.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "drng.h"

enum { MESSAGE = 64, SEED = 48 };

#if defined(ICCS_KEM)
#include "KEM_AlgorithmInstance.h"
/* The instance's own, or the shim's. */
extern DRNG_ctx drng_algorithm;
#else
DRNG_ctx drng_algorithm;

int PQCLEAN_randombytes(uint8_t *output, size_t n);
int PQCLEAN_randombytes(uint8_t *output, size_t n) {
    return get_random_number(&drng_algorithm, output, 8 * (unsigned long long)n);
}
#endif

static struct {
    unsigned char pk[PK_BYTES], sk[SK_BYTES];
    unsigned char ct[CT_BYTES], ss[SS_BYTES], again[SS_BYTES];
    unsigned char message[MESSAGE], signature[SIGNATURE_BYTES];
    unsigned long long pk_length, sk_length, ct_length, ss_length;
    size_t signature_length;
    DRNG_ctx drng;
} state;

/* Uses RESERVED bytes of stack below its return address, and writes the lowest of them. */
void reserve(void);
__asm__(".text\n"
        ".globl reserve\n"
        "reserve:\n"
        "    sub $" RESERVED ", %rsp\n"
        "    movq $0, (%rsp)\n"
        "    add $" RESERVED ", %rsp\n"
        "    ret\n");

#if defined(NIST_KEM)
int KEYPAIR(uint8_t *pk, uint8_t *sk);
int ENC(uint8_t *ct, uint8_t *ss, const uint8_t *pk);
int DEC(uint8_t *ss, const uint8_t *ct, const uint8_t *sk);
#elif defined(NIST_SIG)
int KEYPAIR(uint8_t *pk, uint8_t *sk);
#if defined(CONTEXT)
#define EMPTY_CONTEXT NULL, 0,
int SIGNATURE(uint8_t *sig, size_t *siglen, const uint8_t *m, size_t mlen, const uint8_t *ctx, size_t ctxlen,
              const uint8_t *sk);
int VERIFY(const uint8_t *sig, size_t siglen, const uint8_t *m, size_t mlen, const uint8_t *ctx, size_t ctxlen,
           const uint8_t *pk);
#else
#define EMPTY_CONTEXT
int SIGNATURE(uint8_t *sig, size_t *siglen, const uint8_t *m, size_t mlen, const uint8_t *sk);
int VERIFY(const uint8_t *sig, size_t siglen, const uint8_t *m, size_t mlen, const uint8_t *pk);
#endif
#endif

/* Everything that is called; 0 when it went well. */
__attribute__((noinline)) static int call(const char *operation) {
    if (strcmp(operation, "reserve") == 0) {
        reserve();
        return 0;
    }
#if defined(NIST_KEM)
    if (strcmp(operation, "keygen") == 0) {
        return KEYPAIR(state.pk, state.sk);
    }
    if (strcmp(operation, "enc") == 0) {
        return ENC(state.ct, state.ss, state.pk);
    }
    if (strcmp(operation, "dec") == 0) {
        return DEC(state.again, state.ct, state.sk);
    }
#elif defined(NIST_SIG)
    if (strcmp(operation, "keygen") == 0) {
        return KEYPAIR(state.pk, state.sk);
    }
    if (strcmp(operation, "sign") == 0) {
        return SIGNATURE(state.signature, &state.signature_length, state.message, MESSAGE, EMPTY_CONTEXT state.sk);
    }
    if (strcmp(operation, "verify") == 0) {
        return VERIFY(state.signature, state.signature_length, state.message, MESSAGE, EMPTY_CONTEXT state.pk);
    }
#else
    if (strcmp(operation, "keygen") == 0) {
        return kem_keygen(state.pk, &state.pk_length, state.sk, &state.sk_length);
    }
    if (strcmp(operation, "enc") == 0) {
        return kem_enc(state.pk, state.pk_length, state.ss, &state.ss_length, state.ct, &state.ct_length);
    }
    if (strcmp(operation, "dec") == 0) {
        return kem_dec(state.sk, state.sk_length, state.ct, state.ct_length, state.again, &state.ss_length);
    }
#endif
    return -1;
}

/* What the meter does before the operation. */
static int prepare(const char *operation) {
    unsigned char seed[SEED];
    int code = 0;

    for (int i = 0; i < SEED; i++) {
        seed[i] = (unsigned char)i;
    }
    for (int i = 0; i < MESSAGE; i++) {
        state.message[i] = (unsigned char)(131 * i + MESSAGE);
    }
    state.pk_length = PK_BYTES;
    state.sk_length = SK_BYTES;
    state.ct_length = CT_BYTES;
    state.ss_length = SS_BYTES;
    code |= init_random_number(&drng_algorithm, seed, SEED);
    if (strcmp(operation, "keygen") != 0) {
        code |= call("keygen");
    }
    if (strcmp(operation, "dec") == 0) {
        code |= call("enc") | call("dec");
    }
    if (strcmp(operation, "verify") == 0) {
        code |= call("sign") | call("verify");
    }
    return code;
}

int main(int count, char **words) {
    int file, code = 0;

    if (count != 4) {
        return 2;
    }
    if (strcmp(words[1], "prepare") == 0) {
        code = prepare(words[2]);
        state.drng = drng_algorithm;
        file = open(words[3], O_WRONLY | O_CREAT | O_TRUNC, 0600);
        return code != 0 || write(file, &state, sizeof state) != sizeof state;
    }
    file = open(words[3], O_RDONLY);
    if (read(file, &state, sizeof state) != sizeof state) {
        return 3;
    }
    drng_algorithm = state.drng;
    if (strcmp(words[1], "perform") == 0) {
        code = call(words[2]);
    } else if (strcmp(words[1], "reserve") == 0) {
        code = call("reserve");
    }
    return code;
}
