/* The parts of a run. */
#include "app/run/session.h"

#include <math.h>
#include <stdlib.h>

#include "app/cli/terminal.h"
#include "app/control/control_listener.h"
#include "app/files/scene_file.h"
#include "app/time/wakeup_latency.h"
#include "base/array.h"
#include "sim/parse/scene_parse.h"

/* ---- Flags ---- */

static const struct flag_row pace_flags[] = {
    // 1e9, chosen: 30 years.
    FLAG_NUMBER("for", "SECONDS", session_options, for_s, "s", 0.001, 1e9, "1e9",
                "End after this simulated time", .otherwise = "no limit"),
    SPEED_FLAG_ROW(session_options, speed),
    FLAG_SWITCH("fast", session_options, is_fast,
                "Run as fast as possible; does not wait for drivers"),
    FLAG_SWITCH("lockstep", session_options, is_lockstep, "Advance time only by `ptybot ctl step`"),
};
static const struct flag_group pace_group = {
    .title = "TIME", .rows = pace_flags, .count = COUNT(pace_flags)};

static const struct flag_row scene_flags[] = {
    // Up to 2^53, as in a scene.
    FLAG_INTEGER("seed", "N", session_options, seed, "", 0, 9007199254740992.0, "0",
                 "Seed of the random generator", .otherwise = "the scene's"),
    FLAG_REPEATED("set", "ROBOT.OPTION=VALUE", session_options, set,
                  "Set an option of a robot (`ptybot list options`), or ROBOT.pose=X,Y,HEADING, or "
                  "run a command at the start with do=COMMAND; repeatable"),
};
const struct flag_group session_scene_flags = {
    .title = "SCENE", .rows = scene_flags, .count = COUNT(scene_flags)};

static const struct flag_row output_flags[] = {
    FLAG_REPEATED("link", "ROBOT[.CHANNEL]=[TRANSPORT:]ADDRESS", session_options, link,
                  "Replace the link of a channel; repeatable. TRANSPORT is one of " LINK_KIND_NAMES
                  ". Examples: kobuki=tcp:auto, epuck2=127.0.0.2:1000"),
    LOG_FLAG_ROW(session_options, log),
    FLAG_TEXT("journal", "F", session_options, journal, "",
              "Record all inputs, for `ptybot replay`"),
    FLAG_TEXT(
        "control", "PATH|HOST:PORT", session_options, control, "",
        "Path of the control socket (default: in the run's folder). HOST:PORT adds a TCP port; "
        "0: a free port"),
    FLAG_SWITCH("control-allow-remote", session_options, is_control_remote,
                "Allow a --control HOST:PORT that other machines can reach"),
    FLAG_SWITCH("view", session_options, is_viewed, "Open a window. Closing it ends the run"),
    FLAG_TEXT("frames", "DIR", session_options, frames.folder, "",
              "Write numbered pictures, for a video"),
    FLAG_NUMBER("fps", "N", session_options, frames.per_s, "1/s", 0.01, 1000, "25",
                "Pictures per second of simulated time"),
};
static const struct flag_group output_group = {
    .title = "LINKS, RECORDING AND VIEW", .rows = output_flags, .count = COUNT(output_flags)};

static const struct flag_row capture_flags[] = {CAPTURE_FLAG_ROW(session_options, capture)};
static const struct flag_group capture_group = {
    .title = "CAPTURE", .rows = capture_flags, .count = COUNT(capture_flags)};

const struct shared_flags session_flags[] = {
    {&pace_group, 0},    {&session_scene_flags, 0},
    {&output_group, 0},  {&web_flags, offsetof(struct session_options, web)},
    {&capture_group, 0}, {&picture_flags, offsetof(struct session_options, frames.view)},
    {NULL, 0},
};

bool session_options_take(struct session_options *options, const struct arguments *arguments)
{
    options->has_seed = arguments_has(arguments, "seed");
    options->has_for = arguments_has(arguments, "for");
    int pacings = arguments_has(arguments, "speed") + options->is_fast + options->is_lockstep;
    return pacings <= 1 ||
           arguments_refuse(arguments, "--speed, --fast and --lockstep exclude each other");
}

