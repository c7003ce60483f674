#include "app/lab/stress/stress.h"

#include <inttypes.h>
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
#include "base/text.h"

enum { STRESS_COMMAND_MAX = 1536 }; /* chosen: longer than a user reads */
enum { BASELINES = 3 };             /* with different seeds, to know the normal variation */

struct campaign {
    const char *word;
    const struct stress_options *options;
    struct batch_options batch; /* for the cases */
    struct scene *scene;
    struct out_folder out;
    struct stress_bench bench;
    struct survival_facts *baselines; /* shared with the tests */
    struct catalogue catalogue;
    struct test_units units;
    struct stress_counts counts;
    char driver[STRESS_COMMAND_MAX], command[STRESS_COMMAND_MAX];
    char baseline[160];                            /* description for users */
    const char *supervised[ARGUMENTS_REPEATS_MAX]; /* the driver's command line with a supervisor */
};

/* Appends a word, quoted for a shell if necessary. */
static void add_word(char text[STRESS_COMMAND_MAX], const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=:,./@%{}";
    bool is_plain = *word && word[strspn(word, plain)] == '\0';
    text_add(text, STRESS_COMMAND_MAX, " ", "%s", is_plain ? word : "'");
    for (; !is_plain && *word; word++)
        text_add(text, STRESS_COMMAND_MAX, "", *word == '\'' ? "'\\''" : "%c", *word);
    text_add(text, STRESS_COMMAND_MAX, "", "%s", is_plain ? "" : "'");
}

static void add_flag(char text[STRESS_COMMAND_MAX], const char *flag, const char *value)
{
    if (!*value)
        return;
    add_word(text, flag);
    add_word(text, value);
}

static void add_number(char text[STRESS_COMMAND_MAX], const char *flag, double value, double usual)
{
    char number[32];
    snprintf(number, sizeof number, "%.16g", value);
    add_flag(text, flag, value == usual ? "" : number);
}

/* Writes the arguments that repeat a case: flags that change it, and the drivers. */
static void write_command(struct campaign *campaign)
{
    static const char *const policies[] = {"", "exit", "restart"};
    const struct stress_options *options = campaign->options;
    const struct host_options *host = &options->batch.test.host;
    const struct session_options *session = &options->batch.test.run;
    char *command = campaign->command, number[32] = "";
    for (const char *const *words = host->words; words && *words; words++)
        add_word(campaign->driver, *words);
    if (session->has_seed)
        snprintf(number, sizeof number, "%" PRId64, session->seed);
    add_flag(command, "--seed", number);
    for (size_t i = 0; i < session->set.count; i++)
        add_flag(command, "--set", session->set.texts[i]);
    add_flag(command, "--policy", policies[options->policy]);
    add_number(command, "--recover-within", options->recover_s, 0);
    add_flag(command, "--warp", host->warp_text);
    add_flag(command, "--host-delay", host->delay_text);
    add_number(command, "--wake-order", (double)host->wake_order, 0);
    add_number(command, "--host-timeout", options->batch.test.host_timeout_s, 60); // its default
    if (options->is_listener)
        add_word(command, "--listens");
    for (size_t i = 0; i < host->shells.count; i++)
        add_flag(command, "--host", host->shells.texts[i]);
    text_add(command, STRESS_COMMAND_MAX, " ", "-- %s", campaign->driver);
}

/* ---- The baseline ---- */

/* Whether a driver is expected to send commands until it ends: if a robot has wheels. */
static bool must_command(const struct campaign *campaign)
{
    static struct robot_body body; // too large for a stack to like
    bool has_wheels = false;
    for (size_t i = 0; i < campaign->scene->robot_count; i++) {
        const struct scene_robot *robot = &campaign->scene->robots[i];
        robot_type_body(robot->type, robot->options, &body);
        has_wheels |= body.wheel_count > 0;
    }
    return has_wheels && !campaign->options->is_listener;
}

/* Runs the driver without hardships, with several seeds. */
static int run_baseline(struct campaign *campaign, json_t **failed)
{
    struct stress_case *cases = calloc(BASELINES, sizeof *cases);
    struct catalogue catalogue = {.cases = cases, .count = BASELINES};
    for (size_t i = 0; cases && i < BASELINES; i++) {
        snprintf(cases[i].name, sizeof cases[i].name, "baseline-%zu", i + 1);
        cases[i].seed = (unsigned)i;
        cases[i].survival.for_s = CATALOGUE_BASELINE_S;
        cases[i].survival.must_command = must_command(campaign);
    }
    int code =
        cases ? stress_run(&campaign->bench, &catalogue, campaign->baselines, "baseline", failed)
              : terminal_fail(EXIT_CODE_ENVIRONMENT, "not enough memory");
    catalogue_free(&catalogue);
    return code;
}

