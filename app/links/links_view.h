/* The links of a run, as the user interface and the control socket see them. Names, readings and
 * checks live as long as the links. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/links/reading.h"
#include "app/links/serial_check.h"
#include "base/link_kind.h"

struct links;

struct links_view {
    const char *name; /* robot.channel */
    size_t channel;
    const struct link_kind_row *kind;
    const char *place; /* where to connect: an absolute path, or HOST:PORT */
    bool is_plugged, is_host;
    uint32_t baud, host_baud; /* host_baud 0: unknown */
    uint64_t received;        /* bytes from hosts */
    uint64_t written;         /* bytes for hosts that the kernel accepted, in whole chunks */
    uint64_t taken;           /* chunks that the kernel accepted */
    uint64_t dropped;         /* chunks that the kernel rejected */
    uint64_t hosts;
    bool is_full;                  /* the simulation accepts no more bytes until the next step */
    const struct reading *reading; /* how its hosts read, as of the last note */
    const struct serial_check *serial; /* NULL: the scene turns it off */
};

size_t links_count(const struct links *links);
/* The link of this index. False: there are fewer links. */
bool links_view(const struct links *links, size_t index, struct links_view *view);
/* Index of the link `robot.channel`, or SIZE_MAX. */
size_t links_find(const struct links *links, const char *name);
