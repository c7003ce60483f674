/* All signals of a run as comma-separated values. */
#include "app/record/signal_log.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/table.h"
#include "base/array.h"

static const struct flag_row flags[] = {
    {.value = "F.csv",
     .option = {.key = "log",
                .type = OPTION_TEXT,
                .offset = 0,
                .size = PATH_MAX,
                .fallback = "",
                .note = "write all signals, a row each 20 ms of simulated time"}},
};
const struct flag_group signal_log_flags = {.rows = flags, .count = COUNT(flags)};

struct signal_log {
    FILE *file;
    char *path;
    struct sim *sim;
    int64_t due_us;
    int reason; /* errno of the first failed write, 0: all is well */
};

static void note_failure(struct signal_log *log)
{
    if (ferror(log->file) && log->reason == 0)
        log->reason = errno ? errno : EIO;
}

static void write_head(struct signal_log *log)
{
    for (size_t i = 0; i < sim_signal_count(log->sim); i++)
        fprintf(log->file, "%s%s", i > 0 ? "," : "", sim_signal_info(log->sim, i)->name);
    fputc('\n', log->file);
}

/* Values that are not finite stay empty. */
static void write_row(struct signal_log *log)
{
    for (size_t i = 0; i < sim_signal_count(log->sim); i++) {
        char text[64];
        double value = sim_signal_value(log->sim, i);
        if (i > 0)
            fputc(',', log->file);
        if (isfinite(value))
            fputs(table_number(value, text, sizeof text), log->file);
    }
    fputc('\n', log->file);
    note_failure(log);
}

struct signal_log *signal_log_open(const char *path, struct sim *sim, struct error *error)
{
    struct signal_log *log = calloc(1, sizeof *log);
    if (log)
        log->path = strdup(path);
    if (!log || !log->path) {
        error_set(error, "not enough memory for the log");
        free(log);
        return NULL;
    }
    log->sim = sim;
    log->file = fopen(path, "we");
    if (!log->file) {
        error_set(error, "--log %s: %s", path, strerror(errno));
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
    if (fclose(log->file) != 0 && log->reason == 0)
        log->reason = errno;
    bool is_whole = log->reason == 0;
    if (!is_whole)
        error_set(error, "--log %s: not all could be written: %s", log->path,
                  strerror(log->reason));
    free(log->path);
    free(log);
    return is_whole;
}
