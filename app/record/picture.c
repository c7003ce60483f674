/* The process of the painter. It starts with shared memory and a socket; a byte announces each
 * picture. */
#include "app/record/picture.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/cli/keeper.h"
#include "app/cli/program.h"
#include "app/cli/terminal.h"
#include "base/array.h"
#include "pty/shared_memory.h"
#include "sim/watch/snapshot.h"
#include "sim/watch/watch.h"

enum {
    WORDS_MAX = 11,
    SIZE_MIN_PX = 64,   /* chosen: a smaller picture is useless */
    SIZE_MAX_PX = 8192, /* chosen: the size of a poster; cairo allows up to 32767 */
};

struct picture_feed {
    struct keeper keeper;
    int memory, talk;
    void *shared; /* of the memory, ROOM bytes */
    size_t room;
    bool is_busy;     /* the painter has not copied the last picture yet */
    uint64_t skipped; /* pictures skipped because the painter was busy */
    uint64_t behind;  /* of these, the ones since the last picture */
    int reason;       /* errno if there was no memory for a picture; otherwise 0 */
};

/* ---- Flags ---- */

static const char *const themes[] = {"light", "dark", NULL};

static const struct flag_row flags[] = {
    FLAG_TEXT("size", "WxH", picture_view, size, "1280x800",
              "Size of the pictures in pixels (default 1280x800)"),
    FLAG_CHOICE("theme", "light|dark", picture_view, theme, themes, "light",
                "Colors of the pictures"),
    FLAG_TEXT("around", "NAME", picture_view, around, "",
              "Center the pictures on this robot or dock; with --span, a close-up"),
    FLAG_NUMBER("span", "METERS", picture_view, span_m, "m", 0, 1000, "0",
                "Width of the visible area; 0: the whole room", .otherwise = "the room"),
    FLAG_SWITCH("action", picture_view, is_action,
                "Show robots, docks and movable objects as large as they fit, and follow them"),
};
const struct flag_group picture_flags = {.title = "PICTURES", .rows = flags, .count = COUNT(flags)};

/* ---- Starting ---- */

static bool check_size(const char *size, struct error *error)
{
    unsigned width, height;
    int end = 0;
    bool is_size = sscanf(size, "%5ux%5u%n", &width, &height, &end) == 2 && size[end] == '\0';
    if (is_size && width >= SIZE_MIN_PX && width <= SIZE_MAX_PX && height >= SIZE_MIN_PX &&
        height <= SIZE_MAX_PX)
        return true;
    return error_set(error, "--size %s: give WIDTHxHEIGHT, each %d to %d pixels, like 1280x800",
                     size, SIZE_MIN_PX, SIZE_MAX_PX);
}

bool picture_has_name(const char *path)
{
    const char *ending = strrchr(path, '.');
    return ending && (strcmp(ending, ".png") == 0 || strcmp(ending, ".svg") == 0);
}

bool picture_check(const struct picture_options *options, struct error *error)
{
    if (options->out && !picture_has_name(options->out))
        return error_set(error, "%s: the file name must end with .png or .svg", options->out);
    return true;
}

bool picture_check_view(const struct picture_view *view, const struct scene *scene,
                        struct error *error)
{
    bool is_there = !*view->around;
    for (size_t i = 0; i < scene->robot_count; i++)
        is_there = is_there || strcmp(scene->robots[i].name, view->around) == 0;
    for (size_t i = 0; i < scene->dock_count; i++)
        is_there = is_there || strcmp(scene->docks[i].name, view->around) == 0;
    if (!is_there)
        return error_set(error, "--around %s: the scene has no such robot or dock", view->around);
    return check_size(view->size, error);
}

static bool make_folder(const struct picture_options *options, struct error *error)
{
    if (!options->frames || mkdir(options->frames, 0777) == 0 || errno == EEXIST)
        return true;
    return error_set(error, "%s: cannot make the folder: %s", options->frames, strerror(errno));
}

