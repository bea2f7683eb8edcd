/* glibc has this header, and PQClean includes it; picolibc has the same content elsewhere. */
#include <sys/features.h>
