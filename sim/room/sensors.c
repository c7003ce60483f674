/* The one translator between the world and a robot: world state becomes robot_sensors, and
 * robot_actuators become inputs of drives. Noise and curves belong to the firmware, not here. */
#include "sim/room/sensors.h"

#include <math.h>
#include <string.h>

#include "base/angle.h"
#include "sim/room/dock.h"
#include "sim/room/floor.h"
#include "sim/room/light_and_sound.h"
#include "sim/state/state.h"

enum { TOUCH_GAP_US = 100000 }; /* chosen: a touch again within 0.1 s is the same collision */

#define GRAVITY_M_S2  9.80665 /* standard gravity, CGPM 1901 */
#define LIFT_HEIGHT_M 0.3     /* chosen: held at knee height, out of reach of every floor sensor */
/* chosen: a field of central Europe, 20 uT north and 44 uT down; north is +y of the room */
#define FIELD_NORTH_UT 20.0
#define FIELD_UP_UT    -44.0
#define ROOM_C         22.0 /* chosen: room temperature */

/* Depth of the floor below the room's level at a point, m; 0 on the floor. */
static double floor_depth_m(const struct sim *sim, struct vec2 point)
{
    for (size_t i = 0; i < sim->cliff_count; i++) {
        const struct scene_cliff *cliff = &sim->cliffs[i];
        if (geom_in_polygon(cliff->points, cliff->point_count, point))
            return cliff->depth_m;
    }
    return 0;
}

static double floor_distance_m(const struct sim_robot *robot, const struct sensor_spec *spec)
{
    if (robot->handling.is_lifted)
        return spec->z_m + LIFT_HEIGHT_M;
    struct vec2 at = geom_to_world(robot->pose, (struct vec2){spec->x_m, spec->y_m});
    return spec->z_m + floor_depth_m(robot->sim, at);
}

/* The nearest hit of a fan of rays that fills the sensor's cone, and the light from there. */
static struct sensor_reading look(const struct sim_robot *robot, const struct sensor_spec *spec)
{
    struct sensor_reading reading = {.distance_m = spec->range_m,
                                     .level = ambience_light(robot, spec)};
    if (robot->handling.is_lifted)
        return reading;
    struct vec2 at = geom_to_world(robot->pose, (struct vec2){spec->x_m, spec->y_m});
    int rays = spec->cone_half_rad > 0 && spec->rays > 1 ? spec->rays : 1;
    struct vec2 directions[UINT8_MAX];
    struct world_hit hits[UINT8_MAX];
    for (int i = 0; i < rays; i++) {
        double aside = rays == 1 ? 0 : spec->cone_half_rad * (2.0 * i / (rays - 1) - 1);
        angle_sin_cos(robot->pose.heading_rad + spec->heading_rad + aside, &directions[i].y,
                      &directions[i].x);
    }
    world_ray_fan(
        robot->sim->world,
        &(struct world_fan){at, directions, (size_t)rays, spec->range_m, robot->body_index}, hits);
    for (int i = 0; i < rays; i++) {
        if (hits[i].is_hit && hits[i].distance_m < reading.distance_m) {
            reading.distance_m = hits[i].distance_m;
            reading.reflectance = hits[i].reflectance;
        }
    }
    return reading;
}

/* A lifted robot, or one over an edge, sees next to nothing of the floor: dark. */
static struct sensor_reading look_down(const struct sim_robot *robot,
                                       const struct sensor_spec *spec)
{
    struct sensor_reading reading = {.distance_m = floor_distance_m(robot, spec)};
    struct vec2 at = geom_to_world(robot->pose, (struct vec2){spec->x_m, spec->y_m});
    if (reading.distance_m <= spec->z_m)
        reading.reflectance = floor_reflectance(robot->sim, at);
    return reading;
}

static struct sensor_reading sample(const struct sim_robot *robot, const struct sensor_spec *spec)
{
    switch (spec->kind) {
    case SENSOR_RANGE:
        return look(robot, spec);
    case SENSOR_CLIFF:
        return (struct sensor_reading){.distance_m = floor_distance_m(robot, spec)};
    case SENSOR_GROUND:
        return look_down(robot, spec);
    case SENSOR_DOCK_IR:
        return (struct sensor_reading){.distance_m = spec->range_m,
                                       .dock_bits = dock_seen(robot, spec)};
    case SENSOR_MICROPHONE:
        return (struct sensor_reading){.distance_m = spec->range_m,
                                       .level = ambience_sound(robot, spec)};
    case SENSOR_CAMERA:
        break; /* its picture is in robot_sensors.image */
    }
    return (struct sensor_reading){.distance_m = spec->range_m};
}

/* The mean acceleration since the last sample, robot frame: so a knock that is over in a step is
 * felt by a firmware that looks less often. */
static struct vec2 sample_acceleration(struct sim_robot *robot)
{
    const struct sim *sim = robot->sim;
    struct vec2 velocity = world_velocity(sim->world, robot->body_index, NULL);
    struct vec2 was = robot->felt_m_s;
    double past_s = (double)(sim->now_us - robot->felt_us) * 1e-6;
    robot->felt_m_s = velocity;
    robot->felt_us = sim->now_us;
    if (past_s <= 0)
        return (struct vec2){0, 0};
    struct vec2 accel = {(velocity.x - was.x) / past_s, (velocity.y - was.y) / past_s};
    return geom_rotate(-robot->pose.heading_rad, accel);
}

