#include "KEX_AlgorithmInstance.h"

#include "toy_kex.h"

int kex_generate_pass1_msg_a(unsigned char *ska, unsigned long long ska_len_bytes,
                             unsigned char *pkb, unsigned long long pkb_len_bytes,
                             unsigned char *sta, unsigned long long *sta_len_bytes,
                             unsigned char *m1, unsigned long long *m1_len_bytes) {
    (void)ska;
    (void)ska_len_bytes;
    (void)pkb;
    (void)pkb_len_bytes;
    /* The state is empty until the message has been sent. */
    if (*sta_len_bytes != 0) {
        return -3;
    }
    toy_send(sta, sta_len_bytes, m1, m1_len_bytes);
    return 0;
}
