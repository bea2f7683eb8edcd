/*
 * The functions that operations call, all of one type.
 */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

typedef int function(int digest_len_bits, const unsigned char *msg, unsigned long long msg_len_bits,
                     unsigned char *digest);

/* What an operation calls that is without symmetric functions: it only returns. */
function nothing;

function sm3hash;
function pseudohash;
function both;
function own;

#endif
