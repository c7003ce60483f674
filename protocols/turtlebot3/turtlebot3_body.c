/* Sizes: e-manual (TurtleBot3: features), and turtlebot3_description of ROBOTIS-GIT/turtlebot3 @
 * da785b7, called "urdf" below. Without the LiDAR, which is 39.5 mm high and mounted by a scene. */
#include "protocols/turtlebot3/turtlebot3_body.h"

#include <string.h>

#include "base/angle.h"
#include "base/array.h"
#include "protocols/turtlebot3/turtlebot3_motion.h"
#include "protocols/turtlebot3/turtlebot3_senses.h"

#define IDLE_A 0.1 /* of a motor without load; chosen */

static void motors(const struct turtlebot3_traits *traits, struct robot_body *body)
{
    double free_rad_s = traits->free_rpm * 2 * ANGLE_PI / 60;
    body->drive = ROBOT_DIFFERENTIAL;
    body->motor = ROBOT_MOTOR_DC;
    body->wheel_count = TURTLEBOT3_WHEELS;
    for (int i = 0; i < TURTLEBOT3_WHEELS; i++) {
        body->wheels[i].y_m = (i == TURTLEBOT3_LEFT ? 0.5 : -0.5) * traits->track_m;
        body->wheels[i].radius_m = TURTLEBOT3_RADIUS_M;
    }
    body->supply_v = TURTLEBOT3_SUPPLY_V;
    body->resistance_ohm = 11.1 / traits->stall_a;
    body->gear = traits->gear;
    body->idle_a = IDLE_A;
    body->emf_v_s_rad = (11.1 - IDLE_A * body->resistance_ohm) / (free_rad_s * traits->gear);
    body->torque_nm_a = traits->stall_nm / ((traits->stall_a - IDLE_A) * traits->gear);
    body->wheel_inertia_kg_m2 = 1e-8 * traits->gear * traits->gear; /* chosen: rotor of 0.1 g cm2 */
    body->speed_max_m_s = free_rad_s * TURTLEBOT3_SUPPLY_V / 11.1 * TURTLEBOT3_RADIUS_M;
    body->grip = 0.8; /* chosen: rubber on a hard floor */
}

/* Positions are chosen. */
static void accessories(struct robot_body *body)
{
    double front_m = body->center_x_m + body->length_m / 2;
    body->sensor_count = 2;
    body->sensors[0] = (struct sensor_spec){.kind = SENSOR_CLIFF,
                                            .name = "infrared",
                                            .x_m = front_m,
                                            .z_m = 0.03,
                                            .range_m = TURTLEBOT3_CLIFF_RANGE_M,
                                            .rays = 1};
    body->sensors[1] = (struct sensor_spec){
        .kind = SENSOR_RANGE, .name = "light", .z_m = body->height_m, .range_m = 0.1, .rays = 1};
    body->bumper_count = 2;
    body->bumpers[0] = (struct bumper_spec){"left", 0, ANGLE_PI / 3};
    body->bumpers[1] = (struct bumper_spec){"right", -ANGLE_PI / 3, 0};
}

/* Sizes in m, mass in kg; center from urdf. */
static void fill(const struct turtlebot3_options *options, enum turtlebot3_model model,
                 struct robot_body *body)
{
    static const double sizes[TURTLEBOT3_MODELS][5] = {{0.138, 0.178, 0.192, -0.032, 1.0},
                                                       {0.281, 0.306, 0.141, -0.064, 1.8}};
    const double *size = sizes[model], square = size[0] * size[0] + size[1] * size[1];
    memset(body, 0, sizeof *body);
    body->shape = ROBOT_BOX;
    body->length_m = size[0];
    body->width_m = size[1];
    body->height_m = size[2] - 0.0395;
    body->center_x_m = body->mass_center_x_m = size[3];
    body->mass_kg = size[4];
    body->inertia_kg_m2 = body->mass_kg * square / 12; /* of a plate */
    motors(&turtlebot3_traits[model], body);
    body->battery_min_v = turtlebot3_battery_volts(0);
    body->battery_max_v = turtlebot3_battery_volts(1);
    if (options->has_accessories)
        accessories(body);
}

void turtlebot3_burger_body(const void *options, struct robot_body *body)
{
    fill(options, TURTLEBOT3_BURGER, body);
}

