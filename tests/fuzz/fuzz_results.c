/* Any bytes as a file of results, up to the exit code: refused with a reason, or a code of the
 * program that agrees with the verdicts. Each input is read with and without a right plan before
 * it. */
#define _GNU_SOURCE
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/terminal.h"
#include "app/lab/results/results_read.h"
#include "app/lab/results/survey.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char head[] =
    "{\"type\":\"plan\",\"format\":1,\"plan\":\"0123456789abcdef\",\"count\":2,"
    "\"varied\":[],\"better\":{},\"names\":[\"a\",\"b\"]}\n";

static void check_judgements(const struct results *results, const struct survey *survey)
{
    for (size_t i = 0; i < results->count; i++) {
        struct judgement judgement;
        struct test_result result;
        const struct results_line *line = &results->lines[i];
        if (!line->text)
            continue;
        assert(results_judgement(line, &judgement, &result));
        assert(result.code >= EXIT_CODE_OK && result.code <= EXIT_CODE_ENVIRONMENT);
        assert((result.code == EXIT_CODE_OK) == (survey->cases[i].verdict == JUDGEMENT_PASSED));
        assert((result.code == EXIT_CODE_FAILED) == (survey->cases[i].verdict == JUDGEMENT_FAILED));
        if (result.code <= EXIT_CODE_FAILED)
            assert(judgement_code(&judgement) == result.code);
        judgement_free(&judgement);
    }
}

static void read_results(const uint8_t *data, size_t size, size_t head_size)
{
    struct results results = {0};
    struct survey survey = {0};
    struct error error = {0};
    char *bytes = malloc(head_size + size + 1);
    assert(bytes);
    memcpy(bytes, head, head_size);
    memcpy(bytes + head_size, data, size);
    if (results_take(&results, bytes, head_size + size, &error)) {
        assert(survey_make(&survey, &results));
        check_judgements(&results, &survey);
        survey_free(&survey);
    } else {
        assert(error.text[0] != '\0');
    }
    results_free(&results);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_results(data, size, strlen(head));
    read_results(data, size, 0);
    return 0;
}