/* Errors of the baseline are not reported later, and an estimate that is not understood never. */
static void add_estimate(char *text, size_t size, const struct survival_facts *facts)
{
    double position_m = 0, speed_m_s = 0;
    bool is_given = false;
    for (size_t i = 0; i < ESTIMATE_KEYS; i++)
        is_given |= facts->estimate.is_given[i];
    for (size_t i = 0; i < facts->tenths; i++) {
        position_m = fmax(position_m, facts->errors[i].position_m);
        speed_m_s = fmax(speed_m_s, facts->errors[i].speed_m_s);
    }
    if (is_given)
        text_add(text, size, "; ", "estimates off by at most %.2f m, %.2f m/s", position_m,
                 speed_m_s);
}

/* Prints the behavior of the driver without hardships. Returns whether testing hardships makes
 * sense. */
static bool print_baseline(struct campaign *campaign, int code, const json_t *failed)
{
    static const enum survival_verdict fatal[] = {SURVIVAL_CRASHED, SURVIVAL_HUNG,
                                                  SURVIVAL_UNAWARE};
    const struct survival_facts *facts = &campaign->baselines[0];
    double end_s = facts->is_ended ? facts->end_s : facts->run_s;
    bool is_usable = code != EXIT_CODE_ENVIRONMENT && !(facts->is_ended && facts->status != 0);
    size_t i;
    json_t *item;
    bool is_moving = facts->speed_m_s > SURVIVAL_STANDS_M_S;
    snprintf(campaign->baseline, sizeof campaign->baseline,
             "%s at %.1f s; %.3g commands/s, reads %.3g B/s%s",
             facts->is_ended ? "exits with 0" : "still runs", end_s,
             survival_rate(facts, facts->commands, 0, end_s),
             survival_rate(facts, facts->taken, 0, end_s),
             !facts->is_ended ? ""
             : is_moving      ? "; robots still move"
                              : "; robots have stopped");
    add_estimate(campaign->baseline, sizeof campaign->baseline, facts);
    if (code == EXIT_CODE_OK)
        printf("baseline: %s\n", campaign->baseline);
    json_array_foreach(failed, i, item)
    {
        const char *that = rpc_text(item, "that");
        printf("finding in the baseline: %s: %s\n", that, rpc_text(item, "found"));
        for (size_t k = 0; k < COUNT(fatal); k++)
            is_usable &= strcmp(that, survival_rows[fatal[k]].word) != 0;
    }
    campaign->counts.baseline = json_array_size(failed);
    if (*facts->note)
        printf("note on the baseline: %s\n", facts->note);
    terminal_flush();
    if (!is_usable)
        terminal_say(
            "the driver already fails in a run without hardships, so ptybot runs no further case");
    return is_usable;
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
                                             .baselines = campaign->baselines,
                                             .baseline_count = BASELINES};
    char shard[SHARD_TEXT_MAX];
    const char *who = "";
    if (!catalogue_make(&campaign->catalogue, campaign->scene, &choice, error))
        return false;
    catalogue_units(&campaign->catalogue, campaign->word, campaign->scene->seed, NULL,
                    &campaign->units);
    return shard_find(options->batch.shard, shard, &who, error) &&
           test_units_keep(&campaign->units, shard, error);
}

static bool write_report(const struct campaign *campaign, struct stress_report *report,
                         struct error *error)
{
    const char *html = campaign->options->batch.report.html;
    bool is_made = stress_report_make(report) || error_set(error, "not enough memory");
    if (is_made)
        stress_report_print(report, stdout);
    is_made = is_made && (!*html || stress_page_write(html, report, campaign->baseline, error));
    stress_report_free(report);
    return is_made;
}

