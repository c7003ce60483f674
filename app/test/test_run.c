/* Runs one test. */
#include "app/test/test_run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/cli/terminal.h"
#include "app/files/folders.h"
#include "app/links/links_view.h"
#include "app/links/poller.h"
#include "app/run/page_file.h"
#include "app/test/explain.h"
#include "app/test/junit.h"
#include "app/test/results.h"
#include "app/test/wire_log.h"

/* ---- Serial settings ---- */

/* Adds the case of a channel that a host has opened. */
static void add(struct judgement *judgement, const char *name, const struct serial_check *check)
{
    char what[128], found[SERIAL_CHECK_TEXT_SIZE];
    bool is_wrong = check->wrong.baud > 0;
    snprintf(what, sizeof what, "serial settings of %s", name);
    if (is_wrong)
        serial_check_text(check, check->wrong, found);
    else
        serial_settings_text(check->robot, found);
    judgement_add(judgement,
                  &(struct judgement_case){
                      .verdict = is_wrong ? JUDGEMENT_FAILED : JUDGEMENT_PASSED,
                      .what = what,
                      .found = found,
                      .kind = "serial_settings",
                      .at_s = is_wrong ? (double)check->wrong_us * 1e-6 : judgement->simulated_s,
                  });
    if (is_wrong)
        diagnoses_add(&judgement->diagnoses, DIAGNOSIS_DRIVER, DIAGNOSIS_FAILURE,
                      "troubleshooting.md#serial-settings",
                      "%s: %s; correct the driver (cfmakeraw, cfsetspeed at %" PRIu32
                      "), or set `baud_check: off` in the link of the scene",
                      what, found, check->robot.baud);
}

/* Adds a case for each channel. It fails if the host's settings differ from those of the robot, and
 * then gets a diagnosis with the remedy. There is no case for channels with unknown settings (TCP,
 * a real serial device), for channels that no host opened for long enough, and if the scene turns
 * the check off. NOW_US is the simulated time. */
static void serial_cases_add(struct judgement *judgement, const struct links *links, int64_t now_us)
{
    struct links_view view;
    for (size_t i = 0; links_view(links, i, &view); i++) {
        if (!view.serial)
            continue;
        struct serial_check check = *view.serial;
        serial_check_left(&check, poller_now_ns(), now_us); // hosts that are still there
        if (check.is_seen)
            add(judgement, view.name, &check);
    }
}

struct test {
    struct test_options options; /* including the files that the test writes by default */
    struct out_folder out;
    bool is_part;                    /* one of many tests, which have cleared its folder */
    bool is_bare;                    /* no links, files or hosts */
    const struct survival *survival; /* or NULL */
    char host_logs[HOSTS_MAX][PATH_MAX], wire_path[PATH_MAX];
    char page[PATH_MAX]; /* page of a failure, if it was written; or "" */
    struct session session;
    struct wire_log *wire; /* that of the open session */
    struct host_run hosts;
    struct test_guide guide;
    struct test_picture picture;
    struct judgement judgement;
};

/* ---- Before the run ---- */

static bool has_host(const struct test *test)
{
    return test->hosts.count > 0;
}

static bool is_held(const struct test *test)
{
    const struct test_options *options = &test->options;
    if (options->run.is_lockstep)
        return false;
    return options->has_start ? options->start == TEST_START_HOST : has_host(test);
}

