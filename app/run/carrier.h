/* What can carry a channel: one row a kind of link that a scene may name. */
#ifndef PTYBOT_APP_RUN_CARRIER_H
#define PTYBOT_APP_RUN_CARRIER_H

#include "pty/byte_link.h"
#include "pty/host_watch.h"
#include "sim/scene/scene.h"

/* What all links of a run share. */
struct carrier_shared {
    const char *ports;            /* as in links_open */
    struct host_watches *watches; /* of all ptys; NULL: each has its own */
};

struct carrier_request {
    const struct scene_link *link; /* as the scene asks for it */
    const struct carrier_shared *shared;
    enum channel_kind kind; /* of the channel */
    uint32_t baud;          /* of the channel; 0: none */
};

/* Opens the link of a channel. NULL with ERROR. */
struct byte_link *carrier_open(const struct carrier_request *request,
                               struct byte_link_error *error);

#endif
