/* The machines. Arms: TheRobotStudio/SO-ARM100: Simulation/SO101/so101_new_calib.urdf, with the
 * lengths and masses of the links; ranges of the SO-100 from Simulation/SO100/so100.urdf. LeKiwi:
 * huggingface/lerobot: robots/lekiwi/lekiwi.py (wheels), SIGRobotics-UIUC/LeKiwi (size); its mass
 * is chosen, because its URDF has default values of a CAD program. */
#include <stdio.h>
#include <string.h>

#include "base/angle.h"
#include "base/array.h"
#include "protocols/feetech/feetech_state.h"

#define DEG ANGLE_RAD_DEG
enum { JOINTS = 6, WHEELS = 3 };

/* At 0 the upper arm is upright and the rest is level. so100_half_rad: half of a range of the
 * SO-100 in rad. The URDF's 0 is at one end or near the middle of a range; the middle of the servo
 * is that of the range. `leader`: model of a leader's servo, from its gears: SO-ARM100: README, and
 * lerobot's documentation of the SO-101. */
static const struct {
    const char *name;
    enum servo_axis axis;
    double low_deg, high_deg, so100_half_rad, bend_deg, length_m, mass_kg;
    int32_t leader;
} joints[JOINTS] = {
    {"shoulder_pan", SERVO_TURN, -110, 110, 2, 0, 0.030, 0.100, 2},
    {"shoulder_lift", SERVO_BEND, -100, 100, 1.75, 90, 0.116, 0.103, 0},
    {"elbow_flex", SERVO_BEND, -96.8, 96.8, 1.57, -90, 0.135, 0.104, 2},
    {"wrist_flex", SERVO_BEND, -95, 95, 1.85, 0, 0.061, 0.079, 3},
    {"wrist_roll", SERVO_ROLL, -157.2, 162.8, 3.14, 0, 0.098, 0.087, 3},
    {"gripper", SERVO_ROLL, -10, 100, 1.1, 0, 0, 0.012, 3},
};

/* Adds a servo with the next id. */
static struct servo_spec *add_servo(struct robot_body *body, const char *name, enum servo_axis axis,
                                    int32_t model)
{
    struct servo_spec *spec = &body->servos[body->servo_count++];
    snprintf(spec->name, sizeof spec->name, "%s", name);
    spec->id = (uint8_t)body->servo_count;
    spec->axis = axis;
    spec->model = model;
    return spec;
}

static void add_arm(const struct feetech_options *options, struct robot_body *body)
{
    for (size_t i = 0; i < JOINTS; i++) {
        struct servo_spec *spec = add_servo(body, joints[i].name, joints[i].axis,
                                            options->role ? joints[i].leader : options->model);
        spec->low_rad = joints[i].low_deg * DEG;
        spec->high_rad = joints[i].high_deg * DEG;
        spec->bend_rad = joints[i].bend_deg * DEG;
        spec->length_m = joints[i].length_m;
        spec->mass_kg = joints[i].mass_kg;
    }
}

static void set_body(struct robot_body *body, double length_m, double width_m, double height_m,
                     double mass_kg)
{
    memset(body, 0, sizeof *body); // with its padding
    body->shape = ROBOT_BOX;
    body->motor = ROBOT_MOTOR_STEPPER;
    body->length_m = length_m;
    body->width_m = width_m;
    body->height_m = height_m;
    body->mass_kg = mass_kg;
    body->inertia_kg_m2 = mass_kg * (length_m * length_m + width_m * width_m) / 12;
}

/* Servos of 45.2 x 24.7 mm, 35 mm high, 55 g (data sheet), next to each other. */
void feetech_bare_body(const void *memory, struct robot_body *body)
{
    const struct feetech_options *options = memory;
    double count = (double)options->servos;
    set_body(body, 0.0452, 0.0247 * count, 0.035, 0.055 * count);
    for (int i = 1; i <= options->servos; i++) {
        char name[24];
        snprintf(name, sizeof name, "servo_%d", i);
        add_servo(body, name, SERVO_ROLL, options->model);
    }
}

/* The foot with its clamps: 110 x 100 mm, measured in the drawing. */
void feetech_so101_body(const void *options, struct robot_body *body)
{
    set_body(body, 0.11, 0.10, 0.12, 0.63);
    add_arm(options, body);
}

void feetech_so100_body(const void *options, struct robot_body *body)
{
    feetech_so101_body(options, body);
    for (size_t i = 0; i < JOINTS; i++) {
        body->servos[i].low_rad = -joints[i].so100_half_rad;
        body->servos[i].high_rad = joints[i].so100_half_rad;
    }
}

