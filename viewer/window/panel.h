/* The panel as a draw list with its origin at the panel's upper left corner. panel.c has its head;
 * the parts panel_robot.c, panel_signals.c, panel_frames.c, panel_faults.c and panel_roster.c have
 * its pages. */
#ifndef PTYBOT_VIEWER_WINDOW_PANEL_H
#define PTYBOT_VIEWER_WINDOW_PANEL_H

#include "viewer/model/ui.h"
#include "viewer/model/view.h"

/* The panel of the selected robot, or the roster, VIEW_PANEL_PX wide. Empties view->panel_hit_areas
 * first, and sets view->page_px. */
void panel_draw(struct draw_list *list, struct view *view);

/* The pages of the panel, drawn from Y_PX down; each returns the y at which it ends. */
double panel_robot(const struct ui *ui, const struct view *view, const struct snapshot_robot *robot,
                   double y_px);
double panel_signals(const struct ui *ui, const struct view *view,
                     const struct snapshot_robot *robot, double y_px);
double panel_frames(const struct ui *ui, const struct view *view,
                    const struct snapshot_robot *robot, double y_px);
double panel_faults(const struct ui *ui, const struct view *view,
                    const struct snapshot_robot *robot, double y_px);
double panel_roster(const struct ui *ui, const struct view *view, double y_px);
/* The head of the roster, on top of it. */
void panel_roster_head(const struct ui *ui, const struct view *view);

enum { PANEL_MARGIN_PX = 16, ROSTER_HEAD_PX = 96 };

#endif
