#include "sim/room/sensors.h"

#include <math.h>

#include "base/angle.h"
#include "base/number.h"
#include "sim/room/beam.h"
#include "sim/room/camera.h"
#include "sim/room/dock.h"
#include "sim/room/room.h"

enum { TOUCH_GAP_US = 100000 }; /* chosen: a touch again within 0.1 s is the same collision */

#define GRAVITY_M_S2 9.80665 /* standard gravity, CGPM 1901 */
/* chosen: the magnetic field in central Europe, 20 uT north and 44 uT down; north is +y of the
 * room */
#define FIELD_NORTH_UT 20.0
#define FIELD_UP_UT    -44.0
#define ROOM_C         22.0 /* chosen: room temperature */

#define AIM_RAD_S 10.5 /* of a servo: SG90 data sheet (Tower Pro), 60 deg in 0.1 s at 4.8 V */

#define LAMP_RADIUS_M 1e-3 /* chosen: what is nearer to a lamp is inside it */
#define LOUDEST_M     0.05 /* chosen: a robot that plays at level 1 is heard at level 1 from here */
#define FAR_SIDE      0.2  /* chosen: what the body lets through of a sound from behind it */

/* ---- Positions ---- */

/* The pose of a robot, with sine and cosine of its heading, which all its sensors share. */
struct frame {
    struct pose pose;
    double sine, cosine;
};

static struct frame frame_of(const struct sim_robot *robot)
{
    struct frame frame = {.pose = robot->pose};
    angle_sin_cos(robot->pose.heading_rad, &frame.sine, &frame.cosine);
    return frame;
}

/* The same as geom_to_world, to the last bit. */
static struct vec2 to_world(const struct frame *frame, double x_m, double y_m)
{
    return (struct vec2){frame->pose.x_m + (frame->cosine * x_m - frame->sine * y_m),
                         frame->pose.y_m + (frame->sine * x_m + frame->cosine * y_m)};
}

/* ---- The floor ---- */

/* The pixel under a point, without interpolation: a line in a picture keeps its edge. */
static double picture_at(const struct scene *scene, struct vec2 point)
{
    const struct scene_floor *floor = &scene->floor;
    double x = (point.x - scene->low.x) / scene->size_x_m * (double)floor->width;
    double y = (point.y - scene->low.y) / scene->size_y_m * (double)floor->height;
    double right = (double)floor->width - 1, top = (double)floor->height - 1;
    size_t column = x > 0 ? (size_t)(x < right ? x : right) : 0;
    size_t row = y > 0 ? (size_t)(y < top ? y : top) : 0;
    return floor->gray[(floor->height - 1 - row) * floor->width + column] / 255.0;
}

double sensors_floor_reflectance(const struct scene *scene, struct vec2 point)
{
    for (size_t i = scene->line_count; i-- > 0;) {
        const struct scene_line *line = &scene->lines[i];
        if (geom_to_segment_m(line->from, line->to, point) <= line->width_m / 2)
            return line->reflectance;
    }
    for (size_t i = scene->shade_count; i-- > 0;) {
        const struct scene_shade *shade = &scene->shades[i];
        if (geom_in_polygon(shade->points, shade->point_count, point))
            return shade->reflectance;
    }
    return scene->floor.gray ? picture_at(scene, point) : 1;
}

/* Depth of the floor below the room's level at a point, m; 0 if there is no cliff. */
static double floor_depth_m(const struct scene *scene, struct vec2 point)
{
    for (size_t i = 0; i < scene->cliff_count; i++) {
        const struct scene_cliff *cliff = &scene->cliffs[i];
        if (geom_in_polygon(cliff->points, cliff->point_count, point))
            return cliff->depth_m;
    }
    return 0;
}

static double floor_distance_m(const struct sim_robot *robot, const struct sensor_spec *spec,
                               struct vec2 at)
{
    if (robot->handling.is_lifted)
        return spec->z_m + LIFT_HEIGHT_M;
    return spec->z_m + floor_depth_m(robot->sim->scene, at);
}

/* For a robot that is lifted or over an edge, the floor is out of range: dark. */
static struct sensor_reading sample_ground(const struct sim_robot *robot,
                                           const struct sensor_spec *spec, struct vec2 at)
{
    struct sensor_reading reading = {.distance_m = floor_distance_m(robot, spec, at)};
    if (reading.distance_m <= spec->z_m)
        reading.reflectance = sensors_floor_reflectance(robot->sim->scene, at);
    return reading;
}

