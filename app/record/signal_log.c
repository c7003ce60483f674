/* All signals of a run as CSV. */
#include "app/record/signal_log.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/cli/table.h"
#include "app/files/file_bytes.h"
#include "app/links/poller.h"
#include "base/writer.h"

enum {
    BUFFER_MAX = 4096, /* PIPE_BUF: a pipe accepts it in one piece */
    POLL_MS = 50,      /* chosen: how often to check for a reader, and for a request to end */
    GRACE_POLLS = 5,   /* chosen: number of checks that a full pipe gets at the end */
};

/* The text of a signal in the last row. Most signals keep their value, and formatting is slow. */
struct cell {
    double value;
    char text[32]; /* empty: not written yet, or the value is not finite */
};

struct signal_log {
    int fd;
    char *path;
    struct sim *sim;
    int64_t due_us;
    int reason; /* errno of the first failed write; 0: no failure */
    size_t used;
    char buffer[BUFFER_MAX];
    struct cell cells[];
};

/* ---- Writing. The file may be a pipe with a slow reader, which does not delay a signal that ends
 * the run. ---- */

/* Waits until the pipe accepts data. False: the end of the run was requested, and the reader has
 * stopped reading. */
static bool wait_for_reader(const struct signal_log *log)
{
    struct pollfd pipe = {.fd = log->fd, .events = POLLOUT};
    int looks = 0;
    while (poll(&pipe, 1, POLL_MS) <= 0)
        if (stop_is_wanted() && ++looks >= GRACE_POLLS)
            return false;
    return true;
}

static void flush(struct signal_log *log)
{
    size_t done = 0;
    while (log->reason == 0 && done < log->used) {
        ssize_t wrote = write(log->fd, log->buffer + done, log->used - done);
        if (wrote > 0)
            done += (size_t)wrote;
        else if (wrote == 0)
            log->reason = ENOSPC;
        else if (errno == EAGAIN)
            log->reason = wait_for_reader(log) ? 0 : EAGAIN;
        else if (errno != EINTR)
            log->reason = errno;
    }
    log->used = 0;
}

static void add(struct signal_log *log, const char *text)
{
    size_t size = strlen(text);
    if (size < sizeof log->buffer - log->used) {
        writer_copy(log->buffer + log->used, text, size);
        log->used += size;
        return;
    }
    while (size > 0) {
        size_t room = sizeof log->buffer - log->used, part = size < room ? size : room;
        memcpy(log->buffer + log->used, text, part);
        log->used += part;
        text += part;
        size -= part;
        if (log->used == sizeof log->buffer)
            flush(log);
    }
}

static void write_head(struct signal_log *log)
{
    for (size_t i = 0; i < sim_signal_count(log->sim); i++) {
        add(log, i > 0 ? "," : "");
        add(log, sim_signal_info(log->sim, i).name);
    }
    add(log, "\n");
}

/* Infinity and NaN become empty fields. */
static void write_row(struct signal_log *log)
{
    for (size_t i = 0; i < sim_signal_count(log->sim); i++) {
        struct cell *cell = &log->cells[i];
        double value = sim_signal_value(log->sim, i);
        add(log, i > 0 ? "," : "");
        if (!isfinite(value))
            *cell->text = '\0';
        else if (!*cell->text || value != cell->value)
            table_number(value, cell->text, sizeof cell->text);
        cell->value = value;
        add(log, cell->text);
    }
    add(log, "\n");
}

/* ---- Opening and closing ---- */

static bool is_kind(const char *path, mode_t kind)
{
    struct stat found;
    return stat(path, &found) == 0 && (found.st_mode & S_IFMT) == kind;
}

/* A pipe is opened as soon as it has a reader, which may come later. */
static bool open_file(struct signal_log *log, struct error *error)
{
    if (is_kind(log->path, S_IFREG))
        return file_bytes_replace(log->path, "--log", "log of signals",
                                  sim_signal_info(log->sim, 0).name, &log->fd, error);
    while ((log->fd = open(log->path, O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
                           0666)) < 0) {
        int reason = errno;
        bool is_early = reason == EINTR || (reason == ENXIO && is_kind(log->path, S_IFIFO));
        errno = reason;
        if (!is_early || stop_is_wanted())
            return error_set(error, "--log %s: %s", log->path, strerror(errno));
        poll(NULL, 0, POLL_MS);
    }
    return true;
}

struct signal_log *signal_log_open(const char *path, struct sim *sim, struct error *error)
{
    struct signal_log *log = calloc(1, sizeof *log + sim_signal_count(sim) * sizeof *log->cells);
    if (log)
        log->path = strdup(path);
    if (!log || !log->path) {
        error_set(error, "not enough memory for the log");
        free(log);
        return NULL;
    }
    log->sim = sim;
    if (!open_file(log, error)) {
        free(log->path);
        free(log);
        return NULL;
    }
    write_head(log);
    write_row(log);
    log->due_us = sim_now_us(sim) + SIGNAL_LOG_PERIOD_US;
    return log;
}

void signal_log_step(struct signal_log *log)
{
    if (log->reason != 0 || sim_now_us(log->sim) < log->due_us)
        return;
    log->due_us += SIGNAL_LOG_PERIOD_US;
    write_row(log);
}

bool signal_log_close(struct signal_log *log, struct error *error)
{
    if (!log)
        return true;
    flush(log);
    // Some file systems report write errors only on close.
    if (close(log->fd) != 0 && log->reason == 0)
        log->reason = errno;
    bool is_whole = log->reason == 0;
    if (!is_whole)
        error_set(error, "--log %s: not all data could be written: %s", log->path,
                  log->reason == EAGAIN ? "the reader of the pipe has closed it"
                                        : strerror(log->reason));
    free(log->path);
    free(log);
    return is_whole;
}
