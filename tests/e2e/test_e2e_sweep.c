/* Sweeps: `sweep:` in a scene and --vary, and scenes that consist only of a world. */
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

#define SOON "{that: world.time_s > 0.1, within: 1}"
#define MEASURES                                                                                   \
    "measure:\n- {name: x, value: kobuki.x_m, take: first}\n"                                      \
    "- {name: y, value: kobuki.y_m, take: first}\n"                                                \
    "- {name: dropped, value: kobuki.uart.fault_drops}\n"                                          \
    "- {name: never, value: world.time_s, when: kobuki.x_m > 100}\n"

static void a_sweep_has_every_value_in_a_fixed_order(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", SOON,
                     MEASURES "sweep:\n- kobuki.pose grid x=1..3/3 y=2,4\n- seed 7..8\n");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--results", "r.ndjson"), 0);
    SAYS(stage, "1 plans, 12 cases, 12 passed, 0 failed, 0 errors\n", "counts", "r.ndjson");
    SAYS(stage, "1\n1\n1\n1\n2\n2\n2\n2\n3\n3\n3\n3\n", "get", "measures/x", "r.ndjson");
    SAYS(stage, "2\n2\n4\n4\n2\n2\n4\n4\n2\n2\n4\n4\n", "get", "measures/y", "r.ndjson");
    SAYS(stage, "7\n8\n7\n8\n7\n8\n7\n8\n7\n8\n7\n8\n", "get", "seed", "r.ndjson");
    char *names = results_say(stage, (const char *const[]){"get", "case", "r.ndjson", NULL});
    assert_non_null(strstr(names, "\"s-kobuki.pose-1-seed-7\"\n\"s-kobuki.pose-1-seed-8\"\n"));
    assert_non_null(strstr(names, "\"s-kobuki.pose-6-seed-8\"\n"));
    free(names);
    /* Values of --vary replace those of the scene. */
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--vary", "kobuki.pose list 5,6,90",
                              "--seeds", "1..1", "--results", "r.ndjson"),
                     0);
    SAYS(stage, "\"s-seed-1\"\n", "get", "case", "r.ndjson");
    SAYS(stage, "{\"kobuki.pose\": {\"x\": 5, \"y\": 6, \"heading\": 90}}\n", "get", "vary",
         "r.ndjson");
    SAYS(stage, "null\n", "get", "measures/never", "r.ndjson");
}

/* Counts the different lines. */
static size_t kinds_of(struct stage *stage, const char *what, const char *file)
{
    char *text = results_say(stage, (const char *const[]){"get", what, file, NULL});
    size_t kinds = 0;
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        bool is_new = true;
        for (char *other = text; other < line; other += strlen(other) + 1)
            is_new = is_new && strcmp(other, line) != 0;
        kinds += is_new;
    }
    free(text);
    return kinds;
}

static void each_case_without_a_seed_has_noise_of_its_own(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", SOON, MEASURES);
    static const char places[] = "kobuki.pose in room x 3",
                      faults[] = "kobuki.fault uart=drop rate=0,0.02,0.05";
    for (int i = 0; i < 2; i++)
        assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--vary", places, "--vary", faults,
                                  "--results", i == 0 ? "r.ndjson" : "again.ndjson"),
                         0);
    assert_int_equal(kinds_of(stage, "seed", "r.ndjson"), 9);
    char *seeds = results_say(stage, (const char *const[]){"get", "seed", "r.ndjson", NULL});
    SAYS(stage, seeds, "get", "seed", "again.ndjson");
    free(seeds);
    /* A given seed applies to all cases. */
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--vary", places, "--seed", "3",
                              "--results", "r.ndjson"),
                     0);
    SAYS(stage, "3\n3\n3\n", "get", "seed", "r.ndjson");
}

static void coverage_names_what_was_never_exercised(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", SOON ", {that: kobuki.collisions == 0, always: true}",
                     "timeline:\n- {at: 0.01, do: kobuki.fault uart=flip rate=0.1}\n"
                     "- {at: 0.02, do: kobuki.lift for=0.05}\n");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--for", "2", "--coverage", "--vary",
                              "kobuki.fault uart=drop rate=0..0.01/2", "--", "sh", "-c",
                              HELLO "sleep 1"),
                     0);
    test_stage_said(stage, "kobuki  packets      1 of 8  sound, ");
    test_stage_said(stage, "kobuki  commands    2 of 14  place, press, ");
    test_stage_said(stage, "kobuki  faults      2 of 21  duplicate, ");
    test_stage_said(stage, "kobuki  signals    1 of ");
}

