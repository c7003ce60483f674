/* Many tests: how they run. */
#include "app/test/test_batch.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/cli/terminal.h"
#include "app/io/folders.h"
#include "app/io/poller.h"
#include "app/test/junit.h"
#include "app/test/results.h"
#include "app/test/results_read.h"
#include "app/test/test_run.h"
#include "app/test/test_table.h"

enum {
    LOOK_MS = 20,    /* chosen: how soon the end of a test is noticed at the latest */
    GRACE_MS = 6000, /* chosen: three times what a test gives its host */
    PIECE = 65536,   /* bytes: what a pipe holds */
};

/* A process that runs some tests, one after the other. */
struct job {
    pid_t pid;         /* 0: none */
    size_t index, end; /* the tests */
    int pipe;          /* their lines of results; -1: it has ended */
    char *text;        /* that have come and are not written */
    size_t used, room;
};

struct batch {
    const struct test_units *units;
    const struct test_options *options;
    struct out_folder out;
    struct poller poller;
    struct test_result *results; /* shared with the processes; IS_DONE: it was run */
    struct job *jobs;
    char **suites; /* files of JUnit elements */
    size_t next;   /* to be started */
    size_t running, ended, failed, shown;
    size_t known; /* of ENDED: by an earlier run */
    bool is_bare; /* worlds alone, many in one process */
    size_t jobs_most;
    size_t each; /* tests of a process */
    int64_t start_ns, kill_ns;
    int file;            /* of results; -1: none */
    bool is_ready;       /* all of the above is there */
    int code;            /* of what could not be opened */
    struct error broken; /* why not all of it could be written; "": all was */
};

static size_t job_count(const struct batch *batch)
{
    return batch->jobs_most;
}

static void unit_path(const struct batch *batch, size_t index, const char *name,
                      char path[PATH_MAX])
{
    char within[PATH_MAX];
    snprintf(within, sizeof within, "%s%s%s", batch->units->units[index].name, *name ? "/" : "",
             name);
    out_folder_file(&batch->out, within, path);
}

static bool ends_at_failure(const struct batch *batch)
{
    return batch->options->is_fail_fast || batch->options->is_until_failure;
}

/* ---- Tests in their process ---- */

/* What a test of its number runs with. */
static void fill_options(const struct batch *batch, size_t index, struct test_options *options)
{
    const struct sweep_case *varied = &batch->units->units[index].varied;
    struct argument_texts *set = &options->run.set;
    *options = *batch->options;
    options->junit[0] = '\0';
    options->run.has_seed |= varied->has_seed;
    if (varied->has_seed)
        options->run.seed = varied->seed;
    for (size_t i = 0; i < varied->set_count && set->count < ARGUMENTS_REPEATS_MAX; i++)
        set->texts[set->count++] = varied->sets[i];
}

