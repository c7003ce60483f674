#include "tests/support/kinematics.h"

#include <math.h>

#include "base/angle.h"
#include "base/number.h"
#include "physics/geom.h"

/* A wheel that does not slip: row * (x, y, turn) = reach * wheel speed. */
struct row {
    double twist[3];
    double reach_m;
};

static struct row make_row(const struct wheel_def *wheel, struct vec2 direction, double reach_m)
{
    return (struct row){{direction.x, direction.y, vec2_cross(wheel->place, direction)}, reach_m};
}

/* The direction in which a wheel grips the floor, and the speed of its rim in this direction. */
static struct row wheel_row(const struct drive_def *def, size_t i, double steer_rad)
{
    const struct wheel_def *wheel = &def->wheels[i];
    double heading = wheel->heading_rad;
    if (wheel->is_steered)
        heading += drive_wheel_steer_rad(def, i, steer_rad);
    struct vec2 forward = geom_rotate(heading, (struct vec2){1.0, 0.0});
    if (wheel->roller_rad == 0.0)
        return make_row(wheel, forward, wheel->radius_m);
    struct vec2 hold = geom_rotate(wheel->roller_rad - ANGLE_PI / 2.0, forward);
    return make_row(wheel, hold, wheel->radius_m * vec2_dot(hold, forward));
}

void kinematics_inverse(const struct drive_def *def, struct twist twist, double *wheel_rad_s)
{
    for (size_t i = 0; i < def->wheel_count; i++) {
        const struct wheel_def *wheel = &def->wheels[i];
        if (wheel->is_steered) {
            /* A steered wheel points along its motion. */
            struct vec2 velocity = {twist.x_m_s - twist.turn_rad_s * wheel->place.y,
                                    twist.y_m_s + twist.turn_rad_s * wheel->place.x};
            double speed = sqrt(vec2_dot(velocity, velocity)) / wheel->radius_m;
            wheel_rad_s[i] = velocity.x < 0.0 ? -speed : speed;
            continue;
        }
        struct row row = wheel_row(def, i, 0.0);
        wheel_rad_s[i] = (row.twist[0] * twist.x_m_s + row.twist[1] * twist.y_m_s +
                          row.twist[2] * twist.turn_rad_s) /
                         row.reach_m;
    }
}

static void add_row(double normal[3][4], const struct row *row, double wheel_rad_s)
{
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 3; k++)
            normal[i][k] += row->twist[i] * row->twist[k];
        normal[i][3] += row->twist[i] * row->reach_m * wheel_rad_s;
    }
}

/* Solves three equations by elimination; undetermined unknowns become 0. */
static void solve(double m[3][4], double x[3])
{
    static const double singular = 1e-12; /* chosen; the entries are of the order 0.001 to 10 */
    bool is_used[3] = {false, false, false};
    size_t pivot_of[3] = {3, 3, 3};
    for (size_t column = 0; column < 3; column++) {
        size_t best = 3;
        for (size_t i = 0; i < 3; i++)
            if (!is_used[i] && fabs(m[i][column]) > singular &&
                (best == 3 || fabs(m[i][column]) > fabs(m[best][column])))
                best = i;
        if (best == 3)
            continue;
        is_used[best] = true;
        pivot_of[column] = best;
        for (size_t i = 0; i < 3; i++) {
            double factor = m[i][column] / m[best][column];
            for (size_t k = 0; i != best && k < 4; k++)
                m[i][k] -= factor * m[best][k];
        }
    }
    for (size_t column = 0; column < 3; column++) {
        size_t i = pivot_of[column];
        x[column] = i == 3 ? 0.0 : m[i][3] / m[i][column];
    }
}

struct twist kinematics_forward(const struct drive_def *def, const double *wheel_rad_s,
                                double steer_rad)
{
    /* Sideways rows have such a small weight that they determine only unknowns that the drive
     * directions leave open: on a skid drive they contradict every turn. Chosen: far above
     * rounding, error 1e-6. */
    static const double sideways_weight = 1e-3;
    double normal[3][4] = {{0.0}};
    for (size_t i = 0; i < def->wheel_count; i++) {
        const struct wheel_def *wheel = &def->wheels[i];
        struct row row = wheel_row(def, i, steer_rad);
        add_row(normal, &row, wheel_rad_s[i]);
        if (wheel->roller_rad != 0.0)
            continue;
        struct vec2 across = {-row.twist[1], row.twist[0]};
        struct row sideways = make_row(wheel, vec2_scale(sideways_weight, across), 0.0);
        add_row(normal, &sideways, wheel_rad_s[i]);
    }
    double x[3];
    solve(normal, x);
    return (struct twist){x[0], x[1], x[2]};
}

double kinematics_steering(const struct drive_def *def, struct twist twist)
{
    double axle, wheelbase;
    drive_axles(def, &axle, &wheelbase);
    double aside = twist.turn_rad_s * wheelbase;
    return twist.x_m_s < 0.0 ? angle_atan2(-aside, -twist.x_m_s) : angle_atan2(aside, twist.x_m_s);
}

double kinematics_skid_track_m(const struct drive_def *def)
{
    /* Each wheel's friction points against its slip (rim - turn * y, turn * x). For slips of equal
     * size and to first order, the moments along and across balance if sum of (rim - turn * |y|) *
     * |y|  =  sum of turn * x * x. */
    double moments = 0.0;
    double levers = 0.0;
    double middle = 0.0;
    for (size_t i = 0; i < def->wheel_count; i++)
        middle += def->wheels[i].place.x / (double)def->wheel_count;
    for (size_t i = 0; i < def->wheel_count; i++) {
        struct vec2 place = {def->wheels[i].place.x - middle, def->wheels[i].place.y};
        moments += vec2_dot(place, place);
        levers += fabs(place.y);
    }
    return levers > 0.0 ? 2.0 * moments / levers : 0.0;
}

void kinematics_widen(struct drive_def *def, double track_m)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < def->wheel_count; i++) {
        low = number_smaller(low, def->wheels[i].place.y);
        high = number_larger(high, def->wheels[i].place.y);
    }
    for (size_t i = 0; i < def->wheel_count; i++)
        def->wheels[i].place.y *= track_m / (high - low);
}
