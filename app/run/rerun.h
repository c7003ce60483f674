/* A run repeated from its journal, without its drivers. `ptybot replay` compares it with the
 * journal. Users and programs inspect it over the control socket or in a window, and can seek to
 * any time in it, forward and back. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "app/control/control.h"
#include "app/files/folders.h"
#include "app/links/poller.h"
#include "app/record/capture_file.h"
#include "app/replay/journal_start.h"
#include "app/replay/marks.h"
#include "app/run/loop.h"
#include "app/run/report.h"
#include "app/time/pacer.h"
#include "app/views/viewer.h"
#include "sim/record/journal.h"
#include "sim/record/playback.h"
#include "sim/watch/watch.h"

struct rerun_options {
    const char *control; /* path of the socket; "": in the run's folder */
    bool is_reachable;   /* there is a control socket */
    bool is_viewed; /* there is a window; its closing ends the run, the end of the journal does not
                     */
    bool is_marked; /* record marks */
    bool is_pictured; /* record trails */
    bool goes_ahead;  /* forward only: no seeking back */
    bool is_paced, is_paused;
    double speed; /* if is_paced */
    int64_t until_us;
    playback_sink *sink;            /* receives the bytes sent to drivers; or NULL */
    void *context;                  /* of SINK and STEPPED */
    void (*stepped)(void *context); /* after each step; or NULL */
};

/* The parts that are created again to go back. */
struct rerun_pass {
    struct journal_reader reader;
    struct live live;
    struct sim *sim;
    struct playback *playback;
    struct watch *watch; /* or NULL */
    struct links *links; /* without any link */
    enum playback_state state;
    bool is_over; /* at the end of the journal, or at until_us */
};

struct rerun {
    struct rerun_options options;
    const struct scene *scene;
    const struct journal_head *head;
    const struct journal_reader *start; /* just after the head of the journal */
    struct marks marks;
    struct rerun_pass *pass;
    struct journal_start_view view; /* for marks */
    struct poller poller;
    struct run_folder folder;
    char control_path[PATH_MAX];  /* absolute */
    struct publish *publish;      /* or NULL */
    struct control *control;      /* or NULL */
    struct capture_file *capture; /* of the caller, set before the run; or NULL */
    struct keeper viewer;         /* the window; empty: none */
    struct pacer pacer;
    struct report report;
    struct loop loop;
    bool is_at_end; /* at the end since the previous turn */
};

/* SELF must be zero before the first call. SCENE, HEAD, START and everything in OPTIONS outlive it.
 * False, with the reason in ERROR and the program's exit code in CODE; rerun_close must follow even
 * then. */
bool rerun_open(struct rerun *self, const struct scene *scene, const struct journal_head *head,
                const struct journal_reader *start, const struct rerun_options *options, int *code,
                struct error *error);

/* Runs to the end of the journal, until_us or a signal; with a window, until the window is
 * closed. */
void rerun_run(struct rerun *self);

/* Keeps the marks for another rerun_open with the same SELF; marks_free frees them. */
void rerun_close(struct rerun *self);