static void sample_inertia(struct sim_robot *robot)
{
    struct robot_sensors *out = &robot->sensors;
    struct vec2 accel = sample_acceleration(robot);
    struct vec2 field = geom_rotate(-robot->pose.heading_rad, (struct vec2){0, FIELD_NORTH_UT});

    out->gyro_rad_s[2] = robot->turn_rad_s;
    out->accel_m_s2[0] = accel.x;
    out->accel_m_s2[1] = accel.y;
    out->accel_m_s2[2] = GRAVITY_M_S2;
    out->yaw_rad = robot->pose.heading_rad;
    out->field_ut[0] = field.x;
    out->field_ut[1] = field.y;
    out->field_ut[2] = FIELD_UP_UT;
    out->temperature_c = ROOM_C;
}

/* Fills what the firmware may know, for a tick that is due now. */
void sensors_sample(struct sim_robot *robot)
{
    struct robot_sensors *out = &robot->sensors;
    const struct drive *drive = world_drive(robot->sim->world, robot->body_index);
    for (size_t i = 0; i < robot->body.wheel_count; i++) {
        out->wheel_rad[i] = drive->wheel_rad[i];
        out->wheel_rad_s[i] = drive->wheel_rad_s[i];
        out->motor_a[i] = drive->motor_a[i];
        out->wheel_dropped[i] = drive->is_dropped[i];
    }
    out->steer_rad = drive->steer_rad;
    sample_inertia(robot);
    for (size_t i = 0; i < robot->body.sensor_count; i++)
        out->sensor[i] = sample(robot, &robot->body.sensors[i]);

    out->bumpers = robot->touching | robot->handling.pressed_bumpers;
    robot->touching = 0;
    out->buttons = robot->handling.pressed_buttons;
    out->charger = robot->handling.has_adapter ? CHARGER_ADAPTER
                   : robot->is_docked          ? CHARGER_DOCK
                                               : CHARGER_NONE;
    out->battery_charge = robot->charge;
}

/* Hands what the firmware wants to the drive, for the coming step. */
void sensors_obey(struct sim_robot *robot)
{
    struct drive *drive = world_drive(robot->sim->world, robot->body_index);
    bool is_powered = robot->faults.power == POWER_ON;
    for (size_t i = 0; i < robot->body.wheel_count; i++) {
        drive->input[i] = is_powered ? robot->actuators.motor[i] : 0;
        drive->is_free[i] = robot->actuators.motor_free[i] || !is_powered;
        struct vec2 at = geom_to_world(
            robot->pose, (struct vec2){robot->body.wheels[i].x_m, robot->body.wheels[i].y_m});
        drive->is_dropped[i] = robot->handling.is_lifted ||
                               (robot->handling.hung_wheels >> i & 1) ||
                               floor_depth_m(robot->sim, at) > robot->body.wheels[i].radius_m;
    }
    drive->steer_target_rad = robot->actuators.steer_rad;
}

/* Which bumpers a contact at a point of the rim presses. */
static uint32_t bumpers_at(const struct sim_robot *robot, struct vec2 point)
{
    struct vec2 local = geom_to_local(robot->pose, point);
    double angle = angle_atan2(local.y, local.x - robot->body.center_x_m);
    uint32_t bits = 0;
    for (size_t i = 0; i < robot->body.bumper_count; i++) {
        const struct bumper_spec *bumper = &robot->body.bumpers[i];
        double into = angle_wrap(angle - (bumper->from_rad + bumper->to_rad) / 2);
        if (fabs(into) <= fabs(bumper->to_rad - bumper->from_rad) / 2)
            bits |= UINT32_C(1) << i;
    }
    return bits;
}

static bool is_dock(const struct sim *sim, size_t body)
{
    return body >= sim->robot_count && body - sim->robot_count < sim->dock_count;
}

/* Touching a dock presses a bumper and is no collision: that is what docks are for. */
static void touch(struct sim_robot *robot, size_t other, struct vec2 point)
{
    robot->touching |= bumpers_at(robot, point);
    if (is_dock(robot->sim, other))
        return;
    if (robot->sim->now_us - robot->touched_us > TOUCH_GAP_US)
        robot->collisions++;
    robot->touched_us = robot->sim->now_us;
}

/* After a step of the world: where each robot is, and what it has touched. */
void sensors_feel(struct sim *sim)
{
    for (size_t i = 0; i < sim->robot_count; i++) {
        struct sim_robot *robot = &sim->robots[i];
        robot->pose = world_pose(sim->world, robot->body_index);
        struct vec2 velocity =
            geom_rotate(-robot->pose.heading_rad,
                        world_velocity(sim->world, robot->body_index, &robot->turn_rad_s));
        robot->speed_m_s = velocity.x;
        robot->slide_m_s = velocity.y;
        robot->is_docked = dock_charges(robot);
    }

    // Robots are the first bodies of the world, in the order of their names.
    size_t count;
    const struct world_contact *contacts = world_contacts(sim->world, &count);
    for (size_t i = 0; i < count; i++) {
        if (contacts[i].body < sim->robot_count)
            touch(&sim->robots[sim->by_name[contacts[i].body]], contacts[i].other,
                  contacts[i].point);
        if (contacts[i].other < sim->robot_count)
            touch(&sim->robots[sim->by_name[contacts[i].other]], contacts[i].body,
                  contacts[i].point);
    }
}
