/* Addresses of links: paths of ptys, devices, TCP addresses. Structure only; nothing is opened. */
#ifndef PTYBOT_SIM_SCENE_SCENE_ADDRESS_H
#define PTYBOT_SIM_SCENE_SCENE_ADDRESS_H

#include <stdbool.h>

#include "sim/scene/scene.h"

/* Their words, in the order of enum scene_carrier, with a NULL at the end. */
extern const char *const scene_carriers[];

/* Writes TEXT as the address of a carrier, normalised so that addresses can be compared (`./a//b`
 * becomes `a/b`). NULL, or what is wrong and what is allowed. */
const char *scene_address_set(enum scene_carrier carrier, const char *text,
                              char address[static SCENE_ADDRESS_MAX]);

/* Whether its address is a TCP address. */
bool scene_carrier_is_tcp(enum scene_carrier carrier);

/* Whether two links cannot both be open: one path, a path below the other, or one TCP address.
 * Names of hosts are not looked up. */
bool scene_address_clash(const struct scene_link *a, const struct scene_link *b);

#endif
