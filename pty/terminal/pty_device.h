/* A pseudo-terminal as a virtual serial device: its master, and the state in which hosts find the
 * slave. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pty_device {
    int master;    /* non-blocking */
    char node[32]; /* "/dev/pts/7" */
    uint32_t baud; /* the robot's */
};

/* Makes a pty whose slave starts as tty_mode_set_start has it before anyone can open it; `baud` is
 * the robot's. Returns false with `error` filled. */
bool pty_device_open(struct pty_device *device, uint32_t baud, struct error *error);
void pty_device_close(struct pty_device *device);

/* Whether no host has the slave open. */
bool pty_device_is_hung_up(const struct pty_device *device);

/* Resets the slave for the next host: not stopped, not exclusive, without the bytes that the last
 * host left unread; with `drop_unread` also without those that it sent and nobody read. With
 * `is_set`, since the last host (stty) has set it as the robot needs it, it is raw at the robot's
 * baud; otherwise it is as at the start. Call it only without a host. Returns false when the slave
 * cannot be opened: a host locked it (TIOCEXCL), and only a new pty helps. */
bool pty_device_renew(struct pty_device *device, bool is_set, bool drop_unread);

/* Drops only the bytes that the last host left unread, while the next host is already there. */
void pty_device_drop_unheard(struct pty_device *device);

/* Bytes that the slave's line discipline holds at most (Linux, drivers/tty/n_tty.c:
 * N_TTY_BUF_SIZE - 1). */
enum { PTY_DEVICE_READ_BUFFER = 4095 };

/* Bytes in the slave's line discipline that nobody has read, at most PTY_DEVICE_READ_BUFFER: more
 * may wait before it. Opens the slave and closes it. IS_WHOLE: an empty one is filled first by what
 * waits before it, for which a busy machine may take its time. False: it cannot be opened. */
bool pty_device_unread(const struct pty_device *device, bool is_whole, size_t *bytes);