/* ---- Light and distance ---- */

/* Brightness in the view of a sensor, 0 dark .. 1: the light of the room, and of visible lamps. */
static double light_at(const struct sim_robot *robot, const struct sensor_spec *spec,
                       struct vec2 at)
{
    const struct sim *sim = robot->sim;
    double level = sim->scene->light;
    for (size_t i = 0; i < sim->scene->lamp_count; i++) {
        const struct scene_lamp *lamp = &sim->scene->lamps[i];
        double x = lamp->at.x - at.x, y = lamp->at.y - at.y, away_m = sqrt(x * x + y * y);
        if (away_m < LAMP_RADIUS_M)
            return 1;
        struct vec2 toward = {x / away_m, y / away_m};
        double cosine = geom_rotate(-robot->pose.heading_rad - spec->heading_rad, toward).x;
        if (cosine <= 0)
            continue;
        struct world_hit hit =
            world_ray_toward(sim->world, at, toward, away_m - LAMP_RADIUS_M, robot->body_index);
        if (!hit.is_hit)
            level += cosine * lamp->brightness / (away_m * away_m);
    }
    return level < 1 ? level : 1;
}

/* The nearest hit of a fan of rays that fills the sensor's cone, and the light in its view. */
static struct sensor_reading sample_range(const struct sim_robot *robot,
                                          const struct sensor_spec *spec, struct vec2 at)
{
    struct sensor_reading reading = {.distance_m = spec->range_m,
                                     .level = light_at(robot, spec, at)};
    if (robot->handling.is_lifted)
        return reading;
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

/* ---- Sound ---- */

/* The fraction of sound from a position that the body lets through: largest on the side of the
 * microphone. */
static double side_of(const struct sensor_spec *spec, struct vec2 source)
{
    double out_m = sqrt(spec->x_m * spec->x_m + spec->y_m * spec->y_m);
    double away_m = sqrt(source.x * source.x + source.y * source.y);
    if (out_m == 0 || away_m == 0)
        return 1;
    double cosine = (spec->x_m * source.x + spec->y_m * source.y) / (out_m * away_m);
    return FAR_SIDE + (1 - FAR_SIDE) * (1 + cosine) / 2;
}

/* Loudness at a microphone, 0 .. 1: from all robots that play a tone, including the robot
 * itself. */
static double sound_at(const struct sim_robot *robot, const struct sensor_spec *spec)
{
    const struct sim *sim = robot->sim;
    double power = 0;
    for (size_t i = 0; i < sim->room->playing_count; i++) {
        const struct sim_robot *other = &sim->robots[sim->room->playing[i]];
        if (!(other->actuators.sound_level > 0 && other->actuators.sound_hz > 0))
            continue;
        /* The robot's own speaker is in the middle. */
        struct vec2 source = {other->pose.x_m, other->pose.y_m};
        source = other == robot ? (struct vec2){0, 0} : geom_to_local(robot->pose, source);
        double x = source.x - spec->x_m, y = source.y - spec->y_m;
        double away_m = sqrt(x * x + y * y);
        double level = other->actuators.sound_level * side_of(spec, source) *
                       (away_m > LOUDEST_M ? LOUDEST_M / away_m : 1);
        power += level * level;
    }
    double level = sqrt(power);
    return level < 1 ? level : 1;
}

/* Maintains the list of robots that play a tone, so that microphones need not check all robots. */
static void note_sound(struct sim_robot *robot)
{
    struct sim *sim = robot->sim;
    bool is_playing = robot->actuators.sound_level > 0 && robot->actuators.sound_hz > 0;
    if (is_playing == robot->is_playing)
        return;
    robot->is_playing = is_playing;
    sim->room->playing_count = 0;
    for (size_t i = 0; i < sim->robot_count; i++)
        if (sim->robots[sim->by_name[i]].is_playing)
            sim->room->playing[sim->room->playing_count++] = sim->by_name[i];
}

/* ---- All sensor values of a firmware ---- */

/* The battery current of a motor driver for one motor, or for all motors, A. */
static double current_of(const struct sim_robot *robot, size_t motor)
{
    double sum_a = 0;
    if (motor > 0)
        return robot->sensors.motor_a[motor - 1];
    for (size_t i = 0; i < robot->body->wheel_count; i++)
        sum_a += robot->sensors.motor_a[i] * number_clamp(robot->actuators.motor[i], 1);
    return sum_a > 0 ? sum_a : 0;
}

static struct sensor_reading sample(const struct sim_robot *robot, const struct frame *frame,
                                    const struct sensor_spec *spec)
{
    struct vec2 at = to_world(frame, spec->x_m, spec->y_m);
    switch (spec->kind) {
    case SENSOR_RANGE:
        return sample_range(robot, spec, at);
    case SENSOR_CLIFF:
        return (struct sensor_reading){.distance_m = floor_distance_m(robot, spec, at)};
    case SENSOR_GROUND:
        return sample_ground(robot, spec, at);
    case SENSOR_DOCK_IR:
        return (struct sensor_reading){.distance_m = spec->range_m,
                                       .beams = beams_seen(robot, spec)};
    case SENSOR_MICROPHONE:
        return (struct sensor_reading){.distance_m = spec->range_m, .level = sound_at(robot, spec)};
    case SENSOR_CURRENT:
        return (struct sensor_reading){.level = current_of(robot, spec->motor)};
    case SENSOR_IMU:
    case SENSOR_CAMERA:
    case SENSOR_SCANNER:
        break; /* it takes its pictures and casts its rays itself */
    }
    return (struct sensor_reading){.distance_m = spec->range_m};
}

/* The mean acceleration since the last sample, robot frame. A firmware that samples less often than
 * the world steps thus still detects an impact of a single step. */
static struct vec2 sample_acceleration(struct sim_robot *robot, const struct sensor_spec *imu)
{
    const struct sim *sim = robot->sim;
    struct vec2 velocity = world_velocity(sim->world, robot->body_index, NULL);
    struct vec2 was = robot->felt_m_s;
    if (imu) {
        struct vec2 arm = geom_rotate(robot->pose.heading_rad, (struct vec2){imu->x_m, imu->y_m});
        velocity = vec2_add(velocity, vec2_scale(robot->turn_rad_s, vec2_left(arm)));
    }
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
    const struct sensor_spec *imu = NULL;
    for (size_t i = 0; !imu && i < robot->body->sensor_count; i++)
        imu = robot->body->sensors[i].kind == SENSOR_IMU ? &robot->body->sensors[i] : NULL;
    struct vec2 accel = sample_acceleration(robot, imu);
    struct vec2 field = geom_rotate(-robot->pose.heading_rad, (struct vec2){0, FIELD_NORTH_UT});
    if (imu) {
        accel = geom_rotate(-imu->heading_rad, accel);
        field = geom_rotate(-imu->heading_rad, field);
    }

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

void sensors_sample(struct sim_robot *robot)
{
    struct robot_sensors *out = &robot->sensors;
    // A mounted robot has no wheels: its body is that of its carrier.
    const struct drive *drive =
        robot->body->wheel_count > 0 ? world_drive(robot->sim->world, robot->body_index) : NULL;
    for (size_t i = 0; i < robot->body->wheel_count; i++) {
        out->wheel_rad[i] = drive->wheels[i].rad;
        out->wheel_rad_s[i] = drive->wheels[i].rad_s;
        out->motor_a[i] = drive->wheels[i].motor_a;
        out->wheel_dropped[i] = drive->wheels[i].is_dropped;
    }
    out->steer_rad = drive ? drive->steer_rad : 0;
    out->rays = scanner_rays(robot);
    out->cameras = camera_pictures(robot);
    robot->blind = 0;
    sample_inertia(robot);
    const struct frame frame = frame_of(robot);
    for (size_t i = 0; i < robot->body->sensor_count; i++) {
        struct sensor_spec aimed = robot->body->sensors[i];
        aimed.heading_rad += robot->aim_rad[i];
        out->sensor[i] = sample(robot, &frame, &aimed);
    }

    out->bumpers = robot->touching | robot->handling.pressed_bumpers;
    robot->touching = 0;
    out->buttons = robot->handling.pressed_buttons;
    out->charger = robot->handling.has_adapter ? CHARGER_ADAPTER
                   : robot->is_docked          ? CHARGER_DOCK
                                               : CHARGER_NONE;
    out->battery_charge = robot->charge;
    for (size_t i = 0; i < robot->body->servo_count; i++)
        out->servo[i].kind = SERVO_GOOD;
}

/* ---- Outputs of a firmware ---- */

/* Wheels over an edge that is deeper than they can reach: bit i is wheel i. */
static uint32_t wheels_over_edges(const struct sim_robot *robot)
{
    const struct scene *scene = robot->sim->scene;
    if (scene->cliff_count == 0)
        return 0;
    const struct frame frame = frame_of(robot);
    uint32_t bits = 0;
    for (size_t i = 0; i < robot->body->wheel_count; i++) {
        const struct robot_wheel *wheel = &robot->body->wheels[i];
        if (floor_depth_m(scene, to_world(&frame, wheel->x_m, wheel->y_m)) > wheel->radius_m)
            bits |= UINT32_C(1) << i;
    }
    return bits;
}

static void turn_servos(struct sim_robot *robot)
{
    for (size_t i = 0; i < robot->body->sensor_count; i++) {
        double rest = robot->actuators.aim_rad[i] - robot->aim_rad[i];
        robot->aim_rad[i] += number_clamp(rest, AIM_RAD_S * 1e-6 * SIM_STEP_US);
    }
}

void sensors_actuate(struct sim_robot *robot)
{
    note_sound(robot);
    turn_servos(robot);
    if (robot->body->wheel_count == 0)
        return;
    struct drive *drive = world_drive(robot->sim->world, robot->body_index);
    bool is_powered = robot->faults.power == POWER_ON;
    uint32_t dropped = robot->handling.hung_wheels | wheels_over_edges(robot);
    for (size_t i = 0; i < robot->body->wheel_count; i++) {
        drive->wheels[i].input = is_powered ? robot->actuators.motor[i] : 0;
        drive->wheels[i].is_free =
            robot->actuators.motor_free[i] || !is_powered || robot->body->wheels[i].is_passive;
        drive->wheels[i].is_dropped = robot->handling.is_lifted || (dropped >> i & 1);
    }
    drive->steer_target_rad = robot->actuators.steer_rad;
}

/* ---- After a step of the world ---- */

/* The bumpers that a contact at a point of the rim presses. */
static uint32_t bumpers_at(const struct sim_robot *robot, struct vec2 point)
{
    struct vec2 local = geom_to_local(robot->pose, point);
    double angle = angle_atan2(local.y, local.x - robot->body->center_x_m);
    uint32_t bits = 0;
    for (size_t i = 0; i < robot->body->bumper_count; i++) {
        const struct bumper_spec *bumper = &robot->body->bumpers[i];
        double into = angle_wrap(angle - (bumper->from_rad + bumper->to_rad) / 2);
        if (fabs(into) <= fabs(bumper->to_rad - bumper->from_rad) / 2)
            bits |= UINT32_C(1) << i;
    }
    return bits;
}

static bool is_dock(const struct sim *sim, size_t body)
{
    size_t first = sim->room->first_dock;
    return body >= first && body - first < sim->scene->dock_count;
}

/* Touching a dock presses a bumper, but is not a collision: robots dock in this way. */
static void touch(struct sim_robot *robot, size_t other, struct vec2 point)
{
    robot->touching |= bumpers_at(robot, point);
    if (is_dock(robot->sim, other))
        return;
    if (robot->sim->now_us - robot->touched_us > TOUCH_GAP_US)
        robot->collisions++;
    robot->touched_us = robot->sim->now_us;
}

/* A mounted robot moves with its carrier, and is lifted with it. */
static void follow_carrier(struct sim_robot *robot)
{
    const struct pose under = world_pose(robot->sim->world, robot->body_index);
    const struct pose at = robot->mount.pose;
    struct vec2 place = geom_to_world(under, (struct vec2){at.x_m, at.y_m});
    robot->pose = (struct pose){place.x, place.y, under.heading_rad + at.heading_rad};
    robot->handling.is_lifted = robot_carrier(robot)->handling.is_lifted;
}

void sensors_update(struct sim *sim)
{
    for (size_t i = 0; i < sim->robot_count; i++) {
        struct sim_robot *robot = &sim->robots[i];
        if (robot_is_mounted(robot))
            follow_carrier(robot);
        else
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
    const size_t *standing = sim->room->standing, bodies = sim->room->first_dock;
    const struct world_contact *contacts = world_contacts(sim->world, &count);
    for (size_t i = 0; i < count; i++) {
        if (contacts[i].body < bodies)
            touch(&sim->robots[standing[contacts[i].body]], contacts[i].other, contacts[i].point);
        if (contacts[i].other < bodies)
            touch(&sim->robots[standing[contacts[i].other]], contacts[i].body, contacts[i].point);
    }
}
