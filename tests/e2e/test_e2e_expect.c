/* `ptybot run` and `ptybot check` on scenes with timelines and expectations. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/stage.h"

/* Writes kobuki.yaml, followed by SCRIPT (a timeline, expectations). */
static void write_scene(const struct stage *stage, const char *script)
{
    folder_write(&stage->folder, "kobuki.yaml",
                 "world: {size: {x: 6, y: 6}}\n"
                 "robots: [{name: kobuki, type: kobuki, pose: {x: 3, y: 3}, links: [{pty: %s}]}]\n"
                 "%s",
                 stage->port, script);
}

/* Runs it to its end; returns the exit code. */
static int run_scene(struct stage *stage, const char *script)
{
    write_scene(stage, script);
    stage_start(stage, "kobuki.yaml", (const char *const[]){"--fast", "--for", "1", NULL});
    return program_wait(&stage->ptybot);
}

static void a_run_that_is_as_expected_ends_with_0_and_says_so(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(run_scene(stage, "timeline:\n"
                                      "- {at: 0.3, do: kobuki.place x=1 y=1}\n"
                                      "- {when: kobuki.x_m > 5, do: kobuki.reset}\n"
                                      "expect:\n"
                                      "- {that: kobuki.x_m < 2, within: 0.5}\n"
                                      "- {that: kobuki.collisions == 0, always: true}\n"),
                     0);
    static const char *const said[] = {
        "done      kobuki.place x=1 y=1  at 0.3 s",
        "not done  kobuki.reset          when kobuki.x_m > 5",
        "passed   kobuki.x_m < 2          within 0.5 s  0.301  kobuki.x_m = 1 m",
        "passed   kobuki.collisions == 0  always            1  kobuki.collisions = 0",
    };
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++)
        if (!program_has_said(&stage->ptybot, said[i]))
            fail_msg("not said: %s", said[i]);
}

static void a_failed_expectation_ends_with_1_and_reports_time_and_values(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(run_scene(stage, "timeline: [{at: 0.3, do: kobuki.place x=1 y=1}]\n"
                                      "expect:\n"
                                      "- {that: kobuki.x_m > 2, always: true}\n"
                                      "- {that: kobuki.y_m > 5, at_end: true}\n"
                                      "- {that: kobuki.y_m < 5, at_end: true}\n"),
                     1);
    assert_true(program_has_said(&stage->ptybot, "FAILED   kobuki.x_m > 2  always      0.301"));
    assert_true(program_has_said(&stage->ptybot, "FAILED   kobuki.y_m > 5  at the end      1"));
    assert_true(program_has_said(&stage->ptybot, "passed   kobuki.y_m < 5"));
}

static void a_refused_command_ends_with_1_and_says_why(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(run_scene(stage, "timeline: [{at: 0.3, do: kobuki.place x=0.01 y=1}]\n"), 1);
    assert_true(program_has_said(&stage->ptybot, "REFUSED   kobuki.place x=0.01 y=1"));
    assert_true(program_has_said(&stage->ptybot, "is inside a wall"));
}

static void a_run_that_is_stopped_by_hand_leaves_undecided_what_is_open(void **state)
{
    struct stage *stage = *state;
    write_scene(stage, "expect:\n"
                       "- {that: kobuki.x_m > 5, within: 1000}\n"
                       "- {that: kobuki.x_m > 5, at_end: true}\n");
    STAGE_RUN_KOBUKI(stage, "--speed", "1");
    assert_int_equal(program_end(&stage->ptybot, SIGTERM), 0);
    assert_true(program_has_said(&stage->ptybot, "undecided  kobuki.x_m > 5  within 1000 s"));
    assert_true(program_has_said(&stage->ptybot, "undecided  kobuki.x_m > 5  at the end"));
    assert_false(program_has_said(&stage->ptybot, "FAILED"));
}

static void what_has_failed_before_a_stop_has_failed(void **state)
{
    struct stage *stage = *state;
    write_scene(stage, "expect: [{that: kobuki.x_m > 5, always: true}]\n");
    STAGE_RUN_KOBUKI(stage, "--speed", "1");
    WAIT_UNTIL(stage_get(stage, "world.time_s") > 0);
    assert_int_equal(program_end(&stage->ptybot, SIGTERM), 1);
    assert_true(program_has_said(&stage->ptybot, "FAILED   kobuki.x_m > 5  always  0.001"));
}

static void a_scene_that_expects_what_is_not_there_is_refused_by_check_and_run(void **state)
{
    struct stage *stage = *state;
    struct program check;
    assert_int_equal(run_scene(stage, "expect: [{that: kobuki.xm > 5, always: true}]\n"), 2);
    static const char said[] = "kobuki.yaml:3:17: expect[0].that: there is no signal 'kobuki.xm'; "
                               "did you mean 'kobuki.x_m'";
    assert_true(program_has_warned(&stage->ptybot, said));
    assert_int_equal(
        program_run(&check, &stage->folder, "check",
                    (const char *const[]){PTYBOT_BINARY, "check", "kobuki.yaml", NULL}),
        2);
    assert_true(program_has_warned(&check, said));
}

static void a_path_of_a_scene_that_is_installed_hints_at_it(void **state)
{
    struct stage *stage = *state;
    struct program check;
    static const char *const words[] = {PTYBOT_BINARY, "check", "scenes/kobuki_dock.yaml",
                                        "scenes/kobuki_docks.yaml", NULL};
    assert_int_equal(program_run(&check, &stage->folder, "check", words), 2);
    assert_true(program_has_warned(
        &check, "scenes/kobuki_dock.yaml: No such file or directory; there is an installed scene "
                "of that name: give 'kobuki_dock' without a folder\n"));
    assert_true(
        program_has_warned(&check, "scenes/kobuki_docks.yaml: No such file or directory\n"));
}

static void check_reports_what_a_scene_does_and_expects(void **state)
{
    struct stage *stage = *state;
    struct program check;
    write_scene(stage, "timeline: [{at: 1, do: world.pause}]\n"
                       "expect:\n"
                       "- {that: kobuki.x_m > 5, always: true}\n"
                       "- {that: kobuki.x_m > 6, always: true}\n");
    assert_int_equal(
        program_run(&check, &stage->folder, "check",
                    (const char *const[]){PTYBOT_BINARY, "check", "kobuki.yaml", NULL}),
        0);
    assert_true(program_has_said(&check, "1 robot, 1 command in the timeline, 2 expectations\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGED(a_run_that_is_as_expected_ends_with_0_and_says_so),
        STAGED(a_failed_expectation_ends_with_1_and_reports_time_and_values),
        STAGED(a_refused_command_ends_with_1_and_says_why),
        STAGED(a_run_that_is_stopped_by_hand_leaves_undecided_what_is_open),
        STAGED(what_has_failed_before_a_stop_has_failed),
        STAGED(a_scene_that_expects_what_is_not_there_is_refused_by_check_and_run),
        STAGED(a_path_of_a_scene_that_is_installed_hints_at_it),
        STAGED(check_reports_what_a_scene_does_and_expects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
