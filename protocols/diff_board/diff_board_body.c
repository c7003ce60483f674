/* The machine around the board. Parameters that the vendor gives are true; the rest is chosen
 * (diff_board_models.c). */
#include <math.h>
#include <string.h>

#include "protocols/diff_board/diff_board_kinematics.h"
#include "protocols/diff_board/diff_board_models.h"
#include "protocols/diff_board/diff_board_rows.h"

static const double PI = 3.14159265358979323846;
static const double TURN_RAD = 6.283185307179586477;

/* Left wheels are mounted mirrored, so a positive turn drives them backward: the firmware's signs
 * (all positive: the robot turns left) need no other place. */
static struct robot_wheel wheel(double x_m, double y_m, double heading_rad, double roller_rad)
{
    return (struct robot_wheel){
        .x_m = x_m, .y_m = y_m, .heading_rad = heading_rad, .roller_rad = roller_rad};
}

static void body_2wd(struct robot_body *body, double track_m)
{
    body->drive = ROBOT_DIFFERENTIAL;
    body->wheel_count = 2;
    body->wheels[0] = wheel(0, track_m / 2, PI, 0);
    body->wheels[1] = wheel(0, -track_m / 2, 0, 0);
}

/* Four plain wheels that skid sideways when the chassis turns: with dry friction the robot turns as
 * one with two wheels and the track T + L^2 / T (T track, L wheelbase) would. The vendor's
 * wheel_track is taken for that one, since calibration finds it. Chosen: L is 0.45 of it. */
static void body_4wd(struct robot_body *body, double track_m)
{
    double base_m = 0.45 * track_m;
    double real_m = (track_m + sqrt(track_m * track_m - 4 * base_m * base_m)) / 2;
    body->drive = ROBOT_SKID;
    body->wheel_base_m = base_m;
    body->wheel_count = 4;
    body->wheels[0] = wheel(-base_m / 2, -real_m / 2, 0, 0);
    body->wheels[1] = wheel(base_m / 2, -real_m / 2, 0, 0);
    body->wheels[2] = wheel(base_m / 2, real_m / 2, PI, 0);
    body->wheels[3] = wheel(-base_m / 2, real_m / 2, PI, 0);
}

static void body_omni3(struct robot_body *body, double track_m)
{
    double r_m = track_m / 2, x_m = r_m / 2, y_m = r_m * sqrt(0.75);
    body->drive = ROBOT_OMNI;
    body->wheel_count = 3;
    body->wheels[0] = wheel(r_m, 0, PI / 2, PI / 2);
    body->wheels[1] = wheel(-x_m, y_m, PI * 7 / 6, PI / 2);
    body->wheels[2] = wheel(-x_m, -y_m, -PI / 6, PI / 2);
}

/* The vendor gives wheelbase + track; half each is chosen. */
static void body_mecanum(struct robot_body *body, double both_m)
{
    double at_m = both_m / 4;
    body->drive = ROBOT_MECANUM;
    body->wheel_base_m = 2 * at_m;
    body->wheel_count = 4;
    body->wheels[0] = wheel(-at_m, -at_m, 0, PI / 4);
    body->wheels[1] = wheel(at_m, -at_m, 0, -PI / 4);
    body->wheels[2] = wheel(at_m, at_m, PI, PI / 4);
    body->wheels[3] = wheel(-at_m, at_m, PI, -PI / 4);
}

static void body_omni4(struct robot_body *body, double both_m)
{
    double at_m = both_m / 4;
    body->drive = ROBOT_OMNI;
    body->wheel_base_m = 2 * at_m;
    body->wheel_count = 4;
    body->wheels[0] = wheel(-at_m, -at_m, -PI / 4, PI / 2);
    body->wheels[1] = wheel(at_m, -at_m, PI / 4, PI / 2);
    body->wheels[2] = wheel(at_m, at_m, PI * 3 / 4, PI / 2);
    body->wheels[3] = wheel(-at_m, at_m, -PI * 3 / 4, PI / 2);
}

static void body_wheels(struct robot_body *body, uint8_t kind, double track_m)
{
    switch (kind) {
    case DIFF_BOARD_2WD:
        body_2wd(body, track_m);
        break;
    case DIFF_BOARD_4WD:
        body_4wd(body, track_m);
        break;
    case DIFF_BOARD_OMNI_3:
        body_omni3(body, track_m);
        break;
    case DIFF_BOARD_OMNI_4:
        body_omni4(body, track_m);
        break;
    default:
        body_mecanum(body, track_m);
        break;
    }
}

static void body_motors(struct robot_body *body, const struct diff_board_chassis *chassis)
{
    /* Chosen: fast enough for the vendor's limits with a third of the PWM to spare. */
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

    /* Three lithium cells, 3.0 to 4.2 V each; the board does not measure them. */
    body->battery_min_v = 9.0;
    body->battery_max_v = 12.6;
}
