/* Observes a driver during a run. */
#include "app/test/survival.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/arguments.h"
#include "app/links/live.h"
#include "base/angle.h"
#include "base/array.h"
#include "sim/watch/wire_account.h"

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

/* Ignores bytes beyond the size of a line, and zeros, which are in the hole of a long log. */
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

/* If the log became shorter, lines were removed from its middle. */
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

/* The value of a signal of a robot. NAN: the robot has no such signal. */
static double value_of(const struct sim *sim, size_t robot, const char *name)
{
    char signal[SIM_SIGNAL_NAME_MAX];
    snprintf(signal, sizeof signal, "%s.%s", sim_robot_name(sim, robot), name);
    size_t found = sim_signal_find(sim, signal);
    return found == SIZE_MAX ? NAN : sim_signal_value(sim, found);
}

static void read_pose(const struct sim *sim, const char *prefix, double pose[3])
{
    for (size_t i = 0; i < 3; i++) {
        char name[48];
        snprintf(name, sizeof name, "%s%s", prefix, keys[i]);
        pose[i] = value_of(sim, 0, name);
    }
}

/* Distance between two displacements: the driver's since its first estimate, and that of POSE since
 * ORIGIN, rotated into the driver's frame. */
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
    estimate->speeds[at] = value_of(sim, 0, "speed_m_s");
    estimate->turns[at] = value_of(sim, 0, "turn_deg_s");
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

#define TENTH_US 100000

/* Adds the open descriptors of a process and of its descendants. */
static void count_process(pid_t pid, pid_t group, void *count)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *folder = opendir(path);
    while (folder && readdir(folder))
        ++*(size_t *)count;
    if (folder)
        closedir(folder);
    (void)group;
    keeper_visit(pid, count_process, count);
}

static void note_end(struct survival_facts *facts, const struct hosts *hosts, double now_s)
{
    if (facts->is_ended || hosts->count == 0 || !hosts->items[0].is_ended)
        return;
    facts->is_ended = true;
    facts->status = hosts->items[0].status;
    facts->end_s = now_s;
}

void survival_update(struct survival_facts *facts, const struct sim *sim, const struct live *live,
                     const struct links *links, const struct hosts *hosts)
{
    int64_t now_us = sim_now_us(sim);
    size_t tenth = (size_t)(now_us / TENTH_US);
    note_end(facts, hosts, (double)now_us * 1e-6);
    if (tenth < facts->tenths || tenth >= SURVIVAL_TENTHS)
        return;
    uint64_t commands = 0, taken = 0, written = 0, opened = 0;
    for (size_t i = 0; i < sim_channel_count(sim); i++)
        commands += sim_channel_stats(sim, i)->frames;
    for (size_t i = 0; i < links_count(links); i++) {
        struct links_view view;
        links_view(links, i, &view);
        facts->channels |= (uint64_t)(view.hosts > 0) << (view.channel & 63);
        taken += view.reading ? view.reading->taken : 0;
        written += view.received;
        opened += view.hosts;
    }
    struct estimate_error error = {0};
    if (!facts->is_ended && hosts->count > 0)
        error = estimate_update(&facts->estimate, sim, live, hosts->items[0].log);
    for (; facts->tenths <= tenth; facts->tenths++) {
        facts->errors[facts->tenths] = error;
        facts->commands[facts->tenths] = commands;
        facts->taken[facts->tenths] = taken;
        facts->written[facts->tenths] = written;
        facts->opened[facts->tenths] = opened;
    }
    if (facts->counts_descriptors && tenth % 10 == 5 && !facts->is_ended) {
        facts->descriptors = 0;
        for (size_t i = 0; i < hosts->count; i++)
            keeper_visit(hosts->items[i].keeper.pid, count_process, &facts->descriptors);
        if (facts->descriptors_first == 0)
            facts->descriptors_first = facts->descriptors;
    }
}

/* ---- At the end ---- */

static void add_packet(struct survival_facts *facts, const char *channel,
                       const struct wire_account_packet *row)
{
    if (row->count == 0 || facts->packet_count == SURVIVAL_PACKETS)
        return;
    struct survival_packet *packet = &facts->packets[facts->packet_count++];
    snprintf(packet->name, sizeof packet->name, "%s %s", channel, row->packet->name);
    for (size_t i = 0; i < wire_account_values(row->packet); i++) {
        size_t element;
        const struct wire_field *field = wire_account_field(row->packet, i, &element);
        double most = fmax(fabs(row->values[i].least), fabs(row->values[i].most));
        if (strstr(field->unit, "/s"))
            packet->speed = fmax(packet->speed, most);
    }
}

static void add_channel(struct survival_facts *facts, const struct sim *sim, size_t channel,
                        const struct wire_account *account)
{
    const struct robot_stats *stats = sim_channel_stats(sim, channel);
    char name[SURVIVAL_NAME / 2];
    unsigned of_robot;
    size_t robot = sim_channel_robot(sim, channel, &of_robot);
    snprintf(name, sizeof name, "%s.%s", sim_robot_name(sim, robot),
             sim_robot_type(sim, robot)->channels[of_robot].name);
    for (unsigned cause = 0; cause < REFUSALS; cause++)
        facts->refused += refusal_count(stats, cause);
    for (size_t i = 0; i < account->packet_count; i++)
        add_packet(facts, name, &account->packets[i]);
}

/* The sum of all fault counters, which are recognized by the names of their signals. */
static double count_hits(const struct sim *sim)
{
    double hits = 0;
    for (size_t i = 0; i < sim_signal_count(sim); i++)
        if (strstr(sim_signal_info(sim, i).name, ".fault_"))
            hits += sim_signal_value(sim, i);
    return hits;
}

void survival_finish(struct survival_facts *facts, const struct sim *sim,
                     const struct wire_log *log, const struct hosts *hosts, int64_t end_ns)
{
    facts->run_s = (double)sim_now_us(sim) * 1e-6;
    if (hosts->count > 0 && hosts->items[0].end_ns <= end_ns)
        note_end(facts, hosts, facts->run_s);
    facts->hits = count_hits(sim);
    for (size_t i = 0; i < sim_robot_count(sim); i++)
        facts->speed_m_s =
            fmax(facts->speed_m_s, fabs(value_of(sim, i, "speed_m_s"))); // leaves NAN out
    for (size_t i = 0; i < sim_channel_count(sim); i++)
        add_channel(facts, sim, i, wire_log_account(log, i));
    facts->is_there = true;
}

double survival_rate(const struct survival_facts *facts, const uint64_t *counter, double from_s,
                     double until_s)
{
    if (facts->tenths == 0 || until_s <= from_s)
        return 0;
    size_t last = facts->tenths - 1;
    size_t from = (size_t)fmax(from_s * 10, 0), until = (size_t)fmax(until_s * 10, 0);
    from = from < last ? from : last;
    until = until < last ? until : last;
    return (double)(counter[until] - counter[from]) / (until_s - from_s);
}

const char *const *survival_words(const char *script, const char *const *words)
{
    static const char *all[ARGUMENTS_REPEATS_MAX] = {"/bin/sh", "-c", NULL, "sh"};
    size_t count = 4;
    all[2] = script;
    for (; *words && count + 1 < COUNT(all); words++)
        all[count++] = *words;
    all[count] = NULL;
    return all;
}
