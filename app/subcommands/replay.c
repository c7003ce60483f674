/* `ptybot replay`: a run again, from its journal, without links. */
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
#include "app/replay/again.h"
#include "app/run/page_file.h"
#include "app/run/report.h"
#include "app/run/rerun.h"
#include "app/subcommands/subcommands.h"
#include "app/time/pacer.h"
#include "app/views/web.h"
#include "base/array.h"
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
    struct journal_reader reader; /* behind the head */
    struct journal_head head;
    struct scene *scene;
    struct rerun rerun;
    struct signal_log *log; /* or NULL */
    FILE **files;           /* of --bytes, by channel of the simulation; or NULL */
    bool is_bytes_lost;     /* of them */
};

static const struct flag_row flags[] = {
    FLAG_SWITCH("allow-code", replay_options, allows_code,
                "load the shared objects of the recorded scene, if they are the same still"),
    // 1e9, chosen: 30 years.
    FLAG_NUMBER("until", "SECONDS", replay_options, until_s, "s", 0, 1e9, "1e9",
                "end at this simulated time", .otherwise = "to its end"),
    FLAG_TEXT("bytes", "DIR", replay_options, bytes, "",
              "write what hosts were sent, a file DIR/ROBOT.CHANNEL each"),
    FLAG_TEXT("control", "PATH", replay_options, control, "",
              "open a control socket, to look, to step and to go to a moment"),
    FLAG_SWITCH("view", replay_options, is_viewed,
                "then open a window to look at any moment of the run, with a time bar; closing it "
                "is the end"),
    FLAG_TEXT("picture", "F.png|F.svg", replay_options, picture, "",
              "paint how it looks at the end, or at --until"),
    FLAG_TEXT("html", "F.html", replay_options, html, "",
              "write a page in one file that shows the run in any browser, at any moment, without "
              "ptybot"),
    FLAG_SWITCH("paused", replay_options, is_paused,
                "begin with time paused; goes with --control and --view"),
    FLAG_SWITCH("any-build", replay_options, is_any_build,
                "try a journal of another build, too, to see where it departs"),
    LOG_FLAG_ROW(replay_options, log),
    CAPTURE_FLAG_ROW(replay_options, capture),
    SPEED_FLAG_ROW(replay_options, speed),
};
static const struct shared_flags shared[] = {{&web_flags, offsetof(struct replay_options, web)},
                                             {NULL, 0}};

/* ---- The journal ---- */

static bool replay_load(struct replay *replay, const char *path, int *code, struct error *error)
{
    *code = EXIT_CODE_ENVIRONMENT;
    replay->journal = file_bytes_read(path, SIZE_MAX - 1, &replay->journal_size, error);
    if (!replay->journal)
        return false;
    *code = EXIT_CODE_USAGE;
    return journal_open(&replay->reader, replay->journal, replay->journal_size, error) &&
           journal_head_read(&replay->head, &replay->reader, error);
}

static bool make_scene(struct replay *replay, struct error *error)
{
    struct journal_head *head = &replay->head;
    if (head->type[0]) {
        replay->scene = scene_of_type(head->type, error);
    } else {
        replay->scene = scene_file_again(head->sources, replay->options->allows_code, error);
        head->sources = NULL; // the scene's now
    }
    if (!replay->scene)
        return error_prefix(error, "its scene: ");
    return again_set(replay->scene, head, error);
}

/* ---- What it writes ---- */

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

/* The first failure is told. */
static bool close_files(struct replay *replay, struct error *error)
{
    bool is_logged = signal_log_close(replay->log, error);
    bool is_written = close_bytes(replay, is_logged ? error : NULL);
    bool is_captured =
        capture_file_close(replay->rerun.capture, is_logged && is_written ? error : NULL);
    return is_logged && is_written && is_captured;
}

/* ---- Opening and closing ---- */

/* Whether what is asked for can be made here. */
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

/* The same run once more, in a window. The files of the first time are written. */
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

static bool replay_close(struct replay *replay, struct error *error)
{
    bool is_written = close_files(replay, error);
    rerun_close(&replay->rerun);
    return is_written;
}

static void replay_free(struct replay *replay)
{
    marks_free(&replay->rerun.marks);
    scene_destroy(replay->scene);
    journal_head_free(&replay->head);
    free(replay->journal);
}

/* ---- Whether it can be replayed ---- */

static bool check_build(const struct journal_head *head, struct error *error)
{
    if (strcmp(head->program, program_version()) == 0 && strcmp(head->build, program_build()) == 0)
        return true;
    return error_set(error,
                     "written by ptybot %s, build %s (%s); this is %s, build %s: use that one, or "
                     "--any-build to see where this one departs",
                     head->program, head->build, head->compiler, program_version(),
                     program_build());
}

/* Whether a file is there and differs now. */
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

static void tell_changes(const struct journal_head *head)
{
    for (const struct scene_source *source = head->sources; source; source = source->next)
        if (has_changed(source))
            terminal_say("%s has changed since; the replay takes it from the journal",
                         source->path);
}

/* The number of the first line that differs; 0: none does. */
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

