/* The bar below the picture of a replay: where in the run it is, what happened when, and the mouse
 * that goes to another moment. Points are of the window. */
#pragma once

#include "viewer/model/view.h"

/* Height of the bar: 0 where what is shown is no replay. */
double timebar_px(const struct snapshot *snapshot);

/* Draws it, from its upper left corner. Empties view->bar_hit_areas first. */
void timebar_draw(struct draw_list *list, struct view *view);

/* The mouse goes down, moves and goes up. The track holds it until then, wherever it goes; on a
 * mark it goes to just that moment. False: it is no business of the bar. */
bool timebar_press(struct view *view, double x_px, double y_px);
bool timebar_move(struct view *view, double x_px, double y_px);
bool timebar_release(struct view *view, double x_px, double y_px);

/* Sends the moment to go to, once the last command has been answered: call it often. */
void timebar_send_target(struct view *view);
