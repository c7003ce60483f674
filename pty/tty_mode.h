/* Terminal modes without <termios.h>: raw, and any baud, standard or not. */
#ifndef PTYBOT_PTY_TTY_MODE_H
#define PTYBOT_PTY_TTY_MODE_H

#include <stdbool.h>
#include <stdint.h>

/* Makes a terminal raw (8 data bits, no echo, no flow control) at `baud`. A pty's master stands for
 * its slave. False: the system refused (errno). */
bool tty_mode_set_raw(int fd, uint32_t baud);

/* Baud of a terminal, or of a pty's slave by its master. 0: unknown, or hung up (B0). */
uint32_t tty_mode_baud(int fd);

/* Whether a terminal echoes what it receives. */
bool tty_mode_is_echoing(int fd);

#endif
