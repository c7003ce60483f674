/* Runs many tests. */
#include "app/lab/batch/test_batch.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/cli/terminal.h"
#include "app/files/folders.h"
#include "app/lab/batch/test_table.h"
#include "app/lab/results/report.h"
#include "app/lab/results/results_read.h"
#include "app/links/poller.h"
#include "app/test/junit.h"
#include "app/test/results.h"
#include "app/test/test_run.h"

enum {
    POLL_MS = 20,    /* chosen: longest delay until the end of a test is noticed */
    GRACE_MS = 6000, /* chosen: three times the time that a test gives its host */
    STOPPED_MS =
        10000, /* chosen: when a suspended batch is resumed, all its processes continue sooner */
};

/* ---- Results ---- */

static void show_console(struct batch *batch, size_t index)
{
    char path[PATH_MAX], line[4096];
    batch_path(batch, index, "console.txt", path);
    FILE *console =
        !batch->options->is_brief && batch->shown < TEST_TABLE_ROWS ? fopen(path, "re") : NULL;
    if (!console)
        return;
    batch->shown++;
    terminal_status("");
    printf("---- %s\n", batch->units->units[index].name);
    while (fgets(line, sizeof line, console))
        fputs(line, stdout);
    fclose(console);
    fputc('\n', stdout);
    terminal_flush();
}

/* Writes the JUnit element and the results line of a test that has written none. */
static void write_missing(struct batch *batch, size_t index, enum judgement_verdict verdict,
                          bool has_line)
{
    const struct test_unit *unit = &batch->units->units[index];
    const struct test_result *result = &batch->results[index];
    struct judgement judgement = {.seed = (uint64_t)unit->varied.seed};
    char files[PATH_MAX];
    batch_path(batch, index, "", files);
    const struct results_case info = {.number = unit->number,
                                      .scene = unit->scene,
                                      .vary = unit->varied.vary,
                                      .files = files,
                                      .code = EXIT_CODE_ENVIRONMENT};
    snprintf(judgement.name, sizeof judgement.name, "%s", unit->name);
    snprintf(judgement.file, sizeof judgement.file, "%s", unit->scene);
    judgement_add_other(&judgement, verdict, "test", "execution", result->reason, "not_run");
    FILE *file = fopen(batch->suites[index], "we");
    if (file) {
        junit_write_suite(&judgement, file);
        fclose(file);
    }
    char *line = has_line && batch->file >= 0 ? results_case_line(&judgement, &info) : NULL;
    if (line)
        batch_append(batch, line, strlen(line));
    free(line);
    judgement_free(&judgement);
}

