/* The pace and the counters of a run as rows of its simulation. */
#include "app/links/live.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "sim/watch/snapshot.h"

static const struct signal_row pace_rows[] = {
    SIGNAL_ROW("paused", pace, is_paused, "", "1 while time is paused"),
    SIGNAL_ROW("speed", pace, speed, "",
               "requested speed: simulated seconds per wall-clock second"),
    SIGNAL_ROW("late_ms", pace, late_ms, "ms",
               "largest delay of a step, because the machine was busy"),
    SIGNAL_ROW("dropped_s", pace, dropped_s, "s",
               "real time that was dropped because steps were more than 100 ms late"),
    SIGNAL_ROW("estimate_x_m", live, estimate[0], "m", "estimate of the driver; 0: not reported"),
    SIGNAL_ROW("estimate_y_m", live, estimate[1], "m", "estimate of the driver"),
    SIGNAL_ROW("estimate_heading_deg", live, estimate[2], "deg", "estimate of the driver"),
    SIGNAL_ROW("estimate_speed_m_s", live, estimate[3], "m/s", "estimate of the driver"),
    SIGNAL_ROW("estimate_turn_deg_s", live, estimate[4], "deg/s", "estimate of the driver"),
};

static const struct signal_row channel_rows[] = {
    SIGNAL_ROW("taken_frames", live_channel, taken_frames, "",
               "chunks delivered to the link (a chunk is a whole frame unless `chunks` is set)"),
    SIGNAL_ROW("dropped_frames", live_channel, dropped_frames, "",
               "chunks that the link rejected, because the driver did not read"),
    SIGNAL_ROW("unread_bytes", live_channel, unread_bytes, "B",
               "bytes that the driver has not read (above 4095: the upper limit); tcp: bytes that "
               "its kernel has not accepted"),
    SIGNAL_ROW("host_silence_s", live_channel, host_silence_s, "s",
               "longest time that bytes waited unread"),
    SIGNAL_ROW("hosts", live_channel, hosts, "", "connections of drivers so far"),
    SIGNAL_ROW("refused_hosts", live_channel, refused_hosts, "",
               "drivers rejected because another driver was connected (tcp)"),
    SIGNAL_ROW("bad_requests", live_channel, bad_requests, "",
               "unknown commands from drivers (rfc2217)"),
};

/* ---- Commands ---- */

struct pause_args {
    bool is_paused;
};

static const struct option_row pause_rows[] = {
    ROW_BOOL("paused", pause_args, is_paused, "true", "false: continue"),
};

static bool pause_time(void *state, const void *data, int64_t now_us, struct error *error)
{
    (void)now_us;
    struct pace *pace = state;
    bool is_paused = ((const struct pause_args *)data)->is_paused;
    if (!is_paused && pace->is_lockstep)
        return error_set(error, "this run is in lockstep: time advances only by steps");
    pace->is_paused = is_paused;
    pace->steps_wanted = 0; // a pause stops steps under way, too
    return true;
}

struct step_args {
    int64_t ms;
};

static const struct option_row step_rows[] = {
    ROW_INTEGER("ms", step_args, ms, "ms", 1, 86400000, "1",
                "while paused: advance by this duration"),
};

static bool step(void *state, const void *data, int64_t now_us, struct error *error)
{
    (void)now_us;
    struct pace *pace = state;
    if (!pace->is_paused)
        return error_set(error, "time is not paused; world.pause first");
    pace->steps_wanted += ((const struct step_args *)data)->ms * 1000 / SIM_STEP_US;
    return true;
}

struct speed_args {
    double factor;
};

static const struct option_row speed_rows[] = {
    ROW_NUMBER("x", speed_args, factor, "", 0.001, 1000, NULL, "simulated seconds per second"),
};

static bool set_speed(void *state, const void *data, int64_t now_us, struct error *error)
{
    (void)now_us, (void)error;
    struct pace *pace = state;
    pace->speed = ((const struct speed_args *)data)->factor;
    return true;
}

struct seek_args {
    double to_s;
};

static const struct option_row seek_rows[] = {
    // chosen: 30 years
    ROW_NUMBER("to", seek_args, to_s, "s", 0, 1e9, NULL,
               "only in a replay: the simulated time to show"),
};

