/* The machines. Arms: TheRobotStudio/SO-ARM100: Simulation/SO101/so101_new_calib.urdf, with the
 * links' lengths and masses; ranges of the SO-100 from Simulation/SO100/so100.urdf. LeKiwi:
 * huggingface/lerobot: robots/lekiwi/lekiwi.py (wheels), SIGRobotics-UIUC/LeKiwi (size); its mass
 * is chosen, since that of its URDF is of CAD defaults. */
#include <stdio.h>
#include <string.h>

#include "base/angle.h"
#include "base/array.h"
#include "protocols/feetech/feetech_state.h"

#define DEG ANGLE_RAD_DEG
enum { JOINTS = 6, WHEELS = 3 };

#define JOINT(label, number, kind, low, high, bend, length, mass)                                  \
    {                                                                                              \
        .name = label, .id = number, .axis = SERVO_##kind, .low_rad = (low)*DEG,                   \
        .high_rad = (high)*DEG, .bend_rad = (bend)*DEG, .length_m = length, .mass_kg = mass        \
    }
/* At 0 the upper arm stands upright and the rest is level. */
static const struct servo_spec so101_joints[JOINTS] = {
    JOINT("shoulder_pan", 1, TURN, -110, 110, 0, 0.030, 0.100),
    JOINT("shoulder_lift", 2, BEND, -100, 100, 90, 0.116, 0.103),
    JOINT("elbow_flex", 3, BEND, -96.8, 96.8, -90, 0.135, 0.104),
    JOINT("wrist_flex", 4, BEND, -95, 95, 0, 0.061, 0.079),
    JOINT("wrist_roll", 5, ROLL, -157.2, 162.8, 0, 0.098, 0.087),
    JOINT("gripper", 6, ROLL, -10, 100, 0, 0, 0.012),
};
/* rad, from 0 at one end or near the middle: the servo's middle is that of the range. */
static const double so100_half_rad[JOINTS] = {2, 1.75, 1.57, 1.85, 3.14, 1.1};
/* Gears of a leader: SO-ARM100: README, and the documentation of lerobot on the SO-101. */
static const char *const leader_models[JOINTS] = {"sts3215_191", "sts3215",     "sts3215_191",
                                                  "sts3215_147", "sts3215_147", "sts3215_147"};

static void set_model(struct servo_spec *spec, const char *model)
{
    snprintf(spec->model, sizeof spec->model, "%s", model);
}

static void set_arm(const struct feetech_options *options, struct robot_body *body)
{
    body->servo_count = JOINTS;
    memcpy(body->servos, so101_joints, sizeof so101_joints);
    for (size_t i = 0; i < JOINTS; i++)
        set_model(&body->servos[i],
                  options->role != 0 ? leader_models[i] : feetech_model_names[options->model]);
}

static void set_box(struct robot_body *body, double length_m, double width_m, double height_m,
                    double mass_kg)
{
    memset(body, 0, sizeof *body);
    body->shape = ROBOT_BOX;
    body->motor = ROBOT_MOTOR_STEPPER;
    body->length_m = length_m;
    body->width_m = width_m;
    body->height_m = height_m;
    body->mass_kg = mass_kg;
    body->inertia_kg_m2 = mass_kg * (length_m * length_m + width_m * width_m) / 12;
}

/* Servos of 45.2 x 24.7 mm, 35 mm high, 55 g (data sheet), side by side. */
void feetech_bare_body(const void *memory, struct robot_body *body)
{
    const struct feetech_options *options = memory;
    double count = (double)options->servos;
    set_box(body, 0.0452, 0.0247 * count, 0.035, 0.055 * count);
    body->servo_count = (size_t)options->servos;
    for (size_t i = 0; i < body->servo_count; i++) {
        struct servo_spec *spec = &body->servos[i];
        snprintf(spec->name, sizeof spec->name, "servo_%u", (unsigned)(uint8_t)(i + 1));
        set_model(spec, feetech_model_names[options->model]);
        spec->id = (uint8_t)(i + 1);
        spec->axis = SERVO_ROLL;
    }
}

/* The foot with its clamps: 110 x 100 mm, measured in the drawing. */
void feetech_so101_body(const void *options, struct robot_body *body)
{
    set_box(body, 0.11, 0.10, 0.12, 0.63);
    set_arm(options, body);
}

void feetech_so100_body(const void *options, struct robot_body *body)
{
    feetech_so101_body(options, body);
    for (size_t i = 0; i < JOINTS; i++) {
        body->servos[i].low_rad = -so100_half_rad[i];
        body->servos[i].high_rad = so100_half_rad[i];
    }
}

