/* Warped time: a host whose clock runs at the pace of the simulation. Its programs follow a shared
 * memory in the run's folder; if the simulation falls behind, their clock waits for it.
 *
 * The other end is the library pty/shim/clock.h, preloaded into the programs: pty/shim/clock_load.c
 * maps the shared memory that this file makes. pty/shim/clock_shm.h has its layout, its writers and
 * their order. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/time/hold.h"
#include "app/time/pacer.h"
#include "base/error.h"
#include "sim/scene/scene.h"

struct clock_shm;

struct warp {
    double factor;          /* that was asked for; INFINITY: as fast as it can */
    char library[PATH_MAX]; /* to be preloaded */
    char path[PATH_MAX];    /* of the shared memory */
    struct clock_shm *shm;
    int64_t origin_ns;   /* of CLOCK_MONOTONIC, when warped and real time were the same */
    int64_t realtime_ns; /* of CLOCK_REALTIME then */
    int64_t dropped_ns;  /* how much of the pacer's is in the shared memory */
    bool is_held;        /* time waits for the host */
    struct hold hold;
};

/* How time went, for reports. */
struct warp_outcome {
    bool is_held;     /* all was: equal runs are promised */
    double speed;     /* simulated seconds a wall second */
    double charged_s; /* that went on while the host computed or span */
    char foreign[80]; /* who waited by real time, and in which call; "": nobody */
    char text[512];   /* all of it in a line; "": the host had the machine's clock */
};

/* Makes the shared memory in FOLDER; warped time begins, FACTOR times as fast as real time
 * (INFINITY: as fast as real time, until warp_hold). False, with the remedy in ERROR. */
bool warp_open(struct warp *warp, double factor, const char *folder, struct error *error);

/* From now on time waits for the host, and the factor is a ceiling; call it before the host starts,
 * and hold_watch after that. False, with the reason in ERROR: this system does not show what a host
 * does, and time goes on as before. */
bool warp_hold(struct warp *warp, struct error *error);
void warp_close(struct warp *warp);

/* A slow host, and the seed of the wake order of its threads (hold.h); after warp_hold,
 * before the host starts. */
void warp_slow_down(struct warp *warp, const struct scene_host_delay *delay, uint64_t wake_order,
                    uint64_t seed);

/* Sets what the host's programs need to know; call it in the process that becomes the host. */
void warp_set_environment(const struct warp *warp);

/* How late a step may be and still be caught up: hosts get no larger burst than in real time. */
int64_t warp_lag_max_ns(double factor);

/* Updates the shared memory from the pacer: call it at each turn of the loop. The clock runs ahead
 * of the world by no more than the lag that the pacer catches up; while the world is held or paused
 * it runs freely, since whoever is to resume the world may depend on it. */
void warp_follow(struct warp *warp, const struct pacer *pacer, bool is_held, int64_t now_ns);

/* How many programs have taken the clock. */
uint32_t warp_programs(const struct warp *warp);

/* Whether time waited for the host, and how fast it went. */
void warp_describe(const struct warp *warp, double simulated_s, double wall_s,
                   struct warp_outcome *outcome);

/* Writes a warning if the factor was not reached or no program took the clock, else "". Returns the
 * entry of the documentation that explains it (diagnoses_add), or NULL. */
const char *warp_warning(const struct warp *warp, const struct pacer *pacer, char *text,
                         size_t size);