static void coverage_of_a_body_file_counts_all_its_cases(void **state)
{
    struct stage *stage = *state;
    folder_write(&stage->folder, "b.yaml",
                 "world: {size: {x: 4, y: 4}}\n"
                 "robots: [{name: robot, type: " PTYBOT_SOURCE_DIR
                 "/scenes/own/bridge.yaml, pose: {x: 2, y: 2}}]\n"
                 "expect: [{that: robot.x_m < 3, within: 1}]\n");
    assert_int_equal(TEST_RUN(stage, "b.yaml", "--seeds", "1..2", "--coverage"), 0);
    char *said = program_out(&stage->ptybot);
    const char *row = strstr(said, "bridge  commands ");
    assert_non_null(row);
    assert_null(strstr(strchr(row, '\n'), " commands "));
    free(said);
}

static void more_cases_leave_the_random_values_of_others_as_they_are(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", SOON, "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--vary", "kobuki.pose in room x 3",
                              "--vary", "kobuki.battery_v = 14..16", "--results", "a.ndjson"),
                     0);
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--vary", "kobuki.pose in room x 9",
                              "--vary", "kobuki.battery_v = 14..16", "--results", "b.ndjson"),
                     0);
    char *some = results_say(stage, (const char *const[]){"get", "vary", "a.ndjson", NULL});
    char *more = results_say(stage, (const char *const[]){"get", "vary", "b.ndjson", NULL});
    assert_memory_equal(some, more, strlen(some));
    char *first = strndup(some, strcspn(some, "\n"));
    assert_null(strstr(some + strlen(first), first)); // no two alike
    free(first);
    free(some);
    free(more);
}

static void poses_are_drawn_where_a_dock_is_seen_and_nothing_stands(void **state)
{
    struct stage *stage = *state;
    folder_write(&stage->folder, "d.yaml",
                 "world:\n  size: {x: 6, y: 4}\n"
                 "  docks: [{name: dock, pose: {x: 5.7, y: 2, heading: 180}}]\n"
                 "  boxes: [{pose: {x: 4, y: 2}, size: {x: 0.8, y: 0.8}}]\n"
                 "robots: [{name: kobuki, type: kobuki, pose: {x: 3, y: 2}}]\n"
                 "expect:\n- {that: kobuki.collisions == 0, always: true}\n"
                 "- {that: kobuki.x_m < 5.7 and abs(kobuki.y_m - 2) < 1.3, always: true}\n"
                 "sweep: ['kobuki.pose in light(dock) x 20 heading=90..180']\n");
    assert_int_equal(TEST_RUN(stage, "d.yaml", "--fast", "--for", "0.05", "--results", "r.ndjson"),
                     0);
    char *headings = results_say(
        stage, (const char *const[]){"get", "vary/kobuki.pose/heading", "r.ndjson", NULL});
    size_t count = 0;
    for (char *at = headings; *at; at = strchr(at, '\n') + 1, count++)
        assert_true(atof(at) >= 90 && atof(at) <= 180);
    assert_int_equal(count, 20);
    free(headings);
}

static void a_fault_has_a_rate_of_its_own_in_each_case(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", "{that: world.time_s > 2, within: 3}", MEASURES);
    folder_write(&stage->folder, "drive", "%s", "exec 3<>$PTYBOT_PORT_KOBUKI; " SERIAL "sleep 1\n");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--warp", "max", "--jobs", "2", "--vary",
                              "kobuki.fault uart=drop rate=0,0.5", "--for", "3", "--results",
                              "r.ndjson", "--host", ". ./drive"),
                     1);
    char *dropped =
        results_say(stage, (const char *const[]){"get", "measures/dropped", "r.ndjson", NULL});
    assert_true(atof(dropped) == 0);
    assert_true(atof(strchr(dropped, '\n') + 1) > 100);
    free(dropped);
    SAYS(stage, "{\"kobuki.fault uart=drop rate\": 0}\n{\"kobuki.fault uart=drop rate\": 0.5}\n",
         "get", "vary", "r.ndjson");
}

static void a_world_alone_gives_what_the_whole_run_gives(void **state)
{
    struct stage *stage = *state;
    const char *expect = SOON ", {that: kobuki.x_m < 11, always: true}, "
                              "{that: kobuki.x_m < 9, within: 0.3}";
    test_stage_scene(stage, "s.yaml", expect,
                     MEASURES "timeline:\n- {at: 0.2, do: kobuki.place x=12 y=3}\n"
                              "sweep: [seed 1..3]\n");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--results", "bare.ndjson"), 1);
    assert_int_equal(
        TEST_RUN(stage, "s.yaml", "--fast", "--out", "out", "--results", "whole.ndjson"), 1);
    SAYS(stage, "", "same", "bare.ndjson", "whole.ndjson");
    SAYS(stage, "0.201\n0.201\n0.201\n", "get", "simulated_s", "bare.ndjson");
}

