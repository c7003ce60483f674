#include "app/lab/batch/batch.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/cli/terminal.h"
#include "app/lab/batch/test_table.h"
#include "app/lab/results/results_read.h"
#include "app/test/junit.h"
#include "app/test/results.h"

bool batch_ends_at_failure(const struct batch *batch)
{
    return batch->options->test.is_fail_fast || batch->options->is_until_failure;
}

void batch_path(const struct batch *batch, size_t index, const char *name, char path[PATH_MAX])
{
    char within[PATH_MAX];
    snprintf(within, sizeof within, "%s%s%s", batch->units->units[index].name, *name ? "/" : "",
             name);
    out_folder_file(&batch->out, within, path);
}

/* ---- The results file: its plan, new lines, and lines of an earlier run ---- */

void batch_append(struct batch *batch, const char *line, size_t size)
{
    if (batch->file >= 0 && !*batch->broken.text)
        results_append(batch->file, line, size, &batch->broken);
}

static bool write_plan(struct batch *batch, struct error *error)
{
    const struct test_units *units = batch->units;
    const struct results_plan plan = {.hash = units->hash,
                                      .count = units->all,
                                      .shard = {units->shard[0], units->shard[1]},
                                      .names = (const char *const *)units->names,
                                      .varied = units->varied,
                                      .better = units->better};
    char *line = results_plan_line(&plan);
    bool is_written = line ? results_append(batch->file, line, strlen(line), error)
                           : error_set(error, "--results: not enough memory");
    free(line);
    return is_written;
}

/* Takes over the result of a test from an earlier run. Tests that could not be judged are run
 * again. */
