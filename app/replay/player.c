/* A run in a page. */
#include "app/replay/player.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/replay/bundle.h"
#include "app/replay/journal_start.h"
#include "app/replay/marks.h"
#include "sim/record/playback.h"
#include "sim/watch/snapshot.h"
#include "sim/watch/watch.h"

static struct {
    char *input; /* input from the page */
    size_t input_room;
    char *bundle; /* contains the journal */
    size_t bundle_size;
    struct journal_reader reader;
    struct journal_head head;
    struct scene *scene;
    struct live live;
    struct sim *sim;
    struct playback *playback; /* NULL: there is no journal */
    struct watch *watch;
    enum playback_state state;
    struct journal_start_view view;
    double *values;
    struct marks marks;
    char *lines; /* of them */
    struct error reason;
    char text[2 * JOURNAL_NAME_MAX + 2]; /* text that a function has returned */
} player;

/* ---- Marks ---- */

void player_update(void)
{
    const struct snapshot *snapshot = player_snapshot();
    if (snapshot)
        marks_update(&player.marks, player.sim, snapshot);
}

const char *player_marks(void)
{
    enum { LINE_MAX_BYTES = sizeof(struct snapshot_mark) + 40 };
    const struct marks *marks = &player.marks;
    size_t room = marks->count * LINE_MAX_BYTES + 1, used = 0;
    free(player.lines);
    player.lines = malloc(room);
    if (!player.lines)
        return "";
    player.lines[0] = '\0';
    for (size_t i = 0; i < marks->count; i++)
        used += (size_t)snprintf(player.lines + used, room - used, "%.6f %s %s\n",
                                 (double)marks->list[i].at_us * 1e-6,
                                 snapshot_mark_word(marks->list[i].kind), marks->list[i].text);
    return player.lines;
}

/* ---- The journal ---- */

static bool open_journal(struct error *error)
{
    size_t size;
    const char *journal = bundle_journal(player.bundle, player.bundle_size, &size);
    if (!journal)
        return true;
    if (!journal_open(&player.reader, journal, size, error) ||
        !journal_head_read(&player.head, &player.reader, error) ||
        !journal_start_set(player.scene, &player.head, error))
        return false;
    marks_scan(&player.marks, &player.head, &player.reader);
    return true;
}

/* ---- Opening ---- */

void *player_room(uint32_t size)
{
    if (size >= player.input_room) {
        char *larger = realloc(player.input, (size_t)size + 1);
        if (!larger)
            return NULL;
        player.input = larger;
        player.input_room = (size_t)size + 1;
    }
    player.input[size] = '\0';
    return player.input;
}

static bool open_sim(struct error *error)
{
    player.sim = journal_start_sim(player.scene, &player.head, &player.live, error);
    if (!player.sim)
        return false;
    player.values = calloc(sim_signal_count(player.sim) + 1, sizeof *player.values);
    player.watch = watch_create(player.sim, WATCH_TRAILS_AND_FRAMES);
    if (!player.values || !player.watch)
        return error_set(error, "not enough memory for a run");
    player.live.pace.length_us = player.marks.length_us;
    if (player.head.program[0])
        player.playback = playback_open(&player.head, &player.reader, player.sim, error);
    return player.playback || !player.head.program[0];
}

bool player_open(uint32_t size)
{
    player.bundle = player.input; // the journal is read from there
    player.bundle_size = size;
    player.input = NULL;
    player.input_room = 0;
    player.scene = bundle_scene(player.bundle, size, &player.reason);
    if (!player.scene || !open_journal(&player.reason) || !open_sim(&player.reason))
        return false;
    player.reason = (struct error){0};
    return true;
}

void player_close(void)
{
    playback_close(player.playback);
    watch_destroy(player.watch);
    sim_destroy(player.sim);
    live_close(&player.live);
    scene_destroy(player.scene);
    journal_head_free(&player.head);
    marks_free(&player.marks);
    free(player.lines);
    free(player.values);
    free(player.view.snapshot);
    free(player.bundle);
    free(player.input);
    memset(&player, 0, sizeof player);
}

const char *player_reason(void)
{
    return player.reason.text;
}

/* ---- Time ---- */