/* Whether the test has an end and can have a result. */
static bool check_purpose(const struct test *test, const struct scene *scene, struct error *error)
{
    if (!has_host(test) && scene->expectation_count == 0)
        return error_set(
            error,
            "%s: nothing to judge: give the scene an `expect`, or a driver command after `--`",
            scene->file);
    bool is_timed = false, has_always = false, has_within = false;
    for (size_t i = 0; i < scene->expectation_count; i++) {
        has_within |= scene->expectations[i].kind == SCENE_WITHIN;
        has_always |= scene->expectations[i].kind == SCENE_ALWAYS;
    }
    for (size_t i = 0; i < scene->action_count; i++) {
        const struct scene_action *action = &scene->actions[i];
        is_timed |= !*action->when;
        if (action->interrupt != SCENE_INTERRUPT_NONE && !has_host(test))
            return error_set(error,
                             "%s:%u: timeline[%zu].signal: there is no driver to receive it: give "
                             "its command after `--`",
                             scene->file, action->place.line, i);
    }
    // Otherwise the last item of the timeline would end the test before that item can have an
    // effect.
    if (!has_host(test) && has_always && !has_within && !test->options.run.has_for)
        return error_set(error,
                         "%s: `always` has no known duration: give --for SECONDS, a driver "
                         "command, or an expectation with `within`",
                         scene->file);
    if (!has_host(test) && !(is_timed || has_within) && !test->options.run.has_for)
        return error_set(error,
                         "%s: this test has no end: give --for SECONDS, a driver command, or "
                         "an expectation with `within`",
                         scene->file);
    return true;
}

/* Warns of foreseeable problems before the run. */
static void warn(struct test *test, const struct scene *scene)
{
    const struct session_options *run = &test->options.run;
    const char *const *words = test->options.host.words;
    const char *word = words ? host_unread_port(words) : NULL;
    for (size_t i = 0; run->has_for && i < scene->expectation_count; i++) {
        const struct scene_expectation *item = &scene->expectations[i];
        double until_s = item->after_s + item->within_s;
        if (item->kind != SCENE_AT_END && until_s > run->for_s)
            terminal_say(
                "%s:%u: --for %.9g ends the test before the %.9g s of expect[%zu] have passed",
                scene->file, item->place.line, run->for_s, until_s, i);
    }
    if (word)
        diagnoses_add(&test->judgement.diagnoses, DIAGNOSIS_DRIVER, DIAGNOSIS_WARNING,
                      "troubleshooting.md#literal-argument",
                      "the driver receives '%s' literally, because no shell expands it: "
                      "write {ROBOT} instead, such as {%s}",
                      word, scene->robot_count > 0 ? scene->robots[0].name : "kobuki");
}

/* Whether a test without a host may end before --for. Expectations `always` and `at the end` run
 * until then. */
static bool ends_decided(const struct test *test, const struct scene *scene)
{
    bool has_open = false;
    for (size_t i = 0; i < scene->expectation_count; i++)
        has_open |= scene->expectations[i].kind != SCENE_WITHIN;
    return !has_open || !test->options.run.has_for;
}

/* "host.log"; further logs are "host-2.log" and so on. */
static void name_logs(struct test *test)
{
    for (size_t i = 0; i < test->hosts.count; i++) {
        char name[32] = "host.log";
        if (i > 0)
            snprintf(name, sizeof name, "host-%zu.log", i + 1);
        test->hosts.commands[i].log = out_folder_file(&test->out, name, test->host_logs[i]);
    }
}

static bool open_out(struct test *test, struct error *error)
{
    struct session_options *run = &test->options.run;
    if (!out_folder_open(&test->out, test->options.out, error) ||
        (!test->is_part && !out_folder_clear(&test->out, error)))
        return false;
    name_logs(test);
    out_folder_file(&test->out, "wire.log", test->wire_path);
    if (!*run->log)
        out_folder_file(&test->out, "signals.csv", run->log);
    if (!*run->journal)
        out_folder_file(&test->out, "run.journal", run->journal);
    if (!*run->capture)
        out_folder_file(&test->out, "run.pcapng", run->capture);
    out_folder_file(&test->out, "failure.png", test->picture.path);
    run->is_private = true;
    run->is_waiting = has_host(test) && test->options.host.is_warped;
    return true;
}

/* ---- The run ---- */

