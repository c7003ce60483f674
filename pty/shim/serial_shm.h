/* Shared by the files of the serial shim (serial.c, serial_shm.c, serial_settings.c,
 * serial_sysfs.c): access to the shared memory of a terminal. These functions keep no state, so
 * threads, fork, dup and fopen do no harm. They keep errno.
 *
 * The other side is pty/terminal/pty_modem.c in ptybot, which makes and removes the shared memory.
 * modem_shm.h has its layout, its writers and their order. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "pty/shim/modem_shm.h"
#include "pty/shim/next.h"

/* Maps the shared memory of a terminal. NULL: FD is not a terminal of a running ptybot. Unmap it
 * soon. */
struct modem_shm *serial_shm_of(int fd);
void serial_shm_unmap(struct modem_shm *shm);

/* To be called when the host has set termios' c_cflag of FD. If FD is a terminal of ptybot, stores
 * the bits that a pty forgets. */
void serial_settings_note(int fd, uint32_t cflag);
/* The c_cflag of FD. If FD is a terminal of ptybot, it has the stored bits that a pty forgets. */
uint32_t serial_settings_show(int fd, uint32_t cflag);

/* Whether PATH leads to a terminal of a running ptybot. */
bool serial_is_ours(const char *path);

/* Whether PATH leads to any pseudo-terminal, or to nothing (it may just have disappeared). */
bool serial_is_terminal(const char *path);
