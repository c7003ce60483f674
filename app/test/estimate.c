#include "app/test/estimate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/angle.h"

static const char *const keys[ESTIMATE_KEYS] = {"x_m", "y_m", "heading_deg", "speed_m_s",
                                                "turn_deg_s"};

/* ---- Lines ---- */

static void read_line(struct estimate *estimate, const char *line)
{
    const char *at = strstr(line, "ptybot estimate ");
    for (size_t i = 0; at && i < ESTIMATE_KEYS; i++) {
        char key[24], *end;
        snprintf(key, sizeof key, " %s=", keys[i]);
        const char *text = strstr(at, key);
        if (!text)
            continue;
        text += strlen(key);
        double value = strtod(text, &end);
        bool is_number = end > text && fabs(value) < -LIVE_ESTIMATE_NONE; // false for NAN
        estimate->is_given[i] = is_number;
        estimate->values[i] = is_number ? value : 0;
    }
}

/* Ignores bytes beyond the room of a line, and zeros: the hole of a long log. */
static void take(struct estimate *estimate, char byte)
{
    bool is_end = byte == '\n';
    if (is_end) {
        estimate->line[estimate->line_size] = '\0';
        read_line(estimate, estimate->line);
        estimate->line_size = 0;
    } else if (byte != '\0' && estimate->line_size < sizeof estimate->line - 1)
        estimate->line[estimate->line_size++] = byte;
}

/* A log that became shorter lost lines in its middle. */
static void read_log(struct estimate *estimate, const char *path)
{
    char bytes[4096];
    FILE *file = path ? fopen(path, "re") : NULL;
    if (!file)
        return;
    fseek(file, 0, SEEK_END);
    if (ftell(file) < estimate->offset)
        estimate->offset = ftell(file);
    fseek(file, estimate->offset, SEEK_SET);
    for (size_t size; (size = fread(bytes, 1, sizeof bytes, file)) > 0;) {
        for (size_t i = 0; i < size; i++)
            take(estimate, bytes[i]);
        estimate->offset += (long)size;
    }
    fclose(file);
}

static void read_command(struct estimate *estimate, const struct live *live)
{
    _Static_assert((int)LIVE_ESTIMATES == (int)ESTIMATE_KEYS, "give all values in one command");
    for (size_t i = 0; i < ESTIMATE_KEYS; i++)
        if (live->is_estimated[i]) {
            estimate->values[i] = live->estimate[i];
            estimate->is_given[i] = true;
        }
}

/* ---- Errors ---- */

static double value_of(const struct sim *sim, const char *name)
{
    char signal[SIM_SIGNAL_NAME_MAX];
    snprintf(signal, sizeof signal, "%s.%s", sim_robot_name(sim, 0), name);
    size_t found = sim_signal_find(sim, signal);
    return found == SIZE_MAX ? NAN : sim_signal_value(sim, found);
}

static void read_pose(const struct sim *sim, const char *prefix, double pose[3])
{
    for (size_t i = 0; i < 3; i++) {
        char name[48];
        snprintf(name, sizeof name, "%s%s", prefix, keys[i]);
        pose[i] = value_of(sim, name);
    }
}

/* Distance between the way that the driver believes in and the way that POSE went since ORIGIN. */
static double distance(const struct estimate *estimate, const double origin[3],
                       const double pose[3])
{
    double turn = (estimate->origin[2] - origin[2]) * ANGLE_RAD_DEG;
    double x = pose[0] - origin[0], y = pose[1] - origin[1];
    double east = x * cos(turn) - y * sin(turn), north = x * sin(turn) + y * cos(turn);
    return hypot(estimate->values[ESTIMATE_X] - estimate->origin[0] - east,
                 estimate->values[ESTIMATE_Y] - estimate->origin[1] - north);
}

static double position_error(struct estimate *estimate, const struct sim *sim)
{
    double truth[3], odometry[3];
    if (!estimate->is_given[ESTIMATE_X] || !estimate->is_given[ESTIMATE_Y])
        return 0;
    read_pose(sim, "", truth);
    read_pose(sim, "odometry_", odometry);
    if (!estimate->has_origin) {
        estimate->has_origin = true;
        memcpy(estimate->origin, estimate->values, sizeof estimate->origin);
        memcpy(estimate->truth, truth, sizeof truth);
        memcpy(estimate->odometry, odometry, sizeof odometry);
    }
    double error = distance(estimate, estimate->truth, truth);
    double other = distance(estimate, estimate->odometry, odometry);
    return isnan(other) || error < other ? error : other; // fmin of the system may differ on NAN
}

/* Distance of a value from the true values of the last second. */
static double distance_to_range(double value, const double *last, unsigned count)
{
    double low = INFINITY, high = -INFINITY;
    for (unsigned i = 0; i < count && i < ESTIMATE_UPDATES; i++) {
        low = fmin(low, last[i]);
        high = fmax(high, last[i]);
    }
    return value < low ? low - value : value > high ? value - high : 0;
}

struct estimate_error estimate_update(struct estimate *estimate, const struct sim *sim,
                                      const struct live *live, const char *log)
{
    unsigned at = estimate->updates++ % ESTIMATE_UPDATES;
    estimate->speeds[at] = value_of(sim, "speed_m_s");
    estimate->turns[at] = value_of(sim, "turn_deg_s");
    read_log(estimate, log);
    read_command(estimate, live);
    struct estimate_error error = {.position_m = position_error(estimate, sim)};
    if (estimate->is_given[ESTIMATE_SPEED])
        error.speed_m_s = distance_to_range(estimate->values[ESTIMATE_SPEED], estimate->speeds,
                                            estimate->updates);
    if (estimate->is_given[ESTIMATE_TURN])
        error.turn_deg_s =
            distance_to_range(estimate->values[ESTIMATE_TURN], estimate->turns, estimate->updates);
    return error;
}
