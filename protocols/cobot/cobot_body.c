/* The machine of each model, and its appearance. Wheels, track and wheelbase: vendor firmware of
 * the M100; the sizes of the other models are unknown and assumed equal. Values that are not in a
 * firmware are chosen. */
#include "protocols/cobot/cobot.h"

#include <string.h>

#include "base/angle.h"
#include "base/array.h"
#include "protocols/cobot/cobot_state.h"

#define RAD(degrees) ((degrees)*ANGLE_RAD_DEG)

/* Chosen: aluminum chassis with motors, battery and a small computer. */
static const double COBOT_MASS_KG = 4.0;
static const double COBOT_HEIGHT_M = 0.15;
static const double COBOT_WHEEL_WIDTH_M = 0.04; /* chosen: usual for wheels of 80 mm */

static const double COBOT_GRIP = 0.7; /* chosen: rubber on a hard floor */

/* Chosen: a servo that takes 0.16 s for 60 degrees. */
static const double COBOT_STEER_RATE_RAD_S = RAD(60) / 0.16;

/* A 12 V gear motor with 11 pulses and 30:1, which gives the firmware's 330 counts. Chosen,
 * typical for such motors: 3.2 A at stall; without load 0.15 A and about 350 turns of the wheel
 * per minute. */
static void body_motors(const struct cobot_options *options, struct robot_body *body)
{
    body->motor = ROBOT_MOTOR_DC;
    body->supply_v = 4.0 * (double)options->battery_cells;
    body->resistance_ohm = 12.0 / 3.2;
    body->torque_nm_a = 0.0075; /* the gear loses a quarter */
    body->emf_v_s_rad = 0.0100;
    body->gear = 30;
    body->idle_a = 0.15;
    body->wheel_inertia_kg_m2 = 1.0e-6 * body->gear * body->gear; /* rotor of 10 g cm2, chosen */
    double idle_v = body->idle_a * body->resistance_ohm;
    body->speed_max_m_s = (body->supply_v - idle_v) / (body->emf_v_s_rad * body->gear) *
                          options->wheel_diameter_m / 2;
}

static void body_wheels(const struct cobot_options *options, struct robot_body *body)
{
    bool is_ackermann = options->model == COBOT_ACKERMANN;
    bool is_mecanum = options->model == COBOT_MECANUM;
    /* The origin is midway between the driven wheels. If only the rear axle is driven, the origin
     * is on it. */
    double rear_m = is_ackermann ? 0 : -options->wheelbase_m / 2;
    body->wheel_count = COBOT_WHEELS;
    for (int i = 0; i < COBOT_WHEELS; i++) {
        bool is_front = i == COBOT_FRONT_LEFT || i == COBOT_FRONT_RIGHT;
        bool is_left = i == COBOT_FRONT_LEFT || i == COBOT_REAR_LEFT;
        /* The axes of the rollers on the floor are along diagonals that meet below the center. */
        double roller_rad = is_front == is_left ? RAD(45) : RAD(-45);
        body->wheels[i] = (struct robot_wheel){
            .x_m = rear_m + (is_front ? options->wheelbase_m : 0),
            .y_m = is_left ? options->track_m / 2 : -options->track_m / 2,
            .roller_rad = is_mecanum ? roller_rad : 0,
            .radius_m = options->wheel_diameter_m / 2,
            .is_steered = is_ackermann && is_front,
        };
    }
}