static void a_case_can_be_repeated_from_its_journal(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", "{that: kobuki.x_m < 4, always: true}", "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast", "--for", "0.1", "--out", "out", "--vary",
                              "kobuki.pose list 5,6,90; 3,3,0"),
                     1);
    struct program replay;
    assert_int_equal(program_run(&replay, &stage->folder, "replay",
                                 (const char *const[]){PTYBOT_BINARY, "replay",
                                                       "out/s-kobuki.pose-1/run.journal", NULL}),
                     0);
    assert_true(program_has_said(&replay, "kobuki.x_m = 5 m"));
}

static void what_cannot_vary_is_refused_with_a_remedy(void **state)
{
    struct stage *stage = *state;
    static const struct {
        const char *vary, *says;
    } rows[] = {
        {"kobuki.batery_v = 14..15", "no such option; did you mean 'battery_v'?"},
        {"kobuki.battery_v = 14..99", "'99' is out of range"},
        {"kobuki.battery_v = 15..14", "is not a range; allowed: A..B"},
        {"kobuki.battery_v = 14..15/1", "is not a range; allowed: A..B"},
        {"kobuki.battery_v =", "a value is missing"},
        {"robby.pose in room x 2", "no such robot"},
        {"kobuki.pose in light(dock) x 2", "the scene has no dock of that name"},
        {"kobuki.pose in lawn x 2", "is not an area; allowed: room"},
        {"kobuki.pose in room y 2", "found 'y'; allowed: x N"},
        {"kobuki.pose in room x 0", "allowed: how many"},
        {"kobuki.pose in box(19.9 19.9 20 20) x 2", "no free place"},
        {"kobuki.pose in box(2 2 1 1)", "is not an area"},
        {"kobuki.pose near dock", "found 'near'; allowed: in AREA"},
        {"kobuki.pose list 1,2", "is not a pose"},
        {"kobuki.fault uart=drop", "no value varies"},
        {"kobuki.fault uart=drip rate=0..1", "did you mean 'drop'?"},
        {"kobuki.falt uart=drop rate=0..1", "did you mean 'fault'?"},
        {"seed -1", "is not a seed"},
        {"seed 1.5..2", "is not a list of seeds"},
        {"nothing", "allowed: seed A..B"},
    };
    test_stage_scene(stage, "s.yaml", SOON, "");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (TEST_RUN(stage, "s.yaml", "--fast", "--vary", rows[i].vary) != 2)
            fail_msg("%s is allowed", rows[i].vary);
        char *err = program_err(&stage->ptybot);
        if (!strstr(err, rows[i].says))
            fail_msg("%s: %s", rows[i].vary, err);
        free(err);
    }
    test_stage_scene(stage, "s.yaml", SOON, "sweep:\n- seed 1..2\n- kobuki.pose in lawn\n");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--fast"), 2);
    char *err = program_err(&stage->ptybot);
    assert_non_null(strstr(err, "sweep[1]: 'kobuki.pose in lawn': "));
    free(err);
}

static int check(struct stage *stage, const char *scene)
{
    return program_run(&stage->ptybot, &stage->folder, "check",
                       (const char *const[]){PTYBOT_BINARY, "check", scene, NULL});
}

static void check_reads_the_sweep_of_a_scene(void **state)
{
    struct stage *stage = *state;
    static const struct {
        const char *sweep, *says;
    } rows[] = {
        {"kobuki.battery_v = 14..99", "s.yaml:7: sweep[1]: 'kobuki.battery_v = 14..99': "},
        {"kobuki.pose list 1,2,3; 30,2,3", "s-seed-2-kobuki.pose-2: "},
        {"kobuki.fault uart=drip rate=0..1", "did you mean 'drop'?"},
    };
    test_stage_scene(stage, "s.yaml", SOON, "sweep: [kobuki.pose in room x 10, seed 1..2]\n");
    assert_int_equal(check(stage, "s.yaml"), 0);
    test_stage_said(stage, "1 expectation, 20 cases\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[200];
        snprintf(line, sizeof line, "sweep:\n- seed 1..2\n- '%s'\n", rows[i].sweep);
        test_stage_scene(stage, "s.yaml", SOON, line);
        assert_int_equal(check(stage, "s.yaml"), 2);
        char *err = program_err(&stage->ptybot);
        if (!strstr(err, rows[i].says))
            fail_msg("%s: %s", rows[i].sweep, err);
        free(err);
    }
}

