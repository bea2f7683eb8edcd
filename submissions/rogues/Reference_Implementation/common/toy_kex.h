/*
 * The toy key exchange, in two passes. An instance's header may give TOY_MESSAGE_BYTES; if it
 * defines OWN_PASS1, the instance brings kex_generate_pass1_msg_a itself.
 */
#ifndef TOY_KEX_H
#define TOY_KEX_H

#include "toy.h"

#ifndef TOY_MESSAGE_BYTES
#define TOY_MESSAGE_BYTES 32
#endif

/* Draws a message, which the sender keeps as its state. */
void toy_send(unsigned char *state, toy_length *state_bytes, unsigned char *message, toy_length *message_bytes);

#endif
