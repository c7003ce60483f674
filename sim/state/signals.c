/* Signals: every observable number of the world, the robots, their wires and their packets, found
 * by name. The rows contain the location of each number; nothing is copied until it is read. */
#include "sim/state/signals.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/angle.h"
#include "base/array.h"
#include "base/modem_lines.h"
#include "base/serial_settings.h"
#include "base/text.h"
#include "sim/state/robots.h"
#include "sim/state/state.h"

#define DEG_1_RAD (180 / ANGLE_PI)

/* Type of a size_t, which has 32 bits on some machines. */
#define SIGNAL_SIZE (sizeof(size_t) == sizeof(uint64_t) ? SIGNAL_U64 : SIGNAL_U32)

static const struct signal_row world_rows[] = {
    SIGNAL_ROW("time_s", sim, time_s, "s", "simulated time"),
    {"robots", SIGNAL_SIZE, offsetof(struct sim, robot_count), 0, 0, "", NULL, "robots in it"},
};

static const struct signal_row scene_rows[] = {
    SIGNAL_ROW("size_x_m", scene, size_x_m, "m", "room, along x"),
    SIGNAL_ROW("size_y_m", scene, size_y_m, "m", "room, along y"),
};

static const char *const power_words[] = {"on", "off", "usb", NULL};

#define ROBOT(label, ...)                SIGNAL_ROW(label, sim_robot, __VA_ARGS__)
#define ROBOT_FAULT(label, member, note) ROBOT(label, faults.counts.member, "", note)
static const struct signal_row robot_rows[] = {
    ROBOT("x_m", pose.x_m, "m", "ground truth: place in the room"),
    ROBOT("y_m", pose.y_m, "m", "ground truth: place in the room"),
    ROBOT("heading_deg", pose.heading_rad, "deg",
          "ground truth: heading, counter-clockwise, counting turns", .scale = DEG_1_RAD),
    ROBOT("speed_m_s", speed_m_s, "m/s", "true speed, forward"),
    ROBOT("slide_m_s", slide_m_s, "m/s", "ground truth: speed to the left"),
    ROBOT("turn_deg_s", turn_rad_s, "deg/s", "true turn rate", .scale = DEG_1_RAD),
    ROBOT("collisions", collisions, "",
          "collisions with walls, objects and robots so far, without docks"),
    ROBOT("lifted", handling.is_lifted, "", "1 while lifted"),
    ROBOT("hung_wheels", handling.hung_wheels, "", "bit i: wheel i is lifted"),
    ROBOT("adapter", handling.has_adapter, "", "1 while the adapter is plugged in"),
    ROBOT("dock_contact", is_docked, "", "1 while its contacts touch those of a dock"),
    ROBOT("charge", charge, "", "battery, 0 empty to 1 full"),
    ROBOT("power", faults.power, "",
          "power state set by faults: on, off, or usb (USB power only: no motors)",
          .names = power_words),
    ROBOT_FAULT("fault_stuck", stuck, "samples of stuck sensors"),
    ROBOT_FAULT("fault_dead", dead, "samples of dead sensors"),
    ROBOT_FAULT("fault_drifts", drifts, "samples of a drifting gyro"),
    ROBOT_FAULT("fault_lost_ticks", lost_ticks, "thousandths of a turn that encoders lost"),
    ROBOT_FAULT("fault_slips", slips, "ticks of wheels without grip"),
    ROBOT_FAULT("fault_battery_lows", battery_lows, "sudden losses of charge"),
    ROBOT("fault_drained", faults.counts.drained, "",
          "share of a full battery consumed by a fault"),
    ROBOT_FAULT("fault_brownouts", brownouts, "brown-outs"),
    ROBOT_FAULT("fault_power_cuts", power_cuts,
                "number of power losses, including those to USB power"),
};

/* For robots that report their motion. */
static const struct signal_row odometry_rows[] = {
    ROBOT("odometry_x_m", odometry.pose.x_m, "m",
          "pose that a driver computes from the robot's reports"),
    ROBOT("odometry_y_m", odometry.pose.y_m, "m",
          "pose that a driver computes from the robot's reports"),
    ROBOT("odometry_heading_deg", odometry.pose.heading_rad, "deg",
          "heading that a driver computes, counting turns", .scale = DEG_1_RAD),
};