/* Six faults; these two make it fail. */
#define BOTH "{that: kobuki.fault_dead == 0 or kobuki.fault_drained == 0, always: true, stop: no}"

/* Returns the simpler scene that it prints, which must fail in a separate run. */
static char *minimized(struct stage *stage, const char *const words[])
{
    test_stage_start(stage, words);
    assert_int_equal(program_wait(&stage->ptybot), 1);
    char *said = program_out(&stage->ptybot), *from = strstr(said, "\n# s");
    if (!from)
        fail_msg("no scene: %s", said);
    char *text = strdup(from + 1);
    free(said);
    folder_write(&stage->folder, "simple.yaml", "%s", text);
    assert_int_equal(TEST_RUN(stage, "simple.yaml", "--fast", "--for", "1", "--out", "simple"), 1);
    return text;
}

static size_t count_of(const char *text, const char *word)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, word)); at++)
        count++;
    return count;
}

static void a_failing_case_is_made_as_simple_as_it_fails(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", BOTH,
                     "timeline:\n- {at: 0, do: kobuki.fault uart=delay rate=0.1 ms=20}\n"
                     "- {at: 0.1, do: kobuki.fault gyro=drift deg_s=2}\n"
                     "- {at: 0.2, do: kobuki.fault battery=drain factor=90}\n");
    char *text =
        minimized(stage, (const char *const[]){"s.yaml",
                                               "--fast",
                                               "--for",
                                               "1",
                                               "--out",
                                               "out",
                                               "--minimize",
                                               "--vary",
                                               "kobuki.fault uart=drop rate=0.1,0.2",
                                               "--vary",
                                               "kobuki.fault cliff_left=dead rate=0.5..0.9",
                                               "--vary",
                                               "kobuki.fault bumper_left=stuck rate=0.5..0.9",
                                               "--vary",
                                               "kobuki.pose in room",
                                               "--vary",
                                               "kobuki.battery_v = 14..15",
                                               "--seeds",
                                               "5..6",
                                               NULL});
    assert_int_equal(count_of(text, ".fault "), 2);
    assert_non_null(strstr(text, "cliff_left=dead rate=0.0"));
    assert_non_null(strstr(text, "battery=drain factor=90"));
    assert_null(strstr(text, "battery_v"));
    assert_non_null(strstr(text, "x: 10, y: 10"));
    assert_non_null(strstr(text, "seed: 1\n"));
    free(text);
}

static void what_has_to_stay_comes_nearer_to_the_scene(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", "{that: kobuki.x_m < 10.9, always: true}", "");
    char *text = minimized(stage, (const char *const[]){"s.yaml", "--fast", "--for", "1", "--out",
                                                        "out", "--minimize", "--vary",
                                                        "kobuki.pose list 18,3,40", NULL});
    assert_non_null(strstr(text, "pose: {x: 11.0000, y: 9.1250, heading: 5.00}"));
    free(text);
}

static void it_goes_on_with_new_seeds_until_one_fails(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", "{that: kobuki.x_m < 15, always: true}",
                     "sweep: ['kobuki.pose in room']\n");
    assert_int_equal(
        TEST_RUN(stage, "s.yaml", "--fast", "--for", "0.01", "--until-failure", "--out", "out"), 1);
    test_stage_said(stage, " not run\n");
    test_stage_said(stage, "kobuki.x_m = 1");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--until-failure", "--results", "r.ndjson"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_STAGED(a_sweep_has_every_value_in_a_fixed_order),
        TEST_STAGED(coverage_names_what_was_never_exercised),
        TEST_STAGED(coverage_of_a_body_file_counts_all_its_cases),
        TEST_STAGED(poses_are_drawn_where_a_dock_is_seen_and_nothing_stands),
        TEST_STAGED(a_fault_has_a_rate_of_its_own_in_each_case),
        TEST_STAGED(a_world_alone_gives_what_the_whole_run_gives),
        TEST_STAGED(a_case_can_be_repeated_from_its_journal),
        TEST_STAGED(a_failing_case_is_made_as_simple_as_it_fails),
        TEST_STAGED(it_goes_on_with_new_seeds_until_one_fails),
        TEST_STAGED(what_cannot_vary_is_refused_with_a_remedy),
        TEST_STAGED(check_reads_the_sweep_of_a_scene),
    };
    /* They run the code of those above with other values. */
    const struct CMUnitTest more[] = {
        TEST_STAGED(each_case_without_a_seed_has_noise_of_its_own),
        TEST_STAGED(more_cases_leave_the_random_values_of_others_as_they_are),
        TEST_STAGED(what_has_to_stay_comes_nearer_to_the_scene),
    };
    return SAMPLE_RUN(tests, more);
}
