/* The rays that a firmware with a scanner requests. */
#include "sim/room/sensors.h"

#include <math.h>

#include "base/angle.h"

static void take_stand(const struct sim_robot *robot, size_t sensor, struct robot_stand *out)
{
    const struct sim *sim = robot->sim;
    const struct sim_robot *carrier = robot_carrier(robot);
    const struct sensor_spec *spec = &robot->body->sensors[sensor];
    out->now_us = sim->now_us;
    out->sensor = sensor;
    out->pose = carrier->pose;
    out->forward = world_forward(sim->world, robot->body_index);
    out->velocity = world_velocity(sim->world, robot->body_index, &out->turn_rad_s);
    out->point = (struct vec2){spec->x_m, spec->y_m};
    if (carrier != robot && (out->point.x != 0 || out->point.y != 0))
        out->point = geom_to_world(robot->mount.pose, out->point);
    else if (carrier != robot)
        out->point = (struct vec2){robot->mount.pose.x_m, robot->mount.pose.y_m};
    out->z_m = spec->z_m + robot->mount.z_m + (carrier->handling.is_lifted ? LIFT_HEIGHT_M : 0);
}

/* Casts a ray from the position that the carrier had at a time within the last milliseconds, by
 * going back along its present motion. Angles of a few thousandths need no sine. */
static void cast_ray(void *context, size_t sensor, double heading_rad, double aside_m,
                     int64_t at_us, struct robot_echo *echo)
{
    struct sim_robot *robot = context;
    const struct sim *sim = robot->sim;
    struct robot_stand *stand = &robot->stand;
    if (robot->blind >> sensor & 1) {
        *echo = (struct robot_echo){.distance_m = (double)INFINITY};
        return;
    }
    if (stand->now_us != sim->now_us || stand->sensor != sensor)
        take_stand(robot, sensor, stand);
    double past_s = (double)(at_us - sim->now_us) * 1e-6, turned_rad = stand->turn_rad_s * past_s;
    struct vec2 forward = {stand->forward.x - turned_rad * stand->forward.y,
                           stand->forward.y + turned_rad * stand->forward.x};
    struct vec2 point = stand->point;
    struct world_beam beam = {
        .from = {stand->pose.x_m + stand->velocity.x * past_s + forward.x * point.x -
                     forward.y * point.y,
                 stand->pose.y_m + stand->velocity.y * past_s + forward.y * point.x +
                     forward.x * point.y},
        .z_m = stand->z_m,
        .max_m = robot->body->sensors[sensor].range_m,
        .skip = robot_is_mounted(robot) ? SIZE_MAX : robot->body_index,
        .skip_part = robot->mount.own,
    };
    double heading = stand->pose.heading_rad + turned_rad + robot->mount.pose.heading_rad +
                     robot->body->sensors[sensor].heading_rad;
    angle_sin_cos(heading + heading_rad, &beam.direction.y, &beam.direction.x);
    beam.from.x -= aside_m * beam.direction.y;
    beam.from.y += aside_m * beam.direction.x;
    struct world_hit hit = world_ray_beam(sim->world, &beam, &echo->cosine);
    echo->distance_m = hit.is_hit ? hit.distance_m : (double)INFINITY;
    echo->reflectance = hit.is_hit ? hit.reflectance : 0;
}

struct robot_rays scanner_rays(struct sim_robot *robot)
{
    for (size_t i = 0; i < robot->body->sensor_count; i++)
        if (robot->body->sensors[i].kind == SENSOR_SCANNER)
            return (struct robot_rays){.context = robot, .cast = cast_ray};
    return (struct robot_rays){0};
}