/* Records that the process died during a test. */
static void note_death(struct batch *batch, size_t index, int status, bool was_stopped)
{
    struct test_result *result = &batch->results[index];
    *result = (struct test_result){
        .is_done = true, .code = EXIT_CODE_ENVIRONMENT, .cases = 1, .errors = 1};
    snprintf(result->reason, sizeof result->reason, "its process ended with %s %d",
             WIFSIGNALED(status) ? "signal" : "exit code",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    if (was_stopped)
        snprintf(result->reason, sizeof result->reason,
                 "something, probably its driver, stopped its ptybot (SIGSTOP) for %d s; it was "
                 "killed",
                 STOPPED_MS / 1000);
    write_missing(batch, index, JUDGEMENT_ERROR, !stop_is_wanted());
}

static void take_one(struct batch *batch, size_t index)
{
    char path[PATH_MAX];
    batch->ended++;
    if (batch->results[index].code != EXIT_CODE_OK) {
        batch->failed++;
        show_console(batch, index);
    } else if (!batch->is_bare) {
        batch_path(batch, index, "console.txt", path);
        unlink(path);
    }
}

static void take(struct batch *batch, struct job *job, int status)
{
    bool is_orderly = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_CODE_OK;
    bool was_stopped = job->stopped_ns != 0;
    job->pid = 0;
    job->stopped_ns = 0;
    job->used = 0;
    batch->running--;
    for (size_t i = job->index; i < job->end; i++) {
        // Stopped simulations count as not run. The simulations after a death are run by another
        // process.
        if (!batch->results[i].is_done && batch->is_bare && (is_orderly || stop_is_wanted()))
            return;
        bool is_death = !batch->results[i].is_done;
        if (batch->results[i].is_known)
            continue;
        if (is_death)
            note_death(batch, i, status, was_stopped);
        take_one(batch, i);
        job->index = i + 1;
        if (is_death && job->index < job->end && !stop_is_wanted())
            batch_start_job(batch, job);
        if (is_death)
            return;
    }
}

/* Whether a process has ended. A process that stays stopped, for example by its own driver, is
 * killed. */
static bool has_ended(struct job *job, int *status)
{
    if (waitpid(job->pid, status, WNOHANG | WUNTRACED | WCONTINUED) == job->pid) {
        bool is_stopped = WIFSTOPPED(*status) && WSTOPSIG(*status) == SIGSTOP;
        if (WIFEXITED(*status) || WIFSIGNALED(*status))
            return true;
        job->stopped_ns = is_stopped ? poller_now_ns() : 0;
    }
    if (job->stopped_ns != 0 && poller_now_ns() - job->stopped_ns > STOPPED_MS * INT64_C(1000000))
        kill(job->pid, SIGKILL);
    return false;
}

static void poll_jobs(struct batch *batch)
{
    for (size_t i = 0; i < batch->jobs_most; i++) {
        struct job *job = &batch->jobs[i];
        int status;
        if (job->pid == 0 || !has_ended(job, &status))
            continue;
        batch_hear(batch, job);
        batch_close_pipe(batch, job);
        take(batch, job, status);
    }
}

static void signal_all(const struct batch *batch, int number)
{
    for (size_t i = 0; i < batch->jobs_most; i++)
        if (batch->jobs[i].pid > 0)
            kill(batch->jobs[i].pid, number);
}

static void start(struct batch *batch, struct job *job)
{
    size_t count = batch->units->count;
    job->index = batch->next;
    job->end = batch->next = count - batch->next < batch->each ? count : batch->next + batch->each;
    batch_start_job(batch, job);
}

/* Skips tests that an earlier run has done. */
static void skip_done(struct batch *batch)
{
    while (batch->next < batch->units->count && batch->results[batch->next].is_done)
        batch->next++;
}

static void show_progress(const struct batch *batch)
{
    enum { WIDTH = 30 };
    char text[160], bar[WIDTH + 1];
    size_t count = batch->units->count, filled = WIDTH * batch->ended / count;
    if (!terminal_has_status())
        return;
    for (size_t i = 0; i < WIDTH; i++)
        bar[i] = i < filled ? '#' : '.';
    bar[WIDTH] = '\0';
    snprintf(text, sizeof text, "[%s] %zu/%zu, %zu running, %zu failed, %.0f s", bar, batch->ended,
             count, batch->running, batch->failed,
             (double)(poller_now_ns() - batch->start_ns) * 1e-9);
    terminal_status(text);
}

static bool may_start(const struct batch *batch)
{
    int64_t until_ns = batch->options->until_ns;
    return batch->next < batch->units->count && !stop_is_wanted() &&
           (until_ns == 0 || poller_now_ns() < until_ns) &&
           !(batch_ends_at_failure(batch) && batch->failed > 0);
}

static void start_some(struct batch *batch)
{
    for (size_t i = 0; i < batch->jobs_most; i++)
        for (skip_done(batch); batch->jobs[i].pid == 0 && may_start(batch); skip_done(batch))
            start(batch, &batch->jobs[i]);
}

/* A process that has closed its pipe will end soon. */
static int64_t poll_ns(const struct batch *batch)
{
    int ms = POLL_MS;
    for (size_t i = 0; i < batch->jobs_most; i++)
        if (batch->jobs[i].pid > 0 && batch->jobs[i].pipe < 0)
            ms = 1;
    return poller_now_ns() + ms * INT64_C(1000000);
}

static void run_all(struct batch *batch)
{
    struct poller_ready ready[POLLER_READY_MAX];
    skip_done(batch);
    while (batch->running > 0 || may_start(batch)) {
        start_some(batch);
        show_progress(batch);
        size_t count = poller_wait(&batch->poller, poll_ns(batch), ready);
        for (size_t i = 0; i < count; i++)
            if (ready[i].owner == POLLER_CLIENT)
                batch_hear(batch, &batch->jobs[ready[i].index]);
        if (stop_is_wanted() && batch->kill_ns == 0) {
            batch->kill_ns = poller_now_ns() + GRACE_MS * INT64_C(1000000);
            signal_all(batch, stop_number());
        } else if (stop_is_wanted() && (poller_now_ns() > batch->kill_ns || stop_is_urgent())) {
            // Each process must still end its own host, so only a kill ends it immediately.
            signal_all(batch, poller_now_ns() > batch->kill_ns ? SIGKILL : SIGTERM);
        }
        poll_jobs(batch);
    }
    terminal_status("");
}

/* ---- At the end ---- */

static void print_table(const struct batch *batch)
{
    const struct test_units *units = batch->units;
    bool is_good = batch->ended == units->count && batch->failed == 0;
    size_t unstarted = units->count - batch->ended;
    const char **names = calloc(units->count + 1, sizeof *names);
    for (size_t i = 0; names && i < units->count; i++)
        names[i] = units->units[i].name;
    if (names)
        test_table_print(names, batch->results, units->count, stdout);
    free(names);
    printf("\n%s: %zu of %zu tests in %.1f s", is_good ? "passed" : "FAILED",
           is_good ? units->count : batch->failed, units->count,
           (double)(poller_now_ns() - batch->start_ns) * 1e-9);
    if (unstarted > 0)
        printf(", %zu not run", unstarted);
    if (batch->known > 0)
        printf(", %zu of them before (--resume)", batch->known);
    if (units->all > units->count)
        printf(" (%zu in other shards)", units->all - units->count);
    fputc('\n', stdout);
}

static int worst(const struct batch *batch)
{
    int code = stop_is_wanted() ? EXIT_CODE_ENVIRONMENT : EXIT_CODE_OK;
    for (size_t i = 0; i < batch->units->count; i++)
        if (batch->results[i].code > code)
            code = batch->results[i].code;
    return code;
}

/* Records a test that was not run: as an error, or with --fail-fast as skipped. The file of an
 * interrupted run must not look complete. */
static void miss(struct batch *batch, size_t index)
{
    struct test_result *result = &batch->results[index];
    bool is_cut_short = stop_is_wanted();
    result->cases = 1;
    result->errors = is_cut_short;
    result->skipped = !is_cut_short;
    snprintf(result->reason, sizeof result->reason, "not run: %s",
             is_cut_short ? "the tests were interrupted" : "an earlier test failed (--fail-fast)");
    write_missing(batch, index, is_cut_short ? JUDGEMENT_ERROR : JUDGEMENT_SKIPPED, false);
}

static bool write_junit(struct batch *batch, struct error *error)
{
    struct junit_totals totals = {.wall_s = (double)(poller_now_ns() - batch->start_ns) * 1e-9};
    for (size_t i = 0; i < batch->units->count; i++) {
        if (!batch->results[i].is_done && !batch->options->is_until_failure)
            miss(batch, i);
        totals.cases += batch->results[i].cases;
        totals.failures += batch->results[i].failures;
        totals.errors += batch->results[i].errors;
    }
    return junit_write(batch->options->test.junit, &totals, (const char *const *)batch->suites,
                       batch->units->count, error);
}

/* Removes the JUnit elements. From a temporary folder also removes all tests that passed or were
 * not run. */
static void clean(struct batch *batch)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < batch->units->count; i++) {
        assert(batch->suites[i]);
        unlink(batch->suites[i]);
        batch_path(batch, i, "", path);
        if (batch->out.is_own && !batch->options->test.is_kept &&
            batch->results[i].code == EXIT_CODE_OK)
            out_folder_remove(path);
        else if (!batch->results[i].is_done)
            rmdir(path);
    }
    if (!*batch->options->results && *batch->stream)
        unlink(batch->stream);
    if (batch->out.is_own && rmdir(batch->out.path) != 0)
        printf("kept: %s\n", batch->out.path);
}

