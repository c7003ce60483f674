/* The page Robot of the panel: battery, motion, buttons, parts to press, camera, links. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/angle.h"
#include "viewer/panel/panel.h"

static struct row *add_value(struct rows *rows, enum row_tone tone, const char *label)
{
    return rows_add(rows, (struct row){.kind = ROW_VALUE, .tone = tone}, "%s", label);
}

/* ---- Battery and motion ---- */

/* The value of a signal of the robot, or OTHERWISE if it has no such signal. */
static double value_of(const struct snapshot *snapshot, const struct snapshot_robot *robot,
                       const char *name, double otherwise)
{
    const struct snapshot_signal *signals = snapshot_at(snapshot, robot->signals);
    const double *values = snapshot_at(snapshot, snapshot->values);
    size_t skip = strlen(robot->name) + 1;
    for (uint32_t i = 0; i < robot->signals.count; i++)
        if (strcmp(snapshot_text(snapshot, signals[i].name) + skip, name) == 0)
            return values[robot->first_signal + i];
    return otherwise;
}

static void add_battery(const struct snapshot *snapshot, const struct snapshot_robot *robot,
                        struct rows *rows)
{
    double charge = fmax(0, fmin(1, (double)robot->charge));
    double volts = value_of(snapshot, robot, "battery_v", NAN);
    bool is_charging = value_of(snapshot, robot, "charging", 0) > 0;
    struct row *row = rows_add(rows,
                               (struct row){.kind = ROW_BAR,
                                            .tone = charge < 0.15 ? TONE_WARN : TONE_GOOD,
                                            .part = charge},
                               "battery");
    rows_value(rows, row, "%s%.0f %%", is_charging ? "\xe2\x9a\xa1 " : "",
               100 * charge); // lightning
    if (isfinite(volts))
        rows_value(rows, row, "%s   %.2f V", rows_text(rows, row->value), volts);
}

/* Without a minus sign before a zero. */
static double rounded(double value, double parts)
{
    return round(value * parts) / parts + 0.0;
}

static void add_pose(struct rows *rows, enum row_tone tone, const char *label,
                     struct snapshot_pose pose)
{
    rows_value(rows, add_value(rows, tone, label), "%.3f, %.3f m   %.1f\xc2\xb0",
               rounded(pose.x_m, 1000), rounded(pose.y_m, 1000),
               rounded(remainder(pose.heading_rad / ANGLE_RAD_DEG, 360), 10));
}

static void add_motion(const struct snapshot_robot *robot, struct rows *rows)
{
    add_pose(rows, TONE_PLAIN, "pose", robot->pose);
    if (robot->has_odometry)
        add_pose(rows, TONE_ODOMETRY, "odometry", robot->odometry);
    rows_value(rows, add_value(rows, TONE_PLAIN, "speed"), "%.3f m/s   %.1f\xc2\xb0/s",
               rounded((double)robot->speed_m_s, 1000),
               rounded((double)robot->turn_rad_s / ANGLE_RAD_DEG, 10));
    rows_value(rows, add_value(rows, robot->collisions > 0 ? TONE_WARN : TONE_PLAIN, "collisions"),
               "%u", robot->collisions);
}

/* ---- Parts ---- */

/* A button for each clickable part of the robot. */
static void add_parts(const struct snapshot *snapshot, const struct snapshot_robot *robot,
                      struct rows *rows)
{
    size_t before = rows->count;
    for (uint32_t i = 0; i < robot->appearance.count; i++) {
        const char *click = snapshot_appearance(snapshot, robot, i).click;
        bool is_again = !click;
        char word[64];
        for (uint32_t k = 0; k < i && !is_again; k++) {
            const char *other = snapshot_appearance(snapshot, robot, k).click;
            is_again = other && strcmp(other, click) == 0;
        }
        if (is_again)
            continue;
        if (rows->count == before)
            rows_add(rows, (struct row){.kind = ROW_HEADING}, "Press");
        // "press bumper=left" is "bumper left"
        snprintf(word, sizeof word, "%s", click + (strncmp(click, "press ", 6) == 0 ? 6 : 0));
        for (char *at = word; (at = strchr(at, '='));)
            *at = ' ';
        rows_button(rows, false, ACTION_PART, i, word);
    }
}

/* ---- Links ---- */

