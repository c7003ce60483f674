/* The parts of a replay: the journal read, the simulation made from it, and what it writes. */
#ifndef PTYBOT_APP_RECORD_REPLAY_RUN_H
#define PTYBOT_APP_RECORD_REPLAY_RUN_H

#include <limits.h>
#include <stdio.h>

#include "app/cli/program.h"
#include "app/control/control.h"
#include "app/record/signal_log.h"
#include "app/run/pacer.h"
#include "app/run/poller.h"
#include "app/test/report.h"
#include "sim/record/playback.h"
#include "sim/scene/scene.h"

struct replay_options {
    double until_s, speed;
    bool is_paused, is_any_build;
    char bytes[PATH_MAX];
    char log[PATH_MAX];
    char control[PATH_MAX];
    bool has_until, has_speed;
};

struct replay {
    const struct replay_options *options;
    char *journal;
    struct journal_reader reader;
    struct journal_head head;
    struct scene *scene;
    struct sim *sim;
    struct playback *playback;
    struct signal_log *log; /* or NULL */
    FILE **files;           /* of --bytes, by channel of the simulation; or NULL */
    bool is_bytes_lost;     /* of them */
    struct poller poller;
    struct links *links;     /* none */
    struct control *control; /* or NULL */
    struct pacer pacer;
    struct report report;
    bool is_done;
};

/* Reads the journal and its head. False, with the reason in ERROR and the exit code in CODE; after
 * any failure replay_close must follow. */
bool replay_load(struct replay *replay, const char *path, int *code, struct error *error);

/* Makes the simulation and opens all that it writes, in the same way. */
bool replay_open(struct replay *replay, int *code, struct error *error);

/* Runs to the end of the journal, --until, a departure or a signal. */
void replay_run(struct replay *replay);

/* False, with the reason, if a file that was asked for is not whole. */
bool replay_close(struct replay *replay, struct error *error);

#endif
