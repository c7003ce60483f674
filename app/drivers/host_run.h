/* The parts of a run with driver commands, in addition to its session: their flags, processes and
 * clock. `test` and `run` share it. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "app/cli/arguments.h"
#include "app/drivers/diagnoses.h"
#include "app/drivers/host.h"
#include "app/drivers/warp.h"
#include "app/run/session.h"
#include "base/error.h"
#include "sim/scene/scene.h"

struct host_options {
    struct argument_texts shells;    /* --host: commands for a shell */
    char warp_text[16];              /* --warp as written */
    char delay_text[SCENE_NAME_MAX]; /* --host-delay as written; "": that of the scene */
    int64_t wake_order;              /* --wake-order; 0: that of the scene */

    /* Filled by host_options_take. */
    const char *const *words;      /* the command after `--`, ended by NULL; or NULL */
    double warp;                   /* set if is_warped; INFINITY: max */
    bool is_warped;                /* drivers use the simulation's clock, and time waits for them */
    bool has_warp;                 /* --warp was given, and is not off: it also sets the speed */
    struct scene_host_delay delay; /* set if delay_text is not empty */
};

/* --host, --warp and the related flags: the rows of a subcommand whose options, a struct TAG, have
 * a struct host_options as MEMBER. */
#define HOST_FLAG_ROWS(tag, member)                                                                \
    FLAG_REPEATED("host", "COMMAND", tag, member.shells,                                           \
                  "Start a further driver with /bin/sh; repeatable"),                              \
        FLAG_TEXT("warp", "X|max|off", tag, member.warp_text, "",                                  \
                  "Maximum speed while the drivers wait, as a multiple of real time; max: no "     \
                  "limit; off: "                                                                   \
                  "drivers use the real clock and ptybot does not wait for them",                  \
                  .otherwise = "1, if there is a driver"),                                         \
        FLAG_TEXT(                                                                                 \
            "host-delay", "A..B", tag, member.delay_text, "",                                      \
            "Simulate a slow computer: after each wait, delay a thread of the drivers by a "       \
            "random simulated time in this range, such as 0..400ms. Uses the seed of the scene",   \
            .otherwise = "the key of the scene"),                                                  \
        FLAG_INTEGER(                                                                              \
            "wake-order", "N", tag, member.wake_order, "", 0, 9007199254740992.0, "0",             \
            "Seed for the wake order of threads that are due at the same time; 0: in the "         \
            "order of their creation")

/* Reads the flags, and the words after `--`. The list of words ends with NULL; argv has room for it
 * because `--` is dropped. RUN gets the speed of --warp. False, after printing why: they are wrong.
 */
bool host_options_take(struct host_options *options, struct session_options *run,
                       struct arguments *arguments);

struct host_run {
    const struct host_options *options;
    struct session *session;
    struct host_command commands[HOSTS_MAX]; /* their words as given */
    size_t count;
    const char *shells[HOSTS_MAX][4]; /* words of the commands for a shell */
    char folder[PATH_MAX];            /* working folder of the scene's command */
    struct hosts hosts;
    struct warp warp;
    bool is_open;     /* the warp is open */
    char reason[400]; /* why time cannot wait for the drivers although it should; "": it can */
};

/* Lists the commands: the one after `--` first, then those of --host. If there are none, takes
 * those of SCENE, which are all awaited (SCENE may be NULL). RUN is empty before; OPTIONS outlives
 * it. */
void host_run_choose(struct host_run *run, const struct host_options *options,
                     const struct scene *scene);

/* Opens the clock of the drivers, if they use virtual time: for an open session, before
 * session_run. False, with the reason in ERROR: --warp was given and is not possible. */
bool host_run_open(struct host_run *run, struct session *session, struct error *error);

/* Starts all commands, in their order. False, with the number of the command that failed in FAILED
 * and the reason in ERROR; then none of them runs. */
bool host_run_start(struct host_run *run, size_t *failed, struct error *error);

/* Describes how time passed, and adds a warning for each problem. WALL_S: wall-clock duration of
 * the run. */
void host_run_find(const struct host_run *run, double simulated_s, double wall_s,
                   struct diagnoses *diagnoses, struct warp_outcome *outcome);

void host_run_close(struct host_run *run);