/* Whether a journal is of the scene that WORD names, as it is now. */
static bool check_scene(const struct journal_head *head, const char *word, bool allows_code,
                        struct error *error)
{
    struct scene *scene = scene_file_find(word, allows_code, error);
    if (!scene)
        return false;
    const struct scene_source *now = scene->sources, *then = head->sources;
    bool is_same = true;
    if (!now && strcmp(scene->file, head->type) != 0)
        is_same = error_set(error, "not of the robot type %s", word);
    for (; is_same && now && then; now = now->next, then = then->next) {
        size_t line = different_line(now, then);
        if (line > 0)
            is_same =
                error_set(error, "not of this scene: %s differs from line %zu on", now->path, line);
    }
    if (is_same && (now || then))
        is_same = error_set(error, "not of this scene: %s differs from line 1 on",
                            now ? now->path : then->path);
    scene_destroy(scene);
    return is_same;
}

/* ---- What came of it ---- */

static int judge(const struct replay *replay, const char *path)
{
    const struct sim *sim = replay->rerun.pass->sim;
    const struct playback_result result = playback_result(replay->rerun.pass->playback);
    double now_s = (double)sim_now_us(sim) * 1e-6;
    double compared_s = result.state == PLAYBACK_WHOLE ? now_s : (double)result.compared_us * 1e-6;
    printf("%.3f s replayed, %" PRIu64 " inputs: the same %" PRIu64
           " bytes to hosts, compared up to %.3f s\n",
           now_s, result.input_count, result.bytes, compared_s);
    if (result.state == PLAYBACK_CUT)
        puts("the journal has no end there: it was copied during the run, the run was killed, or "
             "the disk was full");
    if (result.state == PLAYBACK_GOES_ON)
        puts("stopped there; the journal goes on");
    // The verdicts of the run itself; they do not change the exit code of a replay.
    report_verdicts(sim, stdout);
    terminal_flush();
    if (*result.state_reason)
        terminal_say("%s: %s", path, result.state_reason);
    if (result.state == PLAYBACK_DAMAGED)
        return terminal_fail(EXIT_CODE_USAGE, "%s: %s", path, result.reason);
    if (result.state == PLAYBACK_DEPARTED)
        return terminal_fail(EXIT_CODE_FAILED, "%s: %s", path, result.reason);
    return *result.state_reason
               ? terminal_fail(EXIT_CODE_FAILED, "%s: the same bytes, but not the same run", path)
               : EXIT_CODE_OK;
}

/* ---- A page of it ---- */

static bool write_page(const char *path, const struct replay *replay, struct error *error)
{
    const struct parcel parcel = {
        .scene = replay->scene, .journal = replay->journal, .journal_size = replay->journal_size};
    return page_file_write(path, &parcel, error);
}

/* In memory. Returns its descriptor, or -1 with the reason in ERROR. */
static int make_page(const struct replay *replay, struct error *error)
{
    char path[64];
    int fd = memfd_create("ptybot-page", 0); // the server inherits it
    if (fd < 0) {
        error_set(error, "no memory for the page: %s", strerror(errno));
        return -1;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (write_page(path, replay, error))
        return fd;
    close(fd);
    return -1;
}

/* Becomes its server, which goes on until somebody ends it; returns only where that fails. */
static int serve_page(int fd, const struct web_options *options)
{
    char path[64];
    struct error error = {0};
    struct web web;
    // The server's own descriptor is 3.
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

/* What is made of the run once it has been done again; CODE is what came of it. */
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

/* The run again, compared, and in a window. PAGE: its page, or -1. */
static int run_again(struct replay *replay, const char *path, int *page)
{
    struct error error = {0};
    int code;
    bool is_open = replay_open(replay, &code, &error);
    if (is_open) {
        rerun_run(&replay->rerun);
        code = make_shows(replay, judge(replay, path), page);
    }
    struct error file_error = {0};
    bool is_written = replay_close(replay, &file_error);
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
                tell_changes(&replay.head);
            code = run_again(&replay, path, &page);
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
        return verb_misused(&replay_verb, "--paused goes with --control or --view: nothing else "
                                          "could let time go on");
    if (options->is_viewed && options->web.is_wanted)
        return verb_misused(&replay_verb,
                            "--view and --web exclude each other: `ptybot view --web` "
                            "opens a page beside the window");
    return replay_journal(arguments->words[0],
                          arguments->word_count > 1 ? arguments->words[1] : NULL, options);
}

const struct verb replay_verb = {
    .name = "replay",
    .usage = "JOURNAL [SCENE] [FLAGS]",
    .summary = "replay a run from its journal",
    .details =
        "JOURNAL is what `ptybot run --journal` wrote. The run is done again without its hosts, "
        "as\n"
        "fast as the machine can, with the scene that is in the journal; what robots send and "
        "what\n"
        "becomes of them is compared. With SCENE, a journal of any other scene is refused.\n"
        "Exit codes: 0 the same; 1 it departs, and where; 2 bad usage, damaged, or of another\n"
        "program or scene; 3 environment.\n\n"
        "  ptybot run kobuki --journal run.journal\n"
        "  ptybot replay run.journal --bytes sent --log signals.csv\n"
        "  ptybot replay run.journal --until 3.2 --picture then.png\n"
        "  ptybot replay run.journal --html run.html\n"
        "  ptybot replay run.journal --web\n"
        "  ptybot replay run.journal --view",
    VERB_FLAGS(flags, replay_options),
    .shared_flags = shared,
    .words = {1, 2, "give a journal, and maybe the scene that it must be of"},
    .run = run,
};