struct scene *session_scene(const char *word, const struct session_options *options,
                            struct error *error)
{
    struct scene *scene = scene_file_find(word, options->allows_code, error);
    if (!scene)
        return NULL;
    bool is_right = true;
    for (size_t i = 0; is_right && i < options->set.count; i++)
        is_right = scene_set(scene, options->set.texts[i], error) || error_prefix(error, "--set ");
    for (size_t i = 0; is_right && i < options->link.count; i++)
        is_right =
            scene_link_set(scene, options->link.texts[i], error) || error_prefix(error, "--link ");
    if (options->has_seed)
        scene->seed = (uint64_t)options->seed;
    if (is_right && *options->frames.folder)
        is_right = picture_check_view(&options->frames.view, scene, error);
    if (is_right && (options->set.count + options->link.count == 0 ||
                     (scene_check(scene, error) && scene_file_check_script(scene, error))))
        return scene;
    scene_destroy(scene);
    return NULL;
}

/* ---- Opening and closing ---- */

static bool make_sim(struct session *session, struct error *error)
{
    session->storage = storage_open(session->scene, error);
    if (!session->storage || !live_open(&session->live, session->scene, error))
        return false;
    session->firmwares = firmwares_open(session->scene, error);
    if (!session->firmwares)
        return false;
    struct run_rows rows = live_rows(&session->live);
    rows.ask = firmwares_ask;
    rows.ask_context = session->firmwares;
    session->sim = sim_create(session->scene, storage_loaded(session->storage), &rows, error);
    return session->sim != NULL;
}

