/* `ptybot merge`: joins the results of several machines, or of an interrupted run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/terminal.h"
#include "app/lab/batch/test_table.h"
#include "app/lab/results/report.h"
#include "app/lab/results/results_read.h"
#include "app/test/junit.h"
#include "app/test/results.h"

struct merge_options {
    char junit[PATH_MAX], results[PATH_MAX];
    struct report_options report;
};

static const struct flag_row flags[] = {
    FLAG_TEXT("junit", "F.xml", merge_options, junit, "",
              "Write the verdicts of all cases as JUnit XML"),
    FLAG_TEXT("results", "F.ndjson", merge_options, results, "",
              "Write all results as one file, ordered by case"),
    REPORT_FLAG_ROWS(merge_options, report),
};

/* The joined results. */
struct merge {
    struct results results;
    const char **names;
    struct test_result *outcomes; /* for each case; missing cases are not done */
    size_t failed, missing;
    struct junit_totals totals;
};

/* A case that is in no file counts as failed. */
static void add_missing(const struct merge *merge, size_t number, struct judgement *judgement)
{
    *judgement = (struct judgement){0};
    snprintf(judgement->name, sizeof judgement->name, "%s", merge->names[number]);
    judgement_add_other(judgement, JUDGEMENT_FAILED, "case", "not in the results",
                        "no file contains it", "missing");
}

/* Adds one case. SUITES gets its JUnit element. */
static bool take_case(struct merge *merge, size_t number, FILE *suites)
{
    struct test_result *outcome = &merge->outcomes[number];
    const struct results_line *line = &merge->results.lines[number];
    struct judgement judgement;
    bool is_whole = true;
    merge->names[number] = results_name(&merge->results, number);
    if (line->text) {
        is_whole = results_judgement(line, &judgement, outcome);
    } else {
        add_missing(merge, number, &judgement);
        test_result_fill(&judgement, EXIT_CODE_FAILED, outcome);
        outcome->is_done = false;
        merge->missing++;
    }
    merge->failed += outcome->code != EXIT_CODE_OK;
    merge->totals.cases += outcome->cases;
    merge->totals.failures += outcome->failures;
    merge->totals.errors += outcome->errors;
    merge->totals.wall_s += outcome->wall_s;
    if (suites)
        junit_write_suite(&judgement, suites);
    judgement_free(&judgement);
    return is_whole;
}

/* Adds all cases. Their JUnit elements are written to a temporary file first, because the totals
 * come before them. */
static bool take_all(struct merge *merge, const struct merge_options *options, struct error *error)
{
    char path[PATH_MAX + 8];
    snprintf(path, sizeof path, "%s.part", options->junit);
    FILE *suites = *options->junit ? fopen(path, "we") : NULL;
    if (*options->junit && !suites)
        return error_set(error, "--junit %s: cannot be written", options->junit);
    bool is_whole = true;
    for (size_t i = 0; is_whole && i < merge->results.count; i++)
        is_whole = take_case(merge, i, suites);
    if (suites)
        is_whole = fclose(suites) == 0 && is_whole;
    const char *const parts[] = {path};
    bool is_written =
        is_whole && (!suites || junit_write(options->junit, &merge->totals, parts, 1, error));
    if (suites)
        unlink(path);
    return is_written ||
           (!is_whole &&
            error_set(error, "not enough memory, or a line that is not a result of ptybot"));
}

/* Writes all results to one file, ordered by case. */
static bool write_results(const struct merge *merge, const char *path, struct error *error)
{
    json_t *plan = json_deep_copy(merge->results.plan);
    json_t *whole = json_pack("[i, i]", 1, 1);
    json_object_set_new(plan, "shard", whole);
    char *head = plan ? json_dumps(plan, JSON_COMPACT) : NULL;
    int file = results_open(path, true, error);
    bool is_written = file >= 0 && head && results_append(file, head, strlen(head), error) &&
                      results_append(file, "\n", 1, error);
    for (size_t i = 0; is_written && i < merge->results.count; i++) {
        const struct results_line *line = &merge->results.lines[i];
        if (line->text) // with its newline
            is_written = results_append(file, line->text, line->size + 1, error);
    }
    if (file >= 0)
        is_written = close(file) == 0 && is_written;
    free(head);
    json_decref(plan);
    return is_written;
}

static int finish(struct merge *merge)
{
    int code = merge->missing + merge->results.differing > 0 ? EXIT_CODE_FAILED : EXIT_CODE_OK;
    for (size_t i = 0; i < merge->results.count; i++)
        if (merge->outcomes[i].code > code)
            code = merge->outcomes[i].code;
    test_table_print(merge->names, merge->outcomes, merge->results.count, stdout);
    printf("\n%s: %zu of %zu tests in %zu file%s", code == EXIT_CODE_OK ? "passed" : "FAILED",
           code == EXIT_CODE_OK ? merge->results.count : merge->failed, merge->results.count,
           merge->results.files, merge->results.files == 1 ? "" : "s");
    if (merge->missing > 0)
        printf(", %zu missing", merge->missing);
    if (merge->results.doubles > 0)
        printf(", %zu twice, %zu of them with different results", merge->results.doubles,
               merge->results.differing);
    putchar('\n');
    return code;
}

static int run_merge(struct merge *merge, const struct arguments *arguments,
                     const struct merge_options *options)
{
    struct error error = {0};
    for (size_t i = 0; i < arguments->word_count; i++)
        if (!results_load(&merge->results, arguments->words[i], &error))
            return terminal_fail(EXIT_CODE_USAGE, "%s", error.text);
    merge->names = calloc(merge->results.count + 1, sizeof *merge->names);
    merge->outcomes = calloc(merge->results.count + 1, sizeof *merge->outcomes);
    if (!merge->names || !merge->outcomes)
        return terminal_fail(EXIT_CODE_ENVIRONMENT, "not enough memory");
    if (!take_all(merge, options, &error) ||
        (*options->results && !write_results(merge, options->results, &error)))
        return terminal_fail(EXIT_CODE_ENVIRONMENT, "%s", error.text);
    int code = finish(merge);
    if (!*options->report.html && !*options->report.baseline)
        return code;
    return report(&merge->results, &options->report, merge->missing + merge->results.differing == 0,
                  code);
}

static int merge(struct arguments *arguments, void *memory)
{
    struct merge_options *options = memory;
    struct merge all = {0};
    int code = run_merge(&all, arguments, options);
    results_free(&all.results);
    free(all.names);
    free(all.outcomes);
    terminal_flush();
    return code;
}

const struct subcommand merge_subcommand = {
    .name = "merge",
    .usage = "F.ndjson... [FLAGS]",
    .summary = "join the results of several machines into one table and report",
    .details = "Takes files of `ptybot test --results` with the same plan: the parts of several "
               "machines,\nor of a run that was killed. A case that is in no file counts as "
               "failed. A case that is in\ntwo files is reported, and counts as failed if the two "
               "results differ.\n\n  ptybot merge part-*.ndjson --junit result.xml --html "
               "report.html\n  ptybot merge new.ndjson --baseline old.ndjson\n\nExit codes: that "
               "of the worst case, at least 1 if cases are missing; 2 no such files, or\nfiles of "
               "other cases; 3 could not be written. With --baseline, failed cases alone do "
               "not\ncount: 1 means that something is significantly worse than before, or missing.",
    SUBCOMMAND_FLAGS(flags, merge_options),
    .words = {1, SIZE_MAX, "give at least one result file"},
    .run = merge,
};
