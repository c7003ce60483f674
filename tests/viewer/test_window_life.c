/* Windows open and close, and nothing that happens to them affects the robots. */
#define _GNU_SOURCE
#include <glob.h>
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
#include "viewer/model/overlay.h"

enum { MANY = 100 }; /* packets: two seconds */

/* The host drove during the whole time: it received every packet, in order. */
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
    WAIT_UNTIL(program_has_warned(&rig->stage->ptybot, "the run continues"));
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
    // A configuration without a sound card, whatever hardware the machine has.
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
    /* One reader does not starve the others: all see time advance. */
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

/* The overlay on the room in a window that is OUTDATED or not. */
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
    static const char SAID[] = "windows are not updated until";
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

    /* The run continues, and tries again. */
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
    assert_null(strstr(fresh, "not updating"));
    assert_non_null(strstr(outdated, "not updating"));
    free(fresh);
    free(outdated);
    /* So does one that has seen nothing yet. */
    rig->view.snapshot = NULL;
    outdated = overlay_text(rig, true);
    assert_non_null(strstr(outdated, "no shared memory left"));
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

/* ---- The window of a tap ---- */

/* The snapshots of a tap, whose files are in TMPDIR. */
static struct snapshot_reader *read_tap(const struct window_rig *rig)
{
    char pattern[FOLDER_PATH_MAX];
    glob_t found;
    folder_path(&rig->stage->folder, "ptybot-test-*/snapshot", pattern);
    WAIT_UNTIL(glob(pattern, 0, NULL, &found) == 0);
    struct snapshot_reader *reader = snapshot_reader_open(found.gl_pathv[0]);
    globfree(&found);
    assert_non_null(reader);
    return reader;
}

static const struct snapshot_channel *tapped_line(struct snapshot_reader *reader)
{
    snapshot_reader_update(reader);
    const struct snapshot *snapshot = snapshot_reader_latest(reader);
    return snapshot ? snapshot_at(snapshot, snapshot->channels) : NULL;
}

/* Whether its last frame to the host is one of a Kobuki, and frames have come both ways. */
static bool shows_frames(const struct snapshot_channel *line)
{
    const struct frame_ring *to_host = line ? &line->frames[WIRE_TO_HOST] : NULL;
    if (!line || to_host->total < MANY || line->frames[WIRE_TO_ROBOT].total == 0)
        return false;
    const struct frame_record *last = &to_host->records[(to_host->total - 1) % FRAME_RING_COUNT];
    return last->is_good && last->size >= 70 && last->bytes[0] == 0xAA && line->is_host &&
           line->is_plugged && line->to_host_frames > 0 && line->stats.bad_frames == 0;
}

static void a_tap_shows_its_frames_and_outlives_its_window(void **state)
{
    struct window_rig *rig = *state;
    struct program tap, xdotool;
    struct kobuki_host host;
    char port[FOLDER_PATH_MAX], temporary[FOLDER_PATH_MAX + 16];
    const char *const title[] = {XDOTOOL_BINARY, "search", "--name", "kobuki at", NULL};
    folder_path(&rig->stage->folder, "tapped", port);
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", rig->stage->folder.path);
    const char *const words[] = {"/usr/bin/env", temporary, "LD_PRELOAD=" PTYBOT_SHIM,
                                 PTYBOT_BINARY,  "tap",     rig->stage->port,
                                 "--as",         "kobuki",  "--port",
                                 port,           "--view",  NULL};
    window_run_with(rig, (const char *const[]){NULL});
    program_start(&tap, &rig->stage->folder, "tap", words, 0);
    WAIT_UNTIL(program_has_said(&tap, "the driver opens"));
    kobuki_host_open(&host, port);
    kobuki_host_drive(&host, 0, 0, MANY);
    struct snapshot_reader *reader = read_tap(rig);
    // The tap continues reading, however long the window takes: unread bytes would be lost.
    WAIT_UNTIL((kobuki_host_drive(&host, 0, 0, MANY), shows_frames(tapped_line(reader))));

    // The panel shows them, and keys of a run do nothing.
    static struct view view; // too large for a stack to like
    view_init(&view);
    view_set_snapshot(&view, snapshot_reader_latest(reader));
    assert_int_equal(view.tab, TAB_FRAMES);
    action_run(&view, ACTION_LIFT, 0);
    assert_non_null(strstr(view.notice, "real"));
    snapshot_reader_close(reader);

    WAIT_UNTIL((kobuki_host_drive(&host, 0, 0, MANY),
                program_run(&xdotool, &rig->stage->folder, "search", title) == 0));
    press_key(rig, "ctrl+q");
    WAIT_UNTIL(
        (kobuki_host_drive(&host, 0, 0, MANY), program_has_warned(&tap, "the tap continues")));
    check_undisturbed(&host);
    assert_int_equal(program_end(&tap, SIGTERM), 0);
    assert_true(program_has_said(&tap, " 0 lost"));
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
        WINDOWED(a_tap_shows_its_frames_and_outlives_its_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
