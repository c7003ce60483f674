/* What one client of the control socket watches: signals, told at a rate of simulated time. */
#ifndef PTYBOT_APP_CONTROL_CONTROL_WATCH_H
#define PTYBOT_APP_CONTROL_CONTROL_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/sim.h"

struct control_watch {
    size_t *wanted; /* indices of signals, owned; NULL: nothing is watched */
    size_t count;
    int64_t every_us, next_us;
    uint64_t dropped; /* notifications that were left out because the client did not read */
};

/* Watches COUNT signals from now on instead of what was watched before. Takes WANTED over. */
void control_watch_set(struct control_watch *watch, size_t *wanted, size_t count, int64_t every_us,
                       int64_t now_us);
/* Watches nothing. */
void control_watch_drop(struct control_watch *watch);

/* Whether a notification is due; moves the deadline on if so. */
bool control_watch_is_due(struct control_watch *watch, int64_t now_us);

/* The notification, a line that the caller frees; NULL where memory is short. */
char *control_watch_line(const struct control_watch *watch, const struct sim *sim);

#endif
