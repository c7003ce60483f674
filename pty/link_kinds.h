/* Opens a link of any kind in base/link_kind.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/link_kind.h"
#include "pty/byte_link.h"

struct host_watches;

struct byte_link_config {
    const char *address;          /* as link_address_set accepts it */
    const char *sub_folder;       /* of a private run, for relative paths; NULL: none */
    uint32_t baud;                /* of the robot; a real serial port is set to it, or starts
                                   * with it */
    bool is_server;               /* the robot is a TCP server: further hosts wait for their turn */
    bool is_driver;               /* uart: this program takes the place of the robot's driver */
    struct host_watches *watches; /* pty: shared by many links. Its owner waits on it for all of
                                   * them and updates the links with news. NULL: the link has its
                                   * own */
};

/* Opens a link. Hosts can open it immediately. The caller owns it and ends it with byte_link_close.
 * Returns NULL with `error` filled on failure. */
struct byte_link *byte_link_open(enum link_kind kind, const struct byte_link_config *config,
                                 struct error *error);

/* The same for one kind: pty_link_open, tcp_link_open, ... Each kind defines its own. */
#define LINK_OPENER(KIND, name, ...)                                                               \
    struct byte_link *name##_link_open(const struct byte_link_config *config, struct error *error);
LINK_KINDS(LINK_OPENER, LINK_OPENER)
