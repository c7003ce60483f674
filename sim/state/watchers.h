/* Observers of a running simulation: they receive frames, and a call after each pass of a firmware.
 * The simulation does not depend on them, and without observers it does no work for them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim;

/* Owned by the observer, as a member of a larger struct; each function may be NULL. The functions
 * may read the simulation and must not change it. They must not allocate, because they are called
 * in a step. */
struct sim_watcher {
    /* A robot has sent a frame. IS_QUEUED: the wire has accepted it. */
    void (*sent)(struct sim_watcher *self, size_t channel, const uint8_t *bytes, size_t size,
                 bool is_queued);
    /* Bytes have reached a robot, which has already counted the frames in them. */
    void (*received)(struct sim_watcher *self, size_t channel, const uint8_t *bytes, size_t size);
    /* Bytes were delivered to the driver of a channel. */
    void (*delivered)(struct sim_watcher *self, size_t channel, const uint8_t *bytes, size_t size);
    /* The driver of a channel has connected, left or set its lines; each event is reported. */
    void (*host)(struct sim_watcher *self, size_t channel);
    /* The firmware of a robot has run one pass. */
    void (*ran)(struct sim_watcher *self, size_t robot);
    struct sim_watcher *next; /* used by the simulation */
};

/* Observes from now on until sim_unwatch, which must be called before SIM or WATCHER is
 * destroyed. */
void sim_watch(struct sim *sim, struct sim_watcher *watcher);
void sim_unwatch(struct sim *sim, struct sim_watcher *watcher);