/* With its output in console.txt in its folder. */
static int run_whole(const struct batch *batch, size_t index, const struct test_part *part,
                     struct test_result *result)
{
    struct out_folder out;
    struct error error = {0};
    char path[PATH_MAX];
    static struct test_options options; // too large for a stack to like
    unit_path(batch, index, "", path);
    if (!out_folder_open(&out, path, &error) || !out_folder_clear(&out, &error))
        _exit(terminal_fail(EXIT_CODE_ENVIRONMENT, "%s", error.text));
    int console = open(out_folder_file(&out, "console.txt", path),
                       O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (console < 0 || dup2(console, STDOUT_FILENO) < 0 || dup2(console, STDERR_FILENO) < 0)
        _exit(terminal_fail(EXIT_CODE_ENVIRONMENT, "%s: %s", path, strerror(errno)));
    close(console);
    fill_options(batch, index, &options);
    snprintf(options.out, sizeof options.out, "%s", out.path);
    int code = test_run(batch->units->units[index].scene, &options, part, result);
    terminal_flush();
    return code;
}

/* A failed one is run again with all that is around a world, for its files. */
static void run_bare(const struct batch *batch, size_t index, const struct test_part *part)
{
    static struct test_options options; // too large for a stack to like
    struct test_result again;
    fill_options(batch, index, &options);
    int code = test_run(batch->units->units[index].scene, &options, part, &batch->results[index]);
    if (code != EXIT_CODE_OK && batch->failed < TEST_TABLE_ROWS && !stop_is_wanted()) {
        const struct test_part whole = {.name = part->name, .results = -1};
        run_whole(batch, index, &whole, &again);
    }
}

/* In the child. */
static _Noreturn void become(struct batch *batch, const struct job *job, int results, pid_t parent)
{
    int code = EXIT_CODE_OK;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(EXIT_CODE_ENVIRONMENT);
    for (size_t i = job->index; i < job->end && !stop_is_wanted(); i++) {
        const struct test_unit *unit = &batch->units->units[i];
        const struct test_part part = {.name = unit->name,
                                       .suite = *batch->options->junit ? batch->suites[i] : NULL,
                                       .results = batch->file >= 0 ? results : -1,
                                       .is_bare = batch->is_bare,
                                       .number = unit->number,
                                       .vary = unit->varied.vary};
        if (batch->results[i].is_done)
            continue;
        if (batch->is_bare)
            run_bare(batch, i, &part);
        else
            code = run_whole(batch, i, &part, &batch->results[i]);
        bool has_failed = batch->results[i].code != EXIT_CODE_OK;
        batch->failed += has_failed;
        if (has_failed && ends_at_failure(batch))
            break;
    }
    exit(code);
}

/* Forks, with a pipe from the child in JOB. */
static bool start_process(struct batch *batch, struct job *job)
{
    int ends[2];
    pid_t parent = getpid();
    terminal_flush(); // else the child would print it again
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        become(batch, job, ends[1], parent);
    }
    int reason = errno;
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        errno = reason;
        return false;
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    poller_set(&batch->poller, ends[0], EPOLLIN, POLLER_CLIENT, (size_t)(job - batch->jobs));
    job->pid = pid;
    job->pipe = ends[0];
    job->used = 0;
    batch->running++;
    return true;
}

/* Starts the tests of a job. */
static void start_job(struct batch *batch, struct job *job)
{
    if (start_process(batch, job))
        return;
    for (size_t i = job->index; i < job->end; i++) {
        struct test_result *result = &batch->results[i];
        *result = (struct test_result){.is_done = true, .code = EXIT_CODE_ENVIRONMENT};
        snprintf(result->reason, sizeof result->reason, "cannot be started: %s", strerror(errno));
        batch->ended++;
        batch->failed++;
        terminal_say("%s: %s", batch->units->units[i].name, result->reason);
    }
}

static void start(struct batch *batch, struct job *job)
{
    size_t count = batch->units->count;
    job->index = batch->next;
    job->end = batch->next = count - batch->next < batch->each ? count : batch->next + batch->each;
    start_job(batch, job);
}

/* Over those whose results an earlier run has left. */
static void skip_done(struct batch *batch)
{
    while (batch->next < batch->units->count && batch->results[batch->next].is_done)
        batch->next++;
}

/* ---- What it has said ---- */

static void close_pipe(struct batch *batch, struct job *job)
{
    if (job->pipe < 0)
        return;
    poller_drop(&batch->poller, job->pipe);
    close(job->pipe);
    job->pipe = -1;
}

static void append(struct batch *batch, const char *line, size_t size)
{
    if (batch->file >= 0 && !*batch->broken.text)
        results_append(batch->file, line, size, &batch->broken);
}

/* Writes the whole lines among what has come. */
static void pass_lines(struct batch *batch, struct job *job)
{
    size_t whole = job->used;
    while (whole > 0 && job->text[whole - 1] != '\n')
        whole--;
    append(batch, job->text, whole);
    job->used -= whole;
    if (whole > 0)
        memmove(job->text, job->text + whole, job->used);
}

