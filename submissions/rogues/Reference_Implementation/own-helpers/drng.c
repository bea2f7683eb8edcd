/* Stands for the package's own copy of the official helper: same names, in its own object. */
#include "../../../iccs/helpers/drng.c"
