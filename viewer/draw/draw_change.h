/* Differences between the slowly changing (calm) part of a draw list and that of the previous list,
 * so that a painter paints only there. */
#pragma once

#include "viewer/draw/draw_list.h"

enum { DRAW_CHANGE_MAX = 16 }; /* chosen: a few robots and their shadows in the light of a dock */

struct draw_box {
    double left, top, right, bottom; /* pixels */
};

struct draw_change {
    struct draw_box boxes[DRAW_CHANGE_MAX]; /* nothing has changed outside them */
    size_t count;
    bool is_all; /* anything may have changed */
};

void draw_change_find(struct draw_change *change, const struct draw_list *before,
                      const struct draw_list *now, enum draw_calm part);

bool draw_box_meets(const struct draw_box *a, const struct draw_box *b);

/* The extent of an item on the picture; that of a text is an upper estimate. */
struct draw_box draw_item_box(const struct draw_list *list, const struct draw_item *item);