/* ---- The whole batch ---- */

/* Whether simulations are sufficient, because the tests need no hosts and no files. */
static bool is_bare(const struct batch *batch)
{
    const struct batch_options *options = batch->options;
    bool is_alone = options->test.run.is_fast && !options->test.host.words &&
                    options->test.host.shells.count == 0 && !*options->test.out &&
                    !options->test.is_kept && !*options->test.run.frames.folder &&
                    !options->test.run.is_viewed && options->test.run.link.count == 0 &&
                    !(options->test.has_start && options->test.start == TEST_START_HOST);
    for (size_t i = 0; is_alone && i < batch->units->count; i++)
        is_alone = batch->units->units[i].is_alone;
    return is_alone;
}

static void choose_jobs(struct batch *batch)
{
    enum { EACH_MAX = 32, SHARES = 4 }; // chosen: forks cost little, and no core waits long
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    batch->is_bare = is_bare(batch);
    batch->jobs_most = batch->options->jobs > 0      ? (size_t)batch->options->jobs
                       : batch->is_bare && cores > 0 ? (size_t)cores
                                                     : 1;
    size_t each = batch->units->count / (batch->jobs_most * SHARES);
    batch->each = !batch->is_bare || each < 1 ? 1 : each < EACH_MAX ? each : EACH_MAX;
}

