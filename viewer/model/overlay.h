/* What is drawn on top of the room, as a draw list with its origin at the upper left corner of the
 * room. */
#pragma once

#include "viewer/draw/draw_list.h"
#include "viewer/model/view.h"

/* The wall or box being drawn, the message, the help, the hint of the button under the mouse. */
void overlay_draw(struct draw_list *list, struct view *view);
/* Of that, only what is being drawn or deleted by hand. */
void overlay_draw_edits(struct draw_list *list, const struct view *view);
