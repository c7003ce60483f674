/* The parts of a replay. */
#include "app/record/replay_run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/cli/exit_code.h"
#include "app/cli/terminal.h"
#include "app/run/file_bytes.h"
#include "app/run/loop.h"
#include "app/run/scene_file.h"
#include "app/run/stop.h"

/* ---- The journal ---- */

bool replay_load(struct replay *replay, const char *path, int *code, struct error *error)
{
    size_t size;
    *code = EXIT_CODE_ENVIRONMENT;
    replay->journal = file_bytes_read(path, SIZE_MAX - 1, &size, error);
    if (!replay->journal)
        return false;
    *code = EXIT_CODE_USAGE;
    return journal_open(&replay->reader, replay->journal, size, error) &&
           journal_head_read(&replay->head, &replay->reader, error);
}

/* ---- The simulation ---- */

static bool make_scene(struct replay *replay, struct error *error)
{
    struct journal_head *head = &replay->head;
    if (head->type[0]) {
        replay->scene = scene_of_type(head->type, error);
    } else {
        replay->scene = scene_file_again(head->sources, error);
        head->sources = NULL; // the scene's now
    }
    if (!replay->scene)
        return error_prefix(error, "its scene: ");
    for (size_t i = 0; i < head->set_count; i++)
        if (!scene_set(replay->scene, head->sets[i], error))
            return error_prefix(error, "its --set ");
    replay->scene->seed = head->seed;
    return true;
}

static bool make_sim(struct replay *replay, struct error *error)
{
    struct journal_head *head = &replay->head;
    size_t robots = replay->scene->robot_count;
    struct robot_storage *storage = calloc(robots, sizeof *storage);
    if (!storage)
        return error_set(error, "not enough memory for the storage of %zu robots", robots);
    bool is_right = true;
    for (size_t i = 0; is_right && i < head->storage_count; i++) {
        if (head->storages[i].robot < robots)
            storage[head->storages[i].robot] = head->storages[i].memory;
        else
            is_right = error_set(error, "it has a storage of robot %zu, the scene has %zu robots",
                                 head->storages[i].robot, robots);
    }
    if (is_right)
        replay->sim = sim_create(replay->scene, storage, error);
    free(storage);
    return replay->sim;
}

/* ---- What it writes ---- */

static bool open_bytes(struct replay *replay, struct error *error)
{
    const char *folder = replay->options->bytes;
    const struct journal_head *head = &replay->head;
    replay->files = calloc(sim_channel_count(replay->sim) + 1, sizeof *replay->files);
    if (!replay->files)
        return error_set(error, "not enough memory for --bytes");
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return error_set(error, "--bytes %s: %s", folder, strerror(errno));
    for (size_t i = 0; i < head->channel_count; i++) {
        char path[PATH_MAX + JOURNAL_NAME_MAX];
        snprintf(path, sizeof path, "%s/%s", folder, head->channels[i].name);
        FILE *file = fopen(path, "wbe");
        if (!file)
            return error_set(error, "--bytes %s: %s", path, strerror(errno));
        replay->files[head->channels[i].channel] = file;
    }
    return true;
}

static void keep(void *context, size_t channel, const uint8_t *bytes, size_t size)
{
    struct replay *replay = context;
    if (fwrite(bytes, 1, size, replay->files[channel]) != size)
        replay->is_bytes_lost = true;
}

static bool close_bytes(struct replay *replay, struct error *error)
{
    for (size_t i = 0; replay->files && i < sim_channel_count(replay->sim); i++)
        if (replay->files[i] && fclose(replay->files[i]) != 0)
            replay->is_bytes_lost = true;
    free(replay->files);
    return !replay->is_bytes_lost ||
           error_set(error, "--bytes %s: not all could be written", replay->options->bytes);
}

/* ---- Opening and closing ---- */

static bool open_control(struct replay *replay, int *code, struct error *error)
{
    // The scene's links are the hosts', and there are none.
    for (size_t i = 0; i < replay->scene->robot_count; i++)
        replay->scene->robots[i].link_count = 0;
    replay->links = links_open(replay->scene, replay->sim, &replay->poller, NULL, code, error);
    if (!replay->links)
        return false;
    if (!*replay->options->control)
        return true;
    const struct methods_scope scope = {.sim = replay->sim, .links = replay->links};
    replay->control = control_open(replay->options->control, &scope, &replay->poller, code, error);
    return replay->control;
}

bool replay_open(struct replay *replay, int *code, struct error *error)
{
    const struct replay_options *options = replay->options;
    *code = EXIT_CODE_USAGE;
    if (!make_scene(replay, error) || !make_sim(replay, error))
        return false;
    replay->playback = playback_open(&replay->head, &replay->reader, replay->sim, error);
    if (!replay->playback)
        return false;
    *code = EXIT_CODE_ENVIRONMENT;
    if (!poller_open(&replay->poller, error) || !stop_catch(&replay->poller, error) ||
        !open_control(replay, code, error))
        return false;
    *code = EXIT_CODE_ENVIRONMENT;
    if (*options->bytes && !open_bytes(replay, error))
        return false;
    if (*options->log)
        replay->log = signal_log_open(options->log, replay->sim, error);
    if (*options->log && !replay->log)
        return false;
    pacer_init(&replay->pacer, options->has_speed ? PACER_REAL_TIME : PACER_FAST);
    sim_pace(replay->sim)->speed = options->speed;
    sim_pace(replay->sim)->is_paused = options->is_paused;
    report_init(&replay->report, replay->sim, replay->links, &replay->pacer, poller_now_ns());
    return true;
}

bool replay_close(struct replay *replay, struct error *error)
{
    control_close(replay->control);
    links_close(replay->links);
    stop_release();
    poller_close(&replay->poller);
    bool is_logged = signal_log_close(replay->log, error);
    bool is_written = close_bytes(replay, is_logged ? error : NULL);
    playback_close(replay->playback);
    sim_destroy(replay->sim);
    scene_destroy(replay->scene);
    journal_head_free(&replay->head);
    free(replay->journal);
    return is_logged && is_written;
}

/* ---- Running ---- */

/* Between two steps: what came out of the last one, and what goes into the next. */
static bool wants_step(void *context)
{
    struct replay *replay = context;
    playback_drain(replay->playback, replay->files ? keep : NULL, replay);
    if (replay->log)
        signal_log_step(replay->log);
    enum playback_state state = playback_feed(replay->playback);
    bool is_until = replay->options->has_until &&
                    (double)sim_now_us(replay->sim) >= replay->options->until_s * 1e6;
    replay->is_done = state != PLAYBACK_GOES_ON || is_until;
    return !replay->is_done;
}

static enum loop_turn turn(void *context, int64_t now_ns)
{
    (void)now_ns;
    const struct replay *replay = context;
    return replay->is_done || stop_is_wanted() ? LOOP_ENDS : LOOP_GOES;
}

void replay_run(struct replay *replay)
{
    const struct loop_guide guide = {.context = replay, .turn = turn, .wants_step = wants_step};
    struct loop loop = {
        .sim = replay->sim,
        .poller = &replay->poller,
        .links = replay->links,
        .control = replay->control,
        .pacer = &replay->pacer,
        .report = &replay->report,
        .guide = &guide,
        .end_us = INT64_MAX,
    };
    loop_run(&loop);
    terminal_status("");
}
