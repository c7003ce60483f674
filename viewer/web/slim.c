/* What a page does not look at becomes zero. */
#include "viewer/web/slim.h"

#include <math.h>
#include <string.h>

/* Rounded to powers of two, so that the last bytes of a number are zero. Chosen: a sixth of a pixel
 * at the nearest that a page zooms to, and what a panel shows of it. */
static const double METERS = 1.0 / 131072; /* 8 micrometers */
static const double RADIANS = 1.0 / 65536;
static const double COARSE = 1.0 / 2048; /* half a millimeter, of what sensors sense */

static double rounded(double value, double step)
{
    return round(value / step) * step;
}

static float rounded_f(float value, double step)
{
    return isfinite(value) ? (float)rounded((double)value, step) : value;
}

static void round_pose(struct snapshot_pose *pose)
{
    pose->x_m = rounded(pose->x_m, METERS);
    pose->y_m = rounded(pose->y_m, METERS);
    pose->heading_rad = rounded(pose->heading_rad, RADIANS);
}

static void round_reach(float reach_m[SNAPSHOT_LIGHT_RAYS])
{
    for (size_t i = 0; i < SNAPSHOT_LIGHT_RAYS; i++)
        reach_m[i] = rounded_f(reach_m[i], COARSE);
}

static void round_robot(struct snapshot_robot *robot)
{
    round_pose(&robot->pose);
    round_pose(&robot->odometry);
    robot->charge = rounded_f(robot->charge, 1.0 / 1024);
    robot->speed_m_s = rounded_f(robot->speed_m_s, COARSE);
    robot->slide_m_s = rounded_f(robot->slide_m_s, COARSE);
    robot->turn_rad_s = rounded_f(robot->turn_rad_s, COARSE);
    for (uint32_t i = 0; i < robot->wheel_count; i++) {
        struct snapshot_wheel *wheel = &robot->wheels[i];
        wheel->heading_rad = rounded_f(wheel->heading_rad, COARSE);
        wheel->turned_rad = rounded_f(wheel->turned_rad, 1.0 / 256);
    }
    for (uint32_t i = 0; i < robot->sensor_count; i++)
        robot->sensors[i].distance_m = rounded_f(robot->sensors[i].distance_m, COARSE);
}

/* What is not drawn, and which no panel shows. */
static void leave_out(struct snapshot_robot *robot)
{
    for (uint32_t i = 0; i < robot->wheel_count; i++)
        robot->wheels[i].speed_rad_s = robot->wheels[i].motor_a = 0;
    for (uint32_t i = 0; i < robot->sensor_count; i++)
        robot->sensors[i].reflectance = robot->sensors[i].level = 0;
}

static void slim_channel(struct snapshot_channel *channel, bool is_wished)
{
    channel->unheard_frames = 0;
    channel->stats.sent = 0;
    if (is_wished)
        return;
    memset(channel->frames, 0, sizeof channel->frames);
    channel->stats.frames = 0;
    channel->to_host_frames = channel->to_host_bytes = channel->from_host_bytes = 0;
    channel->taken_frames = 0;
}

/* Of the values of a robot's signals, those that light its looks stay. */
static void slim_values(struct snapshot *snapshot, const struct snapshot_robot *robot)
{
    double *values = (double *)((char *)snapshot + snapshot->values.at);
    const uint32_t *lit_by = snapshot_at(snapshot, robot->lit_by);
    for (uint32_t i = 0; i < robot->signals.count; i++) {
        uint32_t signal = robot->first_signal + i;
        bool is_light = false;
        for (uint32_t k = 0; k < robot->lit_by.count && !is_light; k++)
            is_light = lit_by[k] == signal;
        if (!is_light)
            values[signal] = 0;
    }
}

static bool is_wished(const struct slim_wishes *wishes, uint32_t robot)
{
    return robot < SLIM_ROBOTS_MAX && wishes->robots[robot / 32] >> (robot % 32) & 1;
}

void slim_snapshot(struct snapshot *snapshot, const struct slim_wishes *wishes, bool is_exact)
{
    struct snapshot_robot *robots = (void *)((char *)snapshot + snapshot->robots.at);
    struct snapshot_channel *channels = (void *)((char *)snapshot + snapshot->channels.at);
    struct snapshot_fault *faults = (void *)((char *)snapshot + snapshot->faults.at);
    struct snapshot_dock *docks = (void *)((char *)snapshot + snapshot->docks.at);
    struct snapshot_beacon *beacons = (void *)((char *)snapshot + snapshot->beacons.at);
    for (uint32_t i = 0; i < snapshot->robots.count; i++) {
        leave_out(&robots[i]);
        if (!is_exact)
            round_robot(&robots[i]);
        if (is_wished(wishes, i))
            continue;
        slim_values(snapshot, &robots[i]);
        memset((char *)snapshot + robots[i].image.at, 0, robots[i].image.count);
    }
    for (uint32_t i = 0; i < snapshot->channels.count; i++)
        slim_channel(&channels[i], is_wished(wishes, channels[i].robot));
    for (uint32_t i = 0; i < snapshot->docks.count && !is_exact; i++)
        round_reach(docks[i].reach_m);
    for (uint32_t i = 0; i < snapshot->beacons.count && !is_exact; i++)
        round_reach(beacons[i].reach_m);
    // A second is what is shown of the time that is left.
    for (uint32_t i = 0; i < snapshot->fault_count && !is_exact; i++)
        faults[i].left_s = isfinite(faults[i].left_s) ? ceilf(faults[i].left_s) : faults[i].left_s;
}