#define CHANNEL(label, ...)           SIGNAL_ROW(label, sim_channel, __VA_ARGS__)
#define LINE_FAULT(label, kind, note) CHANNEL(label, line_view.faults[LINE_FAULT_##kind], "", note)
static const struct signal_row channel_rows[] = {
    CHANNEL("host", is_host, "", "1 while a driver has the channel open"),
    CHANNEL("plugged", is_plugged, "", "0 while the cable is unplugged"),
    CHANNEL("frames", robot_view.frames, "", "good frames received"),
    CHANNEL("bad_frames", robot_view.bad_frames, "",
            "received with a wrong checksum or an impossible length"),
    CHANNEL("noise_bytes", robot_view.noise_bytes, "B", "received outside any frame"),
    CHANNEL("unknown_ids", robot_view.unknown_ids, "", "received parts with an unknown id"),
    CHANNEL("bad_lengths", robot_view.bad_lengths, "",
            "received parts with a known id and a wrong length"),
    CHANNEL("sent", robot_view.sent, "", "frames that the robot sent"),
    CHANNEL("overruns", robot_view.overruns, "", "frames lost because the channel was too slow"),
    CHANNEL(
        "to_host_frames", line_view.to_host_frames, "",
        "frames sent while a driver was connected (delivered: taken_frames, lost: dropped_frames)"),
    CHANNEL("to_host_bytes", line_view.to_host_bytes, "B",
            "bytes sent while a driver was connected"),
    CHANNEL("from_host_bytes", line_view.from_host_bytes, "B", "bytes that reached the robot"),
    CHANNEL("unheard_frames", line_view.unheard_frames, "",
            "frames sent while no driver was connected"),
    LINE_FAULT("fault_drops", DROP, "bytes or frames lost by a fault"),
    LINE_FAULT("fault_flips", FLIP, "bits flipped by a fault"),
    LINE_FAULT("fault_duplicates", DUPLICATE, "bytes or frames duplicated by a fault"),
    LINE_FAULT("fault_inserts", INSERT, "bytes inserted by a fault"),
    LINE_FAULT("fault_delays", DELAY, "frames delayed by a fault"),
    LINE_FAULT("fault_splits", SPLIT, "frames split by a fault"),
    LINE_FAULT("fault_ftdi_chunks", FTDI, "pieces delivered by the fault ftdi"),
    LINE_FAULT("fault_stalls", STALL, "frames held by the fault stall"),
    LINE_FAULT("fault_garbage", GARBAGE, "bytes of garbage sent when a driver opened the channel"),
    LINE_FAULT("fault_baud_bytes", BAUD, "bytes read at a wrong baud rate by a fault"),
    CHANNEL("fault_hangups", hangups, "", "hang-ups by a fault"),
    CHANNEL("fault_overruns", line_view.fault_overruns, "",
            "frames lost because faults held too much data"),
};

/* For channels that are serial ports. */
static const struct signal_row serial_rows[] = {
    CHANNEL("dtr", host_lines, "", "modem line, set by the driver", .mask = MODEM_DTR),
    CHANNEL("rts", host_lines, "", "modem line, set by the driver", .mask = MODEM_RTS),
    CHANNEL("cts", robot_lines, "", "modem line, set by the command modem", .mask = MODEM_CTS),
    CHANNEL("dsr", robot_lines, "", "modem line, set by the command modem", .mask = MODEM_DSR),
    CHANNEL("dcd", robot_lines, "", "modem line, set by the command modem", .mask = MODEM_DCD),
    CHANNEL("ri", robot_lines, "", "modem line, set by the command modem", .mask = MODEM_RI),
    CHANNEL("baud", baud, "bit/s", "baud rate of the robot"),
    CHANNEL("host_baud", host_baud, "bit/s",
            "baud rate set by the current or last driver; 0: never set"),
    CHANNEL("host_raw", is_host_raw, "",
            "0: the settings of the driver change or remove bytes (ICANON, ECHO, ICRNL, IXON, "
            "OPOST ...)"),
    CHANNEL("host_parity", host_parity, "",
            "parity set by the driver; even and mark are visible only through the serial shim",
            .names = serial_parity_words),
    CHANNEL("host_data_bits", host_data_bits, "",
            "data bits set by the driver; values other than 8 are visible only through the serial "
            "shim"),
    CHANNEL("host_stop_bits", host_stop_bits, "", "stop bits set by the driver"),
};

