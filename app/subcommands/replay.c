/* `ptybot replay`: repeats a run from its journal, without links. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/cli/program.h"
#include "app/cli/terminal.h"
#include "app/files/file_bytes.h"
#include "app/files/robot_object_file.h"
#include "app/files/scene_file.h"
#include "app/links/poller.h"
#include "app/record/capture_file.h"
#include "app/record/picture.h"
#include "app/record/signal_log.h"
#include "app/replay/journal_start.h"
#include "app/run/page_file.h"
#include "app/run/report.h"
#include "app/run/rerun.h"
#include "app/subcommands/subcommands.h"
#include "app/time/pacer.h"
#include "app/views/web.h"
#include "sim/parse/scene_parse.h"
#include "sim/record/playback.h"
#include "sim/scene/scene.h"

struct replay_options {
    double until_s, speed;
    bool is_paused, is_any_build, allows_code;
    char bytes[PATH_MAX];
    char log[PATH_MAX];
    char capture[PATH_MAX];
    char control[PATH_MAX];
    char picture[PATH_MAX];
    char html[PATH_MAX];
    struct web_options web;
    bool is_viewed;
    bool has_speed;
};

struct replay {
    const struct replay_options *options;
    char *journal;
    size_t journal_size;
    struct journal_reader reader; /* positioned after the head */
    struct journal_head head;
    struct scene *scene;
    struct rerun rerun;
    struct signal_log *log; /* or NULL */
    FILE **files;           /* those of --bytes, by channel of the simulation; or NULL */
    bool is_bytes_lost;     /* some bytes of --bytes could not be written */
};

static const struct flag_row flags[] = {
    FLAG_SWITCH("allow-code", replay_options, allows_code,
                "Load the shared objects of the recorded scene, if they are unchanged"),
    // 1e9, chosen: 30 years.
    FLAG_NUMBER("until", "SECONDS", replay_options, until_s, "s", 0, 1e9, "1e9",
                "End at this simulated time", .otherwise = "end of the journal"),
    FLAG_TEXT("bytes", "DIR", replay_options, bytes, "",
              "Write the bytes sent to drivers, one file DIR/ROBOT.CHANNEL per channel"),
    FLAG_TEXT("control", "PATH", replay_options, control, "",
              "Open a control socket, to read, step and seek"),
    FLAG_SWITCH("view", replay_options, is_viewed,
                "Then open a window with a time bar that shows any moment of the run. Closing it "
                "ends the replay"),
    FLAG_TEXT("picture", "F.png|F.svg", replay_options, picture, "",
              "Paint the room at the end, or at --until"),
    FLAG_TEXT(
        "html", "F.html", replay_options, html, "",
        "Write a page in one file that shows any moment of the run in any browser, without ptybot"),
    FLAG_SWITCH("paused", replay_options, is_paused,
                "Begin with time paused; needs --control or --view"),
    FLAG_SWITCH("any-build", replay_options, is_any_build,
                "Accept a journal of another build, to see where the replay diverges"),
    LOG_FLAG_ROW(replay_options, log),
    CAPTURE_FLAG_ROW(replay_options, capture),
    SPEED_FLAG_ROW(replay_options, speed),
};
static const struct shared_flags shared[] = {{&web_flags, offsetof(struct replay_options, web)},
                                             {NULL, 0}};

/* ---- The journal ---- */

static bool replay_load(struct replay *replay, const char *path, int *code, struct error *error)
{
    replay->journal = file_bytes_read(path, SIZE_MAX - 1, &replay->journal_size, error);
    *code = !replay->journal && access(path, F_OK) == 0 ? EXIT_CODE_ENVIRONMENT : EXIT_CODE_USAGE;
    if (!replay->journal)
        return false;
    return journal_open(&replay->reader, replay->journal, replay->journal_size, error) &&
           journal_head_read(&replay->head, &replay->reader, error);
}

static bool make_scene(struct replay *replay, struct error *error)
{
    struct journal_head *head = &replay->head;
    if (head->type[0]) {
        replay->scene = scene_of_type(head->type, error);
    } else {
        replay->scene = scene_file_reopen(head->sources, replay->options->allows_code, error);
        head->sources = NULL; // the scene's now
    }
    if (!replay->scene)
        return error_prefix(error, "its scene: ");
    return journal_start_set(replay->scene, head, error);
}

/* ---- Output files ---- */

static bool open_bytes(struct replay *replay, struct error *error)
{
    const char *folder = replay->options->bytes;
    const struct journal_head *head = &replay->head;
    replay->files = calloc(sim_channel_count(replay->rerun.pass->sim) + 1, sizeof(FILE *));
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
    size_t count = replay->files ? sim_channel_count(replay->rerun.pass->sim) : 0;
    for (size_t i = 0; i < count; i++)
        if (replay->files[i] && fclose(replay->files[i]) != 0)
            replay->is_bytes_lost = true;
    free(replay->files);
    return !replay->is_bytes_lost ||
           error_set(error, "--bytes %s: not all could be written", replay->options->bytes);
}

