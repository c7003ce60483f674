/* Robots mounted on other robots: which of them can be mounted, and their poses. */
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "sim/scene/scene.h"

size_t scene_carrier(const struct scene *scene, size_t robot)
{
    const char *on = scene->robots[robot].mount.on;
    for (size_t i = 0; on[0] != '\0' && i < scene->robot_count; i++)
        if (strcmp(scene->robots[i].name, on) == 0)
            return i;
    return SIZE_MAX;
}

static bool fail_unknown(const struct scene *scene, size_t robot, struct error *error)
{
    const struct scene_robot *self = &scene->robots[robot];
    const char *words[TEXT_WORDS_MAX] = {NULL};
    size_t count = 0;
    for (size_t i = 0; i < scene->robot_count && count + 1 < TEXT_WORDS_MAX; i++)
        if (i != robot && scene->robots[i].mount.on[0] == '\0')
            words[count++] = scene->robots[i].name;
    return scene_fail(scene, self->pose_place, error, "robots[%zu].mount.on: no robot '%s'; %s",
                      robot, TEXT_QUOTE(self->mount.on), TEXT_ADVICE(words, self->mount.on));
}

static bool has_room(const struct scene *scene, size_t robot, size_t carrier)
{
    const struct scene_robot *under = &scene->robots[carrier];
    struct robot_body body = {0};
    robot_type_body(under->type, under->options, &body);
    size_t load = body.part_count;
    for (size_t i = 0; i < robot; i++)
        load += strcmp(scene->robots[i].mount.on, under->name) == 0;
    return load < ROBOT_PARTS_MAX;
}

/* Sets the pose of a mounted robot from that of its carrier. */
static bool place_mount(struct scene *scene, size_t robot, struct error *error)
{
    struct scene_robot *self = &scene->robots[robot];
    size_t carrier = scene_carrier(scene, robot);
    struct robot_body body = {0};
    if (carrier == SIZE_MAX)
        return fail_unknown(scene, robot, error);
    if (carrier == robot || scene->robots[carrier].mount.on[0] != '\0')
        return scene_fail(
            scene, self->pose_place, error,
            "robots[%zu].mount.on: %s is itself mounted on a robot; allowed: a robot on the floor",
            robot, self->mount.on);
    robot_type_body(self->type, self->options, &body);
    if (body.wheel_count > 0)
        return scene_fail(
            scene, self->pose_place, error,
            "robots[%zu].mount: a %s has wheels, so it cannot be mounted; give it a pose", robot,
            self->type->name);
    if (!has_room(scene, robot, carrier))
        return scene_fail(
            scene, self->pose_place, error,
            "robots[%zu].mount.on: %s carries too much; allowed: %d parts and robots on one robot",
            robot, self->mount.on, ROBOT_PARTS_MAX);
    const struct pose under = scene->robots[carrier].pose, at = self->mount.pose;
    struct vec2 place = geom_to_world(under, (struct vec2){at.x_m, at.y_m});
    self->pose = (struct pose){place.x, place.y, under.heading_rad + at.heading_rad};
    return true;
}

bool scene_place_mounts(struct scene *scene, struct error *error)
{
    for (size_t i = 0; i < scene->robot_count; i++)
        if (scene->robots[i].mount.on[0] != '\0' && !place_mount(scene, i, error))
            return false;
    return true;
}

/* ---- Protruding robots ---- */

/* chosen: the thickness of paint; a smaller overhang touches nothing that the carrier would not
 * touch */
#define SLACK_M 0.005

/* Overhang of a disc at a position in the carrier's frame beyond the carrier's outline. */
static double overhang_m(const struct robot_body *body, struct vec2 place, double radius_m)
{
    double x = place.x - body->center_x_m;
    if (body->shape == ROBOT_DISC)
        return hypot(x, place.y) + radius_m - body->radius_m;
    return fmax(fabs(x) - body->length_m / 2, fabs(place.y) - body->width_m / 2) + radius_m;
}

double scene_part_radius_m(const struct robot_body *body)
{
    return body->shape == ROBOT_DISC ? body->radius_m : fmin(body->length_m, body->width_m) / 2;
}

static bool sticks_out(const struct scene *scene, size_t robot, struct error *warning)
{
    size_t carrier = scene_carrier(scene, robot);
    const struct scene_robot *self = &scene->robots[robot];
    struct robot_body body = {0}, below = {0};
    if (carrier == SIZE_MAX)
        return false;
    robot_type_body(self->type, self->options, &body);
    robot_type_body(scene->robots[carrier].type, scene->robots[carrier].options, &below);
    double out_m = overhang_m(&below, (struct vec2){self->mount.pose.x_m, self->mount.pose.y_m},
                              scene_part_radius_m(&body));
    if (out_m <= SLACK_M)
        return false;
    scene_fail(scene, self->pose_place, warning,
               "robots[%zu].mount: %s extends beyond %s by %.3f m: it does not collide, and nearer "
               "walls would be inside it; mount it further inside",
               robot, self->name, self->mount.on, out_m);
    return true;
}

/* ---- Scanners above everything ---- */

static double tallest_m(const struct scene *scene)
{
    double most = scene->room.height_m > 0 ? scene->room.height_m : SCENE_HEIGHT_M;
    for (size_t i = 0; i < scene->wall_count; i++)
        most = fmax(most, scene->walls[i].appearance.height_m);
    for (size_t i = 0; i < scene->polygon_count; i++)
        most = fmax(most, scene->polygons[i].appearance.height_m);
    for (size_t i = 0; i < scene->box_count; i++)
        most = fmax(most, scene->boxes[i].appearance.height_m);
    for (size_t i = 0; i < scene->disc_count; i++)
        most = fmax(most, scene->discs[i].appearance.height_m);
    return most;
}

static bool looks_over_all(const struct scene *scene, size_t robot, struct error *warning)
{
    size_t carrier = scene_carrier(scene, robot);
    const struct scene_robot *self = &scene->robots[robot];
    struct robot_body body = {0}, below = {0};
    double foot_m = self->mount.z_m, most_m = tallest_m(scene);
    robot_type_body(self->type, self->options, &body);
    if (carrier != SIZE_MAX && foot_m == 0) {
        robot_type_body(scene->robots[carrier].type, scene->robots[carrier].options, &below);
        foot_m = below.height_m;
    }
    for (size_t i = 0; i < body.sensor_count; i++) {
        if (body.sensors[i].kind != SENSOR_SCANNER || body.sensors[i].z_m + foot_m <= most_m)
            continue;
        scene_fail(scene, self->pose_place, warning,
                   "robots[%zu]: the scanner of %s is %.3f m above the floor, and no wall, box or "
                   "disc is higher than %.3f m: it detects no obstacle; lower it, or set heights "
                   "such as world.room.height",
                   robot, self->name, body.sensors[i].z_m + foot_m, most_m);
        return true;
    }
    return false;
}

bool scene_warning(const struct scene *scene, size_t *next, struct error *warning)
{
    static bool (*const checks[])(const struct scene *scene, size_t robot,
                                  struct error *warning) = {sticks_out, looks_over_all};
    while (*next < scene->robot_count * COUNT(checks)) {
        size_t check = (*next)++;
        if (checks[check % COUNT(checks)](scene, check / COUNT(checks), warning))
            return true;
    }
    return false;
}