static void judge(struct test *test)
{
    struct judgement *judgement = &test->judgement;
    struct test_guide *guide = &test->guide;
    const char *failure = firmwares_failure(test->session.firmwares);
    if (failure) // whatever ended the test: it says nothing about the host
        guide->end = TEST_END_FIRMWARE;
    // After an interruption, open expectations stay undecided.
    if (guide->end == TEST_END_FAILED)
        sim_cut(test->session.sim);
    else if (guide->end != TEST_END_SIGNAL && !failure)
        sim_end(test->session.sim);
    judgement->simulated_s = (double)sim_now_us(test->session.sim) * 1e-6;
    if (failure)
        judgement_add(judgement, &(struct judgement_case){.verdict = JUDGEMENT_ERROR,
                                                          .what = "a robot's firmware",
                                                          .when = "answers",
                                                          .found = failure,
                                                          .kind = "firmware",
                                                          .at_s = judgement->simulated_s});
    else
        serial_cases_add(judgement, test->session.links, sim_now_us(test->session.sim));
    judgement_add_sim(judgement, test->session.sim);
    for (size_t i = 0; i < test->hosts.count; i++)
        judgement_add_host(judgement, guide, &test->hosts.hosts.items[i],
                           test->hosts.commands[i].words, is_held(test));
    if (has_host(test))
        return;
    if (guide->end == TEST_END_TIMEOUT)
        judgement_add_not_come(judgement, (double)(guide->end_ns - guide->start_ns) * 1e-9);
    else if (guide->end == TEST_END_SIGNAL)
        judgement_add_other(judgement, JUDGEMENT_ERROR, "the test", "complete", "interrupted",
                            "interrupted");
}

static bool open_wire(struct test *test, int *code, struct error *error)
{
    *code = EXIT_CODE_ENVIRONMENT;
    test->wire = wire_log_open(test->wire_path, test->session.sim, error);
    return test->wire != NULL;
}

static bool open_clock(struct test *test, int *code, struct error *error)
{
    *code = EXIT_CODE_ENVIRONMENT;
    return host_run_open(&test->hosts, &test->session, error);
}

static void find_late(struct test *test)
{
    char text[512];
    if (report_lateness(&test->session.report, text, sizeof text))
        diagnoses_add(&test->judgement.diagnoses, DIAGNOSIS_MACHINE, DIAGNOSIS_WARNING,
                      "troubleshooting.md#late", "%s", text);
}

/* Reports the traffic of the channels, and derives diagnoses from it. */
static void report_wires(struct test *test)
{
    struct judgement *judgement = &test->judgement;
    wire_log_end(test->wire);
    judgement->is_short |=
        !wire_report_make(&judgement->wires, test->session.sim, test->session.links, test->wire);
    explain(judgement, test->session.scene, test->session.sim, test->wire,
            test->survival && test->survival->baseline_count == 0);
}

/* Records the first diagnosis of the driver, whatever the verdicts are. */
static void note_diagnosis(const struct judgement *judgement, bool has_left,
                           struct survival_facts *facts)
{
    if (has_left)
        snprintf(facts->note, sizeof facts->note,
                 "driver: a process that it had started was still running when it exited");
    for (size_t i = 0; i < judgement->diagnoses.count; i++) {
        const struct diagnosis *item = &judgement->diagnoses.items[i];
        if (item->kind != DIAGNOSIS_MACHINE && !*facts->note)
            snprintf(facts->note, sizeof facts->note, "%s: %s", diagnosis_kind_word(item->kind),
                     item->text);
    }
}

static void finish_facts(const struct test *test, struct survival_facts *facts)
{
    survival_finish(facts, test->session.sim, test->wire, &test->hosts.hosts, test->guide.end_ns);
    facts->charged_s = test->judgement.time.charged_s;
    facts->is_held = test->judgement.time.is_held;
    facts->is_out_of_time = test->guide.end == TEST_END_TIMEOUT;
}

/* The value of a flag, or else of the scene. */
static int64_t us_of(double flag_s, double scene_s)
{
    return (int64_t)ceil((flag_s > 0 ? flag_s : scene_s) * 1e6);
}