static void stepped(void *context)
{
    struct replay *replay = context;
    if (replay->log)
        signal_log_step(replay->log);
}

static bool open_files(struct replay *replay, struct error *error)
{
    const struct replay_options *options = replay->options;
    struct sim *sim = replay->rerun.pass->sim;
    if (*options->bytes && !open_bytes(replay, error))
        return false;
    if (*options->log)
        replay->log = signal_log_open(options->log, sim, error);
    if (*options->capture)
        replay->rerun.capture = capture_file_open(options->capture, sim, error);
    return (!*options->log || replay->log) && (!*options->capture || replay->rerun.capture);
}

/* Reports only the first failure. */
static bool close_files(struct replay *replay, struct error *error)
{
    bool is_logged = signal_log_close(replay->log, error);
    bool is_written = close_bytes(replay, is_logged ? error : NULL);
    bool is_captured =
        capture_file_close(replay->rerun.capture, is_logged && is_written ? error : NULL);
    return is_logged && is_written && is_captured;
}

/* ---- Opening and closing ---- */

/* Whether the requested output is possible on this machine. */
static bool check_shows(const struct replay_options *options, int *code, struct error *error)
{
    const struct picture_options picture = {.out = options->picture};
    *code = EXIT_CODE_ENVIRONMENT;
    if ((*options->html || options->web.is_wanted) && !page_file_check(error))
        return error_prefix(error, options->web.is_wanted ? "--web: " : "--html: ");
    if (options->is_viewed && !viewer_process_try(error))
        return error_prefix(error, "--view: ");
    *code = EXIT_CODE_USAGE;
    return !*options->picture || picture_check(&picture, error) ||
           error_prefix(error, "--picture ");
}

static bool replay_open(struct replay *replay, int *code, struct error *error)
{
    const struct replay_options *options = replay->options;
    const struct rerun_options again = {
        .control = options->control,
        .is_reachable = *options->control && !options->is_viewed,
        .is_marked = *options->control || options->is_viewed,
        .is_pictured = *options->picture,
        .goes_ahead = *options->log || *options->bytes || *options->capture,
        .is_paced = options->has_speed && !options->is_viewed,
        .is_paused = options->is_paused && !options->is_viewed,
        .speed = options->speed,
        .until_us = llround(options->until_s * 1e6),
        .sink = *options->bytes ? keep : NULL,
        .stepped = stepped,
        .context = replay,
    };
    *code = EXIT_CODE_USAGE;
    if (!make_scene(replay, error) || !check_shows(options, code, error) ||
        !rerun_open(&replay->rerun, replay->scene, &replay->head, &replay->reader, &again, code,
                    error))
        return false;
    *code = EXIT_CODE_ENVIRONMENT;
    return open_files(replay, error);
}

/* Runs the replay a second time, in a window. The files of the first pass have been written. */
static bool show(struct replay *replay, int *code, struct error *error)
{
    const struct replay_options *options = replay->options;
    const struct rerun_options again = {
        .control = options->control,
        .is_reachable = true,
        .is_viewed = true,
        .is_paced = true,
        .is_paused = options->is_paused,
        .speed = options->speed,
        .until_us = INT64_MAX,
    };
    bool is_open = rerun_open(&replay->rerun, replay->scene, &replay->head, &replay->reader, &again,
                              code, error);
    if (is_open)
        rerun_run(&replay->rerun);
    rerun_close(&replay->rerun);
    return is_open;
}

static void replay_free(struct replay *replay)
{
    marks_free(&replay->rerun.marks);
    scene_destroy(replay->scene);
    journal_head_free(&replay->head);
    free(replay->journal);
}

/* ---- Checks before a replay ---- */

static bool check_build(const struct journal_head *head, struct error *error)
{
    if (strcmp(head->program, program_version()) == 0 && strcmp(head->build, program_build()) == 0)
        return true;
    return error_set(error,
                     "written by ptybot %s, build %s (%s); this is %s, build %s: use that build, "
                     "or --any-build to see where this build diverges",
                     head->program, head->build, head->compiler, program_version(),
                     program_build());
}

/* Whether a file exists and differs from the journal's copy. */
static bool has_changed(const struct scene_source *source)
{
    char mark[128];
    if (strncmp(source->bytes, ROBOT_OBJECT_MARK, strlen(ROBOT_OBJECT_MARK)) == 0)
        return robot_object_mark(source->path, mark, sizeof mark, NULL) &&
               strcmp(mark, source->bytes) != 0;
    struct stat found;
    size_t size;
    if (stat(source->path, &found) != 0 || !S_ISREG(found.st_mode))
        return false;
    char *bytes = file_bytes_read(source->path, source->size, &size, NULL);
    bool is_same = bytes && size == source->size && memcmp(bytes, source->bytes, size) == 0;
    free(bytes);
    return !is_same;
}

