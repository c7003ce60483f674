/* Marks for faults in the picture: a badge at the robot, and a cross on each sensor whose reading
 * is wrong or missing. */
#include <stdio.h>

#include "viewer/draw/draw.h"

static void draw_cross(const struct drawing *drawing, const struct snapshot_robot *robot,
                       const struct snapshot_sensor *sensor)
{
    static const double HALF_PX = 4.5;
    struct viewport_point at =
        viewport_local_px(drawing->viewport, robot->pose, (double)sensor->x_m, (double)sensor->y_m);
    for (int way = -1; way <= 1; way += 2) {
        const struct viewport_point ends[] = {{at.x - HALF_PX, at.y - way * HALF_PX},
                                              {at.x + HALF_PX, at.y + way * HALF_PX}};
        draw_line(drawing->list, (struct draw_item){.stroke = 0xFFFFFFFFu, .width_px = 4.5}, ends,
                  2);
        draw_line(drawing->list,
                  (struct draw_item){.stroke = drawing->theme->warn, .width_px = 2.25}, ends, 2);
    }
}

/* A warning sign at the upper right of a robot, with the number of failing parts. */
static void draw_badge(const struct drawing *drawing, const struct snapshot_robot *robot)
{
    double half_m = drawing_reach_m(robot);
    double off_px = drawing_px(drawing, half_m, 4) * 0.71 + 13; // next to it
    struct viewport_point at =
        viewport_local_px(drawing->viewport, robot->pose, (double)robot->center_x_m, 0);
    char text[8];
    at.x += off_px;
    at.y -= off_px;
    const struct viewport_point sign[] = {
        {at.x, at.y - 11}, {at.x + 11.5, at.y + 8.5}, {at.x - 11.5, at.y + 8.5}};
    draw_polygon(
        drawing->list,
        (struct draw_item){.fill = drawing->theme->warn, .stroke = 0xFFFFFFFFu, .width_px = 2},
        sign, 3);
    if (robot->fault_count > 1)
        snprintf(text, sizeof text, "%u", robot->fault_count < 99 ? robot->fault_count : 99);
    else
        snprintf(text, sizeof text, "!");
    draw_text(drawing->list,
              (struct draw_item){.flags = DRAW_BOLD,
                                 .fill = 0xFFFFFFFFu,
                                 .size_px = robot->fault_count > 9 ? 9 : 12,
                                 .align = DRAW_CENTER},
              (struct viewport_point){at.x, at.y + 7}, text);
}

void draw_faults(const struct drawing *drawing, const struct snapshot_robot *robot)
{
    for (uint32_t i = 0; i < robot->sensor_count; i++)
        if (robot->sensors[i].is_failing)
            draw_cross(drawing, robot, &robot->sensors[i]);
    draw_badge(drawing, robot);
}