/* Prints the report. Returns the exit code. */
static int print_report(struct campaign *campaign, double took_s, int code)
{
    struct results results = {0}, earlier = {0};
    struct results_summary summary = {0}, known = {0};
    struct error error = {0};
    struct stress_counts *counts = &campaign->counts;
    const char *baseline = campaign->options->batch.report.baseline;
    bool is_read =
        results_load(&results, campaign->batch.results, &error) && summary_make(&summary, &results);
    if (is_read && *baseline)
        is_read = (results_load(&earlier, baseline, &error) && summary_make(&known, &earlier)) ||
                  error_prefix(&error, "--baseline ");
    if (is_read) {
        struct stress_report report = {.catalogue = &campaign->catalogue,
                                       .summary = &summary,
                                       .known = *baseline ? &known : NULL,
                                       .bench = &campaign->bench,
                                       .is_minimized = campaign->batch.is_minimized,
                                       .counts = counts};
        is_read = write_report(campaign, &report, &error);
        printf("\n%zu of %zu cases failed", counts->findings, counts->cases);
        if (counts->errors > 0)
            printf(", %zu could not run", counts->errors);
        if (*baseline)
            printf(", %zu of them not in %s", counts->fresh, baseline);
        printf("; %.1f s\n", took_s);
        if (code == EXIT_CODE_FAILED && counts->fresh == 0)
            code = EXIT_CODE_OK;
        if (code == EXIT_CODE_OK && counts->baseline > 0)
            code = EXIT_CODE_FAILED;
    }
    summary_free(&known);
    summary_free(&summary);
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
    *campaign->batch.report.baseline = *campaign->batch.report.html = '\0'; // it has its own
    out_folder_file(&campaign->out, "cases", campaign->batch.test.out);
    int code = test_batch(&campaign->units, &campaign->batch, &failed);
    if (!stop_is_wanted())
        code = print_report(campaign, (double)(poller_now_ns() - start_ns) * 1e-9, code);
    if (!is_named)
        unlink(campaign->batch.results);
    return code;
}

/* In real time, findings may not be reproducible. The recovery of a driver that ends early is
 * unknown. */
static void print_notice(const struct campaign *campaign)
{
    double total_s = 0, judged_s = 0, end_s = campaign->baselines[0].end_s;
    size_t early = 0;
    for (size_t i = 0; i < campaign->catalogue.count; i++) {
        const struct survival *survival = &campaign->catalogue.cases[i].survival;
        total_s += survival->for_s;
        early += survival_is_early(survival, end_s);
        judged_s = fmax(judged_s, survival_judged_s(survival));
    }
    if (early > 0)
        printf(
            "The driver ends at %.1f s, too early to judge its recovery in %zu of %zu cases: let "
            "it run for at least %.0f s.\n",
            end_s, early, campaign->catalogue.count, ceil(judged_s + 1));
    if (!campaign->baselines[0].is_held)
        printf("ptybot cannot hold the time of this driver. %zu cases run in real time, for up to "
               "%.0f minutes divided by --jobs. Each finding is confirmed by two more runs, but it "
               "may not repeat.\n",
               campaign->catalogue.count, ceil(total_s / 60));
    terminal_flush();
}

static int run(struct campaign *campaign, struct error *error)
{
    int64_t start_ns = poller_now_ns();
    size_t size = BASELINES * sizeof *campaign->baselines;
    campaign->scene = session_scene(campaign->word, &campaign->options->batch.test.run, error);
    if (!campaign->scene)
        return EXIT_CODE_USAGE;
    if (!out_folder_open(&campaign->out, campaign->options->batch.test.out, error) ||
        !out_folder_clear(&campaign->out, error))
        return EXIT_CODE_ENVIRONMENT;
    void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        error_set(error, "not enough memory");
        return EXIT_CODE_ENVIRONMENT;
    }
    campaign->baselines = shared;
    campaign->bench = (struct stress_bench){.word = campaign->word,
                                            .scene = campaign->scene,
                                            .batch = &campaign->batch,
                                            .folder = campaign->out.path,
                                            .driver = campaign->driver,
                                            .command = campaign->command};
    json_t *failed = NULL;
    int code = run_baseline(campaign, &failed);
    bool is_usable =
        !stop_is_wanted() && code != EXIT_CODE_USAGE && print_baseline(campaign, code, failed);
    json_decref(failed);
    if (!is_usable)
        return code == EXIT_CODE_OK ? EXIT_CODE_ENVIRONMENT : code;
    if (!make_units(campaign, error))
        return EXIT_CODE_USAGE;
    print_notice(campaign);
    if (campaign->options->limit_s > 0)
        campaign->batch.until_ns = start_ns + (int64_t)(campaign->options->limit_s * 1e9);
    return run_cases(campaign, start_ns);
}

int stress(const char *word, const struct stress_options *options)
{
    static struct campaign campaign; // too large for a stack to like
    struct error error = {0};
    campaign = (struct campaign){.word = word, .options = options, .batch = options->batch};
    struct host_options *host = &campaign.batch.test.host;
    write_command(&campaign);
    if (options->policy == SURVIVAL_RESTART) {
        const char *const *words = survival_words("until \"$@\"; do sleep 1; done", host->words);
        memcpy(campaign.supervised, words, sizeof campaign.supervised);
        host->words = campaign.supervised;
    }
    int code = run(&campaign, &error);
    if (*error.text)
        terminal_fail(code, "%s", error.text);
    test_units_free(&campaign.units);
    catalogue_free(&campaign.catalogue);
    scene_destroy(campaign.scene);
    if (*campaign.out.path)
        out_folder_close(&campaign.out, code == EXIT_CODE_FAILED || campaign.counts.errors > 0);
    return code;
}