/* THEIRS becomes the painter's end of the socket. */
static bool make_memory(struct picture_feed *feed, int *theirs, struct error *error)
{
    int pair[2];
    feed->memory = memfd_create("ptybot-snapshot", MFD_CLOEXEC);
    if (feed->memory < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return error_set(error, "not enough memory for pictures: %s", strerror(errno));
    feed->talk = pair[0];
    *theirs = pair[1];
    return true;
}

/* The painter's command line; each word is stored in TEXTS. */
static void make_words(const struct picture_options *options, char texts[WORDS_MAX][PATH_MAX + 16],
                       char *words[WORDS_MAX + 1])
{
    const struct picture_view *view = options->view;
    const struct {
        const char *key, *value;
    } given[] = {
        {"out", options->out},
        {"frames", options->frames},
        {"size", view ? view->size : NULL},
        {"theme", view ? themes[view->theme] : NULL},
        {"around", view && *view->around ? view->around : NULL},
    };
    size_t count = 0;
    snprintf(texts[count++], PATH_MAX + 16, "ptybot-picture");
    snprintf(texts[count++], PATH_MAX + 16, "pictures");
    if (options->is_awaited)
        snprintf(texts[count++], PATH_MAX + 16, "awaited");
    if (view && view->is_action)
        snprintf(texts[count++], PATH_MAX + 16, "action");
    snprintf(texts[count++], PATH_MAX + 16, "span=%.9g", view ? view->span_m : 0);
    if (view && view->is_map)
        snprintf(texts[count++], PATH_MAX + 16, "map=%.9g,%.9g", view->middle_x_m,
                 view->middle_y_m);
    for (size_t i = 0; i < COUNT(given); i++)
        if (given[i].value)
            snprintf(texts[count++], PATH_MAX + 16, "%s=%s", given[i].key, given[i].value);
    for (size_t i = 0; i < count; i++)
        words[i] = texts[i];
    words[count] = NULL;
}

/* In the child: executes the painter, with its memory as descriptor 3 and its end of the socket as
 * 4. */
static _Noreturn void become(const struct picture_feed *feed, const char *program,
                             char *const *words, int theirs)
{
    // Above 4, so that no dup2 closes the other descriptor or that of keeper_fail.
    struct keeper keeper = {.link = fcntl(feed->keeper.link, F_DUPFD_CLOEXEC, 16)};
    int memory = fcntl(feed->memory, F_DUPFD_CLOEXEC, 16),
        talk = fcntl(theirs, F_DUPFD_CLOEXEC, 16);
    // Ctrl C ends the run, which then waits for the last picture; the painter ends after that.
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGTERM);
    sigaddset(&blocked, SIGHUP);
    sigprocmask(SIG_SETMASK, &blocked, NULL);
    if (dup2(memory, 3) == 3 && dup2(talk, 4) == 4)
        execv(program, words);
    keeper_fail(&keeper);
}

/* Starts the painter with its end of the socket, which the caller closes. */
static bool start(struct picture_feed *feed, const struct picture_options *options, int theirs,
                  struct error *error)
{
    static char texts[WORDS_MAX][PATH_MAX + 16]; // too large for the stack
    char program[PATH_MAX], *words[WORDS_MAX + 1];
    program_find(PROGRAM_PICTURE, program, sizeof program);
    if (!*program)
        return error_set(error,
                         "this ptybot cannot make pictures: install the package ptybot-picture "
                         "(ptybot-picture_*.deb of ./dev package), or "
                         "libpango1.0-dev and build it again");
    make_words(options, texts, words);
    if (keeper_fork(&feed->keeper, false) == 0)
        become(feed, program, words, theirs);
    return feed->keeper.pid > 0 ||
           error_set(error, "%s: cannot be started: %s", program, strerror(errno));
}

struct picture_feed *picture_open(const struct picture_options *options, struct error *error)
{
    if (!picture_check(options, error) || !make_folder(options, error))
        return NULL;
    struct picture_feed *feed = calloc(1, sizeof *feed);
    if (!feed)
        return error_null(error_set(error, "not enough memory for pictures"));
    feed->memory = feed->talk = -1;
    int theirs = -1;
    bool is_started = make_memory(feed, &theirs, error) && start(feed, options, theirs, error);
    if (theirs >= 0)
        close(theirs);
    if (is_started)
        return feed;
    picture_close(feed);
    return NULL;
}

/* ---- Pictures ---- */

/* Makes the shared memory large enough for a snapshot. */
static bool make_room(struct picture_feed *feed, const struct sim *sim)
{
    size_t size = snapshot_size(sim);
    shared_memory_unmap(feed->shared, feed->room);
    // Truncate to zero first, so that nothing of the old layout remains.
    bool is_empty = ftruncate(feed->memory, 0) == 0;
    feed->shared = is_empty ? shared_memory_map(feed->memory, size) : NULL;
    feed->room = feed->shared ? size : 0;
    feed->reason = feed->shared ? 0 : errno;
    return feed->shared;
}

/* Reads whether the painter has reported that it has copied the picture. */
static bool hear(struct picture_feed *feed, bool is_patient)
{
    char byte;
    while (feed->is_busy) {
        ssize_t got = recv(feed->talk, &byte, 1, is_patient ? 0 : MSG_DONTWAIT);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return true;
        if (got <= 0)
            return false;
        feed->is_busy = false;
    }
    return true;
}