bool sim_signal_is_common(const char *name)
{
    for (size_t i = 0; i < COUNT(robot_rows); i++)
        if (strcmp(robot_rows[i].name, name) == 0)
            return true;
    return false;
}

/* ---- The list, created once ---- */

static enum sim_signal_type type_of_row(const struct signal_row *row)
{
    if (row->type == SIGNAL_BOOL || row->mask != 0)
        return SIM_SIGNAL_BOOL;
    bool is_scaled = row->scale != 0 && row->scale != 1;
    return row->type == SIGNAL_DOUBLE || is_scaled ? SIM_SIGNAL_NUMBER : SIM_SIGNAL_INTEGER;
}

static enum sim_signal_type type_of_field(const struct wire_field *field)
{
    bool is_scaled = field->scale != 0 && field->scale != 1;
    return field->type == WIRE_F32 || is_scaled ? SIM_SIGNAL_NUMBER : SIM_SIGNAL_INTEGER;
}

/* Adds a signal whose name has up to three parts. */
__attribute__((format(printf, 4, 5))) static struct signal_entry *
add(struct sim *sim, enum signal_source source, size_t owner, const char *format, ...)
{
    struct signal_entry *entry = &sim->signals[sim->signal_count++];
    va_list parts;
    entry->source = (uint8_t)source;
    entry->owner = (uint32_t)owner;
    entry->name = (uint32_t)sim->signal_names_size;
    va_start(parts, format);
    vsnprintf(sim->signal_names + entry->name, SIM_SIGNAL_NAME_MAX, format, parts);
    va_end(parts);
    sim->signal_names_size += strlen(signal_name(sim, entry)) + 1;
    return entry;
}

static void add_rows(struct sim *sim, enum signal_source source, size_t owner,
                     const struct signal_row *rows, size_t count, const char *a, const char *b)
{
    for (size_t i = 0; i < count; i++)
        add(sim, source, owner, "%s%s%s.%s", a, b ? "." : "", b ? b : "", rows[i].name)->row =
            &rows[i];
}

/* Adds a signal for each element of each field of a packet whose message is at OFFSET of the
 * state. */
static void add_mirror(struct sim *sim, size_t owner, const struct wire_packet *packet,
                       const char *name, size_t offset)
{
    for (size_t f = 0; f < packet->field_count; f++) {
        const struct wire_field *field = &packet->fields[f];
        for (size_t e = 0; e < (field->type == WIRE_CHAR ? 0 : field->count); e++) {
            char number[24] = "";
            if (field->count > 1)
                snprintf(number, sizeof number, "_%zu", e);
            struct signal_entry *entry = add(sim, SOURCE_MIRROR, owner, "%s.%s.%s%s",
                                             sim->robots[owner].name, name, field->name, number);
            entry->field = field;
            entry->element = (uint16_t)e;
            entry->offset = (uint32_t)offset;
            entry->direction = (uint8_t)packet->direction;
        }
    }
}

static void add_mirrors(struct sim *sim, size_t owner)
{
    const struct robot_type *type = sim->robots[owner].type;
    const struct robot_body *body = sim->robots[owner].body;
    for (size_t m = 0; m < type->mirror_count; m++)
        add_mirror(sim, owner, type->mirrors[m].packet, type->mirrors[m].packet->name,
                   type->mirrors[m].offset);
    for (size_t i = 0; type->servo_packet && i < body->servo_count; i++) {
        size_t offset = type->servo_offset + i * type->servo_size;
        add_mirror(sim, owner, type->servo_packet, body->servos[i].name, offset);
        for (size_t k = 0; k < type->servo_signal_count; k++) {
            const struct signal_row *row = &type->servo_signals[k];
            struct signal_entry *entry =
                add(sim, SOURCE_STATE, owner, "%s.%s.%s", sim->robots[owner].name,
                    body->servos[i].name, row->name);
            entry->row = row;
            entry->offset = (uint32_t)offset;
        }
    }
}