static bool seek(void *state, const void *data, int64_t now_us, struct error *error)
{
    struct pace *pace = state;
    int64_t to_us = llround(((const struct seek_args *)data)->to_s * 1e6);
    if (pace->length_us == 0)
        return error_set(error,
                         "only a replay can jump to another time: record this run with `ptybot run "
                         "--journal F`, then open it with `ptybot replay F --view`");
    if (to_us > pace->length_us)
        return error_set(error, "to=%g: the journal ends at %.3f s", (double)to_us * 1e-6,
                         (double)pace->length_us * 1e-6);
    if (pace->goes_ahead && to_us < now_us)
        return error_set(error,
                         "to=%g: what is past is written already: only without --log, --bytes "
                         "and --capture can this replay go back",
                         (double)to_us * 1e-6);
    pace->is_seeking = true;
    pace->seek_us = to_us / SIM_STEP_US * SIM_STEP_US;
    return true;
}

struct estimate_args {
    double values[LIVE_ESTIMATES];
};

#define ESTIMATE(label, index, units, note)                                                        \
    ROW_NUMBER(label, estimate_args, values[index], units, LIVE_ESTIMATE_NONE, 1e9, "-1e9", note)
static const struct option_row estimate_rows[] = {
    ESTIMATE("x_m", 0, "m", "position, in the driver's coordinates; -1e9: not known"),
    ESTIMATE("y_m", 1, "m", "position, in the driver's coordinates"),
    ESTIMATE("heading_deg", 2, "deg", "heading, in the driver's coordinates"),
    ESTIMATE("speed_m_s", 3, "m/s", "forward speed"),
    ESTIMATE("turn_deg_s", 4, "deg/s", "turn rate, positive to the left"),
};

static bool estimate(void *state, const void *data, int64_t now_us, struct error *error)
{
    (void)now_us, (void)error;
    struct live *live = state;
    const struct estimate_args *args = data;
    for (size_t i = 0; i < LIVE_ESTIMATES; i++)
        if (args->values[i] > LIVE_ESTIMATE_NONE) {
            live->estimate[i] = args->values[i];
            live->is_estimated[i] = true;
        }
    return true;
}

static const struct command_row commands[] = {
    COMMAND_ROW("pause", pause_rows, pause_args, pause_time, "Pause or continue simulated time",
                .flags = COMMAND_FOR_TIME),
    COMMAND_ROW("step", step_rows, step_args, step, "While paused: advance by a duration",
                .flags = COMMAND_FOR_TIME),
    COMMAND_ROW("speed", speed_rows, speed_args, set_speed, "Set the speed of the simulation",
                .flags = COMMAND_FOR_TIME),
    COMMAND_ROW("seek", seek_rows, seek_args, seek,
                "In a replay: jump to another time, also backward", .flags = COMMAND_FOR_TIME),
    COMMAND_ROW("estimate", estimate_rows, estimate_args, estimate,
                "Report where the driver believes the first robot is"),
};

/* ---- Rows and state ---- */

struct run_rows live_rows(struct live *live)
{
    return (struct run_rows){
        .world_signals = pace_rows,
        .world_signal_count = COUNT(pace_rows),
        .commands = commands,
        .command_count = COUNT(commands),
        .world = live,
        .channel_signals = channel_rows,
        .channel_signal_count = COUNT(channel_rows),
        .channels = live ? live->channels : NULL,
        .channel_size = sizeof(struct live_channel),
    };
}

bool live_open(struct live *live, const struct scene *scene, struct error *error)
{
    *live = (struct live){.pace.speed = 1};
    for (size_t i = 0; i < scene->robot_count; i++)
        live->count += scene->robots[i].type->channel_count;
    live->channels = calloc(live->count + 1, sizeof *live->channels);
    return live->channels || error_set(error, "not enough memory for %zu channels", live->count);
}

struct sim *live_sim(struct live *live, const struct scene *scene,
                     const struct robot_storage *storage, struct error *error)
{
    if (!live_open(live, scene, error))
        return NULL;
    const struct run_rows rows = live_rows(live);
    return sim_create(scene, storage, &rows, error);
}

void live_close(struct live *live)
{
    free(live->channels);
    *live = (struct live){0};
}

void live_show(const struct live *live, struct snapshot *snapshot)
{
    if (!live)
        return;
    snapshot->is_paused = live->pace.is_paused;
    snapshot->is_lockstep = live->pace.is_lockstep;
    snapshot->speed = live->pace.speed;
    snapshot->length_us = live->pace.length_us;
    struct snapshot_channel *shown = (void *)((char *)snapshot + snapshot->channels.at);
    for (size_t i = 0; i < live->count; i++) {
        const struct live_channel *channel = &live->channels[i];
        snprintf(shown[i].place, sizeof shown[i].place, "%s", channel->place ? channel->place : "");
        shown[i].host_baud = (uint32_t)channel->host_baud;
        shown[i].taken_frames = channel->taken_frames;
        shown[i].dropped_frames = channel->dropped_frames;
    }
}