void cobot_body(const void *chosen, struct robot_body *body)
{
    static const enum robot_drive drives[COBOT_MODEL_COUNT] = {
        [COBOT_ACKERMANN] = ROBOT_ACKERMANN,
        [COBOT_DIFFERENTIAL] = ROBOT_SKID,
        [COBOT_MECANUM] = ROBOT_MECANUM,
        [COBOT_TRACKED] = ROBOT_TRACKED,
    };
    const struct cobot_options *options = chosen;
    bool is_ackermann = options->model == COBOT_ACKERMANN;
    memset(body, 0, sizeof *body);
    body->shape = ROBOT_BOX;
    body->length_m = options->wheelbase_m + options->wheel_diameter_m;
    body->width_m = options->track_m + COBOT_WHEEL_WIDTH_M;
    body->center_x_m = is_ackermann ? options->wheelbase_m / 2 : 0;
    body->height_m = COBOT_HEIGHT_M;
    body->mass_kg = COBOT_MASS_KG;
    /* Inertia of a plate of this size. */
    body->inertia_kg_m2 =
        body->mass_kg * (body->length_m * body->length_m + body->width_m * body->width_m) / 12;
    body->mass_center_x_m = body->center_x_m;
    body->drive = drives[options->model];
    body->wheel_base_m = options->wheelbase_m;
    body->grip = COBOT_GRIP;
    if (is_ackermann) {
        body->steer_max_rad = RAD(25); /* public document, message 01 */
        body->steer_rate_rad_s = COBOT_STEER_RATE_RAD_S;
    }
    body_wheels(options, body);
    body_motors(options, body);
    body->battery_min_v = COBOT_CELL_EMPTY_V * (double)options->battery_cells;
    body->battery_max_v = COBOT_CELL_FULL_V * (double)options->battery_cells;
}

/* ---- Appearance: a COBOT from above ---- */

/* 0xRRGGBBAA */
#define PLATE_COLOR   0x3B4754FFu
#define EDGE_COLOR    0x5A6978FFu
#define DECK_COLOR    0x2C3640FFu
#define BOARD_COLOR   0x1F6F54FFu
#define CHIP_COLOR    0x14181CFFu
#define BATTERY_COLOR 0x2A4B78FFu
#define AXLE_COLOR    0x8A949EFFu
#define BAR_COLOR     0xC9D1D9FFu
#define MARK_COLOR    0xE6EAEEFFu
#define LAMP_COLOR    0x14181CFFu
#define GREEN         0x3BE06CFFu
#define ORANGE        0xFFA028FFu

#define BOX(x, y, length, width, shown)                                                            \
    APPEARANCE_ROW(BOX, x, y, length, width, .color = (shown), .lit_color = (shown))
#define AXLE(x)                                                                                    \
    APPEARANCE_ROW(LINE, x, -0.105, 0.21, 0.010, .heading_rad = RAD(90), .color = AXLE_COLOR,      \
                   .lit_color = AXLE_COLOR)
#define MARK(y, heading)                                                                           \
    APPEARANCE_ROW(LINE, 0.088, y, 0.024, 0.006, .heading_rad = (heading), .color = MARK_COLOR,    \
                   .lit_color = MARK_COLOR, .label = "front")
#define LAMP(y, shown, by, words)                                                                  \
    APPEARANCE_ROW(DISC, -0.112, y, 0.012, 0.012, .color = LAMP_COLOR, .lit_color = (shown),       \
                   .lit_by = (by), .label = (words))

static const struct appearance_row appearance_rows[] = {
    BOX(0, 0, 0.249, 0.164, PLATE_COLOR), /* first: the part that is visible from a distance */
    AXLE(0.0925),
    AXLE(-0.0925),
    {.shape = APPEARANCE_WHEELS, .width_m = 0.040},
    BOX(0, 0, 0.255, 0.170, EDGE_COLOR),
    BOX(0, 0, 0.249, 0.164, PLATE_COLOR),
    BOX(0.131, 0, 0.012, 0.120, BAR_COLOR),
    BOX(-0.062, 0, 0.080, 0.130, DECK_COLOR),
    BOX(-0.062, 0, 0.068, 0.118, BATTERY_COLOR),
    BOX(0.028, 0, 0.078, 0.112, BOARD_COLOR),
    BOX(0.030, 0.018, 0.024, 0.024, CHIP_COLOR),
    BOX(0.030, -0.026, 0.030, 0.016, CHIP_COLOR),
    BOX(0.004, 0, 0.008, 0.090, CHIP_COLOR),
    MARK(0.017, RAD(-45)),
    MARK(-0.017, RAD(45)),
    LAMP(0.030, GREEN, "driven", "driven"),
    LAMP(-0.030, ORANGE, "charging", "charging"),
};

const struct appearance_list cobot_appearance = {.rows = appearance_rows,
                                                 .count = COUNT(appearance_rows)};
