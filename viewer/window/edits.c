/* A list with a place in it. */
#include "viewer/window/edits.h"

#include <stdio.h>
#include <string.h>

void edits_add(struct edits *edits, const char *doing, const char *undoing)
{
    if (edits->done == EDITS_MAX) {
        memmove(&edits->edit[0], &edits->edit[1], (EDITS_MAX - 1) * sizeof edits->edit[0]);
        edits->done--;
    }
    struct edit *edit = &edits->edit[edits->done++];
    snprintf(edit->doing, sizeof edit->doing, "%s", doing);
    snprintf(edit->undoing, sizeof edit->undoing, "%s", undoing);
    edits->count = edits->done;
}

const char *edits_undo(struct edits *edits)
{
    return edits->done > 0 ? edits->edit[--edits->done].undoing : NULL;
}

const char *edits_redo(struct edits *edits)
{
    return edits->done < edits->count ? edits->edit[edits->done++].doing : NULL;
}
