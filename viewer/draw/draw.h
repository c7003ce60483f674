/* A drawing of a snapshot: its context, shapes in meters, and the layers of a picture. draw.c
 * contains the shapes. draw_room.c, draw_dock.c, draw_robot.c, draw_faults.c, draw_names.c and
 * draw_caption.c contain the layers. */
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

/* Distance from the center of a robot's shape to the farthest point of its body. */
double drawing_reach_m(const struct snapshot_robot *robot);

/* A box centered on a point in the frame of POSE, rotated by TURN_RAD in that frame. */
void drawing_box(const struct drawing *drawing, struct draw_item style, struct snapshot_pose pose,
                 double x_m, double y_m, double turn_rad, double length_m, double width_m);

/* The same with rounded corners. */
void drawing_rounded(const struct drawing *drawing, struct draw_item style,
                     struct snapshot_pose pose, double x_m, double y_m, double turn_rad,
                     double length_m, double width_m, double corner_m);

/* A line between two points in the frame of POSE. */
void drawing_line(const struct drawing *drawing, struct draw_item style, struct snapshot_pose pose,
                  double from_x_m, double from_y_m, double to_x_m, double to_y_m);

/* A polygon or a line through points of the room, at most DRAWING_POINTS_MAX. */
enum { DRAWING_POINTS_MAX = 512 };
void drawing_points(const struct drawing *drawing, struct draw_item style, bool is_closed,
                    const struct snapshot_point *points, size_t count);

/* A sector of a disc around a point of the room, between two headings. */
void drawing_sector(const struct drawing *drawing, struct draw_item style, double x_m, double y_m,
                    double radius_m, double from_rad, double to_rad);

/* Text with an outline in the theme's color, which is readable on any background. */
void drawing_text(const struct drawing *drawing, struct draw_item style, struct viewport_point at,
                  const char *text);

/* Clips to the room, until draw_unclip. */
void drawing_clip_to_room(const struct drawing *drawing);

/* ---- Layers of a picture ---- */

void draw_floor(const struct drawing *drawing); /* floor, grid, lines, lamps, cliffs */
void draw_walls(const struct drawing *drawing); /* and fixed obstacles */
/* Fixed obstacles belong to the static layer; movable ones are painted in each frame. */
void draw_obstacles(const struct drawing *drawing, bool is_fixed);

void draw_docks(const struct drawing *drawing);
void draw_dock_outlines(const struct drawing *drawing); /* of light without any obstacle */
void draw_dock_light(const struct drawing *drawing);
/* The color of a region of a dock's light, or of several regions: BITS are of enum robot_beam. */
uint32_t draw_dock_color(const struct theme *theme, uint32_t bits);

void draw_robot(const struct drawing *drawing, size_t index);
/* Whether to draw the pose by odometry as an outline: it differs from the pose. */
bool draw_has_ghost(const struct snapshot_robot *robot);
void draw_robot_appearance(const struct drawing *drawing, const struct snapshot_robot *robot);
/* The path of the robot, and the path that a driver computes from odometry. */
void draw_trail(const struct drawing *drawing, const struct snapshot_robot *robot);
void draw_sensors(const struct drawing *drawing, const struct snapshot_robot *robot);

/* Marks failing parts of a robot. */
void draw_faults(const struct drawing *drawing, const struct snapshot_robot *robot);

void draw_names(const struct drawing *drawing);   /* of robots */
void draw_caption(const struct drawing *drawing); /* title, time, scale, legend */
