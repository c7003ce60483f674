/* Warped time: a driver whose clock runs at the speed of the simulation. Its programs follow shared
 * memory in the run's folder. If the simulation falls behind, their clock waits for it.
 *
 * The other end is the library pty/shim/clock.h, preloaded into the programs: pty/shim/clock_load.c
 * maps the shared memory that this file creates. pty/shim/clock_shm.h describes its layout, its
 * writers and their order. */
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
    double factor;          /* the requested speed; INFINITY: as fast as possible */
    char library[PATH_MAX]; /* path of the library to preload */
    char path[PATH_MAX];    /* path of the shared memory */
    struct clock_shm *shm;
    int64_t origin_ns;   /* CLOCK_MONOTONIC when warped and real time were equal */
    int64_t realtime_ns; /* CLOCK_REALTIME at that time */
    int64_t dropped_ns;  /* part of the pacer's dropped_ns that the shared memory contains */
    bool is_held;        /* time waits for the driver */
    struct hold hold;
};

/* How time passed, for reports. */
struct warp_outcome {
    bool is_held;     /* for the whole run: equal runs give equal results */
    double speed;     /* simulated seconds per wall-clock second */
    double charged_s; /* simulated time that passed while the driver computed or spun */
    char foreign[80]; /* process that waited by real time, and its call; "": none */
    char text[512];   /* a line with all of this; "": the driver used the machine's clock */
};

/* Creates the shared memory in FOLDER. Warped time begins, FACTOR times as fast as real time
 * (INFINITY: as fast as real time, until warp_hold). False, with the remedy in ERROR. */
bool warp_open(struct warp *warp, double factor, const char *folder, struct error *error);

/* From now on time waits for the driver, and the factor is the maximum speed. Call it before the
 * driver starts, and hold_watch after that. False, with the reason in ERROR: this system does not
 * show the state of processes, and time continues as before. */
bool warp_hold(struct warp *warp, struct error *error);
void warp_close(struct warp *warp);

/* Simulates a slow driver, and sets the seed of the wake order of its threads (hold.h). Call it
 * after warp_hold, before the driver starts. */
void warp_slow_down(struct warp *warp, const struct scene_host_delay *delay, uint64_t wake_order,
                    uint64_t seed);

/* Sets the environment of the driver's programs; call it in the process that becomes the driver. */
void warp_set_environment(const struct warp *warp);

/* The largest lag of a step that is caught up: drivers get no larger burst than in real time. */
int64_t warp_lag_max_ns(double factor);

/* Updates the shared memory from the pacer: call it at each turn of the loop. The clock runs ahead
 * of the simulation by at most the lag that the pacer catches up. While the simulation is held or
 * paused, the clock runs freely, since the program that will resume the simulation may depend on
 * it. */
void warp_follow(struct warp *warp, const struct pacer *pacer, bool is_held, int64_t now_ns);

/* Number of programs that have used the clock. */
uint32_t warp_programs(const struct warp *warp);

/* Describes whether time waited for the driver, and how fast it passed. */
void warp_describe(const struct warp *warp, double simulated_s, double wall_s,
                   struct warp_outcome *outcome);

/* Writes a warning if the factor was not reached or no program used the clock, else "". Returns the
 * entry of the documentation that explains it (diagnoses_add), or NULL. */
const char *warp_warning(const struct warp *warp, const struct pacer *pacer, char *text,
                         size_t size);