/* Runs an open session to its end. */
static void go(struct test *test)
{
    struct error error = {0};
    test->guide = (struct test_guide){
        .session = &test->session,
        .picture = &test->picture,
        .hosts = &test->hosts.hosts,
        .warp = test->hosts.is_open ? &test->hosts.warp : NULL,
        .wire = test->wire,
        .facts = test->survival ? test->survival->facts : NULL,
        .is_fail_fast = test->options.is_fail_fast,
        .ends_decided = ends_decided(test, test->session.scene),
        .timeout_ns = (int64_t)(test->options.host_timeout_s * 1e9),
        .deadline_us = us_of(test->options.deadline_s, test->session.scene->deadline_s),
        .continue_us = us_of(test->options.continue_s, test->session.scene->continue_s),
    };
    stop_stay();
    if (!test_guide_open(&test->guide, is_held(test), poller_now_ns())) {
        test->judgement.is_short = true;
        return;
    }
    size_t failed;
    if (!host_run_start(&test->hosts, &failed, &error)) {
        judgement_add_not_started(&test->judgement, test->hosts.commands[failed].words, error.text);
        test_guide_close(&test->guide);
        return;
    }
    const struct loop_guide hooks = test_guide_hooks(&test->guide);
    session_run(&test->session, &hooks);
    judge(test);
    find_late(test);
    double took_s = (double)(test->guide.done_ns - test->guide.run_ns) * 1e-9;
    host_run_find(&test->hosts, test->judgement.simulated_s, took_s, &test->judgement.diagnoses,
                  &test->judgement.time);
    report_wires(test);
    if (test->survival)
        finish_facts(test, test->survival->facts);
    test_picture_finish(&test->picture, &test->session,
                        judgement_code(&test->judgement) == EXIT_CODE_FAILED);
    test_guide_close(&test->guide);
}

/* ---- A simulation without links, files and hosts ---- */

/* Runs the same steps to the same end as test_guide does with links and hosts, but waits for
 * nothing. False: the user interrupted it. */
static bool run_steps(const struct test *test, struct sim *sim, bool is_ended_decided)
{
    const struct session_options *run = &test->options.run;
    int64_t end_us = run->has_for ? (int64_t)ceil(run->for_s * 1e6) : INT64_MAX;
    while (!stop_is_wanted()) {
        if (sim_is_stopped(sim) || (test->options.is_fail_fast && sim_has_failed(sim))) {
            sim_cut(sim);
            return true;
        }
        if (sim_now_us(sim) >= end_us || (is_ended_decided && sim_is_decided(sim))) {
            sim_end(sim);
            return true;
        }
        sim_step(sim);
    }
    return false;
}

/* Takes over SCENE. */
static int run_world(struct test *test, struct scene *scene, struct error *error)
{
    struct live live = {0};
    struct sim *sim = live_sim(&live, scene, NULL, error);
    int code = EXIT_CODE_ENVIRONMENT;
    if (sim && run_steps(test, sim, ends_decided(test, scene))) {
        test->judgement.simulated_s = (double)sim_now_us(sim) * 1e-6;
        judgement_add_sim(&test->judgement, sim);
        code = EXIT_CODE_OK;
    } else if (sim) {
        error_set(error, "interrupted");
    }
    sim_destroy(sim);
    live_close(&live);
    scene_destroy(scene);
    return code;
}

/* Runs the test up to its judgement. Returns EXIT_CODE_OK, or the exit code of an ERROR that
 * prevented a judgement. */
