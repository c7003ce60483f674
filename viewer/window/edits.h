/* What was done by hand and can be taken back: pairs of commands. */
#ifndef PTYBOT_VIEWER_WINDOW_EDITS_H
#define PTYBOT_VIEWER_WINDOW_EDITS_H

#include <stddef.h>

enum { EDITS_MAX = 128, EDIT_TEXT_MAX = 224 };

struct edit {
    char doing[EDIT_TEXT_MAX], undoing[EDIT_TEXT_MAX];
};

struct edits {
    struct edit edit[EDITS_MAX];
    size_t count; /* that there are */
    size_t done;  /* of them, not taken back */
};

/* Notes what was done. What was taken back before is forgotten, and so is the oldest of too many.
 */
void edits_add(struct edits *edits, const char *doing, const char *undoing);

/* The command that takes the last one back, or does it again; NULL: there is none. */
const char *edits_undo(struct edits *edits);
const char *edits_redo(struct edits *edits);

#endif
