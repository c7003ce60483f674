/* The parts of a run with driver commands. */
#include "app/drivers/host_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/terminal.h"
#include "app/links/poller.h"

/* ---- Flags ---- */

/* --warp sets the speed, or is max or off. */
static bool take_warp(struct host_options *options, struct session_options *run,
                      const struct arguments *arguments)
{
    static const struct option_row row = {
        .key = "--warp", .type = OPTION_NUMBER, .min = 0.001, .max = 1000};
    struct error error = {0};
    bool is_paced = arguments_has(arguments, "speed") || run->is_fast || run->is_lockstep;
    bool is_off = strcmp(options->warp_text, "off") == 0;
    bool is_max = strcmp(options->warp_text, "max") == 0;
    options->has_warp = arguments_has(arguments, "warp") && !is_off;
    options->is_warped = !is_off && (options->has_warp || !is_paced);
    options->warp = is_max ? INFINITY : 1;
    if (!options->has_warp)
        return true;
    if (!is_max && !option_set(&row, options->warp_text, &options->warp, &error)) {
        char text[sizeof error.text + 32];
        snprintf(text, sizeof text, "%s, or max, or off", error.text);
        return arguments_refuse(arguments, text);
    }
    if (is_paced)
        return arguments_refuse(arguments,
                                "--warp sets the speed: leave out --speed, --fast and --lockstep");
    if (!is_max)
        run->speed = options->warp;
    return true;
}

static bool take_delay(struct host_options *options, const struct arguments *arguments)
{
    struct error error = {0};
    char text[sizeof error.text + 32];
    if (*options->delay_text &&
        !scene_host_delay_parse(options->delay_text, &options->delay, &error)) {
        snprintf(text, sizeof text, "--host-delay: %s", error.text);
        return arguments_refuse(arguments, text);
    }
    if ((*options->delay_text || options->wake_order != 0) && !options->is_warped)
        return arguments_refuse(arguments,
                                "--host-delay and --wake-order need virtual time: leave out --warp "
                                "off, --speed, --fast and --lockstep");
    return true;
}

static bool take_words(struct host_options *options, struct arguments *arguments)
{
    bool is_right = options->shells.count < HOSTS_MAX;
    for (size_t i = 0; i < options->shells.count; i++)
        is_right = is_right && *options->shells.texts[i];
    if (!is_right)
        return arguments_refuse(arguments, options->shells.count < HOSTS_MAX
                                               ? "--host: COMMAND is empty"
                                               : "--host: given more than 15 times");
    if (!arguments->has_rest)
        return true;
    if (arguments->rest == arguments->word_count)
        return arguments_refuse(arguments, "the driver command after -- is missing");
    arguments->words[arguments->word_count] = NULL;
    options->words = arguments->words + arguments->rest;
    return true;
}

bool host_options_take(struct host_options *options, struct session_options *run,
                       struct arguments *arguments)
{
    return take_warp(options, run, arguments) && take_delay(options, arguments) &&
           take_words(options, arguments);
}

/* ---- Which commands ---- */

static void add_shell(struct host_run *run, const char *command, const char *folder)
{
    const char **words = run->shells[run->count];
    words[0] = "/bin/sh";
    words[1] = "-c";
    words[2] = command;
    run->commands[run->count++] = (struct host_command){.words = words, .folder = folder};
}

void host_run_choose(struct host_run *run, const struct host_options *options,
                     const struct scene *scene)
{
    run->options = options;
    if (options->words)
        run->commands[run->count++].words = options->words;
    for (size_t i = 0; i < options->shells.count; i++)
        add_shell(run, options->shells.texts[i], NULL);
    _Static_assert((int)SCENE_HOSTS_MAX <= (int)HOSTS_MAX,
                   "use the names of the robots in the scene");
    if (run->count == 0 && scene && scene->host_count > 0) {
        const char *slash = strrchr(scene->file, '/');
        snprintf(run->folder, sizeof run->folder, "%.*s",
                 slash ? (int)(slash - scene->file) + 1 : 1, slash ? scene->file : ".");
        for (size_t i = 0; i < scene->host_count; i++)
            add_shell(run, scene->hosts[i], run->folder);
    }
    // Otherwise the commands support the one after `--`, which decides when the run ends.
    run->hosts.awaited = options->words ? 1 : run->count;
}

/* ---- The clock of the drivers ---- */

/* Sets the delays and the wake order of threads. False: the time of the drivers is not held. */
static bool slow_down(struct host_run *run, struct error *error)
{
    const struct host_options *options = run->options;
    const struct scene *scene = run->session->scene;
    const struct scene_host_delay *delay =
        *options->delay_text ? &options->delay : &scene->host_delay;
    uint64_t order = options->wake_order != 0 ? (uint64_t)options->wake_order : scene->wake_order;
    if (run->count == 0 || (delay->max_us == 0 && order == 0))
        return true;
    if (!run->session->hold)
        return error_set(error,
                         "a delay or wake order of the driver needs virtual time: leave out --warp "
                         "off, --speed, --fast and --lockstep%s%s",
                         *run->reason ? "; " : "", run->reason);
    warp_slow_down(&run->warp, delay, order, scene->seed);
    return true;
}