static size_t most_signals(const struct sim *sim)
{
    size_t most = COUNT(world_rows) + sim->run.world_signal_count + COUNT(scene_rows) +
                  sim->robot_count * (COUNT(robot_rows) + COUNT(odometry_rows)) +
                  sim->channel_count *
                      (COUNT(channel_rows) + COUNT(serial_rows) + sim->run.channel_signal_count);
    for (size_t i = 0; i < sim->robot_count; i++) {
        const struct robot_type *type = sim->robots[i].type;
        most += type->signal_count;
        for (size_t m = 0; m < type->mirror_count; m++)
            for (size_t f = 0; f < type->mirrors[m].packet->field_count; f++)
                most += type->mirrors[m].packet->fields[f].count;
        if (type->servo_packet)
            most += sim->robots[i].body->servo_count *
                    (type->servo_packet->field_count + type->servo_signal_count);
    }
    return most;
}

struct named_signal {
    const char *name;
    uint32_t signal;
};

/* For signals with equal names, the first one is found. */
static int compare_names(const void *one, const void *other)
{
    const struct named_signal *a = one, *b = other;
    int order = strcmp(a->name, b->name);
    return order ? order : (a->signal > b->signal) - (a->signal < b->signal);
}

static bool order_by_name(struct sim *sim)
{
    sim->signals_by_name = malloc(sim->signal_count * sizeof *sim->signals_by_name);
    struct named_signal *all = malloc(sim->signal_count * sizeof *all);
    bool is_good = sim->signals_by_name && all;
    for (size_t i = 0; is_good && i < sim->signal_count; i++)
        all[i] = (struct named_signal){signal_name(sim, &sim->signals[i]), (uint32_t)i};
    if (is_good)
        qsort(all, sim->signal_count, sizeof *all, compare_names);
    for (size_t i = 0; is_good && i < sim->signal_count; i++)
        sim->signals_by_name[i] = all[i].signal;
    free(all);
    return is_good;
}

static void add_channel(struct sim *sim, const struct sim_robot *robot, size_t c)
{
    const struct channel_spec *spec = &robot->type->channels[c];
    size_t index = robot->first_channel + c;
    add_rows(sim, SOURCE_CHANNEL, index, channel_rows, COUNT(channel_rows), robot->name,
             spec->name);
    if (spec->kind == CHANNEL_SERIAL)
        add_rows(sim, SOURCE_CHANNEL, index, serial_rows, COUNT(serial_rows), robot->name,
                 spec->name);
    add_rows(sim, SOURCE_RUN_CHANNEL, index, sim->run.channel_signals,
             sim->run.channel_signal_count, robot->name, spec->name);
}

bool signals_create(struct sim *sim)
{
    size_t most = most_signals(sim);
    sim->signals = calloc(most, sizeof *sim->signals);
    // Far more than the names need: the kernel provides memory only for the used part.
    sim->signal_names = malloc(most * SIM_SIGNAL_NAME_MAX);
    if (!sim->signals || !sim->signal_names)
        return false;
    // Time comes first, then the signals of the run's clock.
    add_rows(sim, SOURCE_WORLD, 0, world_rows, 1, "world", NULL);
    add_rows(sim, SOURCE_RUN, 0, sim->run.world_signals, sim->run.world_signal_count, "world",
             NULL);
    add_rows(sim, SOURCE_WORLD, 0, world_rows + 1, COUNT(world_rows) - 1, "world", NULL);
    add_rows(sim, SOURCE_SCENE, 0, scene_rows, COUNT(scene_rows), "world", NULL);
    for (size_t i = 0; i < sim->robot_count; i++) {
        const struct sim_robot *robot = &sim->robots[i];
        add_rows(sim, SOURCE_ROBOT, i, robot_rows, COUNT(robot_rows), robot->name, NULL);
        if (robot->type->odometry)
            add_rows(sim, SOURCE_ROBOT, i, odometry_rows, COUNT(odometry_rows), robot->name, NULL);
        add_rows(sim, SOURCE_STATE, i, robot->type->signals, robot->type->signal_count, robot->name,
                 NULL);
        add_mirrors(sim, i);
        for (size_t c = 0; c < robot->type->channel_count; c++)
            add_channel(sim, robot, c);
    }
    return order_by_name(sim);
}

