#include "app/lab/stress/stress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "app/cli/terminal.h"
#include "app/files/folders.h"
#include "app/lab/batch/shard.h"
#include "app/lab/batch/test_batch.h"
#include "app/lab/stress/catalogue.h"
#include "app/lab/stress/stress_report.h"
#include "app/links/poller.h"
#include "app/run/session.h"
#include "base/array.h"

enum { WORDS_MAX = ARGUMENTS_REPEATS_MAX };
enum { BASELINES = 3 }; /* of several seeds, so that what differs from run to run is known */

struct campaign {
    const char *word;
    const struct stress_options *options;
    struct batch_options batch; /* of the cases */
    struct scene *scene;
    struct out_folder out;
    struct survival_facts *baselines, *facts; /* shared with the tests */
    struct catalogue catalogue;
    struct test_units units;
    struct stress_counts counts;
    char command[512];
    const char *supervised[WORDS_MAX], *late[WORDS_MAX]; /* command lines of the driver */
};

static struct survival_facts *share(size_t count)
{
    void *memory = mmap(NULL, (count + 1) * sizeof(struct survival_facts), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void write_command(struct campaign *campaign)
{
    const char *const *words = campaign->options->batch.test.host.words;
    for (size_t used = 0; words && *words && used < sizeof campaign->command; words++)
        used += (size_t)snprintf(campaign->command + used, sizeof campaign->command - used, "%s%s",
                                 used > 0 ? " " : "", *words);
}

/* Puts a shell before the words of the driver, which it gets as its arguments. */
static void wrap(const char *const *words, const char *script, const char *out[WORDS_MAX])
{
    const char *const shell[] = {"/bin/sh", "-c", script, "sh"};
    size_t count = 0;
    for (; count < COUNT(shell); count++)
        out[count] = shell[count];
    for (; *words && count + 1 < WORDS_MAX; words++)
        out[count++] = *words;
    out[count] = NULL;
}

/* The command lines of the driver: with a supervisor that starts it again a second after it has
 * failed (--policy restart), and one that starts late. */
static void write_words(struct campaign *campaign)
{
    struct host_options *host = &campaign->batch.test.host;
    if (campaign->options->policy == SURVIVAL_RESTART) {
        wrap(host->words, "until \"$@\"; do sleep 1; done", campaign->supervised);
        host->words = campaign->supervised;
    }
    wrap(host->words, "sleep 0.1; exec \"$@\"", campaign->late);
}

/* ---- The baseline ---- */

/* Runs the driver without any hardship, with several seeds. */
static int run_baseline(struct campaign *campaign, const char *results)
{
    static struct batch_options options; // too large for a stack to like
    struct catalogue catalogue = {.cases = calloc(BASELINES, sizeof *catalogue.cases),
                                  .count = BASELINES};
    struct test_units units;
    const struct test_unit *failed = NULL;
    for (size_t i = 0; catalogue.cases && i < BASELINES; i++) {
        struct stress_case *one = &catalogue.cases[i];
        snprintf(one->name, sizeof one->name, "baseline-%zu", i + 1);
        one->survival.for_s = CATALOGUE_BASELINE_S;
    }
    if (!catalogue.cases)
        return terminal_fail(EXIT_CODE_ENVIRONMENT, "not enough memory");
    catalogue_units(&catalogue, campaign->word, campaign->scene->seed, campaign->baselines, &units);
    options = campaign->batch;
    *options.test.junit = *options.results = *options.report.html = *options.report.baseline = '\0';
    snprintf(options.results, sizeof options.results, "%s", results);
    options.is_brief = true;
    out_folder_file(&campaign->out, "baseline", options.test.out);
    for (size_t i = 0; i < BASELINES; i++) {
        units.units[i].varied.has_seed = true;
        units.units[i].varied.seed = (int64_t)(campaign->scene->seed + i);
    }
    int code = test_batch(&units, &options, &failed);
    test_units_free(&units);
    catalogue_free(&catalogue);
    return code;
}

/* Prints the verdicts that fired; returns how many. */
static size_t print_verdicts(const struct survey *survey)
{
    size_t count = 0, i;
    json_t *item;
    json_array_foreach(survey->cases[0].expect, i, item)
    {
        if (strcmp(json_string_value(json_object_get(item, "verdict")), "failed") != 0)
            continue;
        const char *that = json_string_value(json_object_get(item, "that"));
        printf("finding in the baseline: %s: %s\n", that,
               json_string_value(json_object_get(item, "found")));
        count++;
    }
    return count;
}

/* What the driver does without any hardship. Returns whether a catalogue makes sense. */
static bool print_baseline(struct campaign *campaign, const char *path, int code,
                           struct error *error)
{
    const struct survival_facts *facts = &campaign->baselines[0];
    double end_s = facts->is_ended ? facts->end_s : facts->run_s;
    struct results results = {0};
    struct survey survey = {0};
    bool is_read = results_load(&results, path, error) &&
                   (survey_make(&survey, &results) || error_set(error, "not enough memory"));
    if (is_read && code == EXIT_CODE_OK)
        printf("baseline: %s at %.1f s; %.3g commands/s, reads %.3g B/s\n",
               facts->is_ended ? "exits with 0" : "still runs", end_s,
               survival_rate(facts, facts->commands, 0, end_s),
               survival_rate(facts, facts->taken, 0, end_s));
    if (is_read)
        campaign->counts.baseline = print_verdicts(&survey);
    if (*facts->note)
        printf("note on the baseline: %s\n", facts->note);
    terminal_flush();
    survey_free(&survey);
    results_free(&results);
    return is_read;
}

/* ---- The cases ---- */

static bool make_units(struct campaign *campaign, struct error *error)
{
    const struct stress_options *options = campaign->options;
    const struct catalogue_options choice = {.only = &options->only,
                                             .skip = &options->skip,
                                             .recover_s = options->recover_s,
                                             .random = (size_t)options->random,
                                             .policy = (enum survival_policy)options->policy,
                                             .late = campaign->late,
                                             .baselines = campaign->baselines,
                                             .baseline_count = BASELINES};
    char shard[SHARD_TEXT_MAX];
    const char *who = "";
    if (!catalogue_make(&campaign->catalogue, campaign->scene, &choice, error))
        return false;
    campaign->facts = share(campaign->catalogue.count);
    if (!campaign->facts)
        return error_set(error, "not enough memory");
    catalogue_units(&campaign->catalogue, campaign->word, campaign->scene->seed, campaign->facts,
                    &campaign->units);
    return shard_find(options->batch.shard, shard, &who, error) &&
           test_units_keep(&campaign->units, shard, error);
}

/* Returns the exit code. */
static int print_report(struct campaign *campaign, double took_s, int code)
{
    struct results results = {0}, earlier = {0};
    struct survey survey = {0}, known = {0};
    struct error error = {0};
    struct stress_counts *counts = &campaign->counts;
    const char *baseline = campaign->options->batch.report.baseline;
    bool is_read =
        results_load(&results, campaign->batch.results, &error) && survey_make(&survey, &results);
    if (is_read && *baseline)
        is_read = (results_load(&earlier, baseline, &error) && survey_make(&known, &earlier)) ||
                  error_prefix(&error, "--baseline ");
    if (is_read) {
        const struct stress_bench bench = {.word = campaign->word,
                                           .scene = campaign->scene,
                                           .batch = &campaign->batch,
                                           .folder = campaign->out.path,
                                           .command = campaign->command};
        const struct stress_report report = {.catalogue = &campaign->catalogue,
                                             .survey = &survey,
                                             .known = *baseline ? &known : NULL,
                                             .bench = &bench,
                                             .is_minimized = campaign->batch.is_minimized};
        stress_report_print(&report, counts, stdout);
        printf("\n%zu of %zu cases failed", counts->findings, counts->cases);
        if (*baseline)
            printf(", %zu of them not in %s", counts->fresh, baseline);
        printf("; %.1f s\n", took_s);
        if (code == EXIT_CODE_FAILED && counts->fresh == 0)
            code = EXIT_CODE_OK;
        if (code == EXIT_CODE_OK && counts->baseline > 0)
            code = EXIT_CODE_FAILED;
    }
    survey_free(&known);
    survey_free(&survey);
    results_free(&earlier);
    results_free(&results);
    terminal_flush();
    return is_read ? code : terminal_fail(EXIT_CODE_ENVIRONMENT, "%s", error.text);
}

static int run_cases(struct campaign *campaign, int64_t start_ns)
{
    const struct test_unit *failed = NULL;
    bool is_named = *campaign->batch.results;
    if (!is_named)
        out_folder_file(&campaign->out, ".stress.ndjson", campaign->batch.results);
    campaign->batch.is_brief = true;
    *campaign->batch.report.baseline = '\0';
    out_folder_file(&campaign->out, "cases", campaign->batch.test.out);
    int code = test_batch(&campaign->units, &campaign->batch, &failed);
    if (!stop_is_wanted())
        code = print_report(campaign, (double)(poller_now_ns() - start_ns) * 1e-9, code);
    if (!is_named)
        unlink(campaign->batch.results);
    return code;
}

static int run(struct campaign *campaign, struct error *error)
{
    int64_t start_ns = poller_now_ns();
    campaign->scene = session_scene(campaign->word, &campaign->options->batch.test.run, error);
    if (!campaign->scene)
        return EXIT_CODE_USAGE;
    if (!out_folder_open(&campaign->out, campaign->options->batch.test.out, error) ||
        !out_folder_clear(&campaign->out, error))
        return EXIT_CODE_ENVIRONMENT;
    campaign->baselines = share(BASELINES);
    if (!campaign->baselines) {
        error_set(error, "not enough memory");
        return EXIT_CODE_ENVIRONMENT;
    }
    write_command(campaign);
    char path[PATH_MAX];
    int code = run_baseline(campaign, out_folder_file(&campaign->out, ".baseline.ndjson", path));
    if (stop_is_wanted() || code == EXIT_CODE_USAGE || !print_baseline(campaign, path, code, error))
        return code == EXIT_CODE_OK ? EXIT_CODE_ENVIRONMENT : code;
    unlink(path);
    const struct survival_facts *facts = &campaign->baselines[0];
    if (code == EXIT_CODE_ENVIRONMENT || (facts->is_ended && facts->status != 0)) {
        terminal_say("the driver fails without any hardship, so there is nothing to compare with");
        return code;
    }
    if (!make_units(campaign, error))
        return EXIT_CODE_USAGE;
    double total_s = 0;
    for (size_t i = 0; i < campaign->catalogue.count; i++)
        total_s += campaign->catalogue.cases[i].survival.for_s;
    if (!campaign->baselines[0].is_held)
        printf("ptybot cannot hold the time of this driver. %zu cases run in real time, for up to "
               "%.0f minutes divided by --jobs. Each finding is confirmed by two more runs, but it "
               "may not repeat.\n",
               campaign->catalogue.count, ceil(total_s / 60));
    terminal_flush();
    return run_cases(campaign, start_ns);
}

int stress(const char *word, const struct stress_options *options)
{
    static struct campaign campaign; // too large for a stack to like
    struct error error = {0};
    campaign = (struct campaign){.word = word, .options = options, .batch = options->batch};
    write_words(&campaign);
    int code = run(&campaign, &error);
    if (*error.text)
        terminal_fail(code, "%s", error.text);
    test_units_free(&campaign.units);
    catalogue_free(&campaign.catalogue);
    scene_destroy(campaign.scene);
    if (*campaign.out.path)
        out_folder_close(&campaign.out, code == EXIT_CODE_FAILED);
    return code;
}
