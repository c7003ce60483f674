/* The modem lines of a pty, as far as hosts with the host shim use them: the owner's side of a
 * modem page. */
#ifndef PTYBOT_PTY_PTY_MODEM_H
#define PTYBOT_PTY_PTY_MODEM_H

#include "pty/byte_link.h"
#include "pty/pty_path.h"

struct modem_page;

struct pty_modem {
    struct modem_page *page; /* NULL: there is none, and every function does nothing */
    int file;                /* locked */
    char path[PTY_PATH_MAX];
    uint32_t seen; /* the page's word of the host, as of the last take */
};

/* Leaves a page for the terminal NODE ("/dev/pts/7"), with the lines of the robot as given. Returns
 * false with `error` filled when that cannot be; a link does without. */
bool pty_modem_open(struct pty_modem *modem, const char *node, unsigned robot_lines,
                    struct byte_link_error *error);

/* Takes the page away. To be done before the terminal goes: its number is used again. */
void pty_modem_close(struct pty_modem *modem);

/* Whether a host has set DTR or RTS since the last take. */
bool pty_modem_has_news(const struct pty_modem *modem);

/* Returns the lines of the host. *PULSED: those that went the other way and came back since the
 * last call. */
unsigned pty_modem_take(struct pty_modem *modem, unsigned *pulsed);

/* The last host has left: the next one finds DTR and RTS on, as the opening of a serial port sets
 * them. */
void pty_modem_renew(struct pty_modem *modem);

/* Sets the lines of the robot. */
void pty_modem_set(struct pty_modem *modem, unsigned lines);

/* Bytes so far, as the host counts them. */
void pty_modem_count(struct pty_modem *modem, uint64_t received, uint64_t sent);

#endif
