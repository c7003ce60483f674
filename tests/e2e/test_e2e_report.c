/* Reports: the page of many cases, and regressions from an earlier run. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/results_stage.h"
#include "tests/support/sample.h"
#include "tests/support/test_stage.h"

/* Cases whose result depends on the place (they pass in half of the room), and cases whose result
 * depends on the rate of a fault and the seed (none of 25 frames may be lost). */
#define PLACES                                                                                     \
    "world: {size: {x: 6, y: 4}, boxes: [{pose: {x: 2, y: 1}, size: {x: 0.8, y: 0.8}}]}\n"         \
    "robots: [{name: kobuki, type: kobuki, pose: {x: 1, y: 3}}]\n"                                 \
    "measure:\n- {name: x, value: kobuki.x_m}\n- {name: <y>, value: kobuki.y_m, better: more}\n"   \
    "expect:\n- {name: left & right, that: kobuki.x_m < 3, always: true}\n"                        \
    "- {that: world.time_s > 0.05, within: 1}\n"                                                   \
    "sweep: [kobuki.pose in room x 10, 'kobuki.battery_v = 15,16']\n"
#define WIRE                                                                                       \
    "robots: [{name: kobuki, type: kobuki, pose: {x: 2, y: 2}}]\nworld: {size: {x: 4, y: 4}}\n"    \
    "measure: [{name: dropped, value: kobuki.uart.fault_drops, better: less}]\n"                   \
    "timeline: [{at: 0, do: kobuki.fault uart=drop unit=frame rate=%s}]\n"                         \
    "expect: [{that: kobuki.uart.fault_drops == 0, always: true}]\n"

static int run(struct stage *stage, const char *verb, const char *const words[])
{
    const char *all[20] = {PTYBOT_BINARY, verb};
    for (size_t i = 0; words[i]; i++)
        all[2 + i] = words[i];
    return program_run(&stage->ptybot, &stage->folder, verb, all);
}
#define RUN(stage, verb, ...) run(stage, verb, (const char *const[]){__VA_ARGS__, NULL})

/* The text of a page as tests/support/page_say.py prints it; the program also checks the page. */
#define READ "/usr/bin/python3", PTYBOT_SOURCE_DIR "/tests/support/page_say.py"
/* The drawing of the page's script as tests/viewer/report_say.mjs prints it. */
#define DRAW "/usr/bin/env", "node", PTYBOT_SOURCE_DIR "/tests/viewer/report_say.mjs"

static void page_has(const struct stage *stage, const char *text, const char *const words[])
{
    struct program reader;
    if (program_run(&reader, &stage->folder, "reader", words) != 0) {
        char *err = program_err(&reader);
        fail_msg("%s", err);
    }
    char *out = program_out(&reader);
    if (!strstr(out, text))
        fail_msg("'%s' is not in %s", text, out);
    free(out);
}
#define PAGE_HAS(stage, text, ...) page_has(stage, text, (const char *const[]){__VA_ARGS__, NULL})
#ifdef WITH_NODE
#define PAGE_DRAWS(stage, text, ...) PAGE_HAS(stage, text, DRAW, __VA_ARGS__)
#else
#define PAGE_DRAWS(stage, text, ...) (void)0
#endif

static size_t count_of(const struct stage *stage, const char *file, const char *text)
{
    char *whole = folder_read(&stage->folder, file);
    size_t count = 0;
    for (const char *at = whole; (at = strstr(at, text)); at++)
        count++;
    free(whole);
    return count;
}