static int run_scene(struct test *test, const char *word, struct error *error)
{
    int code = EXIT_CODE_USAGE;
    struct error late = {0};
    test->options.run.allows_code = true;
    struct scene *scene = session_scene(word, &test->options.run, error);
    if (!scene)
        return code;
    host_run_choose(&test->hosts, &test->options.host, scene);
    if (test->survival) {
        scene->expectation_count = 0; // a hardship may well keep it from coming true
        scene->host_delay = test->survival->delay;
        scene->wake_order = test->survival->wake_order;
    }
    test->judgement.seed = scene->seed;
    snprintf(test->judgement.file, sizeof test->judgement.file, "%s", scene->file);
    if (!*test->judgement.name)
        snprintf(test->judgement.name, sizeof test->judgement.name, "%s", scene->name);
    bool has_purpose = check_purpose(test, scene, error);
    if (has_purpose && test->is_bare)
        return run_world(test, scene, error);
    if (has_purpose)
        warn(test, scene);
    if (!has_purpose || !open_out(test, error)) {
        scene_destroy(scene);
        return has_purpose ? EXIT_CODE_ENVIRONMENT : EXIT_CODE_USAGE;
    }
    bool is_open = session_open(&test->session, scene, &test->options.run, &code, error) &&
                   open_clock(test, &code, error) && open_wire(test, &code, error);
    if (is_open)
        go(test);
    host_run_close(&test->hosts);
    bool is_wire_whole = wire_log_close(test->wire, &late);
    bool is_logged = session_close(&test->session, !is_open        ? error
                                                   : is_wire_whole ? &late
                                                                   : NULL) &&
                     is_wire_whole;
    // The verdict counts even so.
    if (is_open && !is_logged)
        judgement_add_other(&test->judgement, JUDGEMENT_ERROR, "the files of the test", "are whole",
                            late.text, "not_written");
    return is_open ? EXIT_CODE_OK : code;
}

/* ---- After the run ---- */

/* A test that could not be run is also in the JUnit file. */
static void add_error(struct judgement *judgement, const char *word, const char *reason)
{
    if (!*judgement->name)
        snprintf(judgement->name, sizeof judgement->name, "%s", word);
    if (!*judgement->file)
        snprintf(judgement->file, sizeof judgement->file, "%s", word);
    judgement_add_other(judgement, JUDGEMENT_ERROR, "scene", "not run", reason, "not_run");
}

static bool write_junit(const struct test *test, const char *suite, struct error *error)
{
    FILE *file = suite ? fopen(suite, "we") : NULL;
    if (file) {
        junit_write_suite(&test->judgement, file);
        bool is_whole = !ferror(file);
        is_whole = fclose(file) == 0 && is_whole;
        // An incomplete element would make the common file invalid.
        if (!is_whole && unlink(suite) == 0)
            return error_set(error, "%s: cannot be written: %s", suite, strerror(errno));
    }
    return !*test->options.junit || junit_write_one(test->options.junit, &test->judgement, error);
}

void test_result_fill(const struct judgement *judgement, int code, struct test_result *result)
{
    *result = (struct test_result){
        .is_done = true,
        .code = code,
        .cases = judgement->count,
        .failures = judgement->failures,
        .errors = judgement->errors,
        .skipped = judgement->skipped,
        .simulated_s = judgement->simulated_s,
        .wall_s = judgement->wall_s,
    };
    for (size_t i = judgement->count; i-- > 0;) {
        const struct judgement_case *item = &judgement->cases[i];
        if (item->verdict == JUDGEMENT_FAILED)
            snprintf(result->failed, sizeof result->failed, "%s %s", item->what, item->when);
    }
    const struct diagnosis *failure = diagnoses_first(&judgement->diagnoses, DIAGNOSIS_FAILURE);
    const struct diagnosis *warning = diagnoses_first(&judgement->diagnoses, DIAGNOSIS_WARNING);
    if (failure && !judgement->is_reason_host)
        snprintf(result->reason, sizeof result->reason, "%s: %s",
                 diagnosis_kind_word(failure->kind), failure->text);
    else if (judgement->reason)
        snprintf(result->reason, sizeof result->reason, "%s", judgement->reason);
    else if (judgement_is_short(judgement))
        snprintf(result->reason, sizeof result->reason, "not enough memory");
    else if (warning)
        snprintf(result->reason, sizeof result->reason, "warning: %s", warning->text);
}

/* Writes the run of a failure as a page in the output folder. */
static void write_page(struct test *test)
{
    struct error error = {0};
    char path[PATH_MAX];
    out_folder_file(&test->out, "replay.html", path);
    if (page_file_of_journal(path, test->options.run.journal, &error))
        snprintf(test->page, sizeof test->page, "%s", path);
    else
        terminal_say("no page of the failure: %s", error.text);
}

