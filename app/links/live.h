/* State of a run that only the program knows: the requested pace, counters of the links, and the
 * driver's estimate. The simulation lists them as signals, and takes the commands world.pause,
 * world.step, world.speed, world.seek and world.estimate from here. It does not use this state
 * otherwise. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/sim.h"

struct snapshot;

/* The requested pace, and how well the run kept it. Commands set it; the loop reads it. */
struct pace {
    bool is_paused;
    bool is_lockstep;  /* set by the subcommand: time stays paused and advances only by steps */
    bool is_fast;      /* set by the subcommand: the run never waits, and the speed has no effect */
    bool is_waiting;   /* set by the subcommand: time waits for a host, and the speed is an upper
                          limit */
    double speed;      /* simulated seconds per wall-clock second; > 0 */
    int64_t length_us; /* set by the subcommand: length of the replayed journal; 0: no replay */
    bool goes_ahead;   /* set by the subcommand: the replay cannot jump back */
    bool is_seeking;   /* a jump to SEEK_US is requested */
    int64_t seek_us;
    int64_t steps_wanted; /* steps to run while paused; the loop counts them down */
    double late_ms;       /* largest delay of a step */
    double dropped_s;     /* wall-clock time that was dropped because of delays */
};

struct live_channel {
    uint64_t taken_frames;   /* chunks that the kernel accepted for a host */
    uint64_t dropped_frames; /* chunks that it rejected because the host does not read */
    uint64_t unread_bytes;   /* bytes that the host has not read yet */
    double host_silence_s;   /* longest simulated time that bytes waited unread */
    uint64_t hosts;          /* connections since the start */
    uint64_t refused_hosts;  /* hosts rejected because another was connected */
    uint64_t bad_requests;   /* unknown commands from hosts (rfc2217) */
    uint64_t host_baud;      /* as the host set it; 0: unknown */
    const char *place;       /* address for hosts: path, host:port or device; NULL: not open */
};

/* A driver's estimate of the state of its robot, from world.estimate. */
enum { LIVE_ESTIMATES = 5 }; /* x, y, heading, speed, turn rate */
#define LIVE_ESTIMATE_NONE (-1e9)

struct live {
    struct pace pace;                  /* first member: most commands act on it */
    double estimate[LIVE_ESTIMATES];   /* m, m, deg, m/s, deg/s */
    bool is_estimated[LIVE_ESTIMATES]; /* reported by a command so far */
    struct live_channel *channels;     /* in the simulation's order */
    size_t count;
};

/* The initial speed is 1 and no link is open. False, with ERROR: out of memory. */
bool live_open(struct live *live, const struct scene *scene, struct error *error);
/* Call it after sim_destroy. */
void live_close(struct live *live);

/* Calls live_open and creates the simulation of the scene. NULL, with ERROR, on failure. Call
 * live_close in both cases. */
struct sim *live_sim(struct live *live, const struct scene *scene,
                     const struct robot_storage *storage, struct error *error);

/* The rows for sim_create. LIVE may be NULL for sim_check_script, which does not use the state
 * behind the rows. */
struct run_rows live_rows(struct live *live);

/* Writes the state of the run into a snapshot. LIVE NULL: does nothing. */
void live_show(const struct live *live, struct snapshot *snapshot);
