/* What can carry a channel: one row a kind of link that a scene may name. */
#ifndef PTYBOT_SIM_APP_CARRIER_H
#define PTYBOT_SIM_APP_CARRIER_H

#include "pty/byte_link.h"
#include "sim/scene.h"

struct carrier_request {
    const struct scene_link *link; /* as the scene asks for it */
    const char *ports;             /* as in links_open */
    enum channel_kind kind;        /* of the channel */
    uint32_t baud;                 /* of the channel; 0: none */
};

/* Opens the link of a channel. NULL with ERROR. */
struct byte_link *carrier_open(const struct carrier_request *request,
                               struct byte_link_error *error);

#endif
