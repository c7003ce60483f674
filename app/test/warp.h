/* Warped time: a host whose clock runs at the pace of the simulation. The page that its programs
 * follow lies in the run's folder; where the simulation falls behind, their clock waits for it. */
#ifndef PTYBOT_APP_TEST_WARP_H
#define PTYBOT_APP_TEST_WARP_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/io/pacer.h"
#include "base/error.h"

struct clock_page;

struct warp {
    double factor;
    char library[PATH_MAX]; /* to be preloaded */
    char path[PATH_MAX];    /* of the page */
    struct clock_page *page;
    int64_t origin_ns;   /* of CLOCK_MONOTONIC, where warped and real time are the same */
    int64_t realtime_ns; /* of CLOCK_REALTIME then */
    int64_t dropped_ns;  /* what of the pacer's is in the page */
};

/* Makes the page in FOLDER; warped time begins. False, with the remedy in ERROR. */
bool warp_open(struct warp *warp, double factor, const char *folder, struct error *error);
void warp_close(struct warp *warp);

/* In the process that will become the host: what its programs need to know. */
void warp_set_environment(const struct warp *warp);

/* How late a step may be and still be caught up: hosts get no larger burst than in real time. */
int64_t warp_lag_max_ns(double factor);

/* Brings the page in line with the pacer: call it at each turn of the loop. The clock runs ahead of
 * the world by no more than the lag that the pacer catches up; while the world is held or paused it
 * runs freely, since whoever is to let the world go on may go by it. */
void warp_follow(struct warp *warp, const struct pacer *pacer, bool is_held, int64_t now_ns);

/* How many programs have taken the clock. */
uint32_t warp_programs(const struct warp *warp);

/* Writes what people must know of how it went, or "": that the factor was not reached, or that the
 * host did not take the clock. */
void warp_warning(const struct warp *warp, const struct pacer *pacer, char *text, size_t size);

#endif
