/* What can carry a channel: one row a kind of link that a scene may name. */
#ifndef PTYBOT_SIM_APP_CARRIER_H
#define PTYBOT_SIM_APP_CARRIER_H

#include "pty/byte_link.h"
#include "sim/scene.h"

/* Opens the link that a scene asks for, for a channel of BAUD. PORTS as in links_open. NULL with
 * ERROR. */
struct byte_link *carrier_open(const struct scene_link *link, const char *ports, uint32_t baud,
                               struct byte_link_error *error);

#endif
