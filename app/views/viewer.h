/* What viewers of a run see, and the window as a process. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "app/cli/keeper.h"
#include "app/links/live.h"
#include "base/error.h"
#include "sim/sim.h"

/* ---- Snapshots: a file in the run's folder, kept in memory, that any number of viewers map. It is
 * made for the first viewer; without one, nothing is filled and no frame or trail is kept. ---- */

struct publish;

/* Nothing is made yet. FOLDER, SIM and LIVE outlive it; the folder's owner removes the file. NULL
 * with ERROR where memory is short. */
struct publish *publish_create(const char *folder, struct sim *sim, const struct live *live,
                               struct error *error);
void publish_destroy(struct publish *self);

/* Snapshots of something else than a simulation. */
struct publish_source {
    void *context;
    size_t (*size)(const void *context); /* bytes that a snapshot needs now */
    /* Fills a snapshot. False: it needs more than SIZE bytes. */
    bool (*fill)(const void *context, void *buffer, size_t size);
};

/* The same, of SOURCE, which is copied; publish_visit calls it. */
struct publish *publish_create_of(const char *folder, const struct publish_source *source,
                                  struct error *error);

/* The absolute path of the file that viewers map, made if it is not there yet. NULL with ERROR.
 * Valid as long as the publisher. */
const char *publish_path(struct publish *self, struct error *error);

/* Fills in a snapshot if a viewer has taken the last one, at most 60 a second. Call it at each turn
 * of the loop. Never waits. Where memory for a larger snapshot is refused, it says so
 * once on stderr, tells the viewers, who keep the last one, and tries again each second. */
void publish_visit(struct publish *self, int64_t now_ns);

/* ---- The window of a run, started and watched ---- */

enum { VIEWER_WORDS = 5, VIEWER_WORD_MAX = 4200 };

/* What the viewer's program is called with; ends with NULL. */
struct viewer_words {
    char program[VIEWER_WORD_MAX];
    char texts[VIEWER_WORDS][VIEWER_WORD_MAX];
    char *words[VIEWER_WORDS + 1];
};

/* The command line of a window onto the run whose snapshots and control socket are at these places.
 * False, with the remedy in ERROR: this build has no viewer. */
bool viewer_words_make(struct viewer_words *words, const char *snapshot, const char *control,
                       struct error *error);

/* Whether this build has a viewer and its program can open a window here: it says why not, and this
 * returns false with ERROR. Waits for the display to answer. */
bool viewer_process_try(struct error *error);

/* Starts it. False, with the reason in ERROR, where that cannot be. */
bool viewer_process_start(struct keeper *window, const char *snapshot, const char *control,
                          struct error *error);

enum viewer_state { VIEWER_LIVES, VIEWER_CLOSED, VIEWER_LOST };

/* Says, without waiting, what has become of it. CLOSED: by a person; LOST: killed, or it could not
 * open a window and has said why. After either, WINDOW is empty. */
enum viewer_state viewer_process_poll(struct keeper *window);

/* Waits up to a second for it to end by itself, since the run has ended, and then kills it. WINDOW
 * may be empty. */
void viewer_process_end(struct keeper *window);
