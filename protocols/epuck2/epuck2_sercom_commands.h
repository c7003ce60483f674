/* The commands of the serial protocol, and the answers that they leave in the state. */
#pragma once

#include "protocols/epuck2/epuck2_state.h"

/* Adds to the answers. What does not fit is dropped, and counted as an overrun. */
void epuck2_sercom_add(struct epuck2_state *state, const void *bytes, size_t size);

/* Stops reading until UNTIL_US. */
void epuck2_sercom_wait(struct epuck2_state *state, enum epuck2_wait waiting, int64_t until_us);

/* One line, NUL-terminated, without its end. */
void epuck2_sercom_line(struct epuck2_state *state, const char *line, int64_t now_us);

/* Bytes of arguments of a binary command; -1: there is no such command. */
int epuck2_sercom_arguments(uint8_t code);

/* One binary command with all its arguments. */
void epuck2_sercom_binary(struct epuck2_state *state, uint8_t code, const uint8_t *arguments,
                          int64_t now_us);