static void a_page_shows_where_what_failed_and_asks_nobody(void **state)
{
    struct stage *stage = *state;
    char wanted[80];
    folder_write(&stage->folder, "s.yaml", "%s", PLACES);
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--for", "0.1", "--results", "r.ndjson",
                              "--html", "p.html"),
                     1);
    size_t failed = count_of(stage, "r.ndjson", "\"verdict\":\"failed\",\"code\":1");
    assert_in_range(failed, 4, 16);
    /* Two cases started at each place. */
    snprintf(wanted, sizeof wanted, "%zu green %zu red 0 mixed\n", 10 - failed / 2, failed / 2);
    PAGE_DRAWS(stage, wanted, "dots", "p.html");
    /* The room, and a box of 0.8 m around 2, 1. */
    PAGE_DRAWS(stage, "0.0 0.0 6.0 4.0\n", "room", "p.html");
    PAGE_DRAWS(stage, "1.6 0.6 2.4 1.4\n", "room", "p.html");
    PAGE_HAS(stage, "ptybot test\nFailures\nMeasures\n", READ, "sections", "p.html");
    PAGE_HAS(stage, " s: <y> ", READ, "text", "p.html");
    PAGE_DRAWS(stage, "s\nPassed by kobuki.pose\nPassed by kobuki.battery_v\nFlakiest\nSlowest\n",
               "sections", "p.html");
    snprintf(wanted, sizeof wanted, "%zu of 20 passed", 20 - failed);
    PAGE_HAS(stage, wanted, READ, "text", "p.html");
    snprintf(wanted, sizeof wanted, "left & right %zu %zu 0 0", 20 - failed, failed);
    PAGE_DRAWS(stage, wanted, "text", "p.html");
    /* All failed in the same way: one group, with a picture of its first case. */
    snprintf(wanted, sizeof wanted, "case, reason, command %zu s-kobuki.pose-", failed);
    PAGE_HAS(stage, wanted, READ, "text", "p.html");
    snprintf(wanted, sizeof wanted, " replay %zu more ", failed - 1);
    PAGE_HAS(stage, wanted, READ, "text", "p.html");
    assert_int_equal(count_of(stage, "p.html", "<img alt=\"as it failed\" src=\"data:image"), 1);

    /* The same from the file, but without the room if the scene is missing. */
    assert_int_equal(RUN(stage, "merge", "r.ndjson", "--html", "m.html"), 1);
    PAGE_DRAWS(stage, "0.0 0.0 6.0 4.0\n", "room", "m.html");
    char path[FOLDER_PATH_MAX];
    assert_int_equal(unlink(folder_path(&stage->folder, "s.yaml", path)), 0);
    assert_int_equal(RUN(stage, "merge", "r.ndjson", "--html", "m.html"), 1);
    snprintf(wanted, sizeof wanted, "%zu green %zu red 0 mixed\n", 10 - failed / 2, failed / 2);
    PAGE_DRAWS(stage, wanted, "dots", "m.html");
}

/* Names and values are shown as texts everywhere. */
static void names_that_look_like_markup_stay_names(void **state)
{
    struct stage *stage = *state;
    static const char file[] = "a<b>&'\".yaml", markup[] = "</script><script>alert(1)</script>";
    folder_write(&stage->folder, file,
                 "robots: [{name: kobuki, type: kobuki, pose: {x: 2, y: 2}}]\n"
                 "world: {size: {x: 4, y: 4}}\n"
                 "measure: [{name: '<!--<script>', value: kobuki.x_m}]\n"
                 "expect: [{name: '%s', that: kobuki.x_m > 3, always: true}]\n",
                 markup);
    assert_int_equal(TEST_RUN(stage, file, "--fast", "--for", "0.1", "--seeds", "1..2", "--html",
                              "p.html", "--start", "now", "--", "/bin/sh", "-c",
                              "sleep 0 # <b>'</b>"),
                     1);
    PAGE_HAS(stage, markup, READ, "text", "p.html");
    PAGE_HAS(stage, "<!--<script> 2", READ, "text", "p.html");
    PAGE_DRAWS(stage, markup, "text", "p.html");
}

/* Simulates a full disk by a limit on the size of files. An older file stays unchanged; a test
 * first removes its older reports. */
static void a_file_is_there_whole_or_not_at_all(void **state)
{
    struct stage *stage = *state;
    static const struct {
        const char *file, *words;
    } rows[] = {
        {"p.html", "test w.yaml --fast --for 0.1 --html p.html"},
        {"j.xml", "test w.yaml --fast --for 0.1 --seeds 1..20 --junit j.xml"},
#ifdef WITH_REPLAY_PAGE
        {"s.html", "shot w.yaml -o s.html"},
#endif
        {"s.svg", "shot w.yaml -o s.svg"},
        {"kobuki.md", "describe kobuki --markdown --out ."},
        {"ptybot.lua", "describe --wireshark ."},
    };
    char script[256], path[FOLDER_PATH_MAX];
    folder_write(&stage->folder, "w.yaml", WIRE, "0.0001");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        folder_write(&stage->folder, rows[i].file, "%s", "older");
        snprintf(script, sizeof script, "trap '' XFSZ; ulimit -f 4; exec %s %s", PTYBOT_BINARY,
                 rows[i].words);
        const char *words[] = {"/bin/sh", "-c", script, NULL};
        int code = program_run(&stage->ptybot, &stage->folder, "full", words);
        bool is_removed = strncmp(rows[i].words, "test", 4) == 0;
        bool is_there = path_exists(folder_path(&stage->folder, rows[i].file, path));
        char *now = is_there ? folder_read(&stage->folder, rows[i].file) : NULL;
        if (code != 3 || is_there == is_removed || (now && strcmp(now, "older") != 0))
            fail_msg("%s: exit code %d, %zu bytes", rows[i].words, code, now ? strlen(now) : 0);
        free(now);
        snprintf(script, sizeof script, "rm -f %s; ! ls | grep -E '[.]new$|part'", rows[i].file);
        assert_int_equal(program_run(&stage->ptybot, &stage->folder, "ls", words), 0);
    }
}