/* Only drivers need a virtual clock. */
static bool open_warp(struct host_run *run, struct session *session, struct error *error)
{
    const struct host_options *options = run->options;
    struct error reason = {0};
    run->session = session;
    if (!options->is_warped || (run->count == 0 && !options->has_warp))
        return true;
    if (!isinf(options->warp))
        session->pacer.lag_max_ns = warp_lag_max_ns(options->warp);
    session->pacer.is_awaited = true;
    if (run->count == 0 && isinf(options->warp))
        terminal_say("--warp max without a driver command runs in real time; use --fast to run as "
                     "fast as possible");
    if (run->count == 0)
        return true;
    run->is_open = warp_open(&run->warp, options->warp, session->folder.path, error);
    if (!run->is_open) {
        // Without an explicit --warp, a failure does not stop the run.
        session->pacer.is_awaited = false;
        snprintf(run->reason, sizeof run->reason, "%.390s", error->text);
        return !options->has_warp;
    }
    for (size_t i = 0; i < run->count; i++)
        run->commands[i].warp = &run->warp;
    if (!warp_hold(&run->warp, &reason)) {
        snprintf(run->reason, sizeof run->reason, "%.390s", reason.text);
        return true;
    }
    session->hold = &run->warp.hold;
    session->live.pace.is_waiting = true;
    session->live.pace.is_fast = isinf(options->warp);
    return true;
}

bool host_run_open(struct host_run *run, struct session *session, struct error *error)
{
    return open_warp(run, session, error) && slow_down(run, error);
}

static void find_external_peers(const struct external_peers *peers, struct diagnoses *diagnoses)
{
    for (size_t i = 0; i < peers->count; i++)
        diagnoses_add(
            diagnoses, DIAGNOSIS_MACHINE, DIAGNOSIS_WARNING, "troubleshooting.md#external-process",
            "%s (process %d) talked to %s, outside of the driver command. Simulated time cannot "
            "wait for that process: start it in the driver command",
            peers->peers[i].name, (int)peers->peers[i].process, peers->peers[i].where);
}

void host_run_find(const struct host_run *run, double simulated_s, double wall_s,
                   struct diagnoses *diagnoses, struct warp_outcome *outcome)
{
    char text[480] = "";
    if (*run->reason)
        diagnoses_add(
            diagnoses, DIAGNOSIS_MACHINE, DIAGNOSIS_WARNING,
            "troubleshooting.md#time-does-not-wait",
            "simulated time cannot wait for the driver on this machine, so a busy machine may "
            "change the outcome%s: %s",
            isinf(run->options->warp) ? ", and --warp max runs at the speed of real time" : "",
            run->reason);
    if (!run->is_open)
        return;
    const char *entry = warp_warning(&run->warp, &run->session->pacer, text, sizeof text);
    bool is_host = warp_programs(&run->warp) == 0; // it has not taken the clock
    if (*text)
        diagnoses_add(diagnoses, is_host ? DIAGNOSIS_DRIVER : DIAGNOSIS_MACHINE, DIAGNOSIS_WARNING,
                      entry, "%s", text);
    warp_describe(&run->warp, simulated_s, wall_s, outcome);
    find_external_peers(&run->warp.hold.peers, diagnoses);
}

void host_run_close(struct host_run *run)
{
    warp_close(&run->warp);
}

/* ---- Starting the drivers ---- */

static bool start(struct host_run *run, size_t index, char *const *settings, struct error *error)
{
    struct host *host = &run->hosts.items[index];
    struct host_command command = run->commands[index]; // reports have the words as they were given
    char **words = host_words(command.words, settings, error);
    command.words = (const char *const *)words;
    command.settings = (const char *const *)settings;
    command.descriptors = run->session->descriptors;
    bool is_started = words && host_start(host, &command, poller_now_ns(), error);
    host_settings_free(words);
    if (!is_started)
        return false;
    run->hosts.count++;
    // One is enough: the keepers of the others are children of ptybot and are found too.
    if (index == 0 && run->session->hold && !hold_watch(run->session->hold, host->keeper.pid))
        return error_set(error, "not enough memory");
    return true;
}

bool host_run_start(struct host_run *run, size_t *failed, struct error *error)
{
    const struct session *session = run->session;
    char **settings = host_settings(session->sim, session->links, session->control_path);
    bool is_started = settings || error_set(error, "not enough memory");
    *failed = 0;
    for (size_t i = 0; is_started && i < run->count; i++) {
        *failed = i;
        is_started = start(run, i, settings, error);
    }
    host_settings_free(settings);
    if (!is_started)
        hosts_kill(&run->hosts);
    return is_started;
}
