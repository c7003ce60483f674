/* `ptybot run`: a scene becomes a running simulation that hosts can reach. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sim/app/control.h"
#include "sim/app/exit_code.h"
#include "sim/app/loop.h"
#include "sim/app/report.h"
#include "sim/app/run_folder.h"
#include "sim/app/scene_file.h"
#include "sim/app/signal_log.h"
#include "sim/app/stop.h"
#include "sim/app/storage.h"
#include "sim/app/terminal.h"
#include "sim/app/verb.h"

struct run_options {
    double speed;
    bool is_fast, is_lockstep;
    int64_t seed;
    double for_s;
    struct argument_texts set;
    char log[PATH_MAX];
    char control[PATH_MAX];
};

#define OPTION(member) offsetof(struct run_options, member)
static const struct flag_row flags[] = {
    {.value = "X",
     .option = {.key = "speed",
                .type = OPTION_NUMBER,
                .offset = OPTION(speed),
                .unit = "",
                .min = 0.001,
                .max = 1000,
                .fallback = "1",
                .note = "simulated seconds a second"}},
    {.option = {.key = "fast",
                .type = OPTION_BOOL,
                .offset = OPTION(is_fast),
                .fallback = "false",
                .note = "as fast as the machine can"}},
    {.option = {.key = "lockstep",
                .type = OPTION_BOOL,
                .offset = OPTION(is_lockstep),
                .fallback = "false",
                .note = "time goes on only by `ptybot ctl step`"}},
    {.value = "N",
     .otherwise = "the scene's",
     .option = {.key = "seed",
                .type = OPTION_INTEGER,
                .offset = OPTION(seed),
                .unit = "",
                .min = 0,
                .max = 9007199254740992.0, // 2^53, as in a scene
                .fallback = "0",
                .note = "of all randomness"}},
    {.value = "SECONDS",
     .otherwise = "until stopped",
     .option = {.key = "for",
                .type = OPTION_NUMBER,
                .offset = OPTION(for_s),
                .unit = "s",
                .min = 0.001,
                .max = 1e9, // chosen: 30 years
                .fallback = "1e9",
                .note = "end after so much simulated time"}},
    {.value = "ROBOT.OPTION=VALUE",
     .is_repeated = true,
     .option = {.key = "set",
                .offset = OPTION(set),
                .note = "an option of a robot, see `ptybot list options`; may be repeated"}},
    {.value = "F.csv",
     .option = {.key = "log",
                .type = OPTION_TEXT,
                .offset = OPTION(log),
                .size = PATH_MAX,
                .fallback = "",
                .note = "write all signals, a row each 20 ms of simulated time"}},
    {.value = "PATH",
     .option = {.key = "control",
                .type = OPTION_TEXT,
                .offset = OPTION(control),
                .size = PATH_MAX,
                .fallback = "",
                .note = "the control socket, instead of one in the run's folder"}},
};

/* The parts of a run, made in this order and unmade in the reverse. */
struct run {
    struct scene *scene;
    struct storage *storage;
    struct sim *sim;
    struct poller poller;
    struct run_folder folder;
    struct links *links;
    struct control *control;
    struct signal_log *log;
    struct pacer pacer;
    struct report report;
    char *summary; /* printed when all is closed: a terminal may make us wait */
};

static enum pacer_mode mode_of(const struct run_options *options)
{
    return options->is_lockstep ? PACER_LOCKSTEP : options->is_fast ? PACER_FAST : PACER_REAL_TIME;
}

/* The scene with what the command line changes in it. */
static bool make_scene(struct run *run, const char *word, const struct run_options *options,
                       bool has_seed, struct error *error)
{
    run->scene = scene_file_find(word, error);
    if (!run->scene)
        return false;
    for (size_t i = 0; i < options->set.count; i++)
        if (!scene_set(run->scene, options->set.texts[i], error))
            return error_prefix(error, "--set ");
    if (has_seed)
        run->scene->seed = (uint64_t)options->seed;
    return options->set.count == 0 || scene_check(run->scene, error);
}

static bool make_sim(struct run *run, struct error *error)
{
    run->storage = storage_open(run->scene, error);
    if (run->storage)
        run->sim = sim_create(run->scene, storage_loaded(run->storage), error);
    return run->sim != NULL;
}

/* Each link holds a few descriptors: many robots need more than the usual 1024. */
static void allow_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* Opens the control socket; the run's folder leads to it wherever it is. */
static bool open_control(struct run *run, const char *path, int *code, struct error *error)
{
    const struct methods_scope scope = {.sim = run->sim, .links = run->links};
    run->control =
        control_open(*path ? path : run->folder.socket_path, &scope, &run->poller, code, error);
    if (!run->control)
        return false;
    char place[PATH_MAX];
    // Without the short cut, --control PATH still finds it.
    if (*path && realpath(path, place) && symlink(place, run->folder.socket_path) != 0)
        terminal_say("`ptybot ctl` will need --control %s", place);
    return true;
}