static bool take_known(struct batch *batch, size_t index, const struct results_line *line)
{
    struct judgement judgement;
    assert(batch->suites);
    if (!line->text || line->code == EXIT_CODE_ENVIRONMENT)
        return true;
    bool is_whole = results_judgement(line, &judgement, &batch->results[index]);
    FILE *file = *batch->options->test.junit ? fopen(batch->suites[index], "we") : NULL;
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

/* Resumes the file of an earlier run. Removes an incomplete last line. */
static bool resume(struct batch *batch, const char *path, struct error *error)
{
    struct results known = {0};
    char hash[24];
    snprintf(hash, sizeof hash, "%016" PRIx64, batch->units->hash);
    bool is_right = results_load(&known, path, error) || error_prefix(error, "--resume: ");
    if (is_right && (strcmp(hash, known.hash) != 0 || known.count != batch->units->all))
        is_right = error_set(error,
                             "--resume: %s has other cases (plan %s, not %s): the scenes, seeds or "
                             "varied values have changed; name another file",
                             path, known.hash, hash);
    for (size_t i = 0; is_right && i < batch->units->count; i++)
        is_right = take_known(batch, i, &known.lines[batch->units->units[i].number]) ||
                   error_set(error, "--resume: not enough memory");
    if (is_right && known.is_torn && truncate(path, (off_t)known.whole) != 0)
        is_right = error_set(error, "--resume: %s: %s", path, strerror(errno));
    results_free(&known);
    return is_right;
}

bool batch_open_results(struct batch *batch, struct error *error)
{
    const struct batch_options *options = batch->options;
    const char *path = batch->stream;
    struct stat found;
    if (*options->results)
        snprintf(batch->stream, sizeof batch->stream, "%s", options->results);
    else if (*options->report.html || *options->report.baseline || options->report.is_covered)
        out_folder_file(&batch->out, ".results.ndjson", batch->stream);
    else
        return true;
    bool has_old = options->is_resumed && stat(path, &found) == 0 && found.st_size > 0;
    if (has_old && !resume(batch, path, error)) {
        batch->code = EXIT_CODE_USAGE;
        return false;
    }
    batch->file = results_open(path, !has_old, error);
    return batch->file >= 0 && (has_old || write_plan(batch, error));
}

/* ---- A process that runs some of the tests ---- */

enum { PIECE = 65536 }; /* bytes: capacity of a pipe */

/* Sets the options of test INDEX. */
static void fill_options(const struct batch *batch, size_t index, struct test_options *options)
{
    const struct sweep_case *varied = &batch->units->units[index].varied;
    struct argument_texts *set = &options->run.set;
    *options = batch->options->test;
    options->junit[0] = '\0';
    if (varied->has_seed || (varied->seed != 0 && !options->run.has_seed)) {
        options->run.has_seed = true;
        options->run.seed = varied->seed;
    }
    for (size_t i = 0; i < varied->set_count && set->count < ARGUMENTS_REPEATS_MAX; i++)
        set->texts[set->count++] = varied->sets[i];
}

/* Runs a test with its output in console.txt in its folder. */
static int run_whole(const struct batch *batch, size_t index, const struct test_part *part,
                     struct test_result *result)
{
    struct out_folder out;
    struct error error = {0};
    char path[PATH_MAX];
    static struct test_options options; // too large for a stack to like
    batch_path(batch, index, "", path);
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

/* Runs a simulation without links and files. If the test fails, runs it again with them, to get its
 * files. */
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

/* Runs in the child process. */
static _Noreturn void become(struct batch *batch, const struct job *job, int results, pid_t parent)
{
    int code = EXIT_CODE_OK;
    prctl(PR_SET_PDEATHSIG, SIGKILL); // then its keepers end what it has started
    if (getppid() != parent)
        _exit(EXIT_CODE_ENVIRONMENT);
    for (size_t i = job->index; i < job->end && !stop_is_wanted(); i++) {
        const struct test_unit *unit = &batch->units->units[i];
        bool has_files = !batch->is_bare || batch->failed < TEST_TABLE_ROWS;
        char files[PATH_MAX];
        batch_path(batch, i, "", files);
        const struct test_part part = {.name = unit->name,
                                       .suite =
                                           *batch->options->test.junit ? batch->suites[i] : NULL,
                                       .results = batch->file >= 0 ? results : -1,
                                       .is_bare = batch->is_bare,
                                       .number = unit->number,
                                       .vary = unit->varied.vary,
                                       .survival = unit->survival,
                                       .files = has_files ? files : NULL};
        if (batch->results[i].is_done)
            continue;
        if (batch->is_bare)
            run_bare(batch, i, &part);
        else
            code = run_whole(batch, i, &part, &batch->results[i]);
        bool has_failed = batch->results[i].code != EXIT_CODE_OK;
        batch->failed += has_failed;
        if (has_failed && batch_ends_at_failure(batch))
            break;
    }
    exit(code);
}

/* Forks. JOB gets a pipe from the child. */
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

void batch_start_job(struct batch *batch, struct job *job)
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

/* ---- Results from the processes ---- */

void batch_close_pipe(struct batch *batch, struct job *job)
{
    if (job->pipe < 0)
        return;
    poller_drop(&batch->poller, job->pipe);
    close(job->pipe);
    job->pipe = -1;
}

/* Writes the complete lines that have arrived. */
static void pass_lines(struct batch *batch, struct job *job)
{
    size_t whole = job->used;
    while (whole > 0 && job->text[whole - 1] != '\n')
        whole--;
    batch_append(batch, job->text, whole);
    job->used -= whole;
    if (whole > 0)
        memmove(job->text, job->text + whole, job->used);
}

void batch_hear(struct batch *batch, struct job *job)
{
    ssize_t size = 1;
    while (job->pipe >= 0 && size > 0) {
        char *grown = job->room - job->used < PIECE ? realloc(job->text, job->room + PIECE) : NULL;
        if (grown) {
            job->text = grown;
            job->room += PIECE;
        }
        if (job->used == job->room) { // whoever writes there gets an error
            error_set(&batch->broken, "--results: not enough memory for a line");
            batch_close_pipe(batch, job);
            return;
        }
        size = read(job->pipe, job->text + job->used, job->room - job->used);
        if (size > 0) {
            job->used += (size_t)size;
            pass_lines(batch, job);
        }
    }
    if (size == 0)
        batch_close_pipe(batch, job);
}
