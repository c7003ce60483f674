/* How windows come and go, and that nothing that happens to them reaches the robots. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/kobuki_host.h"
#include "tests/viewer/window_rig.h"
#include "viewer/window/panes.h"

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

static void without_a_sound_card_nothing_is_said(void **state)
{
    struct window_rig *rig = *state;
    // A configuration in which there is no card, whatever the machine has.
    folder_write(&rig->stage->folder, "asound.conf", "\n");
    char path[FOLDER_PATH_MAX];
    setenv("ALSA_CONFIG_PATH", folder_path(&rig->stage->folder, "asound.conf", path), 1);
    setenv("SDL_AUDIODRIVER", "alsa", 1);
    window_open(rig);
    unsetenv("ALSA_CONFIG_PATH");
    stage_end(rig->stage);
    assert_int_equal(program_wait(&rig->viewer), 0);
    assert_false(program_has_warned(&rig->viewer, "ALSA"));
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

/* The path of the file that the run shares with its windows. */
static void shared_path(const struct window_rig *rig, char path[FOLDER_PATH_MAX])
{
    snprintf(path, FOLDER_PATH_MAX, "/dev/shm/ptybot-%u/run-%d/snapshot", (unsigned)getuid(),
             (int)rig->stage->ptybot.pid);
}

static void only_its_owner_can_look(void **state)
{
    struct window_rig *rig = *state;
    char path[FOLDER_PATH_MAX];
    struct stat about;
    window_open(rig);
    shared_path(rig, path);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    stage_end(rig->stage);
    assert_false(path_exists(path));
}

/* From now on the run's files cannot grow beyond SIZE: as if the file system was full. */
static void limit_files(const struct window_rig *rig, rlim_t size)
{
    struct rlimit limit;
    assert_int_equal(prlimit(rig->stage->ptybot.pid, RLIMIT_FSIZE, NULL, &limit), 0);
    limit.rlim_cur = size;
    assert_int_equal(prlimit(rig->stage->ptybot.pid, RLIMIT_FSIZE, &limit, NULL), 0);
}

/* What lies on top of the room in a window that is OUTDATED or not. */
static char *overlay_text(struct window_rig *rig, bool is_outdated)
{
    char *text;
    size_t size;
    struct draw_list list = {0};
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    rig->view.is_outdated = is_outdated;
    overlay_draw(&list, &rig->view);
    draw_list_write_text(&list, out);
    fclose(out);
    draw_list_free(&list);
    return text;
}

static void a_window_of_a_run_without_memory_says_so_and_goes_on_once_there_is_some(void **state)
{
    static const char SAID[] = "windows show nothing new until";
    struct window_rig *rig = *state;
    char path[FOLDER_PATH_MAX];
    struct stat about;
    window_open(rig);
    shared_path(rig, path);
    assert_int_equal(stat(path, &about), 0);
    limit_files(rig, (rlim_t)about.st_size);
    stage_do(rig->stage, "world.wall from_x=0.3 from_y=0.3 to_x=0.5 to_y=0.3");
    WAIT_UNTIL(program_has_warned(&rig->stage->ptybot, SAID));
    assert_true(program_has_warned(&rig->stage->ptybot, path));
    WAIT_UNTIL((snapshot_reader_update(rig->reader), snapshot_reader_is_outdated(rig->reader)));
    assert_int_equal(snapshot_reader_latest(rig->reader)->walls.count, 0);

    /* The run goes on, and tries again. */
    double from_s = stage_get(rig->stage, "world.time_s");
    WAIT_UNTIL(stage_get(rig->stage, "world.time_s") > from_s + 2.5);
    assert_true(program_is_running(&rig->viewer));
    limit_files(rig, RLIM_INFINITY);
    WAIT_UNTIL((snapshot_reader_update(rig->reader),
                snapshot_reader_latest(rig->reader)->walls.count == 1));
    assert_false(snapshot_reader_is_outdated(rig->reader));

    /* It has said so once. */
    char *warned = program_err(&rig->stage->ptybot);
    assert_null(strstr(strstr(warned, SAID) + 1, SAID));
    free(warned);
    stage_end(rig->stage);
}

static void a_window_outlives_a_file_that_is_cut_short(void **state)
{
    struct window_rig *rig = *state;
    char path[FOLDER_PATH_MAX];
    window_open(rig);
    shared_path(rig, path);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(truncate(path, i % 3 * 5000), 0);
        for (int news = 0; news < 3; news++)
            WAIT_UNTIL(snapshot_reader_update(rig->reader) == READER_NEW);
    }
    assert_true(program_is_running(&rig->viewer));
    stage_end(rig->stage);
    assert_int_equal(program_wait(&rig->viewer), 0);
}

