#include "sim/room/scanner.h"

#include <math.h>

#include "base/angle.h"

/* A place and a direction of a scanner's robot, or of its carrier, in the world. */
struct stand {
    struct vec2 place;
    double heading_rad;
};

/* Where a point of a body was at a moment of the last milliseconds: back along its motion, as it is
 * now. Turns of a few thousandths need no sine. */
static struct stand stand_at(const struct sim_robot *robot, struct vec2 point, int64_t at_us)
{
    const struct sim *sim = robot->sim;
    double past_s = (double)(at_us - sim->now_us) * 1e-6, turn_rad_s;
    struct vec2 velocity = world_velocity(sim->world, robot->body_index, &turn_rad_s);
    struct vec2 now = world_forward(sim->world, robot->body_index);
    double turned_rad = turn_rad_s * past_s;
    struct pose pose = robot_carrier(robot)->pose;
    struct vec2 forward = {now.x - turned_rad * now.y, now.y + turned_rad * now.x};
    return (struct stand){
        {pose.x_m + velocity.x * past_s + forward.x * point.x - forward.y * point.y,
         pose.y_m + velocity.y * past_s + forward.y * point.x + forward.x * point.y},
        pose.heading_rad + turned_rad,
    };
}

static void cast_ray(void *context, size_t sensor, double heading_rad, int64_t at_us,
                     struct robot_echo *echo)
{
    const struct sim_robot *robot = context;
    const struct sensor_spec *spec = &robot->body.sensors[sensor];
    const struct sim_robot *carrier = robot_carrier(robot);
    struct vec2 point = {spec->x_m, spec->y_m};
    if (carrier != robot && (point.x != 0 || point.y != 0))
        point = geom_to_world(robot->mount.pose, point);
    else if (carrier != robot)
        point = (struct vec2){robot->mount.pose.x_m, robot->mount.pose.y_m};
    struct stand stand = stand_at(robot, point, at_us);
    struct world_beam beam = {
        .from = stand.place,
        .z_m = spec->z_m + robot->mount.z_m + (carrier->handling.is_lifted ? LIFT_HEIGHT_M : 0),
        .max_m = spec->range_m,
        .skip = carrier == robot ? robot->body_index : SIZE_MAX,
        .skip_part = robot->mount.own,
    };
    double heading = stand.heading_rad + robot->mount.pose.heading_rad + spec->heading_rad;
    angle_sin_cos(heading + heading_rad, &beam.direction.y, &beam.direction.x);
    struct world_hit hit = world_ray_beam(robot->sim->world, &beam, &echo->cosine);
    echo->distance_m = hit.is_hit ? hit.distance_m : (double)INFINITY;
    echo->reflectance = hit.is_hit ? hit.reflectance : 0;
}

static void cast_nothing(void *context, size_t sensor, double heading_rad, int64_t at_us,
                         struct robot_echo *echo)
{
    (void)context, (void)sensor, (void)heading_rad, (void)at_us;
    *echo = (struct robot_echo){.distance_m = (double)INFINITY};
}

struct robot_rays scanner_no_rays(void)
{
    return (struct robot_rays){.cast = cast_nothing};
}

struct robot_rays scanner_rays(struct sim_robot *robot)
{
    for (size_t i = 0; i < robot->body.sensor_count; i++)
        if (robot->body.sensors[i].kind == SENSOR_SCANNER)
            return (struct robot_rays){.context = robot, .cast = cast_ray};
    return (struct robot_rays){0};
}
