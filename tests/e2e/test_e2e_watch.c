/* `ptybot ctl watch` and `wait`, the timeout, and the control socket on a port. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/stage.h"

enum { LINES = 4 };

static int run_setup(void **state)
{
    stage_setup(state);
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "1");
    return 0;
}

static char *said_by_ctl(const struct stage *stage)
{
    return folder_read(&stage->folder, "ctl.out");
}

static bool ctl_warned(const struct stage *stage, const char *text)
{
    char *said = folder_read(&stage->folder, "ctl.err");
    bool is_there = strstr(said, text) != NULL;
    if (!is_there)
        print_error("ctl said: %s\n", said);
    free(said);
    return is_there;
}

static size_t lines_of(const struct program *program)
{
    char *said = program_out(program);
    size_t lines = 0;
    for (const char *at = said; (at = strchr(at, '\n')); at++)
        lines++;
    free(said);
    return lines;
}

static void ctl_watch_prints_a_line_each_period_until_the_run_ends(void **state)
{
    struct stage *stage = *state;
    struct program ctl;
    program_start(&ctl, &stage->folder, "watch",
                  (const char *const[]){PTYBOT_BINARY, "ctl", "--control", stage->control, "watch",
                                        "kobuki.x_m", "--every", "50", NULL},
                  0);
    WAIT_UNTIL(lines_of(&ctl) >= LINES);
    stage_end(stage);
    assert_int_equal(program_wait(&ctl), 0);

    char *said = program_out(&ctl), *at = said;
    double before_s = 0;
    for (int i = 0; i < LINES; i++) {
        double time_s, x_m;
        assert_int_equal(sscanf(at, "%lf kobuki.x_m %lf\n", &time_s, &x_m), 2);
        assert_true(x_m == 10);
        if (i > 0)
            assert_true(time_s - before_s > 0.0499 && time_s - before_s < 0.0501);
        before_s = time_s;
        at = strchr(at, '\n') + 1;
    }
    free(said);
}

static void ctl_wait_ends_with_the_condition_or_its_time(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(STAGE_CTL(stage, "wait", "world.time_s > 0.2 and kobuki.x_m == 10"), 0);
    char *said = said_by_ctl(stage);
    assert_int_equal(strncmp(said, "holds at ", 9), 0);
    assert_non_null(strstr(said, "kobuki.x_m = 10 m"));
    free(said);
    assert_int_equal(STAGE_CTL(stage, "wait", "kobuki.x_m", ">", "11", "--within", "0.1"), 1);
    said = said_by_ctl(stage);
    assert_int_equal(strncmp(said, "does not hold at ", 17), 0);
    free(said);
    assert_int_equal(STAGE_CTL(stage, "wait", "kobuki.x > 11"), 2);
    assert_true(ctl_warned(stage, "did you mean 'kobuki.x_m'"));
    assert_true(ctl_warned(stage, "\n  kobuki.x > 11\n  ^\n"));
    static const char any[] = "kobuki.x_m > 11 or not (abs(kobuki.x_m - kobuki.y_m) > 0)";
    assert_int_equal(STAGE_CTL(stage, "wait", any), 0);
    assert_int_equal(STAGE_CTL(stage, "wait"), 2);
    assert_int_equal(STAGE_CTL(stage, "watch", "no.such"), 2);
}

static void a_coded_signal_is_shown_with_its_word(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(STAGE_CTL(stage, "get", "kobuki.power", "kobuki.x_m"), 0);
    char *said = said_by_ctl(stage);
    assert_string_equal(said, "kobuki.power 0 (on)\nkobuki.x_m 10 m\n");
    free(said);
    assert_int_equal(STAGE_CTL(stage, "nobody.reset"), 2);
    assert_true(ctl_warned(stage, "there is no robot 'nobody'; `ptybot ctl list robots` lists"));
    assert_int_equal(STAGE_CTL(stage, "list", "robots"), 0);
}

static void ctl_gives_up_on_a_run_that_does_not_answer(void **state)
{
    struct stage *stage = *state;
    kill(stage->ptybot.pid, SIGSTOP);
    int code = STAGE_CTL(stage, "get", "kobuki.x_m", "--timeout", "0.2");
    kill(stage->ptybot.pid, SIGCONT);
    assert_int_equal(code, 3);
    assert_true(ctl_warned(stage, "no reply within 0.2 s"));
    assert_int_equal(STAGE_CTL(stage, "get", "kobuki.x_m"), 0);
}

static void ctl_lists_signals_with_type_and_unit(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(STAGE_CTL(stage, "list", "signals"), 0);
    char *said = said_by_ctl(stage);
    char name[64], type[64], unit[64];
    const char *row = strstr(said, "kobuki.x_m ");
    assert_non_null(row);
    assert_int_equal(sscanf(row, "%63s %63s %63s", name, type, unit), 3);
    assert_string_equal(type, "number");
    assert_string_equal(unit, "m");
    free(said);
}

static void a_run_on_a_port_says_which_and_ctl_reaches_it(void **state)
{
    struct stage *stage = *state;
    struct program ctl;
    char place[64] = "";
    stage_write_kobuki(stage, "", "");
    program_start(&stage->ptybot, &stage->folder, "run",
                  (const char *const[]){PTYBOT_BINARY, "run", "kobuki.yaml", "--control",
                                        "127.0.0.1:0", NULL},
                  0);
    WAIT_UNTIL(program_has_said(&stage->ptybot, "control  127.0.0.1:"));
    char *said = program_out(&stage->ptybot);
    sscanf(strstr(said, "control  127"), "control %63s", place);
    free(said);
    assert_int_equal(program_run(&ctl, &stage->folder, "ctl",
                                 (const char *const[]){PTYBOT_BINARY, "ctl", "get", "kobuki.x_m",
                                                       "--control", place, NULL}),
                     0);
    assert_true(program_has_said(&ctl, "kobuki.x_m 10 m"));
    assert_int_equal(program_end(&stage->ptybot, SIGTERM), 0);
    assert_int_equal(program_run(&ctl, &stage->folder, "ctl",
                                 (const char *const[]){PTYBOT_BINARY, "ctl", "get", "kobuki.x_m",
                                                       "--control", place, NULL}),
                     3);
    assert_true(program_has_warned(&ctl, "is the simulation running?"));
}

static void a_port_that_others_reach_is_refused(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    assert_int_equal(program_run(&stage->ptybot, &stage->folder, "run",
                                 (const char *const[]){PTYBOT_BINARY, "run", "kobuki.yaml",
                                                       "--control", "0.0.0.0:0", NULL}),
                     2);
    assert_true(program_has_warned(&stage->ptybot, "--control-allow-remote"));
}

static void the_old_name_of_a_flag_still_works_and_warns(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    for (int i = 0; i < 2; i++) {
        const char *flag = i == 0 ? "--control-remote" : "--control-allow-remote";
        assert_int_equal(
            program_run(&stage->ptybot, &stage->folder, "run",
                        (const char *const[]){PTYBOT_BINARY, "run", "kobuki.yaml", "--control",
                                              "0.0.0.0:0", flag, "--for", "0.1", NULL}),
            0);
        assert_int_equal(
            program_has_warned(&stage->ptybot, "--control-remote is now --control-allow-remote"),
            i == 0);
    }
}

#define RUNNING(test) cmocka_unit_test_setup_teardown(test, run_setup, stage_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNNING(ctl_watch_prints_a_line_each_period_until_the_run_ends),
        RUNNING(a_coded_signal_is_shown_with_its_word),
        RUNNING(ctl_wait_ends_with_the_condition_or_its_time),
        RUNNING(ctl_gives_up_on_a_run_that_does_not_answer),
        RUNNING(ctl_lists_signals_with_type_and_unit),
        STAGED(a_run_on_a_port_says_which_and_ctl_reaches_it),
        STAGED(a_port_that_others_reach_is_refused),
        STAGED(the_old_name_of_a_flag_still_works_and_warns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
