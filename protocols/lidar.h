/* Common parts of scanning range finders: the rotating mirror or head, the distance with its errors
 * and disturbances, and the last turn for pictures. Angles are in the form of the wire protocols:
 * in turns, clockwise seen from above, relative to the sensor's heading. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocols/robot.h"

/* Accuracy of the measurement. A member of the options; see LIDAR_OPTICS_ROWS. */
struct lidar_optics {
    double range_min_m, range_max_m; /* the maximum is for white paper at a right angle */
    double noise_m;                  /* minimum standard deviation */
    double noise_near, noise_far;    /* noise as a share of the distance: up to 2 m, and at 12 m;
                                      * linear in between */
    double tail;                     /* share of points with six times that noise */
    double step_1_m;                 /* resolution at 1 m; it grows with the square of the
                                      * distance */
    double bias_m;
    double dropout; /* share of points that are lost at random */
};

/* A part of the turn, clockwise from FROM to TO, both 0..1; FROM differs from TO. */
struct lidar_sector {
    double from, to;
    int64_t until_us; /* 0: no sector */
};

/* Part of a state. If all members except KEY are zero, the scanner does not turn. */
struct lidar {
    uint64_t key;     /* of its noise */
    uint64_t samples; /* so far */
    double turn;      /* present direction, 0..1 */
    double hz;        /* present speed */
    int64_t spun_us;  /* time of TURN and HZ */
    int64_t stall_until_us;
    struct lidar_sector dirty, mirror;

    uint64_t turns;
    int64_t turn_us; /* begin of the last turn */
    double rate_hz;  /* measured turns per second, from the last complete turn; 0: none */
    double nearest_m, nearest_so_far_m;
    uint32_t points, returns; /* of the last turn */
    uint32_t points_so_far, returns_so_far;
    struct robot_scan scan;
};

struct lidar_point {
    double distance_m; /* from the axis; 0: no return */
    double turn;       /* direction of the return, seen from the axis */
    double signal;     /* 1: white paper at a right angle and full range; larger is stronger; 0:
                        * none */
};

/* Rotates the scanner until NOW_US. The speed approaches TARGET_HZ. UP_S: time from standstill to
 * TARGET_HZ. DOWN_S: time from the target to standstill. True: a new turn began. */
bool lidar_spin(struct lidar *self, double target_hz, double up_s, double down_s, int64_t now_us);

/* Whether the speed has reached TARGET_HZ, apart from a small deviation. */
bool lidar_is_stable(const struct lidar *self, double target_hz);

/* Measures one distance. AT_US is within the last milliseconds. TURN: direction of the beam (any
 * number of turns). ASIDE_M: offset of the beam to the right of the axis, seen along the beam. */
struct lidar_point lidar_measure(struct lidar *self, const struct lidar_optics *optics,
                                 const struct robot_rays *rays, double turn, double aside_m,
                                 int64_t at_us);

/* Adds a point to the scan. IS_FIRST: the first point of a turn. */
void lidar_note(struct lidar *self, double turn, struct lidar_point point, bool is_first,
                int64_t at_us);

/* The scanner stops measuring: the scan is empty. */
void lidar_stop(struct lidar *self);

/* The body of a scanner without wheels: a box with the sensor `lidar` at its origin. */
void lidar_body(const struct lidar_optics *optics, double length_m, double width_m, double height_m,
                double mass_kg, double beam_z_m, struct robot_body *body);

/* ---- Rows that all types have ---- */

/* For options in a struct TAG that has a member `optics`, a struct lidar_optics. The other
 * arguments are defaults. */
#define LIDAR_OPTICS_ROWS(tag, least, most, noise, near, far, tail_share, step, lost)              \
    ROW_NUMBER("range_min_m", tag, optics.range_min_m, "m", 0, 5, least, "nearer: no return"),     \
        ROW_NUMBER("range_max_m", tag, optics.range_max_m, "m", 0.5, 50, most,                     \
                   "maximum range on white paper at a right angle; no return beyond it"),          \
        ROW_SCALED("noise_mm", tag, optics.noise_m, "mm", 0.001, 0, 1000, noise,                   \
                   "minimum standard deviation of a distance"),                                    \
        ROW_SCALED("noise_near_percent", tag, optics.noise_near, "%", 0.01, 0, 100, near,          \
                   "noise as a share of the distance, up to 2 m"),                                 \
        ROW_SCALED("noise_far_percent", tag, optics.noise_far, "%", 0.01, 0, 100, far,             \
                   "noise as a share of the distance, at 12 m; in between proportional"),          \
        ROW_SCALED("noise_tail_percent", tag, optics.tail, "%", 0.01, 0, 100, tail_share,          \
                   "share of points with six times the noise"),                                    \
        ROW_SCALED("resolution_mm", tag, optics.step_1_m, "mm", 0.001, 0, 100, step,               \
                   "step of the distance at 1 m; grows with its square"),                          \
        ROW_SCALED("bias_mm", tag, optics.bias_m, "mm", 0.001, -500, 500, "0",                     \
                   "error of every distance of this unit"),                                        \
        ROW_SCALED("dropout_percent", tag, optics.dropout, "%", 0.01, 0, 100, lost,                \
                   "single points that are lost")

/* Commands on a state that begins with a struct lidar. */
enum { LIDAR_COMMANDS = 3 };
extern const struct option_row lidar_stall_rows[2], lidar_sector_rows[4];
bool lidar_run_stall(void *state, const void *args, int64_t now_us, struct error *error);
bool lidar_run_dirty(void *state, const void *args, int64_t now_us, struct error *error);
bool lidar_run_mirror(void *state, const void *args, int64_t now_us, struct error *error);
bool lidar_check_sector(const void *setup, const void *args, struct error *error);

struct lidar_stall_args {
    bool is_on;
    double for_s;
};
struct lidar_sector_args {
    bool is_on;
    double from, to, for_s;
};

#define LIDAR_COMMAND_ROWS                                                                         \
    COMMAND_ROW("stall", lidar_stall_rows, lidar_stall_args, lidar_run_stall, "block the motor"),  \
        COMMAND_ROW("dirty", lidar_sector_rows, lidar_sector_args, lidar_run_dirty,                \
                    "dirt on the window: no returns from a sector", .check = lidar_check_sector),  \
        COMMAND_ROW("mirror", lidar_sector_rows, lidar_sector_args, lidar_run_mirror,              \
                    "mirrors on the walls of a sector: distances are doubled",                     \
                    .check = lidar_check_sector)

#define LIDAR_SIGNAL_ROWS(tag)                                                                     \
    SIGNAL_ROW("nearest_m", tag, lidar.nearest_m, "m",                                             \
               "nearest point of the last turn; 0: no return"),                                    \
        SIGNAL_ROW("scan_hz", tag, lidar.rate_hz, "Hz",                                            \
                   "turns measured; 0 while it does not measure"),                                 \
        SIGNAL_ROW("motor_hz", tag, lidar.hz, "Hz", "turns of the motor"),                         \
        SIGNAL_ROW("points", tag, lidar.points, "", "points of the last turn"),                    \
        SIGNAL_ROW("returns", tag, lidar.returns, "", "points of the last turn with a distance"),  \
        SIGNAL_ROW("turns", tag, lidar.turns, "", "measured so far"),                              \
        SIGNAL_ROW("samples", tag, lidar.samples, "", "distances measured so far")