static void a_window_shows_that_it_is_out_of_date(void **state)
{
    struct window_rig *rig = *state;
    window_open(rig);
    char *fresh = overlay_text(rig, false), *outdated = overlay_text(rig, true);
    assert_null(strstr(fresh, "out of date"));
    assert_non_null(strstr(outdated, "out of date"));
    free(fresh);
    free(outdated);
    /* So does one that has seen nothing yet. */
    rig->view.snapshot = NULL;
    outdated = overlay_text(rig, true);
    assert_non_null(strstr(outdated, "no memory"));
    free(outdated);
    stage_end(rig->stage);
}

static void without_a_display_view_says_so_and_a_run_goes_on(void **state)
{
    struct window_rig *rig = *state;
    struct program view;
    const char *const words[] = {PTYBOT_BINARY, "view", "--control", rig->stage->control, NULL};
    unsetenv("DISPLAY");
    window_run_with(rig, (const char *const[]){NULL});
    assert_int_equal(program_run(&view, &rig->stage->folder, "view", words), 3);
    assert_true(program_has_warned(&view, "DISPLAY"));
    assert_true(program_has_warned(&view, "ptybot shot"));
    double from_s = stage_get(rig->stage, "world.time_s");
    WAIT_UNTIL(stage_get(rig->stage, "world.time_s") > from_s);
    stage_end(rig->stage);
}

static void without_a_display_no_run_and_no_test_begins_that_asks_for_a_window(void **state)
{
    struct window_rig *rig = *state;
    struct program asked;
    const char *const run[] = {PTYBOT_BINARY, "run", "kobuki", "--view", "--for", "0.1", NULL};
    const char *const test[] = {PTYBOT_BINARY, "test", "kobuki", "--view", "--", "true", NULL};
    unsetenv("DISPLAY");
    assert_int_equal(program_run(&asked, &rig->stage->folder, "run", run), 3);
    assert_true(program_has_warned(&asked, "there is no display"));
    assert_true(program_has_warned(&asked, "leave --view out"));
    assert_int_equal(program_run(&asked, &rig->stage->folder, "test", test), 3);
    assert_true(program_has_warned(&asked, "there is no display"));
}

/* Of SDL only; on some machines the call does not come back, and no window ever shows. */
static void without_a_message_bus_none_is_launched(void **state)
{
    struct window_rig *rig = *state;
    char launcher[FOLDER_PATH_MAX], mark[FOLDER_PATH_MAX], path[FOLDER_PATH_MAX * 16];
    folder_write(&rig->stage->folder, "dbus-launch", "#!/bin/sh\n: > %s\n",
                 folder_path(&rig->stage->folder, "launched", mark));
    assert_int_equal(chmod(folder_path(&rig->stage->folder, "dbus-launch", launcher), 0700), 0);
    const char *set = getenv("PATH");
    char *old_path = strdup(set ? set : "/usr/bin:/bin");
    assert_non_null(old_path);
    snprintf(path, sizeof path, "%s:%s", rig->stage->folder.path, old_path);
    setenv("PATH", path, 1);
    unsetenv("DBUS_SESSION_BUS_ADDRESS");
    setenv("XDG_RUNTIME_DIR", rig->stage->folder.path, 1);
    window_open(rig);
    assert_false(path_exists(mark));
    stage_end(rig->stage);
    setenv("PATH", old_path, 1);
    unsetenv("XDG_RUNTIME_DIR");
    free(old_path);
}

static void a_display_that_cannot_be_reached_is_none(void **state)
{
    struct window_rig *rig = *state;
    struct program asked;
    const char *const run[] = {PTYBOT_BINARY, "run", "kobuki", "--view", "--for", "0.1", NULL};
    const char *const test[] = {PTYBOT_BINARY, "test", "kobuki", "--view", "--junit",
                                "junit.xml",   "--",   "touch",  "begun",  NULL};
    char path[FOLDER_PATH_MAX];
    setenv("DISPLAY", ":65123", 1);
    assert_int_equal(program_run(&asked, &rig->stage->folder, "run", run), 3);
    assert_true(program_has_warned(&asked, "no window: "));
    assert_true(program_has_warned(&asked, "leave --view out"));
    assert_int_equal(program_run(&asked, &rig->stage->folder, "test", test), 3);
    assert_true(program_has_warned(&asked, "leave --view out"));
    assert_false(path_exists(folder_path(&rig->stage->folder, "begun", path)));
    char *report = folder_read(&rig->stage->folder, "junit.xml");
    assert_non_null(strstr(report, "leave --view out"));
    free(report);
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
        WINDOWED(without_a_sound_card_nothing_is_said),
        WINDOWED(two_windows_look_at_one_run),
        WINDOWED(only_its_owner_can_look),
        WINDOWED(a_window_of_a_run_without_memory_says_so_and_goes_on_once_there_is_some),
        WINDOWED(a_window_outlives_a_file_that_is_cut_short),
        WINDOWED(a_window_shows_that_it_is_out_of_date),
        WINDOWED(without_a_message_bus_none_is_launched),
        WINDOWED(without_a_display_view_says_so_and_a_run_goes_on),
        WINDOWED(without_a_display_no_run_and_no_test_begins_that_asks_for_a_window),
        WINDOWED(a_display_that_cannot_be_reached_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
