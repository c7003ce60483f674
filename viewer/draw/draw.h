/* A drawing of a snapshot: its context, shapes in meters, and the layers of a picture. draw.c has
 * the shapes; the parts draw_room.c, draw_dock.c, draw_robot.c, draw_faults.c, draw_names.c and
 * draw_caption.c have the layers. */
#pragma once

#include "viewer/draw/draw_list.h"
#include "viewer/draw/theme.h"

struct drawing {
    struct draw_list *list;
    const struct viewport *viewport;
    const struct snapshot *snapshot;
    const struct theme *theme;
};

/* A length in pixels, at least LEAST_PX. */
double drawing_px(const struct drawing *drawing, double length_m, double least_px);

/* How far from the middle of its shape a robot's body reaches. */
double drawing_reach_m(const struct snapshot_robot *robot);

/* A box centered on a point of a pose's frame, turned by TURN_RAD in it. */
void drawing_box(const struct drawing *drawing, struct draw_item style, struct snapshot_pose pose,
                 double x_m, double y_m, double turn_rad, double length_m, double width_m);

/* The same with rounded corners. */
void drawing_rounded(const struct drawing *drawing, struct draw_item style,
                     struct snapshot_pose pose, double x_m, double y_m, double turn_rad,
                     double length_m, double width_m, double corner_m);

/* A line between two points of a pose's frame. */
void drawing_line(const struct drawing *drawing, struct draw_item style, struct snapshot_pose pose,
                  double from_x_m, double from_y_m, double to_x_m, double to_y_m);

/* A polygon or a line through points of the room, at most DRAWING_POINTS_MAX. */
enum { DRAWING_POINTS_MAX = 512 };
void drawing_points(const struct drawing *drawing, struct draw_item style, bool is_closed,
                    const struct snapshot_point *points, size_t count);

/* A sector of a disc around a point of the room, between two headings. */
void drawing_sector(const struct drawing *drawing, struct draw_item style, double x_m, double y_m,
                    double radius_m, double from_rad, double to_rad);

/* Text with an edge in the theme's color, which is readable on anything. */
void drawing_text(const struct drawing *drawing, struct draw_item style, struct viewport_point at,
                  const char *text);

/* Clips to the room, until draw_unclip. */
void drawing_clip_to_room(const struct drawing *drawing);

/* ---- Layers of a picture ---- */

void draw_floor(const struct drawing *drawing); /* floor, grid, lines, lamps, cliffs */
void draw_walls(const struct drawing *drawing); /* and fixed obstacles */
/* Fixed obstacles belong to the static layer; the others, which can be pushed, are painted in each
 * frame. */
void draw_obstacles(const struct drawing *drawing, bool is_fixed);

void draw_docks(const struct drawing *drawing);
void draw_dock_outlines(const struct drawing *drawing); /* of light that nothing blocks */
void draw_dock_light(const struct drawing *drawing);
/* The color of a region of a dock's light, or of several: BITS are of enum robot_beam. */
uint32_t draw_dock_color(const struct theme *theme, uint32_t bits);

void draw_robot(const struct drawing *drawing, size_t index);
/* Whether odometry is drawn as an outline: it differs from the pose. */
bool draw_has_ghost(const struct snapshot_robot *robot);
void draw_robot_appearance(const struct drawing *drawing, const struct snapshot_robot *robot);
/* The path of the robot, and the path that its host computes from odometry. */
void draw_trail(const struct drawing *drawing, const struct snapshot_robot *robot);
void draw_sensors(const struct drawing *drawing, const struct snapshot_robot *robot);

/* Of a robot of which some part fails. */
void draw_faults(const struct drawing *drawing, const struct snapshot_robot *robot);

void draw_names(const struct drawing *drawing);   /* of robots */
void draw_caption(const struct drawing *drawing); /* title, time, scale, legend */
