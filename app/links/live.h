/* What only the program knows of a run: the pace that was asked for, and counters of its links. The
 * simulation lists them as signals, and has the commands world.pause, world.step, world.speed and
 * world.seek from here; it never looks at them otherwise. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/sim.h"

struct snapshot;

/* What was asked of time: the commands leave it here and the loop obeys. And how it kept to that.
 */
struct pace {
    bool is_paused;
    bool is_lockstep; /* set by the subcommand: time stays paused, and only steps go on */
    bool is_fast;     /* set by the subcommand: it never waits, and the speed has no effect */
    bool is_waiting;  /* set by the subcommand: time waits for a host, and the speed is a ceiling */
    double speed;     /* simulated seconds a wall second; > 0 */
    int64_t
        length_us; /* set by the subcommand: of the journal that is done again; 0: there is none */
    bool goes_ahead; /* set by the subcommand: of that journal, it does not go back */
    bool is_seeking; /* a moment of it was asked for: */
    int64_t seek_us;
    int64_t steps_wanted; /* steps to do although paused; the loop counts them down */
    double late_ms;       /* how late a step came, at most */
    double dropped_s;     /* wall time that was given up because of that */
};

struct live_channel {
    uint64_t taken_frames;   /* pieces that the kernel took for a host */
    uint64_t dropped_frames; /* pieces that it refused because the host does not read */
    uint64_t unread_bytes;   /* that the host has not read yet */
    double host_silence_s;   /* longest simulated time for which bytes waited unread */
    uint64_t hosts;          /* seen since the start */
    uint64_t refused_hosts;  /* turned away, because another was there */
    uint64_t bad_requests;   /* of hosts, which nobody understands (rfc2217) */
    uint64_t host_baud;      /* as the host set it; 0: unknown */
    const char *place;       /* where hosts find it: path, host:port or device; NULL: nowhere */
};

/* What a driver believes of its robot, as it says by world.estimate. */
enum { LIVE_ESTIMATES = 5 }; /* x, y, heading, speed, turn rate */
#define LIVE_ESTIMATE_NONE (-1e9)

struct live {
    struct pace pace;                  /* first: most commands act on it */
    double estimate[LIVE_ESTIMATES];   /* m, m, deg, m/s, deg/s */
    bool is_estimated[LIVE_ESTIMATES]; /* in a command so far */
    struct live_channel *channels;     /* in the order of the simulation */
    size_t count;
};

/* Time runs at speed 1 and no link is open. False, with ERROR: memory is short. */
bool live_open(struct live *live, const struct scene *scene, struct error *error);
/* Call it after sim_destroy. */
void live_close(struct live *live);

/* Opens it, and begins the scene. NULL, with ERROR: it cannot. Call live_close in both cases. */
struct sim *live_sim(struct live *live, const struct scene *scene,
                     const struct robot_storage *storage, struct error *error);

/* The rows for sim_create. NULL: for sim_check_script, which does not look at their state. */
struct run_rows live_rows(struct live *live);

/* Fills in what a snapshot of the simulation shows of the run. NULL: time runs at speed 1. */
void live_show(const struct live *live, struct snapshot *snapshot);
