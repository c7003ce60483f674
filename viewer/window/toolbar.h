/* The bar at the top of the window, as a draw list with its origin at the window's upper left
 * corner. */
#pragma once

#include "viewer/draw/draw_list.h"
#include "viewer/model/view.h"

/* Empties view->hit_areas first, and adds the areas of its buttons. */
void toolbar_draw(struct draw_list *list, struct view *view);
