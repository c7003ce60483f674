/* The memory that a pty link shares with the serial shim. It holds state that a pseudo-terminal
 * cannot hold. There is one block per terminal, in the folder of relative paths. Its name contains
 * the terminal's number, because a descriptor identifies nothing else.
 *
 * The two sides share only this header:
 * - ptybot, in one thread. pty/terminal/pty_modem.c makes the shared memory for a new terminal and
 *   removes it before the terminal is closed; pty/terminal/pty_link.c checks it for changes.
 * - Drivers, in any number of processes and threads at the same time. serial_shm.c maps the shared
 *   memory for each call and then unmaps it; serial.c and serial_settings.c read and write it.
 *
 * Writers:
 * - magic to node_number: ptybot, before the file has its final name. A magic of 0 means that
 *   another program has truncated the file (pty/shared_memory.h).
 * - host: drivers, by compare and exchange.
 * - robot, then cts, dsr, dcd, ri: ptybot. It exchanges the lines and counts those that differ.
 * - received, sent: ptybot.
 * - serial_flags: drivers.
 * - framing, then settings: drivers. ptybot reads them in the opposite order, so that it sees a
 *   change in between next time. When the last driver has left, ptybot resets the fields that
 *   drivers write.
 *
 * Memory order: `received` and `sent` are relaxed, because no other access depends on them. All
 * other accesses are sequentially consistent. A write wakes no process: ptybot checks `host` and
 * `settings` whenever it serves the link (pty_modem_has_news). */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "base/modem_lines.h"

/* The shared memory of /dev/pts/NUMBER is "<folder>/.pts-<number>", in the folder of the terminal's
 * owner.
 */
#define MODEM_SHM_SHARED_FOLDER  "/dev/shm/ptybot-%u" /* with the user's ID */
#define MODEM_SHM_RUNTIME_FOLDER "ptybot"             /* in $XDG_RUNTIME_DIR */
#define MODEM_SHM_NAME           ".pts-%u"            /* with the terminal's number */

enum {
    MODEM_SHM_MAGIC = 0x50545942, /* "BYTP" */
    MODEM_SHM_VERSION = 2,        /* a shim ignores shared memory of another version */
};

/* While the owner lives, it holds a write lock (F_OFD_SETLK) on the whole file. Without that lock
 * the shared memory is stale. Lines are the bits of TIOCMGET. */
struct modem_shm {
    uint32_t magic, version;
    uint32_t pid; /* process ID of the owner, for information */
    uint32_t padding;
    uint64_t node_device, node_number;  /* st_dev and st_rdev of the terminal */
    _Atomic uint32_t host;              /* see below */
    _Atomic uint32_t robot;             /* lines that the robot has switched on */
    _Atomic uint32_t cts, dsr, dcd, ri; /* number of changes of these lines so far */
    _Atomic uint32_t received, sent;    /* bytes from the host's point of view */
    _Atomic uint32_t serial_flags;      /* of TIOCSSERIAL, kept for TIOCGSERIAL */
    _Atomic uint32_t framing;  /* bits of termios' c_cflag that a pty forgets, as the host set
                                * them */
    _Atomic uint32_t settings; /* how often the host set termios */
};

/* CSIZE and PARENB of Linux, and their initial value: CS8. */
enum { MODEM_SHM_FRAMING = 0000460, MODEM_SHM_FRAMING_START = 0000060 };

/* The word `host` contains the states of DTR and RTS and the number of changes of each, so that the
 * owner sees pulses too. */
enum {
    MODEM_SHM_DTR_CHANGES_SHIFT = 2,
    MODEM_SHM_RTS_CHANGES_SHIFT = 17,
    MODEM_SHM_CHANGES_MASK = 0x7fff,
};

/* The new word after a host has set DTR and RTS to those in LINES. */
static inline uint32_t modem_shm_host(uint32_t before, uint32_t lines)
{
    uint32_t changed = (before ^ lines) & (MODEM_DTR | MODEM_RTS);
    uint32_t dtr = before >> MODEM_SHM_DTR_CHANGES_SHIFT & MODEM_SHM_CHANGES_MASK;
    uint32_t rts = before >> MODEM_SHM_RTS_CHANGES_SHIFT & MODEM_SHM_CHANGES_MASK;

    dtr = (dtr + (changed & MODEM_DTR)) & MODEM_SHM_CHANGES_MASK;
    rts = (rts + (changed >> 1)) & MODEM_SHM_CHANGES_MASK;
    return (lines & (MODEM_DTR | MODEM_RTS)) | dtr << MODEM_SHM_DTR_CHANGES_SHIFT |
           rts << MODEM_SHM_RTS_CHANGES_SHIFT;
}
