/* Any bytes as a file of results, up to the exit code: rejected with a reason, or an exit code that
 * agrees with the verdicts and with that of `ptybot merge`. Each input is read with and without a
 * valid plan before it. */
#define _GNU_SOURCE
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/terminal.h"
#include "app/lab/results/results_read.h"
#include "app/lab/results/results_summary.h"
#include "app/subcommands/subcommands.h"
#include "tests/fuzz/run_subcommand_silently.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char head[] =
    "{\"type\":\"plan\",\"format\":1,\"plan\":\"0123456789abcdef\",\"count\":2,"
    "\"varied\":[],\"better\":{},\"names\":[\"a\",\"b\"]}\n";

static void check_judgements(const struct results *results, const struct results_summary *summary)
{
    for (size_t i = 0; i < results->count; i++) {
        struct judgement judgement;
        struct test_result result;
        const struct results_line *line = &results->lines[i];
        if (!line->text)
            continue;
        assert(results_judgement(line, &judgement, &result));
        assert(result.code >= EXIT_CODE_OK && result.code <= EXIT_CODE_ENVIRONMENT);
        assert((result.code == EXIT_CODE_OK) == (summary->cases[i].verdict == JUDGEMENT_PASSED));
        assert((result.code == EXIT_CODE_FAILED) ==
               (summary->cases[i].verdict == JUDGEMENT_FAILED));
        if (result.code <= EXIT_CODE_FAILED)
            assert(judgement_code(&judgement) == result.code);
        judgement_free(&judgement);
    }
}

/* It succeeds only if each case of the plan has passed. */
static void merge(const char *bytes, size_t size, const struct results_summary *summary)
{
    char path[QUIET_PATH];
    int fd = temporary_file(bytes, size, path);
    int code = run_subcommand_silently(&merge_subcommand,
                                       (const char *const[]){path, "--html", "/dev/null", NULL});
    run_subcommand_silently(&merge_subcommand,
                            (const char *const[]){path, "--baseline", path, NULL});
    assert(summary || code != EXIT_CODE_OK);
    for (size_t i = 0; summary && i < summary->count && code == EXIT_CODE_OK; i++)
        assert(summary->cases[i].is_there && summary->cases[i].verdict == JUDGEMENT_PASSED);
    close(fd);
}

static void read_results(const uint8_t *data, size_t size, size_t head_size)
{
    struct results results = {0};
    struct results_summary summary = {0};
    struct error error = {0};
    char *bytes = malloc(head_size + size + 1), *whole = malloc(head_size + size + 1);
    assert(bytes && whole);
    memcpy(whole, head, head_size);
    memcpy(whole + head_size, data, size);
    memcpy(bytes, whole, head_size + size);
    if (results_take(&results, bytes, head_size + size, &error)) {
        assert(summary_make(&summary, &results));
        check_judgements(&results, &summary);
        merge(whole, head_size + size, &summary);
        summary_free(&summary);
    } else {
        assert(error.text[0] != '\0');
        merge(whole, head_size + size, NULL);
    }
    results_free(&results);
    free(whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_results(data, size, strlen(head));
    read_results(data, size, 0);
    return 0;
}
