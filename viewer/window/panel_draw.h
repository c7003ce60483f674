/* The panel's rows (viewer/panel/panel.h) as a draw list with its origin at the panel's upper left
 * corner. */
#pragma once

#include "viewer/draw/draw_list.h"
#include "viewer/model/view.h"

/* The panel is VIEW_PANEL_PX wide. Empties view->panel_hit_areas first, and sets view->page_px. */
void panel_draw(struct draw_list *list, struct view *view);
