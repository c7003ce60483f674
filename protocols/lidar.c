#include "protocols/lidar.h"

#include <math.h>
#include <string.h>

#include "base/angle.h"
#include "base/rng.h"

/* Chosen: a return is lost if it is weaker than that of white paper (0.8) at a right angle and full
 * range; the limit varies randomly by a fifth. Black (0.05) is therefore visible up to a quarter of
 * the range, and a wall at 75 degrees of incidence up to half of it. */
#define SIGNAL_LEAST 0.8
#define SIGNAL_EDGE  0.2

/* The noise grows between these distances: the first is from recordings of an RPLIDAR, the other is
 * chosen. */
#define NEAR_M 2.0
#define FAR_M  12.0

/* Chosen: with 5 % of such points the standard deviation is 1.7 times that of the others, the
 * median of the recordings of an RPLIDAR (protocols/rplidar_a1/README.md). */
#define TAIL 6.0

/* Chosen: the speed is stable within this share of the target. */
#define STABLE_PART 0.03

/* The fractional part of a number of turns, 0..1. */
static double wrap(double turn)
{
    return turn >= 0 && turn < 1 ? turn : turn - floor(turn);
}

/* ---- The motor ---- */

bool lidar_is_stable(const struct lidar *self, double target_hz)
{
    return target_hz > 0 && fabs(self->hz - target_hz) <= STABLE_PART * target_hz;
}

bool lidar_spin(struct lidar *self, double target_hz, double up_s, double down_s, int64_t now_us)
{
    double past_s = (double)(now_us - self->spun_us) * 1e-6, was_hz = self->hz;
    if (past_s <= 0)
        return false;
    bool is_stalled = now_us < self->stall_until_us;
    if (is_stalled)
        self->hz = 0;
    else if (self->hz < target_hz)
        self->hz = fmin(target_hz, self->hz + target_hz * past_s / fmax(up_s, 1e-3));
    else if (self->hz > target_hz)
        self->hz = fmax(target_hz, self->hz - fmax(self->hz, 1) * past_s / fmax(down_s, 1e-3));
    self->turn += (was_hz + self->hz) / 2 * past_s;
    self->spun_us = now_us;
    bool has_passed = self->turn >= 1;
    self->turn = wrap(self->turn);
    return has_passed;
}

/* ---- A distance ---- */

static bool is_in(const struct lidar_sector *sector, double turn, int64_t at_us)
{
    if (at_us >= sector->until_us)
        return false;
    double into = turn - sector->from, width = sector->to - sector->from;
    return into - floor(into) < width - floor(width);
}

static double noise_m(const struct lidar_optics *optics, double distance_m)
{
    double share = optics->noise_near;
    if (distance_m > NEAR_M) {
        double part = (fmin(distance_m, FAR_M) - NEAR_M) / (FAR_M - NEAR_M);
        share += (optics->noise_far - optics->noise_near) * part;
    }
    double noise_m = share * distance_m;
    return noise_m > optics->noise_m ? noise_m : optics->noise_m;
}

static bool is_too_weak(const struct lidar *self, uint64_t sample, double signal)
{
    if (signal > SIGNAL_LEAST * (1 + SIGNAL_EDGE))
        return false; // whatever its luck
    double luck = 1 + SIGNAL_EDGE * (2 * rng_uniform(self->key, 2 * sample) - 1);
    return signal < SIGNAL_LEAST * luck;
}

struct lidar_point lidar_measure(struct lidar *self, const struct lidar_optics *optics,
                                 const struct robot_rays *rays, double turn, double aside_m,
                                 int64_t at_us)
{
    struct robot_echo echo;
    uint64_t sample = self->samples++;
    rays->cast(rays->context, 0, -2 * ANGLE_PI * wrap(turn), -aside_m, at_us, &echo);
    double away_m = echo.distance_m;
    if (aside_m != 0 && isfinite(away_m)) {
        turn += angle_atan2(aside_m, away_m) / (2 * ANGLE_PI);
        away_m = sqrt(away_m * away_m + aside_m * aside_m);
    }
    turn = wrap(turn);
    if (is_in(&self->mirror, turn, at_us))
        away_m *= 2;
    if (!(away_m <= optics->range_max_m) || is_in(&self->dirty, turn, at_us))
        return (struct lidar_point){0};
    double far = optics->range_max_m / (away_m > 0.1 ? away_m : 0.1);
    double signal = echo.reflectance * echo.cosine * far * far;
    double distance_m = away_m + optics->bias_m;
    double tail = optics->tail > 0 && rng_uniform(~self->key, sample) < optics->tail ? TAIL : 1;
    distance_m += noise_m(optics, away_m) * tail * rng_normal(self->key, sample);
    double step_m = optics->step_1_m * distance_m * distance_m;
    if (step_m > 0)
        distance_m = floor(distance_m / step_m + 0.5) * step_m;
    if (is_too_weak(self, sample, signal) || !(distance_m >= optics->range_min_m) ||
        distance_m > optics->range_max_m ||
        rng_uniform(self->key, 2 * sample + 1) < optics->dropout)
        return (struct lidar_point){0};
    return (struct lidar_point){distance_m, turn, signal};
}