/* Takes what is in the pipe. */
static void hear(struct batch *batch, struct job *job)
{
    ssize_t size = 1;
    while (job->pipe >= 0 && size > 0) {
        char *grown = job->room - job->used < PIECE ? realloc(job->text, job->room + PIECE) : NULL;
        if (grown) {
            job->text = grown;
            job->room += PIECE;
        }
        if (job->used == job->room) { // who writes there is told so
            error_set(&batch->broken, "--results: not enough memory for a line");
            close_pipe(batch, job);
            return;
        }
        size = read(job->pipe, job->text + job->used, job->room - job->used);
        if (size > 0) {
            job->used += (size_t)size;
            pass_lines(batch, job);
        }
    }
    if (size == 0)
        close_pipe(batch, job);
}

/* ---- What has come of it ---- */

static void show_console(struct batch *batch, size_t index)
{
    char path[PATH_MAX], line[4096];
    unit_path(batch, index, "console.txt", path);
    FILE *console = batch->shown < TEST_TABLE_ROWS ? fopen(path, "re") : NULL;
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

/* Writes the JUnit element and the line of a test that has left none. */
static void write_missing(struct batch *batch, size_t index, enum judgement_verdict verdict,
                          bool has_line)
{
    const struct test_unit *unit = &batch->units->units[index];
    const struct test_result *result = &batch->results[index];
    struct judgement judgement = {.seed = (uint64_t)unit->varied.seed};
    const struct results_case info = {.number = unit->number,
                                      .scene = unit->scene,
                                      .vary = unit->varied.vary,
                                      .code = EXIT_CODE_ENVIRONMENT};
    snprintf(judgement.name, sizeof judgement.name, "%s", unit->name);
    snprintf(judgement.file, sizeof judgement.file, "%s", unit->scene);
    judgement_add(&judgement, &(struct judgement_case){.verdict = verdict,
                                                       .what = "the test",
                                                       .when = "to its end",
                                                       .found = result->reason,
                                                       .kind = "not_run"});
    FILE *file = fopen(batch->suites[index], "we");
    if (file) {
        junit_write_suite(&judgement, file);
        fclose(file);
    }
    char *line = has_line && batch->file >= 0 ? results_case_line(&judgement, &info) : NULL;
    if (line)
        append(batch, line, strlen(line));
    free(line);
    judgement_free(&judgement);
}

/* The process has died over a test. */
static void note_death(struct batch *batch, size_t index, int status)
{
    struct test_result *result = &batch->results[index];
    *result = (struct test_result){
        .is_done = true, .code = EXIT_CODE_ENVIRONMENT, .cases = 1, .errors = 1};
    snprintf(result->reason, sizeof result->reason, "its process ended by %s %d",
             WIFSIGNALED(status) ? "signal" : "exit code",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
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
        unit_path(batch, index, "console.txt", path);
        unlink(path);
    }
}

static void take(struct batch *batch, struct job *job, int status)
{
    bool is_orderly = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_CODE_OK;
    job->pid = 0;
    job->used = 0;
    batch->running--;
    for (size_t i = job->index; i < job->end; i++) {
        // Worlds that were stopped were not run; those behind a death are run by another process.
        if (!batch->results[i].is_done && batch->is_bare && (is_orderly || stop_is_wanted()))
            return;
        bool is_death = !batch->results[i].is_done;
        if (batch->results[i].is_known)
            continue;
        if (is_death)
            note_death(batch, i, status);
        take_one(batch, i);
        job->index = i + 1;
        if (is_death && job->index < job->end && !stop_is_wanted())
            start_job(batch, job);
        if (is_death)
            return;
    }
}

static void look(struct batch *batch)
{
    for (size_t i = 0; i < job_count(batch); i++) {
        struct job *job = &batch->jobs[i];
        int status;
        if (job->pid == 0 || waitpid(job->pid, &status, WNOHANG) != job->pid)
            continue;
        hear(batch, job);
        close_pipe(batch, job);
        take(batch, job, status);
    }
}

static void tell_all(const struct batch *batch, int number)
{
    for (size_t i = 0; i < job_count(batch); i++)
        if (batch->jobs[i].pid > 0)
            kill(batch->jobs[i].pid, number);
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
    return batch->next < batch->units->count && !stop_is_wanted() &&
           !(ends_at_failure(batch) && batch->failed > 0);
}

static void start_some(struct batch *batch)
{
    for (size_t i = 0; i < job_count(batch); i++)
        for (skip_done(batch); batch->jobs[i].pid == 0 && may_start(batch); skip_done(batch))
            start(batch, &batch->jobs[i]);
}

/* A process that has closed its pipe is about to end. */
static int64_t look_ns(const struct batch *batch)
{
    int ms = LOOK_MS;
    for (size_t i = 0; i < job_count(batch); i++)
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
        size_t count = poller_wait(&batch->poller, look_ns(batch), ready);
        for (size_t i = 0; i < count; i++)
            if (ready[i].owner == POLLER_CLIENT)
                hear(batch, &batch->jobs[ready[i].index]);
        if (stop_is_wanted() && batch->kill_ns == 0) {
            batch->kill_ns = poller_now_ns() + GRACE_MS * INT64_C(1000000);
            tell_all(batch, stop_number());
        } else if (stop_is_wanted() && (poller_now_ns() > batch->kill_ns || stop_is_urgent())) {
            // Each still has to end its own host, so that only a kill ends it at once.
            tell_all(batch, poller_now_ns() > batch->kill_ns ? SIGKILL : SIGTERM);
        }
        look(batch);
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
        printf(" (%zu are in other shards)", units->all - units->count);
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

/* A test that was not run is an error, or with --fail-fast skipped: the file of a run that was cut
 * short does not look whole. */
static void miss(struct batch *batch, size_t index)
{
    struct test_result *result = &batch->results[index];
    bool is_cut_short = stop_is_wanted();
    result->cases = 1;
    result->errors = is_cut_short;
    result->skipped = !is_cut_short;
    snprintf(result->reason, sizeof result->reason, "not run: %s",
             is_cut_short ? "the tests were interrupted" : "a test before it failed (--fail-fast)");
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
    return junit_write(batch->options->junit, &totals, (const char *const *)batch->suites,
                       batch->units->count, error);
}

/* Removes the JUnit elements, and from a temporary folder all tests that passed or were not run. */
static void clean(struct batch *batch)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < batch->units->count; i++) {
        assert(batch->suites[i]);
        unlink(batch->suites[i]);
        unit_path(batch, i, "", path);
        if (batch->out.is_own && !batch->options->is_kept && batch->results[i].code == EXIT_CODE_OK)
            out_folder_remove(path);
        else if (!batch->results[i].is_done)
            rmdir(path);
    }
    if (batch->out.is_own && rmdir(batch->out.path) != 0)
        printf("kept: %s\n", batch->out.path);
}