static const char *state_of(const struct snapshot_channel *channel)
{
    if (!channel->is_plugged)
        return "unplugged";
    if (channel->is_failing)
        return channel->is_host ? "driver connected, fault on the wire"
                                : "no driver, fault on the wire";
    return channel->is_host  ? "driver connected"
           : *channel->place ? "waiting for a driver"
                             : "no driver";
}

static void add_counts(const struct snapshot_channel *channel, struct rows *rows)
{
    const struct robot_stats *stats = &channel->stats;
    if (channel->baud > 0 && channel->host_baud > 0 && channel->host_baud != channel->baud)
        rows_value(rows, add_value(rows, TONE_WARN, "baud"), "%u, the driver has set %u",
                   channel->baud, channel->host_baud);
    else if (channel->baud > 0)
        rows_value(rows, add_value(rows, TONE_PLAIN, "baud"), "%u", channel->baud);
    rows_value(rows, add_value(rows, TONE_PLAIN, "sent to the driver"),
               "%" PRIu64 " frames  %" PRIu64 " B", channel->to_host_frames,
               channel->to_host_bytes);
    rows_value(rows, add_value(rows, TONE_PLAIN, "received from the driver"),
               "%" PRIu64 " frames  %" PRIu64 " B", (uint64_t)stats->frames,
               channel->from_host_bytes);
    if (view_refused(channel) > 0)
        rows_value(rows, add_value(rows, TONE_WARN, "errors"),
                   "%" PRIu64 " bad frames, %" PRIu64 " stray bytes", (uint64_t)stats->bad_frames,
                   (uint64_t)stats->noise_bytes);
    if (channel->dropped_frames > 0)
        rows_value(rows, add_value(rows, TONE_WARN, "not read by the driver"),
                   "%" PRIu64 " of %" PRIu64 " pieces", channel->dropped_frames,
                   channel->dropped_frames + channel->taken_frames);
}

static void add_link(const struct view *view, uint32_t number, struct rows *rows)
{
    const struct snapshot_channel *channel = view_channel(view, view_robot(view), number);
    bool is_wrong = !channel->is_plugged || channel->is_failing;
    char word[SNAPSHOT_NAME_MAX + 16];
    rows_value(rows,
               rows_add(rows,
                        (struct row){.kind = ROW_HEADING,
                                     .tone = is_wrong           ? TONE_WARN
                                             : channel->is_host ? TONE_GOOD
                                                                : TONE_FAINT,
                                     .is_on = channel->is_host},
                        "%s", channel->name),
               "%s", state_of(channel));
    if (*channel->place)
        rows_add(rows, (struct row){.kind = ROW_CODE, .tone = TONE_FAINT}, "%s", channel->place);
    add_counts(channel, rows);
    if (!view_takes_commands(view))
        return;
    snprintf(word, sizeof word, "%s %s", channel->is_plugged ? "Unplug" : "Plug in", channel->name);
    rows_button(rows, !channel->is_plugged, ACTION_CABLE_OF, number, word);
    rows_button(rows, false, ACTION_CORRUPT_OF, number, "Flip bits for 5 s");
}

/* ---- All of it ---- */

void panel_robot(const struct view *view, struct rows *rows)
{
    const struct snapshot *snapshot = view->snapshot;
    const struct snapshot_robot *robot = view_robot(view);
    if (!snapshot->is_tap) {
        add_battery(snapshot, robot, rows);
        add_motion(robot, rows);
        if (view_takes_commands(view)) {
            rows_button(rows, robot->is_lifted, ACTION_LIFT, 0,
                        robot->is_lifted ? "Put down" : "Lift");
            rows_button(rows, robot->has_adapter, ACTION_CHARGER, 0,
                        robot->has_adapter ? "Unplug charger" : "Plug in charger");
        }
        rows_button(rows, view->frame == FRAME_ROBOT, ACTION_FOLLOW, 0, "Follow");
        if (view_takes_commands(view))
            add_parts(snapshot, robot, rows);
    }
    if (robot->image_width > 0) {
        rows_add(rows, (struct row){.kind = ROW_HEADING}, "Camera");
        rows_add(rows,
                 (struct row){.kind = ROW_IMAGE,
                              .number = (uint32_t)view->viewport.selected,
                              .hint = rows_keep(rows, "Last picture of the camera"),
                              .part = (double)robot->image_height / robot->image_width},
                 "%s", "");
    }
    for (uint32_t i = 0; i < robot->channel_count; i++)
        add_link(view, i, rows);
}
