/* The memory that a pty link shares with the serial shim: what a pseudo-terminal cannot
 * hold. One block per terminal, in the folder of relative paths, named by the terminal's
 * number, since a descriptor identifies nothing else.
 *
 * The two ends share this header and nothing else:
 * - ptybot, by one thread. pty/terminal/pty_modem.c makes the shared memory for a new terminal and
 * removes it before that is closed; pty/terminal/pty_link.c looks for changes.
 * - Drivers, by any number of processes and threads at once. serial_shm.c maps the shared memory
 * for each call and unmaps it after that; serial.c and serial_settings.c read and write it.
 *
 * Writers:
 * - magic to node_number: ptybot, before the file has its final name. A magic of 0 means that
 *   another program has cut the file short (pty/shared_memory.h).
 * - host: drivers, by compare and exchange.
 * - robot, then cts, dsr, dcd, ri: ptybot. It exchanges the lines and counts those that differ.
 * - received, sent: ptybot.
 * - serial_flags: drivers.
 * - framing, then settings: drivers. ptybot reads them in the opposite order, so that it sees a
 *   change in between next time.
 * When the last driver has left, ptybot resets the fields that drivers write.
 *
 * Memory order: `received` and `sent` are relaxed, since nothing follows from them. All other
 * accesses are sequentially consistent. A write wakes no process: ptybot looks at `host` and
 * `settings` whenever it serves the link (pty_modem_has_news). */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "base/modem_lines.h"

/* The shared memory of /dev/pts/NUMBER is "<folder>/.pts-<number>", in the folder of the terminal's
 * owner.
 */
#define MODEM_SHM_SHARED_FOLDER  "/dev/shm/ptybot-%u" /* user's number */
#define MODEM_SHM_RUNTIME_FOLDER "ptybot"             /* in $XDG_RUNTIME_DIR */
#define MODEM_SHM_NAME           ".pts-%u"            /* terminal's number */

enum {
    MODEM_SHM_MAGIC = 0x50545942, /* "BYTP" */
    MODEM_SHM_VERSION = 2,        /* a shim ignores pages of another version */
};

/* While it lives, the owner holds a write lock (F_OFD_SETLK) on the whole file; without that lock
 * the shared memory is stale. Lines are the bits of TIOCMGET. */
struct modem_shm {
    uint32_t magic, version;
    uint32_t pid; /* of the owner, for people */
    uint32_t padding;
    uint64_t node_device, node_number;  /* st_dev and st_rdev of the terminal */
    _Atomic uint32_t host;              /* see below */
    _Atomic uint32_t robot;             /* lines that the robot holds on */
    _Atomic uint32_t cts, dsr, dcd, ri; /* changes of these so far */
    _Atomic uint32_t received, sent;    /* bytes, as the host counts them */
    _Atomic uint32_t serial_flags;      /* of TIOCSSERIAL, kept for TIOCGSERIAL */
    _Atomic uint32_t framing;  /* of termios' c_cflag what a pty forgets, as the host set it */
    _Atomic uint32_t settings; /* times that the host set termios */
};

/* CSIZE and PARENB of Linux, and what they are at first: CS8. */
enum { MODEM_SHM_FRAMING = 0000460, MODEM_SHM_FRAMING_START = 0000060 };

/* `host` holds in one word whether DTR and RTS are on and how often each has changed, so that the
 * owner sees pulses too. */
enum {
    MODEM_SHM_DTR_CHANGES_SHIFT = 2,
    MODEM_SHM_RTS_CHANGES_SHIFT = 17,
    MODEM_SHM_CHANGES_MASK = 0x7fff,
};

/* The word after a host has set DTR and RTS to those of LINES. */
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