bool picture_take(struct picture_feed *feed, const struct sim *sim, const struct watch *watch,
                  const struct live *live, bool is_patient)
{
    if (!hear(feed, is_patient))
        return false;
    if (feed->is_busy) {
        feed->skipped++;
        feed->behind++;
        return true;
    }
    if (!feed->shared || !snapshot_fill(sim, watch, feed->shared, feed->room))
        if (!make_room(feed, sim) || !snapshot_fill(sim, watch, feed->shared, feed->room))
            return false;
    live_show(live, feed->shared);
    feed->is_busy = true;
    // The painter repeats the last picture for those that were skipped, so that the following ones
    // keep their numbers.
    uint8_t repeats = (uint8_t)(feed->behind < UINT8_MAX ? feed->behind : UINT8_MAX);
    feed->behind -= repeats;
    return send(feed->talk, &repeats, 1, MSG_NOSIGNAL) == 1;
}

bool picture_close(struct picture_feed *feed)
{
    if (!feed)
        return true;
    // Closing a socket with unread data would discard data that the painter has not read.
    hear(feed, true);
    shared_memory_unmap(feed->shared, feed->room);
    if (feed->talk >= 0)
        close(feed->talk);
    int status = 0;
    bool is_done =
        keeper_poll(&feed->keeper, true, &status) && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    keeper_end(&feed->keeper);
    if (feed->memory >= 0)
        close(feed->memory);
    free(feed);
    return is_done;
}

bool picture_write(const struct sim *sim, const struct watch *watch, const struct live *live,
                   const struct picture_options *options, struct error *error)
{
    struct picture_feed *feed = picture_open(options, error);
    if (!feed)
        return false;
    bool is_taken = picture_take(feed, sim, watch, live, true);
    int reason = feed->reason;
    if (picture_close(feed) && is_taken)
        return true;
    if (reason != 0)
        return error_set(error, "%s: not enough memory for the picture: %s", options->out,
                         strerror(reason));
    return error_set(error, "%s: the picture could not be written", options->out);
}

/* ---- A run as pictures ---- */

struct picture_log {
    const struct picture_log_options *options;
    const struct sim *sim;
    struct watch *watch;
    const struct live *live;
    struct picture_feed *feed;
    uint64_t count; /* pictures that were due */
    bool is_patient, is_lost;
};

struct picture_log *picture_log_open(const struct picture_log_options *options, struct sim *sim,
                                     const struct live *live, bool is_patient, struct error *error)
{
    struct picture_log *log = calloc(1, sizeof *log);
    if (!log)
        return error_null(error_set(error, "not enough memory for pictures"));
    log->options = options;
    log->sim = sim;
    log->watch = watch_create(sim, WATCH_TRAILS);
    log->live = live;
    log->is_patient = is_patient;
    const struct picture_options each = {
        .frames = options->folder, .view = &options->view, .is_awaited = is_patient};
    if (!log->watch)
        error_set(error, "not enough memory for pictures");
    else
        log->feed = picture_open(&each, error);
    if (!log->feed) {
        watch_destroy(log->watch);
        free(log);
        return NULL;
    }
    picture_log_step(log); // the start
    return log;
}

void picture_log_step(struct picture_log *log)
{
    // Computed from the count, so that rounding errors do not add up.
    int64_t due_us = (int64_t)llround((double)log->count * 1e6 / log->options->per_s);
    if (log->is_lost || sim_now_us(log->sim) < due_us)
        return;
    log->count++;
    log->is_lost = !picture_take(log->feed, log->sim, log->watch, log->live, log->is_patient);
}

/* Sends the last picture if the painter was busy when it was due. */
static void finish(struct picture_log *log)
{
    while (!log->is_lost && log->feed->behind > 0) {
        log->feed->behind--;
        log->is_lost = !picture_take(log->feed, log->sim, log->watch, log->live, true);
    }
}

bool picture_log_close(struct picture_log *log, struct error *error)
{
    if (!log)
        return true;
    finish(log);
    uint64_t skipped = log->feed->skipped;
    if (skipped > 0)
        terminal_say("%llu of %llu pictures repeat the previous picture: painting is slower than "
                     "the run; with --fast, the run waits for each picture",
                     (unsigned long long)skipped, (unsigned long long)log->count);
    int reason = log->feed->reason;
    bool is_whole = picture_close(log->feed) && !log->is_lost;
    if (reason != 0)
        error_set(error, "%s: not enough memory for pictures: %s", log->options->folder,
                  strerror(reason));
    else if (!is_whole)
        error_set(error, "%s: not all pictures could be written", log->options->folder);
    watch_destroy(log->watch);
    free(log);
    return is_whole;
}
