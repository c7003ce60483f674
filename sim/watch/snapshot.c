/* What moves: written into a snapshot each time. */
#include "sim/watch/snapshot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/angle.h"
#include "sim/watch/snapshot_parts.h"

static void *at(struct snapshot *out, struct snapshot_span span)
{
    return (char *)out + span.at;
}

static struct snapshot_pose pose_of(struct pose pose)
{
    return (struct snapshot_pose){pose.x_m, pose.y_m, pose.heading_rad};
}

/* ---- Obstacles and docks ---- */

static void fill_obstacles(const struct sim *sim, struct snapshot *out)
{
    const struct surroundings *around = &sim->surroundings;
    struct snapshot_box *boxes = at(out, out->boxes);
    for (size_t i = 0; i < around->box_count; i++) {
        const struct standing_box *box = &around->boxes[i];
        if (box->is_gone)
            continue;
        *boxes++ = (struct snapshot_box){
            .pose = pose_of(world_pose(sim->world, box->body)),
            .length_m = (float)box->box.length_m,
            .width_m = (float)box->box.width_m,
            .mass_kg = (float)box->box.mass_kg,
            .color = snapshot_color(&box->box.look),
            .number = (uint32_t)i + 1,
        };
    }
    struct snapshot_disc *discs = at(out, out->discs);
    for (size_t i = 0; i < around->disc_count; i++)
        discs[i] = (struct snapshot_disc){
            .pose = pose_of(world_pose(sim->world, around->discs[i].body)),
            .radius_m = (float)around->discs[i].disc.radius_m,
            .mass_kg = (float)around->discs[i].disc.mass_kg,
            .color = snapshot_color(&around->discs[i].disc.look),
        };
}

/* Which bits of one dock the receivers of all robots see. */
static uint32_t seen_of(const struct sim *sim, const struct dock *dock)
{
    uint32_t seen = 0;
    for (size_t i = 0; i < sim->robot_count; i++) {
        const struct sim_robot *robot = &sim->robots[i];
        for (size_t k = 0; k < robot->body.sensor_count; k++) {
            const struct sensor_spec *spec = &robot->body.sensors[k];
            if (spec->kind != SENSOR_DOCK_IR || !robot->sensors.sensor[k].dock_bits)
                continue;
            struct vec2 point = geom_to_world(robot->pose, (struct vec2){spec->x_m, spec->y_m});
            seen |= dock_bits_at(dock->pose, point) & robot->sensors.sensor[k].dock_bits;
        }
    }
    return seen;
}

static void fill_docks(const struct sim *sim, struct snapshot *out)
{
    struct snapshot_dock *docks = at(out, out->docks);
    double far_m = out->high.x_m - out->low.x_m + out->high.y_m - out->low.y_m;
    for (size_t i = 0; i < sim->dock_count; i++) {
        const struct dock *dock = &sim->docks[i];
        docks[i].pose = pose_of(dock->pose);
        docks[i].depth_m = (float)DOCK_DEPTH_M;
        docks[i].width_m = (float)DOCK_WIDTH_M;
        docks[i].light_x_m = (float)DOCK_LIGHT_X_M;
        docks[i].pin_x_m = (float)DOCK_PIN_X_M;
        docks[i].pin_y_m = (float)DOCK_PIN_Y_M;
        docks[i].seen = seen_of(sim, dock);
        struct vec2 light = geom_to_world(dock->pose, (struct vec2){DOCK_LIGHT_X_M, 0});
        for (int k = 0; k < SNAPSHOT_DOCK_RAYS; k++) {
            double aside_rad = ANGLE_PI * ((double)k / (SNAPSHOT_DOCK_RAYS - 1) - 0.5);
            struct world_hit hit = world_ray(sim->world, light, dock->pose.heading_rad + aside_rad,
                                             far_m, dock->body_index);
            docks[i].reach_m[k] = (float)hit.distance_m;
        }
    }
}

/* ---- Robots ---- */

static void fill_trail(const struct odometry_trail *from, struct snapshot_trail *out)
{
    out->count = (uint32_t)(from->total < ODOMETRY_TRAIL_MAX ? from->total : ODOMETRY_TRAIL_MAX);
    for (uint32_t i = 0; i < out->count; i++) {
        uint64_t slot = (from->total - out->count + i) % ODOMETRY_TRAIL_MAX;
        out->points[i] = (struct snapshot_point){from->point[slot].x_m, from->point[slot].y_m};
    }
}

