/* The parts of a window as draw lists: pure functions of the view. Each list begins at the upper
 * left corner of its part; what can be clicked goes into the view's zones, in the window. */
#ifndef PTYBOT_VIEWER_WINDOW_PARTS_H
#define PTYBOT_VIEWER_WINDOW_PARTS_H

#include "viewer/window/sheet.h"
#include "viewer/window/view.h"

/* The bar at the top. Empties view->zones first. */
void part_toolbar(struct draw_list *list, struct view *view);

/* Upon the room: what is being drawn, the notice, the keys, what is under the mouse. */
void part_overlay(struct draw_list *list, struct view *view);

/* The panel for the selected robot; WIDTH is VIEW_PANEL_PX. Empties view->panel_zones first, and
 * sets view->page_px. */
void part_panel(struct draw_list *list, struct view *view);

/* The three pages of the panel, from Y on; each returns where it ends. */
double panel_robot(const struct sheet *sheet, const struct view *view,
                   const struct snapshot_robot *robot, double y_px);
double panel_signals(const struct sheet *sheet, const struct view *view,
                     const struct snapshot_robot *robot, double y_px);
double panel_frames(const struct sheet *sheet, const struct view *view,
                    const struct snapshot_robot *robot, double y_px);

/* A signal over the last seconds, in a box. */
void panel_plot(const struct sheet *sheet, const struct plot *plot, struct sheet_box box,
                int64_t now_us, uint32_t color);

enum { PANEL_MARGIN_PX = 16 };

/* The value of a signal in words, with its unit. */
void panel_value(const struct snapshot *snapshot, uint32_t number, char *text, size_t size);

/* The channel of a robot. */
static inline const struct snapshot_channel *
panel_channel(const struct snapshot *snapshot, const struct snapshot_robot *robot, uint32_t number)
{
    return (const struct snapshot_channel *)snapshot_at(snapshot, snapshot->channels) +
           robot->first_channel + number;
}

#endif