static void report_changes(const struct journal_head *head)
{
    for (const struct scene_source *source = head->sources; source; source = source->next)
        if (has_changed(source))
            terminal_say("%s has changed since; the replay takes it from the journal",
                         source->path);
}

/* The number of the first line that differs; 0: the sources are equal. */
static size_t different_line(const struct scene_source *a, const struct scene_source *b)
{
    size_t line = 1, size = a->size < b->size ? a->size : b->size;
    for (size_t i = 0; i < size; i++) {
        if (a->bytes[i] != b->bytes[i])
            return line;
        line += a->bytes[i] == '\n';
    }
    return a->size == b->size ? 0 : line;
}

/* Whether a journal belongs to the scene WORD in its present version. */
static bool check_scene(const struct journal_head *head, const char *word, bool allows_code,
                        struct error *error)
{
    struct scene *scene = scene_file_find(word, allows_code, error);
    if (!scene)
        return false;
    const struct scene_source *now = scene->sources, *then = head->sources;
    bool is_same = true;
    if (!now && strcmp(scene->file, head->type) != 0)
        is_same = error_set(error, "the journal is not of the robot type %s", word);
    for (; is_same && now && then; now = now->next, then = then->next) {
        size_t line = different_line(now, then);
        if (line > 0)
            is_same =
                error_set(error, "the journal is of another scene: %s differs from line %zu on",
                          now->path, line);
    }
    if (is_same && (now || then))
        is_same = error_set(error, "the journal is of another scene: %s differs from line 1 on",
                            now ? now->path : then->path);
    scene_destroy(scene);
    return is_same;
}

/* ---- Result ---- */

static int judge(const struct replay *replay, const char *path)
{
    const struct sim *sim = replay->rerun.pass->sim;
    const struct playback_result result = playback_result(replay->rerun.pass->playback);
    double now_s = (double)sim_now_us(sim) * 1e-6;
    double compared_s = result.state == PLAYBACK_WHOLE ? now_s : (double)result.compared_us * 1e-6;
    printf("%.3f s replayed, %" PRIu64 " inputs: the same %" PRIu64
           " bytes to drivers, compared up to %.3f s\n",
           now_s, result.input_count, result.bytes, compared_s);
    if (result.state == PLAYBACK_CUT)
        puts("the journal is incomplete: it was copied during the run, the run was killed, or the "
             "disk was full");
    if (result.state == PLAYBACK_GOES_ON)
        puts("stopped there; the journal continues");
    // Prints the verdicts of the original run. They do not affect the exit code of a replay.
    report_verdicts(sim, stdout);
    terminal_flush();
    if (*result.state_reason)
        terminal_say("%s: %s", path, result.state_reason);
    if (result.state == PLAYBACK_DAMAGED)
        return terminal_fail(EXIT_CODE_USAGE, "%s: %s", path, result.reason);
    if (result.state == PLAYBACK_DEPARTED)
        return terminal_fail(EXIT_CODE_FAILED, "%s: %s", path, result.reason);
    return *result.state_reason
               ? terminal_fail(EXIT_CODE_FAILED, "%s: the same bytes, but a different state", path)
               : EXIT_CODE_OK;
}

/* ---- The page of the run ---- */

static bool write_page(const char *path, const struct replay *replay, struct error *error)
{
    const struct bundle bundle = {
        .scene = replay->scene, .journal = replay->journal, .journal_size = replay->journal_size};
    return page_file_write(path, &bundle, error);
}

