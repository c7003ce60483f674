/* The lists of a run for the control socket: arrays of objects, new and owned by the caller; NULL
 * where memory is short. */
#ifndef PTYBOT_APP_CLI_LISTING_H
#define PTYBOT_APP_CLI_LISTING_H

#include <jansson.h>

#include "app/run/links.h"
#include "sim/sim.h"

json_t *listing_robots(struct sim *sim, struct links *links);   /* name, type, title, channels */
json_t *listing_signals(struct sim *sim, struct links *links);  /* name, type, unit, live, note */
json_t *listing_commands(struct sim *sim, struct links *links); /* name, arguments, note */
json_t *listing_options(struct sim *sim, struct links *links);  /* name, allowed, default, note */
json_t *listing_links(struct sim *sim, struct links *links);    /* name, kind, place, counters */

#endif