/* Plates of about 0.3 m; column: where the arm stands, over the back wheel's side. */
void feetech_lekiwi_body(const void *memory, struct robot_body *body)
{
    static const struct {
        const char *name;
        double drives_deg, sits_deg;
    } wheels[WHEELS] = {
        {"left_wheel", 150, 60}, {"back_wheel", -90, 180}, {"right_wheel", 30, -60}};
    const struct feetech_options *options = memory;
    memset(body, 0, sizeof *body);
    body->shape = ROBOT_DISC;
    body->radius_m = 0.155;
    body->height_m = 0.13;
    body->mass_kg = 4.5;
    body->inertia_kg_m2 = 4.5 * 0.155 * 0.155 / 2;
    body->drive = ROBOT_OMNI;
    body->motor = ROBOT_MOTOR_STEPPER;
    body->wheel_count = WHEELS;
    body->speed_max_m_s = 3140 * 2 * ANGLE_PI / 4096 * 0.05; // free speed at 12 V
    body->grip = 0.8;                                        // chosen
    body->idle_a = 0.15;                                     // with the next two: 0.05 Nm
    body->torque_nm_a = 0.001;
    body->gear = 345;
    body->part_count = 1;
    body->parts[0] = (struct part_spec){.radius_m = 0.045, .low_m = 0.13, .high_m = 0.25};
    set_arm(options, body);
    body->servo_count += WHEELS;
    for (size_t i = 0; i < WHEELS; i++) {
        double sine, cosine;
        angle_sin_cos(wheels[i].sits_deg * DEG, &sine, &cosine);
        body->wheels[i] = (struct robot_wheel){.x_m = 0.125 * cosine,
                                               .y_m = 0.125 * sine,
                                               .heading_rad = wheels[i].drives_deg * DEG,
                                               .roller_rad = ANGLE_PI / 2,
                                               .radius_m = 0.05};
        struct servo_spec *spec = &body->servos[JOINTS + i];
        snprintf(spec->name, sizeof spec->name, "%s", wheels[i].name);
        set_model(spec, feetech_model_names[options->model]);
        spec->id = (uint8_t)(JOINTS + 1 + i);
        spec->axis = SERVO_WHEEL;
        spec->wheel = (uint8_t)i;
    }
}

/* ---- Looks. Lines from the arm's first axis: to the wrist's end, to the wrist, to the elbow. ----
 */

#define SERVO_COLOR 0x23262BFF
#define PRINT_COLOR 0xE9B92EFF
#define ARM_LINE(joint, width, shade)                                                              \
    {                                                                                              \
        .shape = APPEARANCE_LINE, .length_m = 0.1, .width_m = width, .color = shade,               \
        .turned_by = "shoulder_pan.angle_deg", .length_by = joint ".reach_m"                       \
    }
#define ARM_LOOKS                                                                                  \
    {.shape = APPEARANCE_DISC, .length_m = 0.075, .color = PRINT_COLOR},                           \
        ARM_LINE("wrist_roll", 0.020, 0xF4D777FF), ARM_LINE("wrist_flex", 0.026, SERVO_COLOR),     \
        ARM_LINE("elbow_flex", 0.032, PRINT_COLOR), ARM_LINE("shoulder_lift", 0.040, PRINT_COLOR), \
    {                                                                                              \
        .shape = APPEARANCE_DISC, .length_m = 0.042, .color = SERVO_COLOR                          \
    }

static const struct appearance_row bare_looks[] = {
    {.shape = APPEARANCE_BODY, .color = SERVO_COLOR},
    {.shape = APPEARANCE_DISC, .x_m = 0.0102, .length_m = 0.020, .color = 0xB7C0C9FF},
    {.shape = APPEARANCE_LINE,
     .x_m = 0.0102,
     .length_m = 0.009,
     .width_m = 0.002,
     .color = 0xE03B3BFF,
     .turned_by = "servo_1.angle_deg"},
};
static const struct appearance_row arm_looks[] = {{.shape = APPEARANCE_BODY, .color = 0xC79A1FFF},
                                                  ARM_LOOKS};
static const struct appearance_row lekiwi_looks[] = {
    {.shape = APPEARANCE_BODY, .color = 0xE8EAEDFF},
    {.shape = APPEARANCE_WHEELS, .width_m = 0.030},
    {.shape = APPEARANCE_BOX,
     .x_m = -0.06,
     .length_m = 0.085,
     .width_m = 0.056,
     .color = 0x2E7D4FFF},
    {.shape = APPEARANCE_BOX, .x_m = 0.105, .length_m = 0.02, .width_m = 0.05, .color = 0x12161AFF},
    ARM_LOOKS,
};
const struct appearance_list feetech_bare_looks = {bare_looks, COUNT(bare_looks)};
const struct appearance_list feetech_arm_looks = {arm_looks, COUNT(arm_looks)};
const struct appearance_list feetech_lekiwi_looks = {lekiwi_looks, COUNT(lekiwi_looks)};
