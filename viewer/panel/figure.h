/* The pictures among the rows of a panel: plots of signals, images of cameras. */
#ifndef PTYBOT_VIEWER_PANEL_FIGURE_H
#define PTYBOT_VIEWER_PANEL_FIGURE_H

#include "viewer/model/ui.h"
#include "viewer/model/view.h"
#include "viewer/panel/rows.h"

/* Draws a row, a ROW_PLOT or ROW_IMAGE, into a box. */
void figure_draw(const struct ui *ui, const struct view *view, const struct row *row,
                 struct ui_rect box);

#endif
