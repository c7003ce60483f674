/* The byte link over a pseudo-terminal: a raw serial device under a symlink, for hosts that open a
 * serial port. */
#ifndef PTYBOT_PTY_TERMINAL_PTY_LINK_H
#define PTYBOT_PTY_TERMINAL_PTY_LINK_H

#include "pty/byte_link.h"
#include "pty/terminal/host_watch.h"

struct pty_link_config {
    const char *path; /* absolute: used as it is; relative: inside pty_path_folder(sub_folder) */
    const char *sub_folder;       /* of a private run, for relative paths; NULL: none */
    uint32_t baud;                /* the robot's; what a host finds set when it opens the device */
    struct host_watches *watches; /* shared by many links, whose owner sleeps on it for them and
                                   * updates those that have news; NULL: the link has its own */
};

/* Opens a link that hosts can open at once. The caller owns it and ends it with byte_link_close.
 * Returns NULL with `error` filled on failure. */
struct byte_link *pty_link_open(const struct pty_link_config *config, struct error *error);

#endif
