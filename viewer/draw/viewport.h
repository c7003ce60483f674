/* The part of the room that a picture shows, its size, and its layers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sim/watch/snapshot.h"

enum theme_name { THEME_LIGHT, THEME_DARK };

/* Layers that can be switched on and off, as bits of viewport.shows. */
enum viewport_shows {
    SHOW_GRID = 1,
    SHOW_CONES = 2,     /* the light of docks */
    SHOW_RAYS = 4,      /* the view of the robots' sensors */
    SHOW_TRAILS = 8,    /* past paths of robots */
    SHOW_ODOMETRY = 16, /* poses that drivers compute from odometry */
    SHOW_LABELS = 32,   /* names of robots and docks, depths of cliffs */
    SHOW_CAPTION = 64,  /* title, time and scale bar */
    SHOW_ALL = 127,
};

enum { VIEWPORT_NOBODY = -1 };

struct viewport {
    double width_px, height_px;
    double px_per_m;
    double center_x_m, center_y_m; /* the point of the room in the center of the picture */
    enum theme_name theme;
    uint32_t shows;   /* enum viewport_shows */
    int32_t selected; /* robot, or VIEWPORT_NOBODY */
};

struct viewport_point {
    double x, y; /* pixels, from the upper left corner */
};

/* Shows a part of the room, with margins for the caption. Keeps theme, shows and selection. */
void viewport_show(struct viewport *viewport, double left_m, double low_m, double right_m,
                   double high_m);
/* Whether two viewports show the same, apart from the selection. */
bool viewport_is_same(const struct viewport *a, const struct viewport *b);
/* Whether the whole area is visible, within the margins. */
bool viewport_holds(const struct viewport *viewport, double left_m, double low_m, double right_m,
                    double high_m);
/* Shows the whole room. */
void viewport_fit(struct viewport *viewport, const struct snapshot *snapshot);

/* Centers a point of the room, as far as the edges of the room allow. */
void viewport_center(struct viewport *viewport, const struct snapshot *snapshot, double x_m,
                     double y_m);

/* Zooms by FACTOR about a point of the picture. */
void viewport_zoom(struct viewport *viewport, double x_px, double y_px, double factor);

struct viewport_point viewport_px(const struct viewport *viewport, double x_m, double y_m);
void viewport_m(const struct viewport *viewport, double x_px, double y_px, double *x_m,
                double *y_m);

/* A point in the frame of POSE, in pixels. */
struct viewport_point viewport_local_px(const struct viewport *viewport, struct snapshot_pose pose,
                                        double x_m, double y_m);
