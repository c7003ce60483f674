/* Terminal modes without <termios.h>: raw, and any baud, standard or not. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/serial_settings.h"

/* Makes a terminal raw (8 data bits, no echo, no flow control) at `baud`. For a pty, FD may be its
 * master. False: the system refused (errno). */
bool tty_mode_set_raw(int fd, uint32_t baud);

/* Gives a pty the initial settings of a serial port in Linux, so that a host that does not change
 * some of them can be detected. Until a host changes settings, no byte is changed by them. False:
 * the system does not support that. */
bool tty_mode_set_start(int fd);

/* Baud of a terminal, or of a pty's slave by its master. 0: unknown, or hung up (B0). */
uint32_t tty_mode_baud(int fd);

/* The settings of a terminal, or of a pty's slave by its master. A pty forgets CSIZE and PARENB of
 * termios' c_cflag. FRAMING: these bits as the host set them; NULL: unknown. */
struct serial_settings tty_mode_settings(int fd, const uint32_t *framing);

/* Whether a terminal echoes received bytes. */
bool tty_mode_is_echoing(int fd);
