/* The machine around the board, and its appearance. Source of the chassis parameters:
 * pibotek/pibot_bringup: pypibot params.py. Sizes, masses and motors are chosen, because no data
 * sheet was found. The grip is chosen so that each model can turn without stalling. */
#include "protocols/diff_board/diff_board_body.h"

#include <math.h>
#include <string.h>

#include "base/angle.h"
#include "base/array.h"
#include "protocols/diff_board/diff_board_wire.h"

/* ---- Models ---- */

/* Lowest values in the vendor's configuration (pibot_bringup). A smaller value of an option selects
 * the model's value. */
static const double DIAMETER_MIN_M = 0.010;
static const double TRACK_MIN_M = 0.050;

/* Millimeters, counts; meters, kilograms, ohms, friction. */
#define ROW(drive, diameter, track, counts, gear, length, width, mass, ohm, friction)              \
    {                                                                                              \
        .kind = (drive), .wheel_diameter_mm = (diameter), .wheel_track_mm = (track),               \
        .encoder_resolution = (counts), .motor_ratio = (gear), .length_m = (length),               \
        .width_m = (width), .mass_kg = (mass), .resistance_ohm = (ohm), .grip = (friction)         \
    }
static const struct diff_board_chassis models[DIFF_BOARD_MODEL_COUNT] = {
    [DIFF_BOARD_APOLLO] = ROW(DIFF_BOARD_2WD, 65, 175, 44, 90, 0.23, 0, 2.0, 10, 0.8),
    [DIFF_BOARD_APOLLO_X] = ROW(DIFF_BOARD_2WD, 96, 350, 68, 90, 0.42, 0, 5.0, 6, 0.8),
    [DIFF_BOARD_ZEUS] = ROW(DIFF_BOARD_OMNI_3, 58, 230, 44, 90, 0.28, 0, 3.0, 10, 0.7),
    [DIFF_BOARD_HADES] = ROW(DIFF_BOARD_MECANUM, 76, 470, 44, 90, 0.32, 0.28, 6.0, 8, 0.7),
    [DIFF_BOARD_HADES_X] = ROW(DIFF_BOARD_MECANUM, 150, 565, 44, 72, 0.45, 0.36, 15.0, 2, 0.7),
    [DIFF_BOARD_HERA] = ROW(DIFF_BOARD_4WD, 82, 338, 44, 90, 0.26, 0.28, 4.0, 4, 0.5),
    /* Our own: the wheels of zeus, 115 mm from the center. */
    [DIFF_BOARD_OMNI4] = ROW(DIFF_BOARD_OMNI_4, 58, 325, 44, 90, 0.28, 0, 3.0, 10, 0.7),
};

const struct diff_board_chassis *diff_board_chassis(const struct diff_board_options *options)
{
    return &models[options->model];
}

static double diff_board_wheel_diameter_m(const struct diff_board_options *options)
{
    double given_m = options->wheel_diameter_m;
    return given_m >= DIAMETER_MIN_M ? given_m
                                     : diff_board_chassis(options)->wheel_diameter_mm * 0.001;
}

static double diff_board_wheel_track_m(const struct diff_board_options *options)
{
    double given_m = options->wheel_track_m;
    return given_m >= TRACK_MIN_M ? given_m : diff_board_chassis(options)->wheel_track_mm * 0.001;
}

int64_t diff_board_encoder_counts(const struct diff_board_options *options)
{
    const struct diff_board_chassis *self = diff_board_chassis(options);
    return options->encoder_counts > 0 ? options->encoder_counts
                                       : (int64_t)self->encoder_resolution * self->motor_ratio;
}

double diff_board_pwm_max(const struct diff_board_options *options)
{
    switch (options->board) {
    case DIFF_BOARD_MEGA2560:
        return 1023; /* gskywolf/MoBot_Arduino: src/robot.cpp */
    case DIFF_BOARD_MEGA2560_SHIELD:
        return 255; /* the same */
    default:
        return 5000; /* the vendor's STM32 firmware */
    }
}

/* ---- Machine ---- */

static const double TURN_RAD = 2 * ANGLE_PI;

/* Left wheels are mounted mirrored, so a positive turn drives them backward. These wheels implement
 * the firmware's sign convention (all positive: the robot turns left). */
static struct robot_wheel wheel(double x_m, double y_m, double heading_rad, double roller_rad)
{
    return (struct robot_wheel){
        .x_m = x_m, .y_m = y_m, .heading_rad = heading_rad, .roller_rad = roller_rad};
}

static void body_2wd(struct robot_body *body, double track_m)
{
    body->drive = ROBOT_DIFFERENTIAL;
    body->wheel_count = 2;
    body->wheels[0] = wheel(0, track_m / 2, ANGLE_PI, 0);
    body->wheels[1] = wheel(0, -track_m / 2, 0, 0);
}

