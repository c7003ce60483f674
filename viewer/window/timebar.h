/* The time bar below the picture of a replay: it shows the present time and past events, and seeks
 * when clicked or dragged. Points are in window coordinates. */
#pragma once

#include "viewer/model/view.h"

/* Height of the bar; 0 if the snapshot is not of a replay. */
double timebar_px(const struct snapshot *snapshot);

/* Draws the bar, from its upper left corner. Empties view->bar_hit_areas first. */
void timebar_draw(struct draw_list *list, struct view *view);

/* The mouse button is pressed, the mouse moves, the button is released. A press on the track
 * captures the mouse until the release. Near a mark it seeks to exactly that time. False: the event
 * does not belong to the bar. */
bool timebar_press(struct view *view, double x_px, double y_px);
bool timebar_move(struct view *view, double x_px, double y_px);
bool timebar_release(struct view *view, double x_px, double y_px);

/* Sends the target time after the last command was answered: call it often. */
void timebar_send_target(struct view *view);
