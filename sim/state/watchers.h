/* Whoever looks on while a simulation runs: told of frames and of what each pass of a firmware did.
 * Nothing depends on a watcher, and without one nothing is done for it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim;

/* Owned by whoever watches, as a member of its own struct; each function may be NULL. Inside them
 * it may look at the simulation and must not change it. No allocation: they are called in a step.
 */
struct sim_watcher {
    /* A robot has sent a frame; IS_QUEUED: the wire took it. */
    void (*sent)(struct sim_watcher *self, size_t channel, const uint8_t *bytes, size_t size,
                 bool is_queued);
    /* Bytes have reached a robot, which has counted the frames in them. */
    void (*received)(struct sim_watcher *self, size_t channel, const uint8_t *bytes, size_t size);
    /* Bytes were handed to the host of a channel. */
    void (*delivered)(struct sim_watcher *self, size_t channel, const uint8_t *bytes, size_t size);
    /* The host of a channel has come or gone, or set its lines; each event is reported. */
    void (*host)(struct sim_watcher *self, size_t channel);
    /* The firmware of a robot has run one pass. */
    void (*ran)(struct sim_watcher *self, size_t robot);
    struct sim_watcher *next; /* the simulation's */
};

/* From now on, until sim_unwatch, which comes before the end of either. */
void sim_watch(struct sim *sim, struct sim_watcher *watcher);
void sim_unwatch(struct sim *sim, struct sim_watcher *watcher);
