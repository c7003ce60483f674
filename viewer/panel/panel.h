/* The content of the panel of a view, as rows: its head and the open page. panel.c contains the
 * head. panel_robot.c, panel_signals.c, panel_frames.c, panel_faults.c, panel_test.c and
 * panel_roster.c contain the pages. */
#pragma once

#include "viewer/model/view.h"
#include "viewer/panel/rows.h"

/* Replaces the content of ROWS. The view has a snapshot. */
void panel_fill(const struct view *view, struct rows *rows);

/* The pages. The first four show the selected robot. */
void panel_robot(const struct view *view, struct rows *rows);
void panel_signals(const struct view *view, struct rows *rows);
void panel_frames(const struct view *view, struct rows *rows);
void panel_faults(const struct view *view, struct rows *rows);
void panel_test(const struct view *view, struct rows *rows);
void panel_roster(const struct view *view, struct rows *rows);
