#include "app/lab/results/report.h"

#include <stdio.h>

#include "app/cli/terminal.h"
#include "app/lab/results/baseline.h"
#include "app/lab/results/coverage.h"
#include "app/lab/results/report_page.h"
#include "app/lab/results/results_read.h"
#include "app/lab/results/results_summary.h"

/* An earlier run; all zero: there is none. */
struct earlier {
    struct results results;
    struct results_summary summary;
    struct baseline baseline;
};

/* Returns EXIT_CODE_OK, or the code that says why it cannot be compared. */
static int compare(struct earlier *earlier, const struct results_summary *now, const char *path,
                   struct error *error)
{
    if (!results_load(&earlier->results, path, error)) {
        error_prefix(error, "--baseline ");
        return EXIT_CODE_USAGE;
    }
    if (!summary_make(&earlier->summary, &earlier->results)) {
        error_set(error,
                  "--baseline %s: not enough memory, or a line that is not a result of ptybot",
                  path);
        return EXIT_CODE_ENVIRONMENT;
    }
    if (!baseline_compare(&earlier->baseline, now, &earlier->summary, error)) {
        error_prefix(error, "--baseline %s: ", path);
        return EXIT_CODE_USAGE;
    }
    baseline_print(&earlier->baseline, path, stdout);
    return EXIT_CODE_OK;
}

int report(const struct results *results, const struct report_options *options, bool is_whole,
           int code)
{
    struct results_summary summary;
    struct earlier earlier = {0};
    struct error error = {0};
    bool has_earlier = *options->baseline;
    int wrong = EXIT_CODE_OK;
    if (!summary_make(&summary, results)) {
        error_set(&error, "not enough memory for a report, or a line that is not ours");
        wrong = EXIT_CODE_ENVIRONMENT;
    }
    if (wrong == EXIT_CODE_OK && has_earlier)
        wrong = compare(&earlier, &summary, options->baseline, &error);
    if (wrong == EXIT_CODE_OK && *options->html &&
        !report_page_write(options->html, &summary, has_earlier ? &earlier.summary : NULL,
                           has_earlier ? &earlier.baseline : NULL, options->baseline, &error))
        wrong = EXIT_CODE_ENVIRONMENT;
    if (wrong == EXIT_CODE_OK && options->is_covered && !coverage_print(results, stdout))
        wrong = EXIT_CODE_ENVIRONMENT;
    if (has_earlier && code == EXIT_CODE_FAILED && is_whole)
        code = EXIT_CODE_OK;
    if (earlier.baseline.worse > 0 && code == EXIT_CODE_OK)
        code = EXIT_CODE_FAILED;
    baseline_free(&earlier.baseline);
    summary_free(&earlier.summary);
    results_free(&earlier.results);
    summary_free(&summary);
    terminal_flush();
    return wrong == EXIT_CODE_OK ? code : terminal_fail(wrong, "%s", error.text);
}