void turtlebot3_waffle_body(const void *options, struct robot_body *body)
{
    fill(options, TURTLEBOT3_WAFFLE, body);
}

/* ---- Appearance: plates with their rows of holes, wheels, the small computer and the board.
 * Relative to the center of the shape; positions are estimated. ---- */

/* 0xRRGGBBAA */
#define PLATE 0x33373DFFu
#define EDGE  0x4B515AFFu
#define HOLE  0x1B1D20FFu
#define BOARD 0x2F6B3FFFu
#define CHIP  0x12161AFFu
#define POST  0xB7C0C9FFu
#define DARK  0x141618FFu
#define GREEN 0x3BE06CFFu
#define MARK  0xE6EAEEFFu

#define PART(kind, x, y, length, width, shown, ...)                                                \
    {                                                                                              \
        .shape = (kind), .x_m = (x), .y_m = (y), .length_m = (length), .width_m = (width),         \
        .color = (shown), .lit_color = (shown), __VA_ARGS__                                        \
    }
#define DISC(x, y, size, shown) PART(APPEARANCE_DISC, x, y, size, size, shown, .label = NULL)
#define BOX(x, y, length, width, shown)                                                            \
    PART(APPEARANCE_BOX, x, y, length, width, shown, .label = NULL)
#define LED(x, y, signal, words)                                                                   \
    APPEARANCE_ROW(DISC, x, y, 0.008, 0.008, .color = DARK, .lit_color = GREEN,                    \
                   .lit_by = "table." signal, .label = (words))
#define LEDS(x, y)                                                                                 \
    LED(x, y, "led1", "front left"), LED(x, -(y), "led2", "front right"),                          \
        LED(-(x), y, "led3", "back left"), LED(-(x), -(y), "led4", "back right")
#define BUTTON(x, y, name)                                                                         \
    PART(APPEARANCE_DISC, x, y, 0.008, 0.008, EDGE, .click = "press button=" name, .label = name)
#define FRONT(x)                                                                                   \
    PART(APPEARANCE_LINE, x, 0.012, 0.017, 0.004, MARK, .heading_rad = -ANGLE_PI / 4,              \
         .label = "front"),                                                                        \
        PART(APPEARANCE_LINE, x, -0.012, 0.017, 0.004, MARK, .heading_rad = ANGLE_PI / 4,          \
             .label = "front")
#define CORNERS(x, y, size, shown)                                                                 \
    DISC(x, y, size, shown), DISC(x, -(y), size, shown), DISC(-(x), y, size, shown),               \
        DISC(-(x), -(y), size, shown)

static const struct appearance_row burger_rows[] = {
    {.shape = APPEARANCE_WHEELS, .width_m = 0.018},
    BOX(0, 0, 0.138, 0.136, PLATE),
    CORNERS(0.060, 0.058, 0.007, HOLE),
    CORNERS(0.036, 0.058, 0.007, HOLE),
    CORNERS(0.048, 0.044, 0.009, POST),
    BOX(-0.012, 0, 0.085, 0.056, BOARD),
    BOX(-0.012, 0, 0.014, 0.014, CHIP),
    BUTTON(-0.062, 0.010, "sw1"),
    BUTTON(-0.062, -0.010, "sw2"),
    LEDS(0.062, 0.030),
    FRONT(0.058),
};
const struct appearance_list turtlebot3_burger_appearance = {burger_rows, COUNT(burger_rows)};

static const struct appearance_row waffle_rows[] = {
    {.shape = APPEARANCE_WHEELS, .width_m = 0.018},
    BOX(0, 0, 0.266, 0.266, PLATE),
    CORNERS(0.120, 0.120, 0.009, HOLE),
    CORNERS(0.090, 0.120, 0.009, HOLE),
    CORNERS(0.060, 0.120, 0.009, HOLE),
    CORNERS(0.100, 0.090, 0.011, POST),
    BOX(-0.075, 0, 0.085, 0.056, BOARD),
    BOX(-0.075, 0, 0.014, 0.014, CHIP),
    BOX(0.105, 0, 0.020, 0.060, CHIP),
    BUTTON(-0.125, 0.010, "sw1"),
    BUTTON(-0.125, -0.010, "sw2"),
    LEDS(0.125, 0.070),
    FRONT(0.122),
};
const struct appearance_list turtlebot3_waffle_appearance = {waffle_rows, COUNT(waffle_rows)};
