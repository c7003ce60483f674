/* The window of a replay, used by mouse and keys: the resulting position in the run is read over
 * the control socket. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/viewer/window_rig.h"
#include "viewer/window/timebar.h"

/* Four seconds with failed expectations at 1 s and at 2.5 s, and a sensor fault from 0.5 s to 1.5
 * s. */
static void write_scene(const struct window_rig *rig)
{
    folder_write(&rig->stage->folder, "past.yaml",
                 "name: Small room\n"
                 "world: {size: {x: 2, y: 1.6}}\n"
                 "robots: [{name: kobuki, type: kobuki, pose: {x: 1, y: 0.8, heading: 0}}]\n"
                 "timeline:\n"
                 "  - {at: 0.5, do: kobuki.fault cliff_left=dead for=1}\n"
                 "  - {at: 3, do: kobuki.place x=0.5 y=0.8}\n"
                 "expect:\n"
                 "  - {that: kobuki.x_m > 5, within: 1}\n"
                 "  - {that: kobuki.x_m < 0.6, within: 2.5}\n"
                 "  - {that: kobuki.x_m > 0.4, always: true}\n");
}

static void replay_open(struct window_rig *rig)
{
    struct program run;
    const char *const make[] = {PTYBOT_BINARY, "run",       "past.yaml", "--fast", "--for",
                                "4",           "--journal", "j",         NULL};
    const char *const words[] = {
        PTYBOT_BINARY, "replay", "j", "--view", "--paused", "--control", rig->stage->control, NULL};
    write_scene(rig);
    program_run(&run, &rig->stage->folder, "make", make);
    program_start(&rig->stage->ptybot, &rig->stage->folder, "ptybot", words, 0);
    window_await(rig);
    assert_true(rig->view.bar_px > 0);
}

/* A moment on the track. */
static struct viewport_point moment(double time_s)
{
    return (struct viewport_point){20 + time_s / 4 * (1280 - 40), 800 - 60 + 44};
}

static double now_s(struct window_rig *rig)
{
    return stage_get(rig->stage, "world.time_s");
}

static bool is_at(struct window_rig *rig, double time_s)
{
    return fabs(now_s(rig) - time_s) < 1e-6;
}

/* A pixel of the track is about three milliseconds. */
static bool is_near(struct window_rig *rig, double time_s)
{
    return fabs(now_s(rig) - time_s) < 0.01;
}

static void the_bar_goes_to_where_the_mouse_is_and_back(void **state)
{
    struct window_rig *rig = *state;
    replay_open(rig);
    assert_true(is_at(rig, 0));
    mouse_drag(rig, moment(0.8), moment(3.4), 1);
    WAIT_UNTIL(is_near(rig, 3.4));
    assert_true(fabs(stage_get(rig->stage, "kobuki.x_m") - 0.5) < 0.01);
    mouse_click(rig, moment(1.2));
    WAIT_UNTIL(is_near(rig, 1.2));
    assert_true(fabs(stage_get(rig->stage, "kobuki.x_m") - 1) < 0.01);
    // A drag that leaves the window continues.
    mouse_move(rig, moment(2));
    mouse_down(rig, 1);
    mouse_move(rig, (struct viewport_point){1279, 100});
    mouse_up(rig, 1);
    WAIT_UNTIL(is_at(rig, 4));
    assert_int_equal((int)stage_get(rig->stage, "world.paused"), 1);
}

/* Time of the first mark of a kind. */
static double mark_s(const struct window_rig *rig, enum snapshot_mark_kind kind)
{
    const struct snapshot *snapshot = rig->view.snapshot;
    const struct snapshot_mark *marks = snapshot_at(snapshot, snapshot->marks);
    for (uint32_t i = 0; i < snapshot->marks.count; i++)
        if (marks[i].kind == kind)
            return (double)marks[i].at_us * 1e-6;
    fail_msg("there is no mark of the kind %d", (int)kind);
    return 0;
}

static void a_mark_is_a_moment_to_the_millisecond(void **state)
{
    struct window_rig *rig = *state;
    replay_open(rig);
    double fault_s = mark_s(rig, SNAPSHOT_FAULT), healed_s = mark_s(rig, SNAPSHOT_HEALED);
    assert_true(fault_s >= 0.5 && fault_s <= 0.52 && healed_s >= 1.5 && healed_s <= 1.52);
    struct viewport_point at = moment(fault_s);
    at.x += 3;
    mouse_click(rig, at);
    WAIT_UNTIL(is_at(rig, fault_s));
    at = moment(2.5);
    at.x -= 4;
    mouse_click(rig, at);
    WAIT_UNTIL(is_at(rig, 2.5));
}

