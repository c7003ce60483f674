/* The contract of a robot, its machine: the body of every type in the registry, with default and
 * random options, is suitable for physics and sensors. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/robot_rig.h"
#include "tests/support/tested_types.h"

static const double PI = 3.14159265358979323846;

/* The largest of these robots is half a meter long; a larger number has a wrong unit. */
static const double SIZE_MAX_M = 2;

static void for_every_body(void (*check)(const struct robot_type *type,
                                         const struct robot_body *body))
{
    size_t count;
    const struct robot_type *const *types = tested_types(&count);
    for (size_t i = 0; i < count; i++) {
        for (uint64_t seed = 0; seed < 20; seed++) {
            struct robot_rig rig;
            rig_open(&rig, types[i], seed);
            check(types[i], &rig.body);
            rig_close(&rig);
        }
    }
}

#define IN_RANGE(value, min, max)                                                                  \
    do {                                                                                           \
        double found = (value);                                                                    \
        if (!(found >= (min) && found <= (max)))                                                   \
            fail_msg("%s: %s is %g", type->name, #value, found);                                   \
    } while (0)

static void check_shape(const struct robot_type *type, const struct robot_body *body)
{
    if (body->shape == ROBOT_DISC) {
        IN_RANGE(body->radius_m, 0.01, SIZE_MAX_M);
    } else {
        IN_RANGE(body->length_m, 0.01, SIZE_MAX_M);
        IN_RANGE(body->width_m, 0.01, SIZE_MAX_M);
    }
    IN_RANGE(body->center_x_m, -SIZE_MAX_M, SIZE_MAX_M);
    IN_RANGE(body->height_m, 0.005, SIZE_MAX_M);
    IN_RANGE(body->mass_kg, 0.01, 100);
    IN_RANGE(body->inertia_kg_m2, 1e-7, 100);
    IN_RANGE(body->mass_center_x_m, -SIZE_MAX_M, SIZE_MAX_M);
    IN_RANGE(body->contact_x_m, -SIZE_MAX_M, SIZE_MAX_M);
    IN_RANGE(body->contact_half_y_m, 0, SIZE_MAX_M);
    IN_RANGE((double)body->part_count, 0, ROBOT_PARTS_MAX);
    for (size_t i = 0; i < body->part_count; i++) {
        const struct part_spec *part = &body->parts[i];
        double away_m = hypot(part->x_m - body->center_x_m, part->y_m) + part->radius_m;
        IN_RANGE(part->radius_m, 0.001, SIZE_MAX_M);
        IN_RANGE(away_m, 0, body->shape == ROBOT_DISC ? body->radius_m : SIZE_MAX_M);
        IN_RANGE(part->low_m, body->height_m - 0.05, SIZE_MAX_M);
        IN_RANGE(part->high_m, part->low_m, SIZE_MAX_M);
    }
    if (!type->battery_charge)
        return;
    IN_RANGE(body->battery_min_v, 0, body->battery_max_v);
    IN_RANGE(body->battery_max_v, 1, 60);
}

static void the_shape_is_one_of_a_small_robot(void **state)
{
    (void)state;
    for_every_body(check_shape);
}

static void check_drive(const struct robot_type *type, const struct robot_body *body)
{
    if (body->wheel_count == 0) /* it stands, or rides on another robot */
        return;
    IN_RANGE((double)body->wheel_count, 2, ROBOT_WHEELS_MAX);
    for (size_t i = 0; i < body->wheel_count; i++) {
        const struct robot_wheel *wheel = &body->wheels[i];
        IN_RANGE(wheel->x_m, -SIZE_MAX_M, SIZE_MAX_M);
        IN_RANGE(wheel->y_m, -SIZE_MAX_M, SIZE_MAX_M);
        IN_RANGE(wheel->heading_rad, -2 * PI, 2 * PI);
        IN_RANGE(wheel->roller_rad, -2 * PI, 2 * PI);
        IN_RANGE(wheel->radius_m, 0.005, 0.5);
    }
    if (body->drive == ROBOT_DIFFERENTIAL) {
        /* Wheels: left, right. */
        IN_RANGE((double)body->wheel_count, 2, 2);
        IN_RANGE(body->wheels[0].y_m - body->wheels[1].y_m, 0.01, SIZE_MAX_M);
        IN_RANGE(fabs(body->wheels[0].y_m + body->wheels[1].y_m), 0, 1e-9);
    }
    if (body->drive == ROBOT_ACKERMANN) {
        IN_RANGE(body->wheel_base_m, 0.01, SIZE_MAX_M);
        IN_RANGE(body->steer_max_rad, 0.05, PI / 2);
        IN_RANGE(body->steer_rate_rad_s, 0.1, 100);
    }
    IN_RANGE(body->speed_max_m_s, 0.01, 10);
    IN_RANGE(body->grip, 0.05, 2);
}

static void the_wheels_can_drive_it(void **state)
{
    (void)state;
    for_every_body(check_drive);
}

static void check_motor(const struct robot_type *type, const struct robot_body *body)
{
    if (body->motor != ROBOT_MOTOR_DC || body->wheel_count == 0)
        return;
    IN_RANGE(body->supply_v, 1, 60);
    IN_RANGE(body->resistance_ohm, 0.01, 1000);
    IN_RANGE(body->torque_nm_a, 1e-5, 10);
    IN_RANGE(body->emf_v_s_rad, 1e-5, 10);
    IN_RANGE(body->gear, 1, 1000);
    IN_RANGE(body->idle_a, 0, 5);
    IN_RANGE(body->wheel_inertia_kg_m2, 1e-9, 1);
    /* At full supply voltage the motor turns the wheel about as fast as the body says. A missing
     * gear, or a radian in place of a revolution, would be off by far more than these factors
     * (chosen). */
    double free_rad_s =
        (body->supply_v - body->idle_a * body->resistance_ohm) / body->emf_v_s_rad / body->gear;
    double speed_m_s = free_rad_s * body->wheels[0].radius_m;
    IN_RANGE(speed_m_s / body->speed_max_m_s, 0.5, 3);
    /* The same constant in two units, except for losses. */
    IN_RANGE(body->torque_nm_a / body->emf_v_s_rad, 0.3, 1.2);
}

static void the_motor_reaches_the_speed_of_the_body(void **state)
{
    (void)state;
    for_every_body(check_motor);
}

static void check_sensors(const struct robot_type *type, const struct robot_body *body)
{
    IN_RANGE((double)body->sensor_count, 0, ROBOT_SENSORS_MAX);
    IN_RANGE((double)body->bumper_count, 0, ROBOT_BUMPERS_MAX);
    for (size_t i = 0; i < body->sensor_count; i++) {
        const struct sensor_spec *sensor = &body->sensors[i];
        if (!sensor->name || sensor->name[0] == '\0')
            fail_msg("%s: sensor %zu has no name", type->name, i);
        IN_RANGE(sensor->x_m, -SIZE_MAX_M, SIZE_MAX_M);
        IN_RANGE(sensor->y_m, -SIZE_MAX_M, SIZE_MAX_M);
        IN_RANGE(sensor->z_m, 0, SIZE_MAX_M);
        IN_RANGE(sensor->heading_rad, -2 * PI, 2 * PI);
        IN_RANGE(sensor->cone_half_rad, 0, PI);
        IN_RANGE(sensor->range_m, 0, 100);
        if (sensor->kind == SENSOR_RANGE || sensor->kind == SENSOR_DOCK_IR) {
            IN_RANGE(sensor->range_m, 0.01, 100);
            IN_RANGE((double)sensor->rays, 1, 255);
        }
        if (sensor->kind == SENSOR_SCANNER) {
            IN_RANGE(sensor->z_m, 0.001, SIZE_MAX_M); /* on the floor a ray hits every object */
            IN_RANGE(sensor->range_m, 0.1, 100);
        }
        if (sensor->kind == SENSOR_CAMERA) {
            IN_RANGE((double)sensor->width, 1, 4096);
            IN_RANGE((double)sensor->height, 1, 4096);
        }
    }
    for (size_t i = 0; i < body->bumper_count; i++) {
        const struct bumper_spec *bumper = &body->bumpers[i];
        if (!bumper->name || bumper->name[0] == '\0')
            fail_msg("%s: bumper %zu has no name", type->name, i);
        IN_RANGE(bumper->from_rad, -2 * PI, 2 * PI);
        IN_RANGE(bumper->to_rad - bumper->from_rad, 0.01, 2 * PI);
    }
}

static void the_sensors_are_mounted_on_it(void **state)
{
    (void)state;
    for_every_body(check_sensors);
}

static void check_battery(const struct robot_type *type, const struct robot_body *body)
{
    struct robot_rig rig;
    if (!type->battery_charge)
        return;
    rig_open(&rig, type, 0);
    double empty = type->battery_charge(rig.options, body->battery_min_v);
    double full = type->battery_charge(rig.options, body->battery_max_v);
    IN_RANGE(empty, 0, 1);
    IN_RANGE(full, 0, 1);
    double last = empty;
    for (int i = 0; i <= 100; i++) {
        double volts = body->battery_min_v + (body->battery_max_v - body->battery_min_v) * i / 100;
        double charge = type->battery_charge(rig.options, volts);
        IN_RANGE(charge, last, 1); /* never falls with the voltage */
        last = charge;
    }
    IN_RANGE(robot_start_charge(type, rig.options), 0, 1);
    rig_close(&rig);
}

static void more_volts_mean_more_charge(void **state)
{
    (void)state;
    for_every_body(check_battery);
}

static void every_channel_keeps_a_baud_under_all_options(void **state)
{
    (void)state;
    size_t count;
    const struct robot_type *const *types = tested_types(&count);
    for (size_t i = 0; i < count; i++) {
        const struct robot_type *type = types[i];
        for (uint64_t seed = 0; type->baud && seed < 20; seed++) {
            struct robot_rig rig;
            rig_open(&rig, type, seed);
            for (unsigned channel = 0; channel < type->channel_count; channel++)
                if (type->channels[channel].kind == CHANNEL_SERIAL)
                    IN_RANGE((double)type->baud(rig.options, channel), 300, 4e6);
            rig_close(&rig);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shape_is_one_of_a_small_robot),
        cmocka_unit_test(the_wheels_can_drive_it),
        cmocka_unit_test(the_motor_reaches_the_speed_of_the_body),
        cmocka_unit_test(the_sensors_are_mounted_on_it),
        cmocka_unit_test(more_volts_mean_more_charge),
        cmocka_unit_test(every_channel_keeps_a_baud_under_all_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
