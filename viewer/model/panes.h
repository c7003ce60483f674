/* The parts of a window as draw lists: functions of the view alone. Each list has its origin at the
 * upper left corner of its part; areas that can be clicked are added to the view, in the window's
 * coordinates. The files: toolbar.c, overlay.c, panel.c, and the panel's pages panel_*.c; timebar.h
 * has one more. */
#ifndef PTYBOT_VIEWER_MODEL_PANES_H
#define PTYBOT_VIEWER_MODEL_PANES_H

#include "viewer/model/ui.h"
#include "viewer/model/view.h"

/* The bar at the top. Empties view->hit_areas first. */
void toolbar_draw(struct draw_list *list, struct view *view);

/* On top of the room: the wall or box being drawn, the message, the help, the hint of the button
 * under the mouse. */
void overlay_draw(struct draw_list *list, struct view *view);
/* Of that, only what is being drawn or deleted by hand. */
void overlay_draw_hands(struct draw_list *list, const struct view *view);

/* The panel of the selected robot, or the roster, VIEW_PANEL_PX wide. Empties view->panel_hit_areas
 * first, and sets view->page_px. */
void panel_draw(struct draw_list *list, struct view *view);

/* A heading within a page; returns the y at which it ends. */
double panel_heading(const struct ui *ui, double y_px, const char *word);

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
