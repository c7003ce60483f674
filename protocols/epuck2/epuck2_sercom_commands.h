/* The commands of the serial protocol, and the answers that they write into the state. */
#pragma once

#include "protocols/epuck2/epuck2_state.h"

/* Appends to the answers. Bytes without room are dropped and counted as an overrun. */
void epuck2_sercom_add(struct epuck2_state *state, const void *bytes, size_t size);

/* Stops reading commands until UNTIL_US. */
void epuck2_sercom_wait(struct epuck2_state *state, enum epuck2_wait waiting, int64_t until_us);

/* Executes a line, NUL-terminated, without its line end. */
void epuck2_sercom_line(struct epuck2_state *state, const char *line, int64_t now_us);

/* Size of the arguments of a binary command, bytes; -1: unknown command. */
int epuck2_sercom_arguments(uint8_t code);

/* Executes a binary command with all its arguments. */
void epuck2_sercom_binary(struct epuck2_state *state, uint8_t code, const uint8_t *arguments,
                          int64_t now_us);