/* Opens everything outside the simulation. Whatever fails leaves the rest to run_close. */
static bool open_outside(struct run *run, const struct run_options *options, int *code,
                         struct error *error)
{
    *code = EXIT_CODE_ENVIRONMENT;
    if (!poller_open(&run->poller, error) || !stop_catch(&run->poller, error) ||
        !run_folder_open(&run->folder, error))
        return false;
    run->links = links_open(run->scene, run->sim, &run->poller, code, error);
    if (!run->links || !open_control(run, options->control, code, error))
        return false;
    *code = EXIT_CODE_ENVIRONMENT;
    if (*options->log)
        run->log = signal_log_open(options->log, run->sim, error);
    return !*options->log || run->log;
}

/* Removes all that others can see, first of all the paths. Returns false if the log is not whole.
 */
static bool close_all(struct run *run, struct error *error)
{
    links_close(run->links);
    control_close(run->control);
    run_folder_close(&run->folder);
    stop_release();
    poller_close(&run->poller);
    bool is_logged = signal_log_close(run->log, error);
    storage_close(run->storage, run->sim);
    sim_destroy(run->sim);
    scene_destroy(run->scene);
    return is_logged;
}

static int64_t end_of(const struct run_options *options, bool has_for)
{
    return has_for ? (int64_t)ceil(options->for_s * 1e6) : INT64_MAX;
}

static void go(struct run *run, const struct run_options *options, int64_t end_us)
{
    char control_path[PATH_MAX];
    const char *path = *options->control ? options->control : run->folder.socket_path;
    struct loop loop = {
        .sim = run->sim,
        .poller = &run->poller,
        .links = run->links,
        .control = run->control,
        .pacer = &run->pacer,
        .report = &run->report,
        .storage = run->storage,
        .log = run->log,
        .end_us = end_us,
    };
    run->report = (struct report){.sim = run->sim, .links = run->links, .pacer = &run->pacer};
    report_start(&run->report, run->scene, realpath(path, control_path) ? control_path : path,
                 poller_now_ns());
    loop_run(&loop);
    terminal_status("");
    size_t size;
    FILE *summary = open_memstream(&run->summary, &size);
    report_end(&run->report, poller_now_ns(), summary ? summary : stdout);
    if (summary)
        fclose(summary);
}

static int run_scene(const char *word, const struct run_options *options,
                     const struct arguments *arguments)
{
    struct run run = {.folder.lock = -1, .poller = {.epoll = -1, .timer = -1}};
    struct error error = {0};
    int code = EXIT_CODE_USAGE;
    bool is_open = make_scene(&run, word, options, arguments_has(arguments, "seed"), &error);
    if (is_open) {
        code = EXIT_CODE_ENVIRONMENT;
        is_open = make_sim(&run, &error);
    }
    if (is_open) {
        allow_descriptors();
        pacer_init(&run.pacer, mode_of(options));
        sim_pace(run.sim)->speed = options->speed;
        sim_pace(run.sim)->is_paused = options->is_lockstep;
        sim_pace(run.sim)->is_lockstep = options->is_lockstep;
        is_open = open_outside(&run, options, &code, &error);
    }
    if (is_open) {
        go(&run, options, end_of(options, arguments_has(arguments, "for")));
        code = EXIT_CODE_OK;
    }
    struct error log_error = {0};
    bool is_logged = close_all(&run, &log_error);
    if (run.summary)
        fputs(run.summary, stdout);
    free(run.summary);
    terminal_flush();
    if (!is_open)
        return terminal_fail(code, "%s", error.text);
    return is_logged ? code : terminal_fail(EXIT_CODE_ENVIRONMENT, "%s", log_error.text);
}

static int run(int argc, char **argv)
{
    static struct run_options options; // too large for a stack to like
    struct arguments arguments;
    if (!verb_parse(&run_verb, &arguments, argc, argv, &options))
        return EXIT_CODE_USAGE;
    if (arguments.word_count != 1)
        return verb_misused(&run_verb, arguments.word_count == 0
                                           ? "give a scene or a robot type"
                                           : "give one scene; a scene may hold many robots");
    int pacings = arguments_has(&arguments, "speed") + options.is_fast + options.is_lockstep;
    if (pacings > 1)
        return verb_misused(&run_verb, "--speed, --fast and --lockstep exclude each other");
    return run_scene(arguments.words[0], &options, &arguments);
}

const struct verb run_verb = {
    .name = "run",
    .usage = "SCENE|ROBOT [FLAGS]",
    .summary = "simulate a scene, or one robot in an empty room",
    .details =
        "SCENE is a file, or the name of an installed scene (`ptybot list scenes`); ROBOT is a\n"
        "robot type (`ptybot list robots`). Prints where drivers connect, and runs until --for,\n"
        "SIGINT or SIGTERM, which are an orderly end with exit code 0. Where that takes longer\n"
        "than a second, another signal ends it at once.\n\n"
        "  ptybot run kobuki\n"
        "  ptybot run scenes/kobuki_room.yaml --seed 7 --set kobuki.battery_v=14.2 --for 60",
    .flags = flags,
    .flag_count = sizeof flags / sizeof flags[0],
    .run = run,
};