static bool print(struct test *test)
{
    bool is_whole = judgement_print(&test->judgement, stdout);
    if (*test->page)
        printf("replay page: %s\n", test->page);
    if (test->out.is_own &&
        (test->options.is_kept || judgement_code(&test->judgement) != EXIT_CODE_OK))
        printf("kept: %s\n", test->out.path);
    terminal_flush();
    return is_whole;
}

/* The user interrupted the test. It gets no line, so that --resume runs it again. */
static bool is_cut(const struct test *test)
{
    return test->is_bare ? stop_is_wanted()
                         : test->guide.is_ending && test->guide.end == TEST_END_SIGNAL;
}

static bool write_line(const struct test *test, const struct test_part *part, const char *word,
                       const struct results_cost *before, int code)
{
    struct error error = {0};
    struct results_cost now = results_cost_now();
    const struct results_case info = {
        .number = part->number,
        .scene = word,
        .vary = part->vary,
        .files = code != EXIT_CODE_OK ? part->files : NULL,
        .code = code,
        .has_host = has_host(test),
        .cpu_s = now.own_s - before->own_s,
        .host_cpu_s = now.children_s - before->children_s,
        .host_rss_kb = now.children_kb,
    };
    char *line = results_case_line(&test->judgement, &info);
    bool is_written = line && results_append(part->results, line, strlen(line), &error);
    free(line);
    return is_written;
}

static void init(struct test *test, const struct test_options *options,
                 const struct test_part *part)
{
    *test = (struct test){.options = *options,
                          .is_part = part,
                          .is_bare = part && part->is_bare,
                          .survival = part ? part->survival : NULL,
                          .judgement.started_s = (int64_t)time(NULL)};
    if (part)
        snprintf(test->judgement.name, sizeof test->judgement.name, "%s", part->name);
    if (test->survival) {
        bool counts = !(test->survival->off & SURVIVAL_BIT(SURVIVAL_LEAKS));
        *test->survival->facts = (struct survival_facts){.counts_descriptors = counts};
        test->options.run.has_for = true;
        test->options.run.for_s = test->survival->for_s;
    }
    if (test->survival && test->survival->script) {
        test->options.host.words = survival_words(test->survival->script, options->host.words);
        test->options.has_start = true;
        test->options.start = TEST_START_NOW;
    }
}

int test_run(const char *word, const struct test_options *options, const struct test_part *part,
             struct test_result *result)
{
    static struct test test; // too large for a stack to like
    struct error error = {0}, junit_error = {0};
    const struct results_cost before = results_cost_now();
    int64_t start_ns = poller_now_ns();
    init(&test, options, part);

    int code = run_scene(&test, word, &error);
    bool is_judged = code == EXIT_CODE_OK;
    test.judgement.wall_s = (double)(poller_now_ns() - start_ns) * 1e-9;
    for (size_t i = 0; i < test.hosts.hosts.count; i++)
        judgement_read_log(&test.judgement, i, test.host_logs[i]);
    explain_host(&test.judgement, test.guide.is_host_survived);
    if (test.survival)
        note_diagnosis(&test.judgement, test.guide.is_host_survived, test.survival->facts);
    if (test.survival)
        survival_judge(test.survival, &test.judgement);
    if (is_judged) {
        code = judgement_code(&test.judgement);
        if (!test.is_bare && code == EXIT_CODE_FAILED)
            write_page(&test);
        if (!test.is_bare && !print(&test))
            code = EXIT_CODE_ENVIRONMENT;
    } else {
        add_error(&test.judgement, word, error.text);
        if (!test.is_bare)
            terminal_fail(code, "%s", error.text);
    }
    if (!write_junit(&test, part ? part->suite : NULL, &junit_error))
        code = terminal_fail(EXIT_CODE_ENVIRONMENT, "%s", junit_error.text);
    if (part && part->results >= 0 && !is_cut(&test) &&
        !write_line(&test, part, word, &before, code))
        code = EXIT_CODE_ENVIRONMENT;
    test_result_fill(&test.judgement, code, result);
    out_folder_close(&test.out, is_judged && (test.options.is_kept ||
                                              judgement_code(&test.judgement) != EXIT_CODE_OK));
    judgement_free(&test.judgement);
    return code;
}
