#include "app/lab/batch/batch_results.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/cli/terminal.h"
#include "app/lab/results/results_read.h"
#include "app/test/junit.h"
#include "app/test/results.h"

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

/* Takes what an earlier run knows of a test; what could not be judged then is run again. */
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

/* Goes on with the file of an earlier run, whose torn last line is cut off. */
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
