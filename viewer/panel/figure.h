/* The figures among the rows of a panel: plots of signals, images of cameras. */
#pragma once

#include "viewer/model/ui.h"
#include "viewer/model/view.h"
#include "viewer/panel/rows.h"

/* The height of the figure of a row, a ROW_PLOT or ROW_IMAGE. */
double figure_height_px(const struct row *row, double width_px);

/* Draws the figure of a row of ROWS into a box of that height. A plot under the mouse has a
 * cursor. */
void figure_draw(const struct ui *ui, const struct view *view, const struct rows *rows,
                 const struct row *row, struct ui_rect box);