static void seeds_report_what_is_flaky(void **state)
{
    struct stage *stage = *state;
    folder_write(&stage->folder, "w.yaml", WIRE, "0.02");
    assert_int_equal(
        TEST_RUN(stage, "w.yaml", "--fast", "--for", "0.5", "--seeds", "1..20", "--html", "p.html"),
        1);
    PAGE_DRAWS(stage, "Cases that differ only in their seed, with different", "text", "p.html");
    PAGE_HAS(stage, "of 20", READ, "text", "p.html");
    folder_write(&stage->folder, "w.yaml", WIRE, "0.0001");
    assert_int_equal(RUN(stage, "test", "w.yaml", "--fast", "--for", "0.5", "--html", "p.html"), 0);
    PAGE_DRAWS(stage, "No case was run with more than one seed.", "text", "p.html");
    PAGE_HAS(stage, "1 of 1 passed", READ, "text", "p.html");
    /* No file is left besides the requested one. */
    char path[FOLDER_PATH_MAX];
    assert_false(path_exists(folder_path(&stage->folder, "p.html.room.svg", path)));
    assert_int_equal(RUN(stage, "test", "w.yaml", "--fast", "--html", "/nowhere/p.html"), 3);
    assert_int_equal(RUN(stage, "test", "w.yaml", "--fast", "--until-failure", "--html", "p.html"),
                     2);
}

/* Results of the wire test in a file; SEEDS "1..60". */
static void run_wire(struct stage *stage, const char *rate, const char *seeds, const char *results)
{
    folder_write(&stage->folder, "w.yaml", WIRE, rate);
    int code =
        TEST_RUN(stage, "w.yaml", "--fast", "--for", "0.5", "--seeds", seeds, "--results", results);
    assert_true(code == 0 || code == 1);
}

static void what_became_worse_beyond_chance_fails_and_nothing_else(void **state)
{
    struct stage *stage = *state;
    /* 25 frames: (1 - 0.002)^25 is 95 %, (1 - 0.02)^25 is 60 %. */
    run_wire(stage, "0.002", "1..60", "old.ndjson");
    run_wire(stage, "0.002", "61..120", "same.ndjson");
    run_wire(stage, "0.02", "121..150", "worse.ndjson");
    assert_int_equal(RUN(stage, "merge", "old.ndjson"), 1);
    assert_int_equal(RUN(stage, "merge", "same.ndjson", "--baseline", "old.ndjson"), 0);
    test_stage_said(stage, "passed: not significantly worse than old.ndjson (1 % level)\n");
    test_stage_said(stage, "Fisher's exact test");
    assert_int_equal(
        RUN(stage, "merge", "worse.ndjson", "--baseline", "old.ndjson", "--html", "p.html"), 1);
    test_stage_said(stage, "FAILED: significantly worse than old.ndjson (1 % level)\n");
    PAGE_HAS(stage, "FAILED: significantly worse (1 % level).", READ, "text", "p.html");
    /* An improvement is not a regression. */
    assert_int_equal(RUN(stage, "merge", "old.ndjson", "--baseline", "worse.ndjson"), 0);
    /* The test itself reports the same, without writing a file. */
    assert_int_equal(TEST_RUN(stage, "w.yaml", "--fast", "--for", "0.5", "--seeds", "121..150",
                              "--baseline", "old.ndjson"),
                     1);
    test_stage_said(stage, "FAILED: significantly worse than old.ndjson (1 % level)\n");
}

