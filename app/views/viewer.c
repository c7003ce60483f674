/* Snapshots for viewers, protected by a sequence lock so that the writer never waits; and the
 * window. */
#include "app/views/viewer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/cli/program.h"
#include "app/cli/terminal.h"
#include "pty/shared_memory.h"
#include "sim/watch/snapshot.h"
#include "sim/watch/watch.h"

/* ---- Snapshots ---- */

#define LEAST_NS INT64_C(16000000)   /* chosen: 60 per second are enough for any screen */
#define RETRY_NS INT64_C(1000000000) /* chosen: interval of attempts to get memory */

struct publish {
    struct publish_source source;
    struct sim *sim; /* these three only for a simulation */
    const struct live *live;
    struct watch *watch; /* begins with the first viewer */
    char path[PATH_MAX];
    int file;
    struct snapshot_share *share; /* the file's first bytes; NULL: no viewer yet */
    size_t room;                  /* for the snapshot after them */
    uint32_t sequence;            /* ours: a value that a reader writes does no harm */
    int64_t next_ns;
    int64_t restore_ns; /* when to check whether the file is complete */
    bool has_warned;    /* about lack of memory */
    bool has_reported_cut;
};

static size_t sim_size(const void *context)
{
    return snapshot_size(((const struct publish *)context)->sim);
}

static bool fill_of_sim(const void *context, void *buffer, size_t size)
{
    const struct publish *self = context;
    if (!snapshot_fill(self->sim, self->watch, buffer, size))
        return false;
    live_show(self->live, buffer);
    return true;
}

struct publish *publish_create_of(const char *folder, const struct publish_source *source,
                                  struct error *error)
{
    struct publish *self = calloc(1, sizeof *self);
    if (!self)
        return error_null(error_set(error, "not enough memory for viewers"));
    self->source = *source;
    self->file = -1;
    int wrote = snprintf(self->path, sizeof self->path, "%s/snapshot", folder);
    if (wrote > 0 && (size_t)wrote < sizeof self->path)
        return self;
    error_set(error, "%s: the path is too long", folder);
    free(self);
    return NULL;
}

struct publish *publish_create(const char *folder, struct sim *sim, const struct live *live,
                               struct error *error)
{
    struct publish *self = publish_create_of(
        folder, &(struct publish_source){.size = sim_size, .fill = fill_of_sim}, error);
    if (!self)
        return NULL;
    self->source.context = self;
    self->sim = sim;
    self->live = live;
    return self;
}

static void unmap(struct publish *self)
{
    shared_memory_unmap(self->share, SNAPSHOT_SHARE_AT + self->room);
    self->share = NULL;
}

void publish_destroy(struct publish *self)
{
    if (!self)
        return;
    unmap(self);
    watch_destroy(self->watch);
    if (self->file >= 0)
        close(self->file);
    free(self);
}

/* Maps the file with room for a snapshot of SIZE bytes. Mappings of readers stay valid. */
static bool map(struct publish *self, size_t size)
{
    void *shared = shared_memory_map(self->file, SNAPSHOT_SHARE_AT + size);
    if (!shared)
        return false;
    unmap(self);
    self->share = shared;
    self->room = size;
    return true;
}

static void write_head(struct publish *self)
{
    *self->share = (struct snapshot_share){
        .magic = SNAPSHOT_SHARE_MAGIC,
        .version = SNAPSHOT_VERSION,
        .sequence = self->sequence,
        .wanted = 1,
        .size = self->room,
    };
}

