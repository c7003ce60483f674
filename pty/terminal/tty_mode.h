/* Terminal modes without <termios.h>: raw, and any baud, standard or not. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/serial_settings.h"

/* Makes a terminal raw (8 data bits, no echo, no flow control) at `baud`. A pty's master stands for
 * its slave. False: the system refused (errno). */
bool tty_mode_set_raw(int fd, uint32_t baud);

/* Gives a pty the settings with which a serial port of Linux starts, so that a host that leaves
 * some of them can be told apart; but until it sets any, no byte is changed by them. False: the
 * system cannot do that. */
bool tty_mode_set_start(int fd);

/* Baud of a terminal, or of a pty's slave by its master. 0: unknown, or hung up (B0). */
uint32_t tty_mode_baud(int fd);

/* The settings of a terminal, or of a pty's slave by its master. A pty forgets CSIZE and PARENB of
 * termios' c_cflag: FRAMING are these bits as its host set them; NULL: nobody knows. */
struct serial_settings tty_mode_settings(int fd, const uint32_t *framing);

/* Whether a terminal echoes what it receives. */
bool tty_mode_is_echoing(int fd);