void signals_destroy(struct sim *sim)
{
    free(sim->signals);
    free(sim->signal_names);
    free(sim->signals_by_name);
}

/* ---- Reading ---- */

size_t sim_signal_count(const struct sim *sim)
{
    return sim->signal_count;
}

static struct sim_signal info_of_mirror(const struct sim *sim, const struct signal_entry *entry)
{
    const struct wire_field *field = entry->field;
    bool is_asked = entry->direction == WIRE_TO_ROBOT;
    return (struct sim_signal){.name = signal_name(sim, entry),
                               .type = type_of_field(field),
                               .unit = field->unit,
                               .note = field->note,
                               .reported = is_asked ? "value requested by the driver"
                                                    : "last value sent by the robot"};
}

struct sim_signal sim_signal_info(const struct sim *sim, size_t signal)
{
    const struct signal_entry *entry = &sim->signals[signal];
    if (entry->source == SOURCE_MIRROR)
        return info_of_mirror(sim, entry);
    return (struct sim_signal){.name = signal_name(sim, entry),
                               .type = type_of_row(entry->row),
                               .unit = entry->row->unit,
                               .names = entry->row->names,
                               .note = entry->row->note,
                               .reported = "",
                               .is_live = signal_is_live(entry)};
}

size_t sim_signal_find(const struct sim *sim, const char *wanted)
{
    size_t from = 0, to = sim->signal_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (strcmp(signal_name(sim, &sim->signals[sim->signals_by_name[middle]]), wanted) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    if (from == sim->signal_count)
        return SIZE_MAX;
    size_t found = sim->signals_by_name[from];
    return strcmp(signal_name(sim, &sim->signals[found]), wanted) == 0 ? found : SIZE_MAX;
}

const char *sim_signal_nearest(const struct sim *sim, const char *wanted)
{
    char of_world[SIM_SIGNAL_NAME_MAX] = "world";
    const char *dot = strchr(wanted, '.');
    snprintf(of_world + strlen(of_world), sizeof of_world - strlen(of_world), "%s", dot ? dot : "");
    size_t found = sim_signal_find(sim, of_world);
    if (found != SIZE_MAX)
        return signal_name(sim, &sim->signals[found]);
    const char **names = calloc(sim->signal_count + 1, sizeof *names);
    for (size_t i = 0; names && i < sim->signal_count; i++)
        names[i] = signal_name(sim, &sim->signals[i]);
    const char *nearest = names ? text_nearest(names, wanted) : NULL;
    free(names);
    return nearest;
}

const char *sim_signal_meaning(const struct sim_signal *info, char *text, size_t size)
{
    const char *note = info->note ? info->note : "";
    snprintf(text, size, "%s%s%s", info->reported, *info->reported && *note ? ": " : "", note);
    return text;
}

const char *sim_signal_word(const struct sim_signal *info, double value)
{
    for (size_t i = 0; info->names && info->names[i]; i++)
        if (value == (double)i)
            return info->names[i];
    return NULL;
}

double sim_signal_value(const struct sim *sim, size_t signal)
{
    const struct signal_entry *entry = &sim->signals[signal];
    switch ((enum signal_source)entry->source) {
    case SOURCE_WORLD:
        return robot_signal(entry->row, sim);
    case SOURCE_SCENE:
        return robot_signal(entry->row, sim->scene);
    case SOURCE_ROBOT:
        return robot_signal(entry->row, &sim->robots[entry->owner]);
    case SOURCE_STATE:
        return robot_signal(entry->row,
                            (const uint8_t *)sim->robots[entry->owner].state + entry->offset);
    case SOURCE_MIRROR:
        return wire_value(entry->field,
                          (const uint8_t *)sim->robots[entry->owner].state + entry->offset,
                          entry->element);
    case SOURCE_RUN:
        return robot_signal(entry->row, sim->run.world);
    case SOURCE_RUN_CHANNEL:
        return robot_signal(entry->row, (const uint8_t *)sim->run.channels +
                                            entry->owner * sim->run.channel_size);
    case SOURCE_CHANNEL:
        break;
    }
    struct sim_channel view = sim->channels[entry->owner];
    view.line_view = *sim_channel_line(sim, entry->owner);
    view.robot_view = *sim_channel_stats(sim, entry->owner);
    return robot_signal(entry->row, &view);
}
