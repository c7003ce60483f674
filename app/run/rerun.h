/* A journal's run, done again without its hosts: for `ptybot replay`, which compares it, and for
 * people and programs that look at it by the control socket or in a window, who go to any moment of
 * it and back. */
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
    bool is_reachable;   /* there is such a socket at all */
    bool is_viewed;      /* in a window; closing it is the end, the end of the journal is not */
    bool is_marked;      /* what happens in it is to be known */
    bool is_pictured;    /* trails are to be known */
    bool goes_ahead;     /* never back */
    bool is_paced, is_paused;
    double speed; /* where it is paced */
    int64_t until_us;
    playback_sink *sink;            /* of what hosts were sent; or NULL */
    void *context;                  /* of SINK and STEPPED */
    void (*stepped)(void *context); /* after each step; or NULL */
};

/* What begins anew where it goes back. */
struct rerun_pass {
    struct journal_reader reader;
    struct live live;
    struct sim *sim;
    struct playback *playback;
    struct watch *watch; /* or NULL */
    struct links *links; /* none */
    enum playback_state state;
    bool is_over; /* at the end of the journal, or of what was wanted of it */
};

struct rerun {
    struct rerun_options options;
    const struct scene *scene;
    const struct journal_head *head;
    const struct journal_reader *start; /* behind the head */
    struct marks marks;
    struct rerun_pass *pass;
    struct journal_start_view view; /* for marks */
    struct poller poller;
    struct run_folder folder;
    char control_path[PATH_MAX];  /* absolute */
    struct publish *publish;      /* or NULL */
    struct control *control;      /* or NULL */
    struct capture_file *capture; /* the caller's, set before it runs; or NULL */
    struct keeper viewer;         /* the window; empty: none */
    struct pacer pacer;
    struct report report;
    struct loop loop;
    bool is_at_end; /* and has been since the last turn */
};

/* Zero SELF before the first time. SCENE, HEAD, START and what the options name outlive it. False,
 * with the reason in ERROR and the program's exit code in CODE; rerun_close must follow all the
 * same. */
bool rerun_open(struct rerun *self, const struct scene *scene, const struct journal_head *head,
                const struct journal_reader *start, const struct rerun_options *options, int *code,
                struct error *error);

/* Runs to the end of the journal, until_us or a signal; with a window, until that is closed. */
void rerun_run(struct rerun *self);

/* The marks stay, for one that is opened with the same SELF; marks_free frees them. */
void rerun_close(struct rerun *self);
