/* The lists of a run for the control socket: arrays of objects, new and owned by the caller; NULL
 * where memory is short. */
#ifndef PTYBOT_SIM_APP_LISTING_H
#define PTYBOT_SIM_APP_LISTING_H

#include <jansson.h>

#include "sim/app/links.h"
#include "sim/sim.h"

json_t *listing_robots(struct sim *sim);   /* name, type, channels */
json_t *listing_signals(struct sim *sim);  /* name, unit, live, note */
json_t *listing_commands(struct sim *sim); /* name, arguments, note */
json_t *listing_options(struct sim *sim);  /* name, allowed, default, note */
json_t *listing_links(struct links *links);

#endif
