/* Snapshots of a run for viewers, and the window as a process. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "app/cli/keeper.h"
#include "app/links/live.h"
#include "base/error.h"
#include "sim/sim.h"

/* ---- Snapshots: an in-memory file, linked from the run's folder, that any number of viewers map.
 * It is created for the first viewer; without a viewer, no snapshot is filled and no frame or trail
 * is kept. ---- */

struct publish;

/* Creates no file yet. FOLDER, SIM and LIVE outlive it; the owner of the folder removes the file.
 * NULL with ERROR: no memory. */
struct publish *publish_create(const char *folder, struct sim *sim, const struct live *live,
                               struct error *error);
void publish_destroy(struct publish *self);

/* A source of snapshots other than a simulation. */
struct publish_source {
    void *context;
    size_t (*size)(const void *context); /* bytes that a snapshot needs now */
    /* Fills a snapshot. False: it needs more than SIZE bytes. */
    bool (*fill)(const void *context, void *buffer, size_t size);
};

/* The same for SOURCE, which is copied; publish_visit calls its functions. */
struct publish *publish_create_of(const char *folder, const struct publish_source *source,
                                  struct error *error);

/* Absolute path of the file that viewers map, created if it does not exist yet. NULL with ERROR.
 * Valid as long as the publisher. */
const char *publish_path(struct publish *self, struct error *error);

/* Fills a snapshot if a viewer has read the last one, at most 60 per second. Call it at each turn
 * of the loop. Never waits. If there is no memory for a larger snapshot, reports it once on stderr,
 * marks the last snapshot as outdated for the viewers, and tries again every second. */
void publish_visit(struct publish *self, int64_t now_ns);

/* ---- The window of a run, started and watched ---- */

enum { VIEWER_WORDS = 5, VIEWER_WORD_MAX = 4200 };

/* The command line of the viewer's program, NULL-terminated. */
struct viewer_words {
    char program[VIEWER_WORD_MAX];
    char texts[VIEWER_WORDS][VIEWER_WORD_MAX];
    char *words[VIEWER_WORDS + 1];
};

/* Makes the command line of a window onto the run with this path of its snapshots and this control
 * socket. False, with the remedy in ERROR: this build has no viewer. */
bool viewer_words_make(struct viewer_words *words, const char *snapshot, const char *control,
                       struct error *error);

/* Whether this build has a viewer that can open a window here. False, with the reason in ERROR: the
 * viewer prints why it cannot. Waits for the display to answer. */
bool viewer_process_try(struct error *error);

/* Starts the window. False, with the reason in ERROR. */
bool viewer_process_start(struct keeper *window, const char *snapshot, const char *control,
                          struct error *error);

enum viewer_state { VIEWER_LIVES, VIEWER_CLOSED, VIEWER_LOST };

/* Returns the state of the window, without waiting. CLOSED: by the user; LOST: killed, or it could
 * not open and has printed why. After either, WINDOW is empty. */
enum viewer_state viewer_process_poll(struct keeper *window);

/* Waits up to a second until the window ends, since the run has ended, and then kills it.
 * WINDOW may be empty. */
void viewer_process_end(struct keeper *window);
