/* The panel's first page: battery, motion, buttons, camera, links. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/angle.h"
#include "viewer/window/panel.h"

enum { RIGHT_PX = VIEW_PANEL_PX - PANEL_MARGIN_PX, ROW_PX = 20 };

static double draw_row(const struct ui *ui, double y_px, const char *word, const char *value,
                       uint32_t color)
{
    ui_note(ui, PANEL_MARGIN_PX, y_px + 14, word);
    ui_text(ui, RIGHT_PX, y_px + 14, value,
            (struct draw_item){.flags = DRAW_MONO,
                               .fill = color ? color : ui->theme->text,
                               .size_px = 12,
                               .align = DRAW_RIGHT});
    return y_px + ROW_PX;
}

/* ---- Battery ---- */

/* The battery voltage, if the robot has a signal for it. */
static bool find_volts(const struct snapshot *snapshot, const struct snapshot_robot *robot,
                       double *volts)
{
    const struct snapshot_signal *signals = snapshot_at(snapshot, robot->signals);
    const double *values = snapshot_at(snapshot, snapshot->values);
    char wanted[SNAPSHOT_NAME_MAX + 16];
    snprintf(wanted, sizeof wanted, "%s.battery_v", robot->name);
    for (uint32_t i = 0; i < robot->signals.count; i++)
        if (strcmp(snapshot_text(snapshot, signals[i].name), wanted) == 0) {
            *volts = values[robot->first_signal + i];
            return true;
        }
    return false;
}

static double draw_battery(const struct ui *ui, const struct view *view,
                           const struct snapshot_robot *robot, double y_px)
{
    const struct theme *theme = ui->theme;
    double charge = fmax(0, fmin(1, (double)robot->charge)), volts;
    uint32_t color = charge < 0.15 ? theme->warn : theme->good;
    char text[48];
    int used = snprintf(text, sizeof text, "%.0f %%", 100 * charge);
    if (find_volts(view->snapshot, robot, &volts))
        snprintf(text + used, sizeof text - (size_t)used, "   %.2f V", volts);
    struct ui_rect bar = {PANEL_MARGIN_PX + 64, y_px + 4, 150, 12};
    ui_note(ui, PANEL_MARGIN_PX, y_px + 14, "battery");
    ui_box(ui, bar, 6, (struct draw_item){.fill = theme_alpha(theme->faint, 0.25)});
    bar.width_px *= charge;
    if (bar.width_px > 2)
        ui_box(ui, bar, 6, (struct draw_item){.fill = color});
    ui_text(ui, RIGHT_PX, y_px + 14, text,
            (struct draw_item){
                .flags = DRAW_MONO, .fill = theme->text, .size_px = 12, .align = DRAW_RIGHT});
    return y_px + ROW_PX;
}

static double draw_motion(const struct ui *ui, const struct snapshot_robot *robot, double y_px)
{
    char text[96];
    snprintf(text, sizeof text, "%.3f, %.3f m   %.1f\xc2\xb0", robot->pose.x_m, robot->pose.y_m,
             remainder(robot->pose.heading_rad / ANGLE_RAD_DEG, 360));
    y_px = draw_row(ui, y_px, "pose", text, 0);
    if (robot->has_odometry) {
        snprintf(text, sizeof text, "%.3f, %.3f m   %.1f\xc2\xb0", robot->odometry.x_m,
                 robot->odometry.y_m, remainder(robot->odometry.heading_rad / ANGLE_RAD_DEG, 360));
        y_px = draw_row(ui, y_px, "odometry", text, ui->theme->odometry);
    }
    snprintf(text, sizeof text, "%.3f m/s   %.1f\xc2\xb0/s", (double)robot->speed_m_s,
             (double)robot->turn_rad_s / ANGLE_RAD_DEG);
    return draw_row(ui, y_px, "speed", text, 0);
}

/* ---- Links ---- */

static const char *state_of(const struct snapshot_channel *channel)
{
    if (!channel->is_plugged)
        return "unplugged";
    if (channel->is_failing)
        return channel->is_host ? "host connected, wire fails" : "no host, wire fails";
    return channel->is_host ? "host connected" : "waiting for a host";
}

static void draw_state(const struct ui *ui, const struct snapshot_channel *channel, double y_px)
{
    const struct theme *theme = ui->theme;
    uint32_t color = !channel->is_plugged || channel->is_failing ? theme->warn
                     : channel->is_host                          ? theme->good
                                                                 : theme_alpha(theme->faint, 0.6);
    struct draw_item style = {.fill = channel->is_host ? color : 0, .stroke = color, .width_px = 2};
    draw_disc(ui->list, style, (struct viewport_point){PANEL_MARGIN_PX + 5, y_px + 11}, 4.5);
    ui_text(ui, PANEL_MARGIN_PX + 18, y_px + 16, channel->name,
            (struct draw_item){.flags = DRAW_BOLD, .fill = theme->text, .size_px = 12});
    ui_text(ui, RIGHT_PX, y_px + 16, state_of(channel),
            (struct draw_item){.fill = theme->text, .size_px = 12, .align = DRAW_RIGHT});
}