static bool open_batch(struct batch *batch, struct error *error)
{
    size_t count = batch->units->count;
    choose_jobs(batch);
    char path[PATH_MAX];
    if (!out_folder_open(&batch->out, batch->options->test.out, error) ||
        !out_folder_clear(&batch->out, error) || !poller_open(&batch->poller, error) ||
        !stop_catch(&batch->poller, error))
        return false;
    stop_stay();
    batch->results = mmap(NULL, (count + 1) * sizeof *batch->results, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    batch->jobs = calloc(batch->jobs_most, sizeof *batch->jobs);
    batch->suites = calloc(count + 1, sizeof *batch->suites);
    bool is_there = batch->results != MAP_FAILED && batch->jobs && batch->suites;
    for (size_t i = 0; is_there && i < batch->jobs_most; i++)
        batch->jobs[i].pipe = -1;
    for (size_t i = 0; is_there && i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, ".suite-%zu.xml", i);
        out_folder_file(&batch->out, name, path);
        is_there = (batch->suites[i] = strdup(path)) != NULL;
    }
    batch->is_ready = is_there;
    return (is_there || error_set(error, "not enough memory for %zu tests", count)) &&
           batch_open_results(batch, error);
}

static void close_batch(struct batch *batch)
{
    for (size_t i = 0; batch->suites && i < batch->units->count; i++)
        free(batch->suites[i]);
    for (size_t i = 0; batch->jobs && i < batch->jobs_most; i++)
        free(batch->jobs[i].text);
    free(batch->suites);
    free(batch->jobs);
    if (batch->results && batch->results != MAP_FAILED)
        munmap(batch->results, (batch->units->count + 1) * sizeof *batch->results);
    if (batch->file >= 0 && close(batch->file) != 0 && !*batch->broken.text)
        error_set(&batch->broken, "--results: cannot be written: %s", strerror(errno));
    stop_release();
    poller_close(&batch->poller);
}

/* Writes the report from the results file. */
static int make_report(const struct batch *batch, int code)
{
    const struct report_options *options = &batch->options->report;
    struct results results = {0};
    struct error error = {0};
    if (!*options->html && !*options->baseline && !options->is_covered)
        return code;
    if (!results_load(&results, batch->stream, &error))
        code = terminal_fail(EXIT_CODE_ENVIRONMENT, "%s", error.text);
    else
        code = report(&results, options, batch->ended == batch->units->count, code);
    results_free(&results);
    return code;
}

static const struct test_unit *first_failed(const struct batch *batch)
{
    for (size_t i = 0; i < batch->units->count; i++)
        if (batch->results[i].is_done && batch->results[i].code == EXIT_CODE_FAILED)
            return &batch->units->units[i];
    return NULL;
}

int test_batch(const struct test_units *units, const struct batch_options *options,
               const struct test_unit **failed)
{
    struct batch batch = {.units = units,
                          .options = options,
                          .poller = {.epoll = -1, .timer = -1},
                          .start_ns = poller_now_ns(),
                          .file = -1,
                          .code = EXIT_CODE_ENVIRONMENT};
    struct error error = {0};
    int code = EXIT_CODE_ENVIRONMENT;
    bool is_open = open_batch(&batch, &error), is_written = is_open;
    if (!is_open && batch.is_ready)
        clean(&batch);
    if (is_open) {
        run_all(&batch);
        if (!options->is_brief)
            print_table(&batch);
        code = worst(&batch);
        *failed = first_failed(&batch);
        is_written = !*options->test.junit || write_junit(&batch, &error);
        code = make_report(&batch, code);
        clean(&batch);
    }
    close_batch(&batch);
    terminal_flush();
    if (*batch.broken.text)
        code = terminal_fail(EXIT_CODE_ENVIRONMENT, "%s", batch.broken.text);
    return is_written ? code : terminal_fail(batch.code, "%s", error.text);
}
