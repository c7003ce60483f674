/* The loop of a run: waits for descriptors and deadlines, serves links and clients of the control
 * socket, and runs the steps that are due. One thread. */
#pragma once

#include <stdint.h>

#include "app/control/control.h"
#include "app/files/storage.h"
#include "app/links/links.h"
#include "app/links/poller.h"
#include "app/record/capture_file.h"
#include "app/record/journal_file.h"
#include "app/record/picture.h"
#include "app/record/signal_log.h"
#include "app/run/report.h"
#include "app/time/hold.h"
#include "app/time/pacer.h"
#include "app/views/viewer.h"
#include "sim/sim.h"

/* Decides how far a run goes, in addition to its end time and signals. */
enum loop_turn {
    LOOP_GOES,
    LOOP_HOLDS, /* serve links and clients; simulated time is stopped */
    LOOP_ENDS,
};
struct loop_guide {
    void *context;
    /* Called at each turn of the loop. With a guide, end time and signals end the steps but not the
     * loop: the guide decides when the loop ends. */
    enum loop_turn (*turn)(void *context, int64_t now_ns);
    /* Called before each step: whether the step is still wanted. */
    bool (*wants_step)(void *context);
    /* Called at the end of each moment, immediately before time advances by a step. May be NULL. */
    void (*before_step)(void *context);
    /* Called before each step if time waits for the driver, while all its threads wait. Performs
     * operations that the driver notices, other than bytes. Returns whether there were any. May be
     * NULL. */
    bool (*act)(void *context);
};

/* The parts of a run; all belong to the caller. */
struct loop {
    struct sim *sim;
    struct poller *poller;
    struct links *links;
    struct control *control; /* or NULL */
    struct pacer *pacer;
    struct pace *pace;
    struct report *report;
    struct storage *storage;        /* saved during the run; or NULL */
    struct signal_log *log;         /* or NULL */
    struct journal_file *journal;   /* or NULL */
    struct capture_file *capture;   /* or NULL */
    struct picture_log *frames;     /* or NULL */
    struct publish *publish;        /* or NULL */
    struct keeper *viewer;          /* the window of this run, or NULL. Closing it ends the run */
    const struct loop_guide *guide; /* or NULL */
    struct hold *hold;              /* replaces the pacer: time waits for the driver; or NULL */
    int64_t end_us;                 /* simulated time of the end of the run; INT64_MAX: never */
};

/* Runs until the end, or until a signal ends it. */
void loop_run(struct loop *loop);
