/* The modem lines of a pty, and other state that a pty cannot hold, for hosts that run with the
 * serial shim: the owner's side of a shared memory for the modem.
 *
 * The other side runs inside the hosts: pty/shim/serial.c, through pty/shim/serial_shm.h.
 * pty/shim/modem_shm.h has the layout, the writers and their order. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "pty/terminal/pty_path.h"

struct modem_shm;

struct pty_modem {
    struct modem_shm *shm; /* NULL: no shared memory, and every function does nothing */
    int file;              /* locked */
    char path[PTY_PATH_MAX];
    uint32_t seen;          /* the host's word in the shared memory at the last take */
    uint32_t framing;       /* value at the last check */
    uint32_t settings_seen; /* the host's count of settings at the last check */
};

/* Makes the shared memory of the terminal NODE ("/dev/pts/7") with these lines of the robot.
 * Returns false with `error` filled; a link works without it. */
bool pty_modem_open(struct pty_modem *modem, const char *node, unsigned robot_lines,
                    struct error *error);

/* Removes the shared memory. Call it before the terminal is closed, because its number will be
 * reused. */
void pty_modem_close(struct pty_modem *modem);

/* Whether another program has truncated or cleared the shared memory. Its contents are then
 * useless: close it. */
bool pty_modem_is_lost(const struct pty_modem *modem);

/* Whether a host has set DTR, RTS or termios since the last check. */
bool pty_modem_has_news(const struct pty_modem *modem);

/* Returns the lines that the host has switched on. *PULSED: lines that changed and changed back
 * since the last call. */
unsigned pty_modem_take(struct pty_modem *modem, unsigned *pulsed);

/* Parity and character size as the host set them, for tty_mode_settings; NULL: no shared memory.
 * *COUNT: how often the host has set termios since it came. Valid until the next call. */
const uint32_t *pty_modem_framing(struct pty_modem *modem, uint32_t *count);

/* Call after the last host has left. The next host finds DTR and RTS on, as if it opened a serial
 * port. */
void pty_modem_renew(struct pty_modem *modem);

/* Sets the lines of the robot. */
void pty_modem_set(struct pty_modem *modem, unsigned lines);

/* Sets the byte counts from the host's point of view. */
void pty_modem_count(struct pty_modem *modem, uint64_t received, uint64_t sent);