static double draw_counts(const struct ui *ui, const struct snapshot_channel *channel, double y_px)
{
    const struct theme *theme = ui->theme;
    char text[96];
    uint64_t bad = channel->stats.bad_frames + channel->stats.noise_bytes +
                   channel->stats.unknown_ids + channel->stats.bad_lengths;
    if (channel->baud > 0) {
        bool is_wrong = channel->host_baud > 0 && channel->host_baud != channel->baud;
        snprintf(text, sizeof text, is_wrong ? "%u, the host has set %u" : "%u", channel->baud,
                 channel->host_baud);
        y_px = draw_row(ui, y_px, "baud", text, is_wrong ? theme->warn : 0);
    }
    snprintf(text, sizeof text, "%llu frames  %llu B", (unsigned long long)channel->to_host_frames,
             (unsigned long long)channel->to_host_bytes);
    y_px = draw_row(ui, y_px, "towards the host", text, 0);
    snprintf(text, sizeof text, "%llu frames  %llu B", (unsigned long long)channel->stats.frames,
             (unsigned long long)channel->from_host_bytes);
    y_px = draw_row(ui, y_px, "from the host", text, 0);
    if (bad > 0) {
        snprintf(text, sizeof text, "%llu bad frames, %llu stray bytes",
                 (unsigned long long)channel->stats.bad_frames,
                 (unsigned long long)channel->stats.noise_bytes);
        y_px = draw_row(ui, y_px, "errors", text, theme->warn);
    }
    if (channel->dropped_frames > 0) {
        uint64_t offered = channel->dropped_frames + channel->taken_frames;
        snprintf(text, sizeof text, "%llu of %llu pieces",
                 (unsigned long long)channel->dropped_frames, (unsigned long long)offered);
        y_px = draw_row(ui, y_px, "not read by the host", text, theme->warn);
    }
    return y_px;
}

/* A robot that is real has no buttons, nor has what is past. */
static double draw_link(const struct ui *ui, const struct snapshot_channel *channel,
                        uint32_t number, bool has_buttons, double y_px)
{
    draw_state(ui, channel, y_px);
    y_px += 22;
    // The end of a path says more than its beginning.
    size_t length = strlen(channel->place), most = 44;
    const char *place = length > most ? channel->place + length - most : channel->place;
    ui_text(ui, PANEL_MARGIN_PX, y_px + 14, *place ? place : "no link in the scene",
            (struct draw_item){.flags = DRAW_MONO, .fill = ui->theme->faint, .size_px = 11});
    y_px = draw_counts(ui, channel, y_px + ROW_PX) + 6;
    if (!has_buttons)
        return y_px;
    double width_px = (RIGHT_PX - PANEL_MARGIN_PX - 8) / 2.0;
    ui_button(ui, (struct ui_rect){PANEL_MARGIN_PX, y_px, width_px, 26},
              channel->is_plugged ? "Unplug cable" : "Plug in cable", !channel->is_plugged,
              ACTION_CABLE_OF, number);
    ui_button(ui, (struct ui_rect){PANEL_MARGIN_PX + width_px + 8, y_px, width_px, 26},
              "Flip bits for 5 s", false, ACTION_CORRUPT_OF, number);
    return y_px + 36;
}

static double draw_buttons(const struct ui *ui, const struct snapshot_robot *robot, bool has_hands,
                           double y_px)
{
    double width_px = (RIGHT_PX - PANEL_MARGIN_PX - 16) / 3.0;
    struct ui_rect box = {PANEL_MARGIN_PX, y_px, width_px, 26};
    if (has_hands) {
        ui_button(ui, box, robot->is_lifted ? "Put down" : "Lift", robot->is_lifted, ACTION_LIFT,
                  0);
        box.x_px += width_px + 8;
        ui_button(ui, box, robot->has_adapter ? "Unplug charger" : "Charger", robot->has_adapter,
                  ACTION_CHARGER, 0);
        box.x_px += width_px + 8;
    }
    ui_button(ui, box, "Follow", false, ACTION_FOLLOW, 0);
    return y_px + 36;
}

static double draw_camera(const struct ui *ui, const struct snapshot *snapshot,
                          const struct snapshot_robot *robot, double y_px)
{
    if (robot->image_width == 0)
        return y_px;
    y_px = ui_heading(ui, PANEL_MARGIN_PX, y_px, "Camera");
    double width_px = RIGHT_PX - PANEL_MARGIN_PX;
    double height_px = width_px * robot->image_height / robot->image_width;
    draw_image(ui->list, (struct draw_item){0}, (struct viewport_point){PANEL_MARGIN_PX, y_px + 4},
               (struct viewport_point){RIGHT_PX, y_px + 4 + height_px},
               snapshot_at(snapshot, robot->image), robot->image_width, robot->image_height, true);
    return y_px + height_px + 16;
}

double panel_robot(const struct ui *ui, const struct view *view, const struct snapshot_robot *robot,
                   double y_px)
{
    if (view->snapshot->is_tap)
        return draw_link(ui, view_channel(view, robot, 0), 0, false, y_px + 4);
    y_px = draw_battery(ui, view, robot, y_px + 4);
    y_px = draw_motion(ui, robot, y_px) + 8;
    bool has_hands = !snapshot_is_past(view->snapshot);
    y_px = draw_buttons(ui, robot, has_hands, y_px);
    y_px = draw_camera(ui, view->snapshot, robot, y_px);
    for (uint32_t i = 0; i < robot->channel_count; i++) {
        ui_line(ui, PANEL_MARGIN_PX, y_px + 3, RIGHT_PX, y_px + 3,
                theme_alpha(ui->theme->faint, 0.3));
        y_px = draw_link(ui, view_channel(view, robot, i), i, has_hands, y_px + 8);
    }
    return y_px;
}