/* Plates of about 0.3 m. The part is the column under the arm. */
void feetech_lekiwi_body(const void *memory, struct robot_body *body)
{
    static const struct {
        const char *name;
        double drives_deg, sits_deg;
    } wheels[WHEELS] = {
        {"left_wheel", 150, 60}, {"back_wheel", -90, 180}, {"right_wheel", 30, -60}};
    const struct feetech_options *options = memory;
    set_body(body, 0, 0, 0.13, 4.5);
    body->shape = ROBOT_DISC;
    body->radius_m = 0.155;
    body->inertia_kg_m2 = 4.5 * 0.155 * 0.155 / 2;
    body->drive = ROBOT_OMNI;
    body->wheel_count = WHEELS;
    body->speed_max_m_s = 3140 * 2 * ANGLE_PI / 4096 * 0.05; // free speed at 12 V
    body->grip = 0.8;                                        // chosen
    body->idle_a = 0.15;                                     // with the next two: 0.05 Nm
    body->torque_nm_a = 0.001;
    body->gear = 345;
    body->part_count = 1;
    body->parts[0] = (struct part_spec){.radius_m = 0.045, .low_m = 0.13, .high_m = 0.25};
    add_arm(options, body);
    for (size_t i = 0; i < WHEELS; i++) {
        double sine, cosine;
        struct robot_wheel *wheel = &body->wheels[i];
        angle_sin_cos(wheels[i].sits_deg * DEG, &sine, &cosine);
        wheel->x_m = 0.125 * cosine;
        wheel->y_m = 0.125 * sine;
        wheel->heading_rad = wheels[i].drives_deg * DEG;
        wheel->roller_rad = ANGLE_PI / 2;
        wheel->radius_m = 0.05;
        add_servo(body, wheels[i].name, SERVO_WHEEL, options->model)->wheel = (uint8_t)i;
    }
}

/* ---- Appearance. Lines from the arm's first axis: to the end of the wrist, to the wrist, to the
 * elbow. ---- */

#define SERVO_COLOR 0x23262BFF
#define PRINT_COLOR 0xE9B92EFF
#define LOOK(of, x, length, width, shade)                                                          \
    {                                                                                              \
        .shape = APPEARANCE_##of, .x_m = x, .length_m = length, .width_m = width, .color = shade   \
    }
#define LINE(x, length, width, shade, angle, reach)                                                \
    {                                                                                              \
        .shape = APPEARANCE_LINE, .x_m = x, .length_m = length, .width_m = width, .color = shade,  \
        .turned_by = angle ".angle_deg", .length_by = reach                                        \
    }
#define ARM_LINE(joint, width, shade) LINE(0, 0.1, width, shade, "shoulder_pan", joint ".reach_m")
#define ARM_LOOKS                                                                                  \
    LOOK(DISC, 0, 0.075, 0, PRINT_COLOR), ARM_LINE("wrist_roll", 0.020, 0xF4D777FF),               \
        ARM_LINE("wrist_flex", 0.026, SERVO_COLOR), ARM_LINE("elbow_flex", 0.032, PRINT_COLOR),    \
        ARM_LINE("shoulder_lift", 0.040, PRINT_COLOR), LOOK(DISC, 0, 0.042, 0, SERVO_COLOR)

static const struct appearance_row bare_looks[] = {
    LOOK(BODY, 0, 0, 0, SERVO_COLOR),
    LOOK(DISC, 0.0102, 0.020, 0, 0xB7C0C9FF),
    LINE(0.0102, 0.009, 0.002, 0xE03B3BFF, "servo_1", NULL),
};
static const struct appearance_row arm_looks[] = {LOOK(BODY, 0, 0, 0, 0xC79A1FFF), ARM_LOOKS};
static const struct appearance_row lekiwi_looks[] = {
    LOOK(BODY, 0, 0, 0, 0xE8EAEDFF),
    LOOK(WHEELS, 0, 0, 0.030, 0),
    LOOK(BOX, -0.06, 0.085, 0.056, 0x2E7D4FFF),
    LOOK(BOX, 0.105, 0.02, 0.05, 0x12161AFF),
    ARM_LOOKS,
};
const struct appearance_list feetech_bare_looks = {bare_looks, COUNT(bare_looks)};
const struct appearance_list feetech_arm_looks = {arm_looks, COUNT(arm_looks)};
const struct appearance_list feetech_lekiwi_looks = {lekiwi_looks, COUNT(lekiwi_looks)};
