#include "app/lab/batch/batch_job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "app/cli/terminal.h"
#include "app/lab/batch/batch_results.h"
#include "app/lab/batch/test_table.h"

enum { PIECE = 65536 }; /* bytes: what a pipe holds */

/* ---- Tests in their process ---- */

/* What a test of its number runs with. */
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

/* With its output in console.txt in its folder. */
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

/* ---- What it has said ---- */

void batch_close_pipe(struct batch *batch, struct job *job)
{
    if (job->pipe < 0)
        return;
    poller_drop(&batch->poller, job->pipe);
    close(job->pipe);
    job->pipe = -1;
}

/* Writes the whole lines among what has come. */
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