/* ---- The scan ---- */

static void end_turn(struct lidar *self, int64_t at_us)
{
    self->rate_hz = self->turn_us > 0 && at_us > self->turn_us && self->points > 0
                        ? 1e6 / (double)(at_us - self->turn_us)
                        : 0;
    self->turn_us = at_us;
    self->turns++;
    self->points = self->points_so_far;
    self->returns = self->returns_so_far;
    self->nearest_m = self->nearest_so_far_m;
    self->points_so_far = self->returns_so_far = 0;
    self->nearest_so_far_m = 0;
    self->scan.count = self->points;
}

void lidar_note(struct lidar *self, double turn, struct lidar_point point, bool is_first,
                int64_t at_us)
{
    if (is_first)
        end_turn(self, at_us);
    robot_scan_note(&self->scan, -wrap(turn), point.distance_m);
    self->points_so_far++;
    if (point.distance_m <= 0)
        return;
    self->returns_so_far++;
    if (self->nearest_so_far_m == 0 || point.distance_m < self->nearest_so_far_m)
        self->nearest_so_far_m = point.distance_m;
}

void lidar_stop(struct lidar *self)
{
    self->scan.total = self->scan.count = 0;
    self->rate_hz = self->nearest_m = self->nearest_so_far_m = 0;
    self->points = self->returns = self->points_so_far = self->returns_so_far = 0;
    self->turn_us = 0;
}

/* ---- The body ---- */

void lidar_body(const struct lidar_optics *optics, double length_m, double width_m, double height_m,
                double mass_kg, double beam_z_m, struct robot_body *body)
{
    memset(body, 0, sizeof *body);
    body->shape = ROBOT_BOX;
    body->length_m = length_m;
    body->width_m = width_m;
    body->height_m = height_m;
    body->mass_kg = mass_kg;
    body->inertia_kg_m2 = mass_kg * (length_m * length_m + width_m * width_m) / 12;
    body->sensor_count = 1;
    body->sensors[0] = (struct sensor_spec){.kind = SENSOR_SCANNER,
                                            .name = "lidar",
                                            .z_m = beam_z_m,
                                            .range_m = optics->range_max_m,
                                            .rays = 1};
}

/* ---- Commands ---- */

const struct option_row lidar_stall_rows[2] = {
    ROW_BOOL("on", lidar_stall_args, is_on, "true", "false: ends it"),
    ROW_NUMBER("for", lidar_stall_args, for_s, "s", 0, 1e9, "0", "0: no limit"),
};
const struct option_row lidar_sector_rows[4] = {
    ROW_BOOL("on", lidar_sector_args, is_on, "true", "false: ends it"),
    ROW_SCALED("from", lidar_sector_args, from, "deg", 1.0 / 360, 0, 360, "0",
               "clockwise from the sensor's zero"),
    ROW_SCALED("to", lidar_sector_args, to, "deg", 1.0 / 360, 0, 360, "30",
               "clockwise from the sensor's zero"),
    ROW_NUMBER("for", lidar_sector_args, for_s, "s", 0, 1e9, "0", "0: no limit"),
};

static int64_t until_us(bool is_on, double for_s, int64_t now_us)
{
    if (!is_on)
        return 0;
    return for_s > 0 ? now_us + (int64_t)(for_s * 1e6) : ROBOT_NEVER;
}

bool lidar_run_stall(void *state, const void *args, int64_t now_us, struct error *error)
{
    (void)error;
    const struct lidar_stall_args *stall = args;
    ((struct lidar *)state)->stall_until_us = until_us(stall->is_on, stall->for_s, now_us);
    return true;
}

bool lidar_check_sector(const void *setup, const void *args, struct error *error)
{
    (void)setup;
    const struct lidar_sector_args *sector = args;
    double width = sector->to - sector->from;
    return width != floor(width) ||
           error_set(error, "same direction in from and to; give a sector");
}

static struct lidar_sector sector_of(const struct lidar_sector_args *args, int64_t now_us)
{
    return (struct lidar_sector){args->from, args->to, until_us(args->is_on, args->for_s, now_us)};
}

bool lidar_run_dirty(void *state, const void *args, int64_t now_us, struct error *error)
{
    (void)error;
    ((struct lidar *)state)->dirty = sector_of(args, now_us);
    return true;
}

bool lidar_run_mirror(void *state, const void *args, int64_t now_us, struct error *error)
{
    (void)error;
    ((struct lidar *)state)->mirror = sector_of(args, now_us);
    return true;
}
