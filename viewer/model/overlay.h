/* Items on top of the room, as a draw list with its origin at the upper left corner of the room. */
#pragma once

#include "viewer/draw/draw_list.h"
#include "viewer/model/view.h"

/* The wall or box being drawn, the message, the help, and the hint of the button under the
 * mouse. */
void overlay_draw(struct draw_list *list, struct view *view);
/* Only the wall or box being drawn, or the object to be deleted. */
void overlay_draw_edits(struct draw_list *list, const struct view *view);
