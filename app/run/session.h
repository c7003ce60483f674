/* The parts of a run, opened in their order and closed in the reverse order, and the flags of every
 * subcommand with a run. Each subcommand produces its own tables and verdicts from the run. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "app/cli/arguments.h"
#include "app/control/control.h"
#include "app/files/folders.h"
#include "app/files/storage.h"
#include "app/firmware/firmwares.h"
#include "app/links/links.h"
#include "app/links/live.h"
#include "app/links/poller.h"
#include "app/record/capture_file.h"
#include "app/record/journal_file.h"
#include "app/record/picture.h"
#include "app/record/signal_log.h"
#include "app/run/loop.h"
#include "app/run/report.h"
#include "app/time/pacer.h"
#include "app/views/viewer.h"
#include "app/views/web.h"
#include "sim/scene/scene.h"
#include "sim/sim.h"

/* Filled by session_flags: the first member of the options of a subcommand that has more
 * options. */
struct session_options {
    double speed;
    bool is_fast, is_lockstep;
    int64_t seed;
    struct argument_texts set, link;
    double for_s;
    char log[PATH_MAX];
    char journal[PATH_MAX];
    char capture[PATH_MAX];
    char control[PATH_MAX];
    struct picture_log_options frames;
    bool is_viewed;   /* scenes may load shared objects: run, test, --allow-code */
    bool allows_code; /* scenes may load shared objects: run, test, --allow-code */
    struct web_options web;
    bool is_control_remote;

    /* Filled by session_options_take. */
    bool has_seed, has_for;

    /* Set by some subcommands. Relative paths of ptys are in a folder of this run only, a robot
     * that is a TCP server gets a free port if the scene sets none, and storage files are read but
     * not written. */
    bool is_private;
    bool is_waiting;  /* simulated time waits, for pictures too */
    bool is_realtime; /* runs before all programs without real-time priority */
    bool ends_with_parent, ends_with_input; /* as stop_with_parent, stop_with_input */
};

extern const struct flag_group session_scene_flags; /* --seed, --set: change the scene */
/* All flags of a run, for a subcommand that starts from a scene. */
extern const struct shared_flags session_flags[];

/* Notes which flags were given. False, after printing why: some exclude each other. The subcommand
 * has session_flags. */
bool session_options_take(struct session_options *options, const struct arguments *arguments);

struct session {
    const struct session_options *options;
    struct scene *scene;
    struct storage *storage;
    struct firmwares *firmwares; /* processes that are firmwares */
    struct sim *sim;
    struct live live;
    struct poller poller;
    struct run_folder folder;
    struct links *links;
    struct control *control;
    struct signal_log *log;     /* or NULL */
    struct picture_log *frames; /* or NULL */
    struct publish *publish;
    struct keeper viewer;         /* the window; empty: none */
    struct web web;               /* of --web */
    struct journal_file *journal; /* or NULL */
    struct capture_file *capture; /* or NULL */
    struct pacer pacer;
    struct hold *hold; /* of the caller, set before session_run: time waits for a driver; or NULL */
    struct report report;
    struct rlimit descriptors;   /* the limit for children: that of ptybot is raised */
    int64_t end_us;              /* of --for; INT64_MAX: none */
    char control_path[PATH_MAX]; /* absolute */
};

/* Returns the scene named WORD (scene_file_find), changed by the flags. The caller owns it. NULL,
 * with the reason in ERROR: invalid arguments or scene. */
struct scene *session_scene(const char *word, const struct session_options *options,
                            struct error *error);

/* Opens all parts; drivers can open the links from then on. Takes ownership of SCENE, which
 * session_close frees; OPTIONS outlive the session. False, with the reason in ERROR and the
 * program's exit code in CODE; session_close must follow even then. */
bool session_open(struct session *session, struct scene *scene,
                  const struct session_options *options, int *code, struct error *error);

/* Runs until --for, a signal, or a decision of GUIDE (NULL: no guide). */
void session_run(struct session *session, const struct loop_guide *guide);

/* Closes all parts, and removes all files that are visible to other programs. False, with the
 * reason in ERROR: a requested file is incomplete. */
bool session_close(struct session *session, struct error *error);
