/*
 * Answers one request a line, so that a test can ask the helpers anything:
 *
 *   <function> <bits out> <bits in> <message in hexadecimal, or ->
 *
 * where the function is sm3hash, pseudohash, pseudoXOF, or drng, which seeds a generator with the
 * message and draws twice. The answer is the result in hexadecimal, or the code that was returned.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auxfunc.h"
#include "drng.h"

static void print(const unsigned char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        printf("%02x", bytes[i]);
    }
}

int main(void) {
    static char line[1 << 17];
    static char message_text[1 << 16];
    static unsigned char message[1 << 15];
    static unsigned char output[1 << 15];

    while (fgets(line, sizeof line, stdin) != NULL) {
        char function[16];
        unsigned long long out = 0;
        unsigned long long in = 0;
        int code;

        if (sscanf(line, "%15s %llu %llu %65535s", function, &out, &in, message_text) != 4 ||
            out / 8 >= sizeof output || strlen(message_text) / 2 > sizeof message) {
            return 2;
        }
        size_t bytes = message_text[0] == '-' ? 0 : strlen(message_text) / 2;
        for (size_t i = 0; i < bytes; i++) {
            const char pair[3] = {message_text[2 * i], message_text[2 * i + 1], 0};
            message[i] = (unsigned char)strtoul(pair, NULL, 16);
        }
        memset(output, 0xa5, sizeof output);
        if (strcmp(function, "drng") == 0) {
            DRNG_ctx context;

            code = init_random_number(&context, message, bytes);
            code |= get_random_number(&context, output, out);
            print(output, (out + 7) / 8);
            code |= get_random_number(&context, output, out);
        } else if (strcmp(function, "sm3hash") == 0) {
            code = sm3hash((int)out, message, in, output);
        } else if (strcmp(function, "pseudohash") == 0) {
            code = pseudohash((int)out, message, in, output);
        } else {
            code = pseudoXOF(out, message, in, output);
        }
        if (code != 0) {
            printf("%d\n", code);
            continue;
        }
        print(output, (out + 7) / 8);
        /* Nothing is written behind the result. */
        printf(output[(out + 7) / 8] == 0xa5 ? "\n" : " overrun\n");
    }
    return 0;
}
