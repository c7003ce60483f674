/* A pseudo-terminal as a virtual serial device: its master, and the state of the slave at the start
 * of each host. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pty_device {
    int master;    /* non-blocking */
    char node[32]; /* "/dev/pts/7" */
    uint32_t baud; /* of the robot */
};

/* Makes a pty. Before any process can open the slave, it has the settings of tty_mode_set_start.
 * `baud` is the robot's. Returns false with `error` filled. */
bool pty_device_open(struct pty_device *device, uint32_t baud, struct error *error);
void pty_device_close(struct pty_device *device);

/* Whether no host has the slave open. */
bool pty_device_is_hung_up(const struct pty_device *device);

/* Resets the slave for the next host: output not stopped, not exclusive, without the bytes that the
 * last host did not read. `drop_unread`: also drops bytes from the host that the caller has not
 * read. `is_set`: the last host (stty) set the slave to the robot's settings, so it stays raw at
 * the robot's baud; otherwise it gets the settings of the start. Call it only without a host.
 * Returns false if the slave cannot be opened: a host has locked it (TIOCEXCL), and only a new pty
 * helps. */
bool pty_device_renew(struct pty_device *device, bool is_set, bool drop_unread);

/* Drops only the bytes that the last host did not read, while the next host is already present. */
void pty_device_drop_unheard(struct pty_device *device);

/* Most bytes that the slave's line discipline holds (Linux, drivers/tty/n_tty.c: N_TTY_BUF_SIZE -
 * 1). */
enum { PTY_DEVICE_READ_BUFFER = 4095 };

/* Gets the number of unread bytes in the slave's line discipline, at most PTY_DEVICE_READ_BUFFER;
 * more may wait in front of it. Opens and closes the slave. IS_WHOLE: if the line discipline is
 * empty, first moves waiting bytes into it; this may take time on a busy machine. False: the slave
 * cannot be opened. */
bool pty_device_unread(const struct pty_device *device, bool is_whole, size_t *bytes);
