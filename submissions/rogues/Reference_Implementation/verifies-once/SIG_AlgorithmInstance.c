#include "SIG_AlgorithmInstance.h"

#include "toy_sig.h"

static unsigned int calls;

int sig_verify(unsigned char *pk, unsigned long long pk_len_bytes,
               unsigned char *sn, unsigned long long sn_len_bytes,
               unsigned char *m, unsigned long long m_len_bytes) {
    calls++;
    if (calls % 2 == 0) {
        return 0;
    }
    return toy_verify(pk, pk_len_bytes, sn, sn_len_bytes, m, m_len_bytes);
}