static void fill_wheels(const struct sim_robot *robot, struct snapshot_robot *out)
{
    const struct drive *drive = world_drive(robot->sim->world, robot->body_index);
    out->steer_rad = (float)drive->steer_rad;
    for (size_t i = 0; i < robot->body.wheel_count; i++) {
        out->wheels[i].turned_rad = (float)fmod(drive->wheel_rad[i], 2 * ANGLE_PI);
        out->wheels[i].speed_rad_s = (float)drive->wheel_rad_s[i];
        out->wheels[i].motor_a = (float)drive->motor_a[i];
        out->wheels[i].is_dropped = drive->is_dropped[i];
    }
}

static void fill_image(const struct robot_image *image, struct snapshot *snapshot,
                       struct snapshot_robot *out)
{
    size_t size = (size_t)image->width * image->height * 3;
    if (!image->rgb || size > out->image.count)
        return; // what it took before is still what it last took
    out->image_width = image->width;
    out->image_height = image->height;
    memcpy(at(snapshot, out->image), image->rgb, size);
}

static void fill_robot(const struct sim_robot *robot, struct snapshot *snapshot,
                       struct snapshot_robot *out)
{
    out->pose = pose_of(robot->pose);
    out->odometry = pose_of(told_pose(&robot->odometry));
    out->has_told = robot->odometry.has_last;
    out->is_lifted = robot->is_lifted;
    out->is_docked = robot->is_docked;
    out->has_adapter = robot->has_adapter;
    out->speed_m_s = (float)robot->speed_m_s;
    out->slide_m_s = (float)robot->slide_m_s;
    out->turn_rad_s = (float)robot->turn_rad_s;
    out->charge = (float)robot->charge;
    out->sound_hz = (float)robot->actuators.sound_hz;
    out->sound_level = (float)robot->actuators.sound_level;
    out->bumpers = robot->sensors.bumpers;
    out->buttons = robot->sensors.buttons;
    out->hung_wheels = robot->hung_wheels;
    fill_wheels(robot, out);
    for (size_t i = 0; i < robot->body.sensor_count; i++) {
        const struct sensor_reading *reading = &robot->sensors.sensor[i];
        out->sensors[i].distance_m = (float)reading->distance_m;
        out->sensors[i].reflectance = (float)reading->reflectance;
        out->sensors[i].level = (float)reading->level;
        out->sensors[i].dock_bits = reading->dock_bits;
    }
    fill_trail(&robot->odometry.truth, &out->trail);
    fill_trail(&robot->odometry.belief, &out->odometry_trail);
    fill_image(&robot->sensors.image, snapshot, out);
}

/* ---- Channels and signals ---- */

static void fill_channel(const struct sim *sim, size_t index, struct snapshot_channel *out)
{
    const struct sim_channel *channel = &sim->channels[index];
    const struct line_stats *line = sim_channel_line(sim, index);
    snprintf(out->place, sizeof out->place, "%s", channel->live.place ? channel->live.place : "");
    out->is_host = channel->is_host;
    out->is_plugged = channel->is_plugged;
    out->host_lines = channel->host_lines;
    out->robot_lines = channel->robot_lines;
    out->baud = channel->baud;
    out->host_baud = (uint32_t)channel->live.host_baud;
    out->stats = *sim_channel_stats(sim, index);
    out->to_host_frames = line->to_host_frames;
    out->to_host_bytes = line->to_host_bytes;
    out->from_host_bytes = line->from_host_bytes;
    out->unheard_frames = line->unheard_frames;
    out->dropped_frames = channel->live.dropped_frames;
    out->hosts = channel->live.hosts;
    memcpy(out->frames, channel->frames, sizeof out->frames);
}

size_t snapshot_size(const struct sim *sim)
{
    return snapshot_lay_out(sim, NULL);
}

bool snapshot_fill(const struct sim *sim, void *buffer, size_t size)
{
    struct snapshot *out = buffer;
    if (size < sizeof *out)
        return false;
    bool is_ours = out->magic == SNAPSHOT_MAGIC && out->version == SNAPSHOT_VERSION &&
                   out->generation == sim->surroundings.generation && out->size <= size;
    if (!is_ours) {
        if (snapshot_lay_out(sim, NULL) > size)
            return false;
        snapshot_lay_out(sim, out);
    }
    out->now_us = sim->now_us;
    out->is_paused = sim->pace.is_paused;
    out->is_lockstep = sim->pace.is_lockstep;
    out->speed = sim->pace.speed;
    fill_obstacles(sim, out);
    fill_docks(sim, out);
    struct snapshot_robot *robots = at(out, out->robots);
    for (size_t i = 0; i < sim->robot_count; i++)
        fill_robot(&sim->robots[i], out, &robots[i]);
    struct snapshot_channel *channels = at(out, out->channels);
    for (size_t i = 0; i < sim->channel_count; i++)
        fill_channel(sim, i, &channels[i]);
    double *values = at(out, out->values);
    for (size_t i = 0; i < sim->signal_count; i++)
        values[i] = sim_signal_value(sim, i);
    return true;
}