/* Discards output of the robots, which has no reader here. */
static void drain(void)
{
    const uint8_t *bytes;
    size_t size;
    if (player.playback)
        playback_drain(player.playback, NULL, NULL);
    for (size_t i = 0; !player.playback && i < sim_channel_count(player.sim); i++)
        while (sim_output(player.sim, i, &bytes, &size))
            ;
}

/* Finishes the run at the end of the journal. */
static void end(void)
{
    const struct playback_result result = playback_result(player.playback);
    journal_start_end(player.sim, player.state);
    marks_step(&player.marks, player.sim);
    if (*result.state_reason || *result.reason)
        error_set(&player.reason, "%s", *result.state_reason ? result.state_reason : result.reason);
}

uint32_t player_run(uint32_t steps)
{
    for (uint32_t done = 0; done < steps; done++) {
        if (player_is_over())
            return done;
        if (player.playback)
            player.state = playback_feed(player.playback);
        if (player.state != PLAYBACK_GOES_ON) {
            end();
            return done;
        }
        sim_step(player.sim);
        drain();
        marks_step(&player.marks, player.sim);
    }
    return steps;
}

double player_now_s(void)
{
    return (double)sim_now_us(player.sim) * 1e-6;
}

double player_length_s(void)
{
    return (double)player.marks.length_us * 1e-6;
}

bool player_is_over(void)
{
    return player.state != PLAYBACK_GOES_ON;
}

bool player_is_paused(void)
{
    return player.live.pace.is_paused;
}

double player_speed(void)
{
    return player.live.pace.speed;
}

uint32_t player_steps_wanted(void)
{
    int64_t wanted = player.live.pace.steps_wanted;
    player.live.pace.steps_wanted = 0;
    return (uint32_t)wanted;
}

double player_seek_wanted_s(void)
{
    struct pace *pace = &player.live.pace;
    double wanted_s = pace->is_seeking ? (double)pace->seek_us * 1e-6 : -1;
    pace->is_seeking = false;
    return wanted_s;
}

void player_set_pace(bool is_paused, double speed)
{
    player.live.pace.is_paused = is_paused;
    player.live.pace.speed = speed;
}

/* ---- State ---- */

uint32_t player_snapshot_size(void)
{
    return (uint32_t)snapshot_size(player.sim);
}

const void *player_snapshot(void)
{
    struct snapshot *snapshot = journal_start_snapshot(&player.view, player.sim, player.watch);
    if (snapshot)
        live_show(&player.live, snapshot);
    return snapshot;
}

uint32_t player_signal_count(void)
{
    return (uint32_t)sim_signal_count(player.sim);
}

const double *player_values(void)
{
    for (size_t i = 0; i < sim_signal_count(player.sim); i++)
        player.values[i] = sim_signal_value(player.sim, i);
    return player.values;
}

const char *player_signal_name(uint32_t signal)
{
    const struct sim_signal info = sim_signal_info(player.sim, signal);
    snprintf(player.text, sizeof player.text, "%s%s", info.is_live ? " " : "", info.name);
    return player.text;
}

const char *player_program(void)
{
    snprintf(player.text, sizeof player.text, "%s %s", player.head.program, player.head.build);
    return player.head.program[0] ? player.text : "";
}

const char *player_hash(void)
{
    snprintf(player.text, sizeof player.text, "%016" PRIx64, sim_hash(player.sim));
    return player.text;
}

/* ---- Input ---- */

bool player_do(uint32_t size)
{
    player.reason = (struct error){0};
    return strlen(player.input) == size && sim_do(player.sim, player.input, &player.reason);
}

const char *player_wire(uint32_t robot)
{
    return robot < sim_robot_count(player.sim) ? sim_robot_wire(player.sim, robot) : "";
}

uint32_t player_channel(uint32_t robot)
{
    return (uint32_t)sim_channel_index(player.sim, robot, 0);
}

void player_host(uint32_t channel, bool is_there)
{
    if (!player.playback && channel < sim_channel_count(player.sim))
        sim_host_present(player.sim, channel, is_there);
}

void player_send(uint32_t channel, uint32_t size)
{
    if (!player.playback && channel < sim_channel_count(player.sim) &&
        size <= sim_host_room(player.sim, channel))
        sim_host_bytes(player.sim, channel, (const uint8_t *)player.input, size);
}