/* ---- All of it ---- */

static bool write_plan(struct batch *batch, struct error *error)
{
    const struct test_units *units = batch->units;
    const struct results_plan plan = {.hash = units->hash,
                                      .count = units->all,
                                      .shard = {units->shard[0], units->shard[1]},
                                      .names = (const char *const *)units->names,
                                      .varied = units->varied};
    char *line = results_plan_line(&plan);
    bool is_written = line ? results_append(batch->file, line, strlen(line), error)
                           : error_set(error, "--results: not enough memory");
    free(line);
    return is_written;
}

/* Takes what an earlier run knows of a test; what could not be judged then is run again. */
static bool take_known(struct batch *batch, size_t index, const struct results_line *line)
{
    struct judgement judgement;
    assert(batch->suites);
    if (!line->text || line->code == EXIT_CODE_ENVIRONMENT)
        return true;
    bool is_whole = results_judgement(line, &judgement, &batch->results[index]);
    FILE *file = *batch->options->junit ? fopen(batch->suites[index], "we") : NULL;
    if (file) {
        junit_write_suite(&judgement, file);
        fclose(file);
    }
    judgement_free(&judgement);
    batch->results[index].is_known = true;
    batch->known++;
    batch->ended++;
    batch->failed += line->code != EXIT_CODE_OK;
    return is_whole;
}