/* Four plain wheels that skid sideways when the chassis turns. With dry friction, the robot turns
 * like a robot with two wheels and the track T + L^2 / T (T track, L wheelbase). The vendor's
 * wheel_track is assumed to be that value, because it is the result of a calibration. Chosen: L is
 * 0.45 of it. */
static void body_4wd(struct robot_body *body, double track_m)
{
    double base_m = 0.45 * track_m;
    double real_m = (track_m + sqrt(track_m * track_m - 4 * base_m * base_m)) / 2;
    body->drive = ROBOT_SKID;
    body->wheel_base_m = base_m;
    body->wheel_count = 4;
    body->wheels[0] = wheel(-base_m / 2, -real_m / 2, 0, 0);
    body->wheels[1] = wheel(base_m / 2, -real_m / 2, 0, 0);
    body->wheels[2] = wheel(base_m / 2, real_m / 2, ANGLE_PI, 0);
    body->wheels[3] = wheel(-base_m / 2, real_m / 2, ANGLE_PI, 0);
}

static void body_omni3(struct robot_body *body, double track_m)
{
    double r_m = track_m / 2, x_m = r_m / 2, y_m = r_m * sqrt(0.75);
    body->drive = ROBOT_OMNI;
    body->wheel_count = 3;
    body->wheels[0] = wheel(r_m, 0, ANGLE_PI / 2, ANGLE_PI / 2);
    body->wheels[1] = wheel(-x_m, y_m, ANGLE_PI * 7 / 6, ANGLE_PI / 2);
    body->wheels[2] = wheel(-x_m, -y_m, -ANGLE_PI / 6, ANGLE_PI / 2);
}

/* The vendor gives wheelbase + track. Chosen: each is half of it. */
static void body_mecanum(struct robot_body *body, double both_m)
{
    double at_m = both_m / 4;
    body->drive = ROBOT_MECANUM;
    body->wheel_base_m = 2 * at_m;
    body->wheel_count = 4;
    body->wheels[0] = wheel(-at_m, -at_m, 0, ANGLE_PI / 4);
    body->wheels[1] = wheel(at_m, -at_m, 0, -ANGLE_PI / 4);
    body->wheels[2] = wheel(at_m, at_m, ANGLE_PI, ANGLE_PI / 4);
    body->wheels[3] = wheel(-at_m, at_m, ANGLE_PI, -ANGLE_PI / 4);
}

static void body_omni4(struct robot_body *body, double both_m)
{
    double at_m = both_m / 4;
    body->drive = ROBOT_OMNI;
    body->wheel_base_m = 2 * at_m;
    body->wheel_count = 4;
    body->wheels[0] = wheel(-at_m, -at_m, -ANGLE_PI / 4, ANGLE_PI / 2);
    body->wheels[1] = wheel(at_m, -at_m, ANGLE_PI / 4, ANGLE_PI / 2);
    body->wheels[2] = wheel(at_m, at_m, ANGLE_PI * 3 / 4, ANGLE_PI / 2);
    body->wheels[3] = wheel(-at_m, at_m, -ANGLE_PI * 3 / 4, ANGLE_PI / 2);
}

static void body_wheels(struct robot_body *body, uint8_t kind, double track_m)
{
    static void (*const of_kind[])(struct robot_body * body, double track_m) = {
        [DIFF_BOARD_2WD] = body_2wd,         [DIFF_BOARD_4WD] = body_4wd,
        [DIFF_BOARD_OMNI_3] = body_omni3,    [DIFF_BOARD_OMNI_4] = body_omni4,
        [DIFF_BOARD_MECANUM] = body_mecanum,
    };
    of_kind[kind](body, track_m);
}

static void body_motors(struct robot_body *body, const struct diff_board_chassis *chassis)
{
    /* Chosen: fast enough for the vendor's limits with a reserve of a third of the PWM range. */
    const double free_rad_s = 200 * TURN_RAD / 60;
    body->motor = ROBOT_MOTOR_DC;
    body->supply_v = 12;
    body->resistance_ohm = chassis->resistance_ohm;
    body->gear = chassis->motor_ratio;
    body->idle_a = 0.05; /* chosen */
    body->emf_v_s_rad =
        (body->supply_v - body->idle_a * body->resistance_ohm) / (free_rad_s * body->gear);
    body->torque_nm_a = body->emf_v_s_rad;
    body->wheel_inertia_kg_m2 = 3e-7 * body->gear * body->gear; /* chosen: a rotor of 3 g cm2 */
    body->speed_max_m_s = free_rad_s * body->wheels[0].radius_m;
    body->grip = chassis->grip;
}

