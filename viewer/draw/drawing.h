/* What the functions that make a draw list share: what they draw into, and shapes given in meters.
 */
#ifndef PTYBOT_VIEWER_DRAW_DRAWING_H
#define PTYBOT_VIEWER_DRAW_DRAWING_H

#include "viewer/draw/draw_list.h"
#include "viewer/draw/theme.h"

struct drawing {
    struct draw_list *list;
    const struct viewport *viewport;
    const struct snapshot *snapshot;
    const struct theme *theme;
};

/* chosen: what is on a wheel of a smaller radius is a blur, and left out */
#define DRAWING_WHEEL_PX 6

/* A length, never thinner than LEAST_PX. */
double drawing_px(const struct drawing *drawing, double length_m, double least_px);

/* A box around a place in a pose's frame. */
void drawing_box(const struct drawing *drawing, struct draw_item style, struct snapshot_pose pose,
                 double x_m, double y_m, double turn_rad, double length_m, double width_m);

/* The same with round corners. */
void drawing_rounded(const struct drawing *drawing, struct draw_item style,
                     struct snapshot_pose pose, double x_m, double y_m, double turn_rad,
                     double length_m, double width_m, double corner_m);

/* A line between two places in a pose's frame. */
void drawing_line(const struct drawing *drawing, struct draw_item style, struct snapshot_pose pose,
                  double from_x_m, double from_y_m, double to_x_m, double to_y_m);

/* Points of the room, as a polygon or a line. At most DRAWING_POINTS_MAX count. */
enum { DRAWING_POINTS_MAX = 512 };
void drawing_points(const struct drawing *drawing, struct draw_item style, bool is_closed,
                    const struct snapshot_point *points, size_t count);

/* A sector of a disc around a place of the room; headings in the room. */
void drawing_sector(const struct drawing *drawing, struct draw_item style, double x_m, double y_m,
                    double radius_m, double from_rad, double to_rad);

/* Nothing beyond the walls of the room is seen, until draw_unclip. */
void drawing_clip_to_room(const struct drawing *drawing);

/* ---- Parts of a picture, one file each ---- */

void draw_floor(const struct drawing *drawing);     /* floor, shades, grid, cliffs */
void draw_walls(const struct drawing *drawing);     /* and all that is fixed */
void draw_obstacles(const struct drawing *drawing); /* those that can be pushed */
void draw_docks(const struct drawing *drawing);
void draw_dock_light(const struct drawing *drawing);
void draw_senses(const struct drawing *drawing, const struct snapshot_robot *robot);
void draw_wheels(const struct drawing *drawing, const struct snapshot_robot *robot,
                 const struct look_row *look);
/* What its wheels leave dark on the floor, were the robot at POSE. */
void draw_wheel_shadows(const struct drawing *drawing, const struct snapshot_robot *robot,
                        struct snapshot_pose pose, double width_m);
void draw_robot(const struct drawing *drawing, size_t index);
void draw_trail(const struct drawing *drawing, const struct snapshot_robot *robot);
void draw_labels(const struct drawing *drawing);
void draw_caption(const struct drawing *drawing);

#endif