/* Each link uses a few descriptors: many robots need more than the usual limit of 1024. */
static void allow_descriptors(struct session *session)
{
    if (getrlimit(RLIMIT_NOFILE, &session->descriptors) != 0)
        return;
    struct rlimit limit = session->descriptors;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static void set_pace(struct session *session)
{
    const struct session_options *options = session->options;
    struct pace *pace = &session->live.pace;
    pacer_init(&session->pacer, options->is_lockstep ? PACER_LOCKSTEP
                                : options->is_fast   ? PACER_FAST
                                                     : PACER_REAL_TIME);
    pace->speed = options->speed;
    pace->is_paused = options->is_lockstep;
    pace->is_lockstep = options->is_lockstep;
    pace->is_fast = options->is_fast;
    session->end_us = options->has_for ? (int64_t)ceil(options->for_s * 1e6) : INT64_MAX;
}

/* Opens the control socket. The run's folder always contains a link to it. */
static bool open_control(struct session *session, int *code, struct error *error)
{
    const struct methods_scope scope = {.sim = session->sim,
                                        .pace = &session->live.pace,
                                        .links = session->links,
                                        .publish = session->publish,
                                        .name = session->scene->name,
                                        .folder = session->folder.path,
                                        .control_path = session->control_path,
                                        .page = session->web.url};
    const char *wanted = session->options->control;
    bool is_port = control_listener_is_address(wanted);
    bool is_elsewhere = *wanted && !is_port;
    const char *path = is_elsewhere ? wanted : session->folder.socket_path;
    session->control = control_open(path, &scope, &session->poller, code, error);
    if (!session->control)
        return false;
    if (!run_folder_lead(&session->folder, path, session->control_path))
        terminal_say("`ptybot ctl` will need --control %s", session->control_path);
    return !is_port || control_open_port(session->control, wanted,
                                         session->options->is_control_remote, code, error);
}

static bool open_links(struct session *session, int *code, struct error *error)
{
    char ports[RUN_FOLDER_PATH_MAX] = "";
    *code = EXIT_CODE_ENVIRONMENT;
    if (session->options->is_private && !run_folder_ports(&session->folder, ports, error))
        return false;
    session->links = links_open(session->scene, session->sim, &session->live, &session->poller,
                                *ports ? ports : NULL, code, error);
    return session->links != NULL;
}

/* Opened before the links, so that no input is missed. */
static bool open_journal(struct session *session, struct error *error)
{
    const struct session_options *options = session->options;
    if (*options->journal)
        session->journal = journal_file_open(options->journal, session->scene, &options->set,
                                             session->storage, session->sim, error);
    scene_source_free(&session->scene->sources); // a picture may be large
    return !*options->journal || session->journal;
}

/* Opened before the links, so that no driver is missed. */
static bool open_capture(struct session *session, struct error *error)
{
    const char *path = session->options->capture;
    if (*path)
        session->capture = capture_file_open(path, session->sim, error);
    return !*path || session->capture;
}

/* Opens everything outside the simulation. */
static bool open_interfaces(struct session *session, int *code, struct error *error)
{
    const char *log = session->options->log;
    *code = EXIT_CODE_ENVIRONMENT;
    if (!poller_open(&session->poller, error) || !stop_catch(&session->poller, error))
        return false;
    if (session->options->ends_with_parent)
        stop_with_parent(&session->poller);
    if (session->options->ends_with_input)
        stop_with_input(&session->poller);
    if (!open_journal(session, error) || !open_capture(session, error) ||
        !run_folder_open(&session->folder, error) || !open_links(session, code, error))
        return false;
    session->publish = publish_create(session->folder.path, session->sim, &session->live, error);
    if (!session->publish || !open_control(session, code, error))
        return false;
    *code = EXIT_CODE_ENVIRONMENT;
    if (*log)
        session->log = signal_log_open(log, session->sim, error);
    if (*log && !session->log)
        return false;
    if (*session->options->frames.folder)
        session->frames =
            picture_log_open(&session->options->frames, session->sim, &session->live,
                             session->options->is_fast || session->options->is_lockstep ||
                                 session->options->is_waiting,
                             error);
    return !*session->options->frames.folder || session->frames;
}

/* Whether a window that is asked for can be opened. */
static bool has_display(const struct session_options *options, struct error *error)
{
    struct error why = {0};
    return !options->is_viewed || viewer_process_try(&why) ||
           error_set(error,
                     "--view: %s; leave --view out (--frames makes pictures without a display)",
                     why.text);
}

bool session_open(struct session *session, struct scene *scene,
                  const struct session_options *options, int *code, struct error *error)
{
    *session = (struct session){.options = options,
                                .scene = scene,
                                .folder.lock = -1,
                                .web.listening = -1,
                                .poller = {.epoll = -1, .timer = -1}};
    *code = EXIT_CODE_ENVIRONMENT;
    if (!has_display(options, error) ||
        (options->web.is_wanted && !web_open(&session->web, &options->web, error)) ||
        !make_sim(session, error))
        return false;
    allow_descriptors(session);
    set_pace(session);
    if (!open_interfaces(session, code, error) ||
        (options->is_realtime && !wakeup_latency_realtime(error)))
        return false;
    report_init(&session->report, session->sim, session->links, &session->pacer,
                &session->live.pace, poller_now_ns());
    session->report.control_port = control_port(session->control);
    return true;
}

/* The run continues without its window if that cannot be opened. */
static void open_viewer(struct session *session)
{
    struct error error = {0};
    const char *snapshot = publish_path(session->publish, &error);
    if (!snapshot ||
        !viewer_process_start(&session->viewer, snapshot, session->control_path, &error))
        terminal_say("no window: %s", error.text);
}

/* The run continues without its page if that cannot be opened. */
static void open_page(struct session *session)
{
    struct error error = {0};
    const char *snapshot = publish_path(session->publish, &error);
    if (snapshot &&
        web_start(&session->web, &session->options->web, snapshot, session->control_path, &error))
        terminal_say("its page: %s", session->web.url);
    else
        terminal_say("no page: %s", error.text);
}

void session_run(struct session *session, const struct loop_guide *guide)
{
    bool is_real_time = session->pacer.mode == PACER_REAL_TIME && !session->hold;
    // Before the run starts other processes, which keep the usual time slices.
    if (is_real_time && !session->options->is_realtime)
        wakeup_latency_shorten(false);
    if (session->options->web.is_wanted)
        open_page(session);
    if (session->options->is_viewed)
        open_viewer(session);
    struct loop loop = {
        .sim = session->sim,
        .poller = &session->poller,
        .links = session->links,
        .control = session->control,
        .pacer = &session->pacer,
        .pace = &session->live.pace,
        .report = &session->report,
        .storage = session->options->is_private ? NULL : session->storage,
        .log = session->log,
        .journal = session->journal,
        .capture = session->capture,
        .frames = session->frames,
        .publish = session->publish,
        .viewer = &session->viewer,
        .guide = guide,
        .hold = session->hold,
        .end_us = session->end_us,
    };
    loop_run(&loop);
    terminal_status("");
}

bool session_close(struct session *session, struct error *error)
{
    bool is_recorded = journal_file_close(session->journal, error);
    links_close(session->links);
    control_close(session->control);
    viewer_process_end(&session->viewer);
    web_close(&session->web);
    publish_destroy(session->publish);
    run_folder_close(&session->folder);
    stop_release();
    poller_close(&session->poller);
    bool is_painted = picture_log_close(session->frames, is_recorded ? error : NULL);
    bool is_logged = signal_log_close(session->log, is_recorded && is_painted ? error : NULL);
    bool is_captured =
        capture_file_close(session->capture, is_recorded && is_painted && is_logged ? error : NULL);
    storage_close(session->storage, session->options->is_private ? NULL : session->sim);
    sim_destroy(session->sim);
    firmwares_close(session->firmwares);
    live_close(&session->live);
    scene_destroy(session->scene);
    return is_recorded && is_painted && is_logged && is_captured;
}