void diff_board_body(const void *options, struct robot_body *body)
{
    const struct diff_board_options *chosen = options;
    const struct diff_board_chassis *chassis = diff_board_chassis(chosen);
    memset(body, 0, sizeof *body);
    bool is_box = chassis->width_m > 0;
    body->shape = is_box ? ROBOT_BOX : ROBOT_DISC;
    body->radius_m = is_box ? 0 : chassis->length_m / 2;
    body->length_m = is_box ? chassis->length_m : 0;
    body->width_m = is_box ? chassis->width_m : 0;
    body->height_m = 0.15; /* chosen */
    body->mass_kg = chassis->mass_kg;
    double square = is_box ? (body->length_m * body->length_m + body->width_m * body->width_m) / 12
                           : body->radius_m * body->radius_m / 2;
    body->inertia_kg_m2 = body->mass_kg * square; /* of a uniform plate */
    body_wheels(body, chassis->kind, diff_board_wheel_track_m(chosen));
    for (size_t i = 0; i < body->wheel_count; i++)
        body->wheels[i].radius_m = diff_board_wheel_diameter_m(chosen) / 2;
    body_motors(body, chassis);

    /* Three lithium cells, 3.0 to 4.2 V each. The board does not measure them. */
    body->battery_min_v = 9.0;
    body->battery_max_v = 12.6;
}

/* ---- Appearance: outline and wheels of the model, and the board, which is the same on all models.
 * Its parts are estimated. ---- */

/* 0xRRGGBBAA */
#define PLATE_COLOR 0x3A3F46FFu
#define BOARD_COLOR 0x1D5FA8FFu
#define TRACE_COLOR 0x3D86D6FFu
#define CHIP_COLOR  0x12161AFFu
#define METAL       0xB7C0C9FFu
#define PLUG_COLOR  0xE9EDF0FFu
#define MARK_COLOR  0xE6EAEEFFu
#define LAMP_COLOR  0x0B1C33FFu
#define GREEN       0x3BE06CFFu
#define ORANGE      0xFFA028FFu

#define PART(kind, x, y, length, width, shown, ...)                                                \
    {                                                                                              \
        .shape = (kind), .x_m = (x), .y_m = (y), .length_m = (length), .width_m = (width),         \
        .color = (shown), __VA_ARGS__                                                              \
    }
#define PLAIN(kind, x, y, length, width, shown)                                                    \
    PART(kind, x, y, length, width, shown, .lit_color = (shown))
#define MARK(y, heading)                                                                           \
    PART(APPEARANCE_LINE, 0.062, y, 0.028, 0.006, MARK_COLOR, .lit_color = MARK_COLOR,             \
         .heading_rad = (heading), .label = "front")

static const struct appearance_row appearance_rows[] = {
    {.shape = APPEARANCE_BODY, .color = PLATE_COLOR, .lit_color = PLATE_COLOR},
    {.shape = APPEARANCE_WHEELS},
    PLAIN(APPEARANCE_BOX, -0.01, 0, 0.096, 0.076, TRACE_COLOR),
    PLAIN(APPEARANCE_BOX, -0.01, 0, 0.093, 0.073, BOARD_COLOR),
    PLAIN(APPEARANCE_DISC, 0.032, 0.031, 0.006, 0.006, METAL),
    PLAIN(APPEARANCE_DISC, 0.032, -0.031, 0.006, 0.006, METAL),
    PLAIN(APPEARANCE_DISC, -0.052, 0.031, 0.006, 0.006, METAL),
    PLAIN(APPEARANCE_DISC, -0.052, -0.031, 0.006, 0.006, METAL),
    PLAIN(APPEARANCE_BOX, -0.006, 0, 0.020, 0.020, CHIP_COLOR),
    PLAIN(APPEARANCE_BOX, 0.024, 0, 0.010, 0.044, CHIP_COLOR),
    PLAIN(APPEARANCE_BOX, -0.052, 0, 0.014, 0.014, METAL),
    PLAIN(APPEARANCE_BOX, 0.004, 0.031, 0.036, 0.008, PLUG_COLOR),
    PLAIN(APPEARANCE_BOX, 0.004, -0.031, 0.036, 0.008, PLUG_COLOR),
    MARK(0.0198, -ANGLE_PI / 4),
    MARK(-0.0198, ANGLE_PI / 4),
    PART(APPEARANCE_DISC, -0.034, 0.016, 0.007, 0.007, LAMP_COLOR, .lit_color = GREEN,
         .lit_by = "running", .label = "motors"),
    PART(APPEARANCE_DISC, -0.034, -0.016, 0.007, 0.007, LAMP_COLOR, .lit_color = ORANGE,
         .lit_by = "booting", .label = "booting"),
};

const struct appearance_list diff_board_appearance = {.rows = appearance_rows,
                                                      .count = COUNT(appearance_rows)};