static bool leads(struct window_rig *rig, double from_s, const char *key, double to_s, int heard_ms)
{
    char command[48];
    snprintf(command, sizeof command, "world.seek to=%g", from_s);
    stage_do(rig->stage, command);
    WAIT_UNTIL(is_at(rig, from_s));
    sleep_ms(heard_ms);
    press_key(rig, key);
    for (int i = 0; i < 100 && !is_at(rig, to_s); i++)
        sleep_ms(20);
    return is_at(rig, to_s);
}

/* The window may learn late at which time the replay stopped. Then the key leads to another time,
 * and the test tries again. */
static void goes(struct window_rig *rig, double from_s, const char *key, double to_s)
{
    int heard_ms = 0;
    WAIT_UNTIL(leads(rig, from_s, key, to_s, heard_ms += 50));
}

static void failures_are_gone_to_one_after_the_other(void **state)
{
    struct window_rig *rig = *state;
    replay_open(rig);
    mouse_move(rig, window_point(rig, 0.2, 0.2));
    press_key(rig, "space"); // time runs, and stops at each
    press_key(rig, "j");
    WAIT_UNTIL(stage_get(rig->stage, "world.paused") == 1);
    WAIT_UNTIL(is_at(rig, 1) || is_at(rig, 2.5));
    press_key(rig, "ctrl+r");
    WAIT_UNTIL(is_at(rig, 0));
    mouse_click(rig, window_part(rig, ACTION_FAILURE, 0));
    WAIT_UNTIL(is_at(rig, 1));
    goes(rig, 1, "j", 2.5);
    goes(rig, 2.5, "shift+j", 1);
    goes(rig, 1, "shift+j", 2.5);
    goes(rig, 2.5, "j", 1);
}

static void keys_go_by_seconds_and_steps_and_to_the_start(void **state)
{
    struct window_rig *rig = *state;
    replay_open(rig);
    mouse_move(rig, window_point(rig, 0.2, 0.2));
    press_key(rig, "shift+Right");
    WAIT_UNTIL(is_at(rig, 1));
    press_key(rig, "shift+Right");
    WAIT_UNTIL(is_at(rig, 2));
    press_key(rig, "shift+Left");
    WAIT_UNTIL(is_at(rig, 1));
    press_key(rig, "period");
    WAIT_UNTIL(is_at(rig, 1.02));
    press_key(rig, "ctrl+r");
    WAIT_UNTIL(is_at(rig, 0));
    press_key(rig, "shift+Left");
    mouse_click(rig, moment(3.9));
    WAIT_UNTIL(is_near(rig, 3.9));
    press_key(rig, "shift+Right");
    WAIT_UNTIL(is_at(rig, 4));
}

static void at_its_end_it_stands_and_plays_anew(void **state)
{
    struct window_rig *rig = *state;
    replay_open(rig);
    mouse_move(rig, window_point(rig, 0.2, 0.2));
    stage_do(rig->stage, "world.seek to=3.5");
    press_key(rig, "bracketright");
    WAIT_UNTIL(stage_get(rig->stage, "world.speed") == 2);
    press_key(rig, "space");
    WAIT_UNTIL(is_at(rig, 4) && stage_get(rig->stage, "world.paused") == 1);
    // The window may learn late that time has stopped.
    WAIT_UNTIL((press_key(rig, "space"), now_s(rig) < 3.9));
    press_key(rig, "ctrl+q");
    assert_int_equal(program_wait(&rig->stage->ptybot), 0);
    assert_true(program_has_said(&rig->stage->ptybot, "inputs: the same"));
    assert_true(program_has_said(&rig->stage->ptybot, "FAILED"));
}

static void what_has_happened_stays(void **state)
{
    struct window_rig *rig = *state;
    replay_open(rig);
    mouse_drag(rig, window_point(rig, 1, 0.8), window_point(rig, 0.6, 1.1), 1);
    press_key(rig, "l");
    press_key(rig, "shift+Right");
    WAIT_UNTIL(is_at(rig, 1));
    assert_true(stage_get(rig->stage, "kobuki.x_m") == 1);
    assert_true(stage_get(rig->stage, "kobuki.lifted") == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WINDOWED(the_bar_goes_to_where_the_mouse_is_and_back),
        WINDOWED(a_mark_is_a_moment_to_the_millisecond),
        WINDOWED(failures_are_gone_to_one_after_the_other),
        WINDOWED(keys_go_by_seconds_and_steps_and_to_the_start),
        WINDOWED(at_its_end_it_stands_and_plays_anew),
        WINDOWED(what_has_happened_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