const char *publish_path(struct publish *self, struct error *error)
{
    if (self->share)
        return self->path;
    if (self->file < 0)
        self->file = open(self->path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (self->sim && !self->watch)
        self->watch = watch_create(self->sim, WATCH_TRAILS_AND_FRAMES);
    if ((self->sim && !self->watch) || self->file < 0 ||
        !map(self, self->source.size(self->source.context))) {
        return error_null(
            error_set(error, "%s: not enough memory for viewers: %s", self->path, strerror(errno)));
    }
    write_head(self);
    return self->path;
}

/* 50 % more than needed, so that a few new walls do not require a larger file. */
static size_t wanted_room(const struct publish *self)
{
    size_t size = self->source.size(self->source.context);
    return size + size / 2;
}

static bool grow(struct publish *self)
{
    return map(self, wanted_room(self));
}

static void *snapshot_of(const struct publish *self)
{
    return (char *)self->share + SNAPSHOT_SHARE_AT;
}

/* There is no memory for the newest snapshot: warns once, and requests it again later, since
 * readers have no new snapshot to take and send no request. */
static void retry_later(struct publish *self, int64_t now_ns)
{
    if (!self->has_warned)
        terminal_say("%s cannot grow to %zu bytes: %s; windows are not updated until then: make "
                     "room in its folder, or raise `ulimit -f` if it is set",
                     self->path, SNAPSHOT_SHARE_AT + wanted_room(self), strerror(errno));
    self->has_warned = true;
    self->next_ns = now_ns + RETRY_NS;
    __atomic_store_n(&self->share->wanted, 1, __ATOMIC_RELAXED);
}

/* Restores the file after another program has truncated it. False: no memory. */
static bool restore(struct publish *self)
{
    struct stat about;
    if (fstat(self->file, &about) == 0 && (size_t)about.st_size >= SNAPSHOT_SHARE_AT + self->room)
        return true;
    if (!self->has_reported_cut)
        terminal_say("%s was truncated by another program; ptybot restores it", self->path);
    self->has_reported_cut = true;
    if (!map(self, self->room))
        return false;
    // The rest of the last snapshot must not look like a snapshot.
    memset(self->share, 0, SNAPSHOT_SHARE_AT + self->room);
    write_head(self);
    return true;
}

void publish_visit(struct publish *self, int64_t now_ns)
{
    if (!self->share || now_ns < self->next_ns)
        return;
    if (now_ns >= self->restore_ns) {
        self->restore_ns = now_ns + LEAST_NS;
        if (!restore(self)) {
            retry_later(self, now_ns);
            return;
        }
    }
    if (!__atomic_exchange_n(&self->share->wanted, 0, __ATOMIC_ACQUIRE))
        return;
    self->next_ns = now_ns + LEAST_NS;
    __atomic_store_n(&self->share->sequence, ++self->sequence, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    const struct publish_source *source = &self->source;
    bool is_filled = source->fill(source->context, snapshot_of(self), self->room) ||
                     (grow(self) && source->fill(source->context, snapshot_of(self), self->room));
    if (!is_filled)
        retry_later(self, now_ns);
    __atomic_store_n(&self->share->size, self->room, __ATOMIC_RELAXED);
    __atomic_store_n(&self->share->is_outdated, !is_filled, __ATOMIC_RELAXED);
    // If the snapshot was not written, the previous one is still complete, and its number is valid
    // again.
    self->sequence += is_filled ? 1 : UINT32_MAX;
    __atomic_store_n(&self->share->sequence, self->sequence, __ATOMIC_RELEASE);
}

/* ---- The window ---- */

static bool find_program(struct viewer_words *words, struct error *error)
{
    program_find(PROGRAM_VIEWER, words->program, sizeof words->program);
    return *words->program ||
           error_set(error, "this ptybot has no window: install the package ptybot-viewer, or "
                            "libsdl2-dev and libpango1.0-dev and build it again");
}

bool viewer_words_make(struct viewer_words *words, const char *snapshot, const char *control,
                       struct error *error)
{
    if (!find_program(words, error))
        return false;
    snprintf(words->texts[0], VIEWER_WORD_MAX, "ptybot-viewer");
    snprintf(words->texts[1], VIEWER_WORD_MAX, "window");
    snprintf(words->texts[2], VIEWER_WORD_MAX, "%s", snapshot);
    snprintf(words->texts[3], VIEWER_WORD_MAX, "%s", control);
    for (int i = 0; i < 4; i++)
        words->words[i] = words->texts[i];
    words->words[4] = NULL;
    return true;
}

static bool start(struct keeper *keeper, const struct viewer_words *words, char *const *arguments,
                  struct error *error)
{
    pid_t pid = keeper_fork(keeper, false);
    if (pid == 0) {
        execv(words->program, arguments);
        keeper_fail(keeper);
    }
    return pid > 0 ||
           error_set(error, "%s: cannot be started: %s", words->program, strerror(errno));
}

bool viewer_process_try(struct error *error)
{
    static struct viewer_words words; // too large for the stack
    static char name[] = "ptybot-viewer", window[] = "window", wish[] = "try";
    char *const arguments[] = {name, window, wish, NULL};
    struct keeper keeper;
    int status = 0;
    if (!find_program(&words, error) || !start(&keeper, &words, arguments, error))
        return false;
    keeper_poll(&keeper, true, &status);
    keeper_end(&keeper);
    return (WIFEXITED(status) && WEXITSTATUS(status) == 0) ||
           error_set(error, "no window can be opened");
}

bool viewer_process_start(struct keeper *window, const char *snapshot, const char *control,
                          struct error *error)
{
    static struct viewer_words words; // too large for the stack
    return viewer_words_make(&words, snapshot, control, error) &&
           start(window, &words, words.words, error);
}

enum viewer_state viewer_process_poll(struct keeper *window)
{
    int status;
    if (!keeper_poll(window, false, &status))
        return VIEWER_LIVES;
    keeper_end(window);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? VIEWER_CLOSED : VIEWER_LOST;
}

void viewer_process_end(struct keeper *window)
{
    int status;
    // chosen: a second
    for (int tries = 0; window->pid > 0 && tries < 100 && !keeper_poll(window, false, &status);
         tries++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    keeper_end(window);
}
