/* The window of a run as a process: started, and looked after. */
#ifndef PTYBOT_APP_RUN_VIEWER_PROCESS_H
#define PTYBOT_APP_RUN_VIEWER_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

enum { VIEWER_WORDS = 5, VIEWER_WORD_MAX = 4200 };

/* What the viewer's program is called with; ends with NULL. */
struct viewer_words {
    char program[VIEWER_WORD_MAX];
    char texts[VIEWER_WORDS][VIEWER_WORD_MAX];
    char *words[VIEWER_WORDS + 1];
};

/* Words for a window upon the run whose snapshots and control socket are at these places. False,
 * with the remedy in ERROR: this build has no viewer. */
bool viewer_words_make(struct viewer_words *words, const char *snapshot, const char *control,
                       struct error *error);

/* Starts it. 0, with the reason in ERROR, where that cannot be. */
pid_t viewer_process_start(const char *snapshot, const char *control, struct error *error);

enum viewer_state { VIEWER_LIVES, VIEWER_CLOSED, VIEWER_LOST };

/* Looks, without waiting, what has become of it: CLOSED by a person; LOST: killed, or it could not
 * open a window and has said why. Once it is not alive, PID is no more. */
enum viewer_state viewer_process_look(pid_t pid);

/* Waits for it a little: it goes by itself when the run has ended. */
void viewer_process_end(pid_t pid);

#endif
