#include "sim/room/dock.h"

#include <math.h>

/* The reasons for all sizes: docs/decisions/0004-dock-field.md. */
static const double PIN_ALONG_M = 0.010, PIN_ACROSS_M = 0.015; /* chosen: the size of the pads */
static const double PIN_TRAVEL_M = 0.006;                      /* chosen: of the spring */

/* Distance from the face of the housing: the robot's radius minus the distance of its pads from its
 * middle. */
static const struct dock_pins pins[DOCK_KINDS] = {
    [DOCK_KOBUKI] = {SCENE_DOCK_DEPTH_M / 2 + 0.176 - 0.128, 0.044},
    [DOCK_HOME_BASE] = {SCENE_DOCK_DEPTH_M / 2 + 0.17425 - 0.115, 0.045},
};

struct dock_pins dock_pins(enum dock_kind kind)
{
    return pins[kind];
}

/* Whether the robot's pads touch both pins of a dock. The pins have springs: an existing contact
 * lasts for some millimeters more. */
static bool touches(const struct scene_dock *dock, const struct sim_robot *robot)
{
    const struct dock_pins *pin = &pins[dock->kind];
    double travel_m = robot->is_docked ? PIN_TRAVEL_M : 0;
    for (int side = -1; side <= 1; side += 2) {
        struct vec2 pad =
            geom_to_world(robot->pose, (struct vec2){robot->body->contact_x_m,
                                                     side * robot->body->contact_half_y_m});
        struct vec2 at = geom_to_local(dock->pose, pad);
        // The robot faces the dock: its left is the dock's right.
        if (fabs(at.x - pin->x_m) > PIN_ALONG_M + travel_m ||
            fabs(at.y + side * pin->y_m) > PIN_ACROSS_M + travel_m)
            return false;
    }
    return true;
}

bool dock_charges(const struct sim_robot *robot)
{
    const struct robot_body *body = robot->body;
    const struct scene *scene = robot->sim->scene;
    if (body->contact_half_y_m == 0 || robot->handling.is_lifted)
        return false;
    for (size_t i = 0; i < scene->dock_count; i++)
        if (scene->docks[i].kind == (int32_t)body->dock && touches(&scene->docks[i], robot))
            return true;
    return false;
}