/* Goes on with the file of an earlier run, whose torn last line is cut off. */
static bool resume(struct batch *batch, const char *path, struct error *error)
{
    struct results known = {0};
    char hash[24];
    snprintf(hash, sizeof hash, "%016" PRIx64, batch->units->hash);
    bool is_right = results_load(&known, path, error) || error_prefix(error, "--resume: ");
    if (is_right && strcmp(hash, known.hash) != 0)
        is_right = error_set(error,
                             "--resume: %s has other cases (plan %s, not %s): the scenes, seeds or "
                             "what varies have changed; take another file",
                             path, known.hash, hash);
    for (size_t i = 0; is_right && i < batch->units->count; i++)
        is_right = take_known(batch, i, &known.lines[batch->units->units[i].number]) ||
                   error_set(error, "--resume: not enough memory");
    if (is_right && known.is_torn && truncate(path, (off_t)known.whole) != 0)
        is_right = error_set(error, "--resume: %s: %s", path, strerror(errno));
    results_free(&known);
    return is_right;
}

static bool open_results(struct batch *batch, struct error *error)
{
    const char *path = batch->options->results;
    struct stat found;
    if (!*path)
        return true;
    bool has_old = batch->options->is_resumed && stat(path, &found) == 0 && found.st_size > 0;
    if (has_old && !resume(batch, path, error)) {
        batch->code = EXIT_CODE_USAGE;
        return false;
    }
    batch->file = results_open(path, !has_old, error);
    return batch->file >= 0 && (has_old || write_plan(batch, error));
}

/* Without hosts and files there is no need of more than the worlds. */
static bool is_bare(const struct batch *batch)
{
    const struct test_options *options = batch->options;
    bool is_alone = options->run.is_fast && !options->host.words &&
                    options->host.shells.count == 0 && !*options->out && !options->is_kept &&
                    !*options->run.frames.folder && !options->run.is_viewed &&
                    options->run.link.count == 0 &&
                    !(options->has_start && options->start == TEST_START_HOST);
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
    if (!out_folder_open(&batch->out, batch->options->out, error) ||
        !out_folder_clear(&batch->out, error) || !poller_open(&batch->poller, error) ||
        !stop_catch(&batch->poller, error))
        return false;
    stop_stay();
    batch->results = mmap(NULL, (count + 1) * sizeof *batch->results, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    batch->jobs = calloc(job_count(batch), sizeof *batch->jobs);
    batch->suites = calloc(count + 1, sizeof *batch->suites);
    bool is_there = batch->results != MAP_FAILED && batch->jobs && batch->suites;
    for (size_t i = 0; is_there && i < job_count(batch); i++)
        batch->jobs[i].pipe = -1;
    for (size_t i = 0; is_there && i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, ".suite-%zu.xml", i);
        out_folder_file(&batch->out, name, path);
        is_there = (batch->suites[i] = strdup(path)) != NULL;
    }
    batch->is_ready = is_there;
    return (is_there || error_set(error, "not enough memory for %zu tests", count)) &&
           open_results(batch, error);
}

static void close_batch(struct batch *batch)
{
    for (size_t i = 0; batch->suites && i < batch->units->count; i++)
        free(batch->suites[i]);
    for (size_t i = 0; batch->jobs && i < job_count(batch); i++)
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

static const struct test_unit *first_failed(const struct batch *batch)
{
    for (size_t i = 0; i < batch->units->count; i++)
        if (batch->results[i].is_done && batch->results[i].code == EXIT_CODE_FAILED)
            return &batch->units->units[i];
    return NULL;
}

int test_batch(const struct test_units *units, const struct test_options *options,
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
        print_table(&batch);
        code = worst(&batch);
        *failed = first_failed(&batch);
        is_written = !*options->junit || write_junit(&batch, &error);
        clean(&batch);
    }
    close_batch(&batch);
    terminal_flush();
    if (*batch.broken.text)
        code = terminal_fail(EXIT_CODE_ENVIRONMENT, "%s", batch.broken.text);
    return is_written ? code : terminal_fail(batch.code, "%s", error.text);
}