/* Creates the page in memory. Returns its descriptor, or -1 with the reason in ERROR. */
static int make_page(const struct replay *replay, struct error *error)
{
    char path[64];
    int fd = memfd_create("ptybot-page", 0); // the server inherits it
    if (fd < 0) {
        error_set(error, "not enough memory for the page: %s", strerror(errno));
        return -1;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (write_page(path, replay, error))
        return fd;
    close(fd);
    return -1;
}

/* Becomes the server of the page, which runs until it is ended. Returns only on failure. */
static int serve_page(int fd, const struct web_options *options)
{
    char path[64];
    struct error error = {0};
    struct web web;
    // The server uses descriptor 3 itself.
    int page = fcntl(fd, F_DUPFD, 16);
    snprintf(path, sizeof path, "/proc/self/fd/%d", page);
    if (page >= 0 && web_open(&web, options, &error)) {
        printf("its page: %s\n", web.url);
        terminal_flush();
        web_become_file(&web, options, path, &error);
    } else if (page < 0) {
        error_set(&error, "--web: %s", strerror(errno));
    }
    return terminal_fail(EXIT_CODE_ENVIRONMENT, "%s", error.text);
}

/* Writes pictures and pages after the replay. CODE is the exit code so far. */
static int make_shows(const struct replay *replay, int code, int *page)
{
    const struct replay_options *options = replay->options;
    const struct rerun_pass *pass = replay->rerun.pass;
    const struct picture_options picture = {.out = options->picture};
    struct error error = {0};
    if (*options->picture && !picture_write(pass->sim, pass->watch, &pass->live, &picture, &error))
        code = terminal_fail(EXIT_CODE_ENVIRONMENT, "--picture %s", error.text);
    if (*options->html && !write_page(options->html, replay, &error))
        code = terminal_fail(EXIT_CODE_ENVIRONMENT, "--html %s", error.text);
    *page = options->web.is_wanted ? make_page(replay, &error) : -1;
    if (options->web.is_wanted && *page < 0)
        code = terminal_fail(EXIT_CODE_ENVIRONMENT, "--web: %s", error.text);
    return code;
}

static bool is_allowed(const struct replay *replay, const char *scene, struct error *error)
{
    const struct replay_options *options = replay->options;
    return (options->is_any_build || check_build(&replay->head, error)) &&
           (!scene || check_scene(&replay->head, scene, options->allows_code, error));
}

/* Replays and compares the run, writes its output, and shows it in a window. PAGE becomes its page,
 * or -1. */
static int replay_run(struct replay *replay, const char *path, int *page)
{
    struct error error = {0};
    int code;
    bool is_open = replay_open(replay, &code, &error);
    if (is_open) {
        rerun_run(&replay->rerun);
        code = make_shows(replay, judge(replay, path), page);
    }
    struct error file_error = {0};
    bool is_written = close_files(replay, &file_error);
    rerun_close(&replay->rerun);
    if (!is_open)
        return terminal_fail(code, "%s: %s", path, error.text);
    if (!is_written && code == EXIT_CODE_OK)
        code = terminal_fail(EXIT_CODE_ENVIRONMENT, "%s", file_error.text);
    int shown = EXIT_CODE_OK;
    if (replay->options->is_viewed && !stop_is_wanted() && !show(replay, &shown, &error))
        return terminal_fail(shown, "--view: %s", error.text);
    return code;
}

static int replay_journal(const char *path, const char *scene, const struct replay_options *options)
{
    static struct replay replay; // too large for a stack to like
    struct error error = {0};
    int code = EXIT_CODE_ENVIRONMENT, page = -1;
    replay = (struct replay){.options = options};
    if (replay_load(&replay, path, &code, &error)) {
        code = EXIT_CODE_USAGE;
        if (is_allowed(&replay, scene, &error)) {
            if (!scene)
                report_changes(&replay.head);
            code = replay_run(&replay, path, &page);
        }
    }
    replay_free(&replay);
    if (*error.text)
        return terminal_fail(code, "%s: %s", path, error.text);
    return page >= 0 ? serve_page(page, &options->web) : code;
}

static int run(struct arguments *arguments, void *memory)
{
    struct replay_options *options = memory;
    options->has_speed = arguments_has(arguments, "speed");
    if (options->is_paused && !*options->control && !options->is_viewed)
        return subcommand_misused(&replay_subcommand,
                                  "--paused needs --control or --view, which can continue time");
    if (options->is_viewed && options->web.is_wanted)
        return subcommand_misused(&replay_subcommand,
                                  "--view and --web exclude each other: `ptybot view "
                                  "--web` opens a page in addition to the window");
    return replay_journal(arguments->words[0],
                          arguments->word_count > 1 ? arguments->words[1] : NULL, options);
}

const struct subcommand replay_subcommand = {
    .name = "replay",
    .usage = "JOURNAL [SCENE] [FLAGS]",
    .summary = "replay a run from its journal",
    .details =
        "JOURNAL is a file of `ptybot run --journal`. ptybot repeats the run without its drivers, "
        "as\nfast as the machine can, with the scene in the journal, and compares the bytes and "
        "the\nstate of all robots. With SCENE, ptybot refuses the journal of another scene.\nExit "
        "codes: 0 the same; 1 the replay diverges, with the place; 2 invalid arguments, a\ndamaged "
        "journal, or one of another program or scene; 3 environment.\n\n  ptybot run kobuki "
        "--journal run.journal\n  ptybot replay run.journal --bytes sent --log signals.csv\n  "
        "ptybot replay run.journal --until 3.2 --picture then.png\n  ptybot replay run.journal "
        "--html run.html\n  ptybot replay run.journal --web\n  ptybot replay run.journal --view",
    SUBCOMMAND_FLAGS(flags, replay_options),
    .shared_flags = shared,
    .words = {1, 2, "give a journal, and optionally its scene"},
    .run = run,
};
