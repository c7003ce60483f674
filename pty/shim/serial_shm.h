/* What the files of the serial shim (serial.c, serial_shm.c, serial_settings.c, serial_sysfs.c)
 * share: the way to the shared memory of a terminal. Nothing here keeps state, so threads, fork,
 * dup and fopen do no harm, and errno is left alone.
 *
 * The other end is pty/terminal/pty_modem.c in ptybot, which makes and removes the shared memory.
 * modem_shm.h has its layout, its writers and their order. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "pty/shim/modem_shm.h"
#include "pty/shim/next.h"

/* Maps the shared memory of a terminal. NULL: it is no terminal of a running ptybot. Unmap it soon.
 */
struct modem_shm *serial_shm_of(int fd);
void serial_shm_unmap(struct modem_shm *shm);

/* The host has set termios' c_cflag of what may be a terminal of ours: keeps what a pty forgets. */
void serial_settings_note(int fd, uint32_t cflag);
/* The c_cflag of what may be a terminal of ours, with what a pty forgets. */
uint32_t serial_settings_show(int fd, uint32_t cflag);

/* Whether PATH leads to a terminal of a running ptybot. */
bool serial_is_ours(const char *path);

/* Whether PATH leads to any pseudo-terminal, or to nothing (it may just have gone). */
bool serial_is_terminal(const char *path);
