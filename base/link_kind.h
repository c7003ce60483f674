/* The kinds of links: how the bytes of a robot's channel reach its driver. LINK_KINDS is the only
 * list: scenes, --link, error messages, help, reports and environment variables follow it. For a
 * new kind, add a row and define NAME_link_open, which pty/link_kinds.h declares. */
#pragma once

#include <stdbool.h>

enum { LINK_ADDRESS_MAX = 128 }; /* bytes with NUL: a path below the size of sun_path, HOST:PORT */

/* Instead of HOST:PORT: a free port on the loopback interface. */
#define LINK_ADDRESS_AUTO "auto"

struct link_syntax {
    const char *allowed; /* what an address may be, for error messages: "a path" */
    const char *noun;    /* what two links cannot share, for error messages: "path" */
    const char *host;    /* the default HOST of HOST:PORT; NULL: the address is a path */
    /* Writes the normalized address (`./a//b` becomes `a/b`). TEXT is shorter than
     * LINK_ADDRESS_MAX. Returns NULL, or an error message with the allowed values. */
    const char *(*set)(const char *text, char *address);
    /* Whether two addresses cannot be open at once. Two syntaxes with the same function share their
     * addresses. */
    bool (*clash)(const char *a, const char *b);
};

enum link_trait {
    LINK_SERIAL_PATH = 1, /* a driver opens the path as a serial port */
    LINK_FOR_SERVERS = 2, /* fits a channel whose robot is a TCP server */
    LINK_CABLE = 4, /* the driver is at the far end of a cable: no process on this machine opens the
                       address, and the driver counts as present while the device exists */
};

/* FIRST or ROW(KIND, name, syntax, traits, description). A link without a kind takes the first row
 * that fits its channel. */
#define LINK_KINDS(FIRST, ROW)                                                                     \
    FIRST(PTY, pty, path, LINK_SERIAL_PATH, "pseudo-terminal, opened like a serial port")          \
    ROW(TCP, tcp, tcp, LINK_FOR_SERVERS, "raw bytes on a TCP port, for one driver at a time")      \
    ROW(RFC2217, rfc2217, tcp, 0, "serial port over TCP, with baud and modem lines")               \
    ROW(UART, uart, device, LINK_CABLE,                                                            \
        "real serial device, for a driver at the other end of the cable")

#define LINK_ENUMERATOR(KIND, ...) LINK_##KIND,
enum link_kind { LINK_KINDS(LINK_ENUMERATOR, LINK_ENUMERATOR) LINK_KIND_COUNT };

/* "pty, tcp, rfc2217, uart" */
#define LINK_NAME_FIRST(KIND, name, ...) #name
#define LINK_NAME_NEXT(KIND, name, ...)  ", " #name
#define LINK_KIND_NAMES                  LINK_KINDS(LINK_NAME_FIRST, LINK_NAME_NEXT)

struct link_kind_row {
    const char *name;
    const struct link_syntax *syntax;
    unsigned traits; /* enum link_trait */
    const char *description;
};

extern const struct link_kind_row link_kinds[LINK_KIND_COUNT];

/* Whether a link of this kind fits a channel. IS_SERVER: the robot is a TCP server on the
 * channel. */
bool link_kind_fits(enum link_kind kind, bool is_server);

/* The kind of a channel without a link in the scene. */
enum link_kind link_kind_default(bool is_server);

/* Splits [KIND:]ADDRESS. Without a kind, LINK_ADDRESS_AUTO and HOST:PORT are LINK_TCP, and
 * everything else is a path of the first kind. */
enum link_kind link_kind_split(const char *text, const char **address);

/* Writes the normalized address. Returns NULL, or an error message with the allowed values. */
const char *link_address_set(enum link_kind kind, const char *text,
                             char address[static LINK_ADDRESS_MAX]);

/* Writes the address of a robot without a link in the scene: its NAME, or HOST:PORT. */
void link_address_default(enum link_kind kind, const char *name, unsigned port,
                          char address[static LINK_ADDRESS_MAX]);

/* Whether two links cannot be open at once: they have the same path, one path is below the other,
 * or they have the same TCP address. */
bool link_address_clash(enum link_kind a_kind, const char *a, enum link_kind b_kind, const char *b);
