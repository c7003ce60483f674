/* The parts of a run, opened in their order and closed in the reverse; and the flags that every
 * subcommand with a run takes. What a subcommand makes of the run (tables, verdicts) is the
 * subcommand's own. */
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

/* What session_flags fill: the first member of the options of a subcommand that has more. */
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
    bool is_viewed;   /* --view */
    bool allows_code; /* scenes may load shared objects: run, test, --allow-code */
    struct web_options web;
    bool is_control_remote;

    /* Filled by session_options_take. */
    bool has_seed, has_for;

    /* Of some subcommands. Relative paths of ptys are in a folder of this run alone, a robot
     * that is a TCP server gets a free port if the scene names none, and storage files are read but
     * not written. */
    bool is_private;
    bool is_waiting;                        /* time waits, for pictures too */
    bool is_realtime;                       /* ahead of all programs without such a priority */
    bool ends_with_parent, ends_with_input; /* as stop_with_parent, stop_with_input */
};

extern const struct flag_group session_scene_flags; /* --seed, --set: change the scene */
/* All flags of a run, for a subcommand that starts from a scene. */
extern const struct shared_flags session_flags[];

/* Notes which flags were given. False, after printing why, if some exclude each other. The
 * subcommand has session_flags. */
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
    struct hold *hold; /* of the caller, set before session_run: time waits for a host; or NULL */
    struct report report;
    struct rlimit descriptors;   /* the limit for children: ours is raised */
    int64_t end_us;              /* of --for; INT64_MAX: none */
    char control_path[PATH_MAX]; /* absolute */
};

/* The scene that WORD names (scene_file_find) with what the flags change in it. The caller owns it.
 * NULL, with the reason in ERROR: bad usage or scene. */
struct scene *session_scene(const char *word, const struct session_options *options,
                            struct error *error);

/* Opens all parts; hosts can open the links from then on. Takes SCENE, which it frees in
 * session_close; OPTIONS outlive the session. False, with the reason in ERROR and the program's
 * exit code in CODE; then too session_close must follow. */
bool session_open(struct session *session, struct scene *scene,
                  const struct session_options *options, int *code, struct error *error);

/* Runs until --for, a signal, or what GUIDE says (NULL: nothing more). */
void session_run(struct session *session, const struct loop_guide *guide);

/* Closes all parts and removes all that others can see. False, with the reason, if a file that was
 * asked for is not whole. */
bool session_close(struct session *session, struct error *error);
