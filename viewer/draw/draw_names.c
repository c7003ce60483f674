/* Names of robots, each in a place where it covers no robot and no other name. If there is no such
 * place, the name is left out. The selected robot always has its name. */
#include <math.h>
#include <stdio.h>

#include "viewer/draw/draw.h"
#include "viewer/draw/draw_change.h"

enum {
    BOXES_MAX = 512, /* chosen: names of further robots are left out */
    SIZE_PX = 15,
    LINE_PX = 18,
    GAP_PX = 8, /* between a robot and its name */
};

/* Robots, followed by the names already placed. */
struct boxes {
    struct draw_box items[BOXES_MAX];
    size_t count;
};

static void add_box(struct boxes *boxes, struct draw_box box)
{
    if (boxes->count < BOXES_MAX)
        boxes->items[boxes->count++] = box;
}

static bool is_free(const struct boxes *boxes, struct draw_box box)
{
    for (size_t i = 0; i < boxes->count; i++)
        if (draw_box_meets(&box, &boxes->items[i]))
            return false;
    return true;
}

static const char *state_of(const struct snapshot_robot *robot)
{
    return robot->is_lifted ? " · lifted" : robot->is_docked ? " · docked" : "";
}

/* An estimate for bold letters; letters outside ASCII may be as wide as they are high. */
static double width_of(const char *text)
{
    double width_px = 0;
    for (; *text; text++)
        if ((*text & 0xC0) != 0x80) // the first byte of a letter
            width_px += SIZE_PX * ((*text & 0x80) ? 1 : 0.66);
    return width_px;
}

/* The area that a robot covers. */
static struct draw_box box_of(const struct drawing *drawing, const struct snapshot_robot *robot)
{
    double sine = fabs(sin(robot->pose.heading_rad)), cosine = fabs(cos(robot->pose.heading_rad));
    double length_m = (double)robot->length_m, width_m = (double)robot->width_m;
    bool is_disc = robot->shape == ROBOT_DISC;
    double half_x_m = is_disc ? (double)robot->radius_m : (length_m * cosine + width_m * sine) / 2;
    double half_y_m = is_disc ? (double)robot->radius_m : (length_m * sine + width_m * cosine) / 2;
    struct viewport_point at =
        viewport_local_px(drawing->viewport, robot->pose, (double)robot->center_x_m, 0);
    double x_px = drawing_px(drawing, half_x_m, 4), y_px = drawing_px(drawing, half_y_m, 4);
    return (struct draw_box){at.x - x_px, at.y - y_px, at.x + x_px, at.y + y_px};
}

/* The possible places of a name of that width around a robot, the best one first. */
enum { PLACES = 6 };
static struct draw_box place_of(struct draw_box robot, double width_px, int place)
{
    double middle = (robot.left + robot.right) / 2, level = (robot.top + robot.bottom) / 2;
    double left = place == 2   ? robot.right + GAP_PX
                  : place == 3 ? robot.left - GAP_PX - width_px
                               : middle - width_px / 2;
    double top = place == 0   ? robot.bottom + GAP_PX - 2
                 : place == 1 ? robot.top - GAP_PX - LINE_PX
                 : place < 4  ? level - LINE_PX / 2.0
                              : robot.bottom + GAP_PX - 2 + LINE_PX * (place - 3);
    return (struct draw_box){left, top, left + width_px, top + LINE_PX};
}

static void draw_name(const struct drawing *drawing, const struct snapshot_robot *robot,
                      struct boxes *boxes, bool is_selected)
{
    char text[sizeof robot->label + 24];
    snprintf(text, sizeof text, "%s%s", robot->label, state_of(robot));
    struct draw_box body = box_of(drawing, robot);
    double width_px = width_of(text);
    int place = 0;
    while (place < PLACES && !is_free(boxes, place_of(body, width_px, place)))
        place++;
    if (place == PLACES && !is_selected)
        return;
    struct draw_box box = place_of(body, width_px, place % PLACES);
    add_box(boxes, box);
    drawing_text(drawing,
                 (struct draw_item){.flags = DRAW_BOLD,
                                    .fill = drawing->theme->text,
                                    .size_px = SIZE_PX,
                                    .align = DRAW_CENTER},
                 (struct viewport_point){(box.left + box.right) / 2, box.bottom - 3}, text);
}

void draw_names(const struct drawing *drawing)
{
    const struct snapshot *snapshot = drawing->snapshot;
    const struct snapshot_robot *robots = snapshot_at(snapshot, snapshot->robots);
    int32_t selected = drawing->viewport->selected;
    struct boxes boxes = {.count = 0};
    for (size_t i = 0; i < snapshot->robots.count; i++)
        add_box(&boxes, box_of(drawing, &robots[i]));
    // The selected robot comes first, so it gets the best place.
    if (selected >= 0 && (uint32_t)selected < snapshot->robots.count)
        draw_name(drawing, &robots[selected], &boxes, true);
    for (size_t i = 0; i < snapshot->robots.count; i++)
        if ((int32_t)i != selected)
            draw_name(drawing, &robots[i], &boxes, false);
}
