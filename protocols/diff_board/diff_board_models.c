/* Vendor models. Source of all parameters: pibotek/pibot_bringup: pypibot params.py. Sizes, masses
 * and motors are chosen: no data sheet was found; the grip lets each turn without stalling. */
#include "protocols/diff_board/diff_board_models.h"

#include <string.h>

#include "protocols/diff_board/diff_board_kinematics.h"

/* Least values of the vendor's configuration (pibot_bringup); smaller options mean the model's. */
static const double DIAMETER_MIN_M = 0.010;
static const double TRACK_MIN_M = 0.050;

/* Millimeters, counts; meters, kilograms, ohms, friction. */
#define ROW(drive, diameter, track, counts, gear, length, width, mass, ohm, friction)              \
    {                                                                                              \
        .kind = (drive), .wheel_diameter_mm = (diameter), .wheel_track_mm = (track),               \
        .encoder_resolution = (counts), .motor_ratio = (gear), .length_m = (length),               \
        .width_m = (width), .mass_kg = (mass), .resistance_ohm = (ohm), .grip = (friction)         \
    }
static const struct diff_board_chassis chassis[DIFF_BOARD_MODEL_COUNT] = {
    [DIFF_BOARD_APOLLO] = ROW(DIFF_BOARD_2WD, 65, 175, 44, 90, 0.23, 0, 2.0, 10, 0.8),
    [DIFF_BOARD_APOLLO_X] = ROW(DIFF_BOARD_2WD, 96, 350, 68, 90, 0.42, 0, 5.0, 6, 0.8),
    [DIFF_BOARD_ZEUS] = ROW(DIFF_BOARD_OMNI_3, 58, 230, 44, 90, 0.28, 0, 3.0, 10, 0.7),
    [DIFF_BOARD_HADES] = ROW(DIFF_BOARD_MECANUM, 76, 470, 44, 90, 0.32, 0.28, 6.0, 8, 0.7),
    [DIFF_BOARD_HADES_X] = ROW(DIFF_BOARD_MECANUM, 150, 565, 44, 72, 0.45, 0.36, 15.0, 2, 0.7),
    [DIFF_BOARD_HERA] = ROW(DIFF_BOARD_4WD, 82, 338, 44, 90, 0.26, 0.28, 4.0, 4, 0.5),
    /* Our own: the wheels of zeus, 115 mm from the middle. */
    [DIFF_BOARD_OMNI4] = ROW(DIFF_BOARD_OMNI_4, 58, 325, 44, 90, 0.28, 0, 3.0, 10, 0.7),
};
const struct diff_board_chassis *diff_board_chassis(const struct diff_board_options *options)
{
    return &chassis[options->model];
}

double diff_board_wheel_diameter_m(const struct diff_board_options *options)
{
    double given_m = options->wheel_diameter_m;
    return given_m >= DIAMETER_MIN_M ? given_m
                                     : diff_board_chassis(options)->wheel_diameter_mm * 0.001;
}

double diff_board_wheel_track_m(const struct diff_board_options *options)
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

/* ---- Parameters ---- */

static bool is_mega(const struct diff_board_options *options)
{
    return options->board == DIFF_BOARD_MEGA2560 || options->board == DIFF_BOARD_MEGA2560_SHIELD;
}

static void factory_gains(const struct diff_board_options *options,
                          struct diff_board_parameters *out)
{
    out->kp = 320;
    out->ki = 2700;
    if (is_mega(options)) {
        out->kp = 75;
        out->ki = 2500;
    } else if (options->model == DIFF_BOARD_APOLLO_X) {
        out->kp = 250;
        out->ki = 1200;
    } else if (options->model == DIFF_BOARD_HADES_X) {
        out->kp = 250;
        out->ki = 2750;
    }
    out->kd = 0;
    out->ko = 10;
}

static void factory_limits(const struct diff_board_options *options,
                           struct diff_board_parameters *out)
{
    bool is_apollo = options->model == DIFF_BOARD_APOLLO || options->model == DIFF_BOARD_APOLLO_X;
    bool is_slow = is_apollo && (is_mega(options) || (options->model == DIFF_BOARD_APOLLO &&
                                                      options->board == DIFF_BOARD_STM32F4));
    out->max_v_liner_x = is_slow ? 40 : 50;
    out->max_v_liner_y = is_apollo ? 0 : 50;
    out->max_v_angular_z = is_apollo ? 200 : 250;
}

void diff_board_factory(const struct diff_board_options *options,
                        struct diff_board_parameters *parameters)
{
    const struct diff_board_chassis *self = diff_board_chassis(options);
    memset(parameters, 0, sizeof *parameters);
    parameters->wheel_diameter = self->wheel_diameter_mm;
    parameters->wheel_track = self->wheel_track_mm;
    parameters->encoder_resolution = self->encoder_resolution;
    parameters->do_pid_interval = 10;
    factory_gains(options, parameters);
    parameters->cmd_last_time = 250;
    factory_limits(options, parameters);
    parameters->imu_type = is_mega(options) ? 69 : 71; /* GY85, GY87 */
    parameters->motor_ratio = self->motor_ratio;
    parameters->model_type = self->kind;
    parameters->motor_nonexchange_flag = 0xFF;
    parameters->encoder_nonexchange_flag = 0xFF;
    memset(parameters->reserve, 0xFF, sizeof parameters->reserve);
    if (options->firmware == DIFF_BOARD_FIRMWARE_1_0_1) {
        /* It counts per wheel turn, and its block ends before the ratio. */
        parameters->encoder_resolution = (uint16_t)(self->encoder_resolution * self->motor_ratio);
        parameters->motor_ratio = 0xFFFF;
        parameters->model_type = 0xFF;
    }
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