static void the_same_cases_are_compared_one_by_one(void **state)
{
    struct stage *stage = *state;
    run_wire(stage, "0.004", "1..24", "old.ndjson");
    run_wire(stage, "0.004", "1..24", "same.ndjson");
    run_wire(stage, "0.03", "1..24", "worse.ndjson");
    assert_int_equal(RUN(stage, "merge", "same.ndjson", "--baseline", "old.ndjson"), 0);
    test_stage_said(stage, "McNemar's exact test");
    assert_int_equal(RUN(stage, "merge", "worse.ndjson", "--baseline", "old.ndjson"), 1);
    test_stage_said(stage, "cases passed before and fail now:\n  w-seed-");
    /* Cases missing on one side are ignored, unless they are most of both. */
    run_wire(stage, "0.004", "1..3", "few.ndjson");
    assert_int_equal(RUN(stage, "merge", "same.ndjson", "--baseline", "few.ndjson"), 0);
    test_stage_said(stage, " % of 3 ");
    run_wire(stage, "0.004", "23..32", "others.ndjson");
    assert_int_equal(RUN(stage, "merge", "same.ndjson", "--baseline", "others.ndjson"), 0);
    test_stage_said(stage, "Fisher's exact test");
}

static void a_measure_counts_by_what_the_scene_calls_better(void **state)
{
    struct stage *stage = *state;
    static const char *const betters[] = {"less", "more", "unknown"};
    static const int codes[] = {1, 0, 0};
    for (size_t i = 0; i < 3; i++) {
        for (int is_new = 0; is_new < 2; is_new++) {
            folder_write(&stage->folder, "m.yaml",
                         "robots: [{name: kobuki, type: kobuki, pose: {x: 2, y: 2}}]\n"
                         "world: {size: {x: 4, y: 4}}\n"
                         "measure: [{name: volt, value: kobuki.battery_v, better: %s}]\n"
                         "expect: [{that: world.time_s > 0.01, within: 1}]\n"
                         "sweep: ['kobuki.battery_v = %s']\n",
                         betters[i], is_new ? "15.5..16.5/30" : "14..15/30");
            assert_int_equal(TEST_RUN(stage, "m.yaml", "--fast", "--results",
                                      is_new ? "new.ndjson" : "old.ndjson"),
                             0);
        }
        assert_int_equal(RUN(stage, "merge", "new.ndjson", "--baseline", "old.ndjson"), codes[i]);
        test_stage_said(stage, i == 0   ? "volt (less is better)"
                               : i == 1 ? "volt (more is better)"
                                        : "changed\n");
    }
    test_stage_said(stage, "+1.5 (");
}

static void what_cannot_be_compared_is_said(void **state)
{
    struct stage *stage = *state;
    run_wire(stage, "0.001", "1..3", "old.ndjson");
    test_stage_scene(stage, "other.yaml", "{that: world.time_s > 0.01, within: 1}", "");
    assert_int_equal(TEST_RUN(stage, "other.yaml", "--fast", "--results", "other.ndjson"), 0);
    assert_int_equal(RUN(stage, "merge", "other.ndjson", "--baseline", "old.ndjson"), 2);
    assert_int_equal(RUN(stage, "merge", "other.ndjson", "--baseline", "nothing.ndjson"), 2);
    assert_int_equal(RUN(stage, "merge", "other.ndjson", "--baseline", "other.yaml"), 2);
    /* Missing cases still count as failed, and a case that could not be run as an error. */
    char *text = folder_read(&stage->folder, "old.ndjson");
    text[strlen(text) - 1] = '\0';
    *(strrchr(text, '\n') + 1) = '\0';
    folder_write(&stage->folder, "two.ndjson", "%s", text);
    free(text);
    assert_int_equal(RUN(stage, "merge", "two.ndjson", "--baseline", "old.ndjson"), 1);
    test_stage_said(stage, "passed: not significantly worse");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_STAGED(a_page_shows_where_what_failed_and_asks_nobody),
        TEST_STAGED(names_that_look_like_markup_stay_names),
        TEST_STAGED(a_file_is_there_whole_or_not_at_all),
        TEST_STAGED(the_same_cases_are_compared_one_by_one),
        TEST_STAGED(a_measure_counts_by_what_the_scene_calls_better),
        TEST_STAGED(what_cannot_be_compared_is_said),
    };
    /* They compare results as those above do, with more runs. */
    const struct CMUnitTest more[] = {
        TEST_STAGED(seeds_report_what_is_flaky),
        TEST_STAGED(what_became_worse_beyond_chance_fails_and_nothing_else),
    };
    return SAMPLE_RUN(tests, more);
}
