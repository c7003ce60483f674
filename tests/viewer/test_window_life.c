/* How windows come and go, and that nothing that happens to them reaches the robots. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/kobuki_host.h"
#include "tests/viewer/window_rig.h"

enum { MANY = 100 }; /* packets: two seconds */

/* The host drove all the while: it heard every packet, in order. */
static void check_undisturbed(struct kobuki_host *host)
{
    kobuki_host_drive(host, 0, 0, MANY);
    kobuki_host_check(host, 0);
    kobuki_host_close(host);
}

static void a_killed_window_is_nothing_to_the_host(void **state)
{
    struct window_rig *rig = *state;
    struct kobuki_host host;
    window_open(rig);
    kobuki_host_open(&host, rig->stage->port);
    kobuki_host_drive(&host, 0, 0, MANY);
    assert_int_equal(program_end(&rig->viewer, SIGKILL), 128 + SIGKILL);
    check_undisturbed(&host);
    stage_end(rig->stage);
}

static void a_killed_display_is_nothing_to_the_host(void **state)
{
    struct window_rig *rig = *state;
    struct kobuki_host host;
    window_open(rig);
    kobuki_host_open(&host, rig->stage->port);
    kobuki_host_drive(&host, 0, 0, MANY);
    program_end(&rig->server, SIGKILL);
    assert_int_not_equal(program_wait(&rig->viewer), 0);
    check_undisturbed(&host);
    stage_end(rig->stage);
}

static void a_run_whose_own_window_loses_its_display_goes_on(void **state)
{
    struct window_rig *rig = *state;
    struct kobuki_host host;
    window_run_with(rig, (const char *const[]){"--view", NULL});
    window_await(rig);
    kobuki_host_open(&host, rig->stage->port);
    kobuki_host_drive(&host, 0, 0, MANY);
    program_end(&rig->server, SIGKILL);
    WAIT_UNTIL(program_has_warned(&rig->stage->ptybot, "the run goes on"));
    check_undisturbed(&host);
    stage_end(rig->stage);
}

static void closing_the_window_of_a_run_ends_it_in_good_order(void **state)
{
    struct window_rig *rig = *state;
    window_run_with(rig, (const char *const[]){"--view", NULL});
    window_await(rig);
    mouse_move(rig, window_point(rig, 0.2, 0.2));
    press_key(rig, "ctrl+q");
    assert_int_equal(program_wait(&rig->stage->ptybot), 0);
    assert_true(program_has_said(&rig->stage->ptybot, "simulated"));
    assert_false(path_exists(rig->stage->port));
}

static void a_window_that_is_closed_leaves_the_run_and_another_can_come(void **state)
{
    struct window_rig *rig = *state;
    const char *const words[] = {PTYBOT_BINARY, "view", "--control", rig->stage->control, NULL};
    window_open(rig);
    mouse_move(rig, window_point(rig, 0.2, 0.2));
    press_key(rig, "ctrl+q");
    assert_int_equal(program_wait(&rig->viewer), 0);
    assert_true(program_is_running(&rig->stage->ptybot));
    program_start(&rig->viewer, &rig->stage->folder, "view", words, 0);
    window_await(rig);
    stage_end(rig->stage);
}

static void a_window_says_that_the_run_has_ended_and_goes(void **state)
{
    struct window_rig *rig = *state;
    window_open(rig);
    stage_end(rig->stage);
    assert_int_equal(program_wait(&rig->viewer), 0);
    assert_true(program_has_warned(&rig->viewer, "the simulation has ended"));
}

static void two_windows_look_at_one_run(void **state)
{
    struct window_rig *rig = *state;
    struct program other = {0};
    const char *const words[] = {PTYBOT_BINARY, "view", "--control", rig->stage->control, NULL};
    window_open(rig);
    program_start(&other, &rig->stage->folder, "other", words, 0);
    WAIT_UNTIL(window_count(rig) == 2);
    /* What a reader takes does not starve the others: all see time go on. */
    for (int i = 0; i < 20; i++)
        WAIT_UNTIL(snapshot_reader_update(rig->reader) == READER_NEW);
    assert_true(program_is_running(&other));
    assert_true(program_is_running(&rig->viewer));
    stage_end(rig->stage);
    assert_int_equal(program_wait(&other), 0);
    assert_int_equal(program_wait(&rig->viewer), 0);
}

static void only_its_owner_can_look(void **state)
{
    struct window_rig *rig = *state;
    char path[FOLDER_PATH_MAX];
    struct stat about;
    window_open(rig);
    snprintf(path, sizeof path, "/dev/shm/ptybot-%u/run-%d/snapshot", (unsigned)getuid(),
             (int)rig->stage->ptybot.pid);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    stage_end(rig->stage);
    assert_false(path_exists(path));
}

static void without_a_display_view_says_so_and_a_run_goes_on(void **state)
{
    struct window_rig *rig = *state;
    struct program view;
    const char *const words[] = {PTYBOT_BINARY, "view", "--control", rig->stage->control, NULL};
    unsetenv("DISPLAY");
    window_run_with(rig, (const char *const[]){"--view", NULL});
    WAIT_UNTIL(program_has_warned(&rig->stage->ptybot, "there is no display"));
    WAIT_UNTIL(program_has_warned(&rig->stage->ptybot, "the run goes on"));
    assert_int_equal(program_run(&view, &rig->stage->folder, "view", words), 3);
    assert_true(program_has_warned(&view, "DISPLAY"));
    assert_true(program_has_warned(&view, "ptybot shot"));
    double from_s = stage_get(rig->stage, "world.time_s");
    WAIT_UNTIL(stage_get(rig->stage, "world.time_s") > from_s);
    stage_end(rig->stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WINDOWED(a_killed_window_is_nothing_to_the_host),
        WINDOWED(a_killed_display_is_nothing_to_the_host),
        WINDOWED(a_run_whose_own_window_loses_its_display_goes_on),
        WINDOWED(closing_the_window_of_a_run_ends_it_in_good_order),
        WINDOWED(a_window_that_is_closed_leaves_the_run_and_another_can_come),
        WINDOWED(a_window_says_that_the_run_has_ended_and_goes),
        WINDOWED(two_windows_look_at_one_run),
        WINDOWED(only_its_owner_can_look),
        WINDOWED(without_a_display_view_says_so_and_a_run_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
