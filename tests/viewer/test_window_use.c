/* The real window, used by mouse and keys: their effect on the robot is read over its wire. */
#define _GNU_SOURCE
#include <math.h>
#include <signal.h>

#include "tests/support/check.h"
#include "tests/support/kobuki_host.h"
#include "tests/viewer/window_rig.h"

/* Kobuki's bumpers cover the front; their middles are 0, 60 and -60 degrees off it, at 0.168 m. */
static struct viewport_point left_bumper(struct window_rig *rig)
{
    double angle_rad = 60 / 57.29577951308232;
    return window_point(rig, 1 + 0.168 * cos(angle_rad), 0.8 + 0.168 * sin(angle_rad));
}

static void a_bumper_pressed_by_the_mouse_is_pressed_on_the_wire(void **state)
{
    struct window_rig *rig = *state;
    struct kobuki_host host;
    window_open(rig);
    kobuki_host_open(&host, rig->stage->port);
    kobuki_host_hear(&host, 1);
    assert_int_equal(host.protocol.reading.bumper, 0);
    mouse_move(rig, left_bumper(rig));
    mouse_down(rig, 1);
    WAIT_UNTIL((kobuki_host_hear(&host, 1), host.protocol.reading.bumper == KOBUKI_LEFT));
    mouse_up(rig, 1);
    WAIT_UNTIL((kobuki_host_hear(&host, 1), host.protocol.reading.bumper == 0));
    kobuki_host_close(&host);
}

static void a_short_click_on_a_button_is_long_enough_for_the_firmware(void **state)
{
    struct window_rig *rig = *state;
    struct kobuki_host host;
    window_open(rig);
    kobuki_host_open(&host, rig->stage->port);
    kobuki_host_hear(&host, 1);
    /* Button 1 is in the middle of the three at the back. */
    mouse_click(rig, window_point(rig, 1 - 0.122, 0.8));
    WAIT_UNTIL((kobuki_host_hear(&host, 1), host.buttons_seen == 2));
    WAIT_UNTIL((kobuki_host_hear(&host, 1), host.protocol.reading.buttons == 0));
    kobuki_host_close(&host);
}

static void a_lifted_robot_drops_its_wheels(void **state)
{
    struct window_rig *rig = *state;
    struct kobuki_host host;
    window_open(rig);
    kobuki_host_open(&host, rig->stage->port);
    mouse_move(rig, window_point(rig, 0.2, 0.2));
    press_key(rig, "l");
    WAIT_UNTIL((kobuki_host_hear(&host, 1),
                host.protocol.reading.wheel_drop == (KOBUKI_LEFT_DROPPED | KOBUKI_RIGHT_DROPPED)));
    // The button puts the robot down as soon as the window, too, shows it lifted.
    struct viewport_point button = window_part(rig, ACTION_LIFT, 0);
    WAIT_UNTIL((mouse_click(rig, button), kobuki_host_hear(&host, 10),
                host.protocol.reading.wheel_drop == 0));
    kobuki_host_close(&host);
}

static void a_dragged_robot_is_where_it_was_put_and_undo_brings_it_back(void **state)
{
    struct window_rig *rig = *state;
    window_open(rig);
    mouse_drag(rig, window_point(rig, 1, 0.8), window_point(rig, 0.6, 1.1), 1);
    WAIT_UNTIL(fabs(stage_get(rig->stage, "kobuki.x_m") - 0.6) < 0.01);
    assert_true(fabs(stage_get(rig->stage, "kobuki.y_m") - 1.1) < 0.01);
    press_key(rig, "ctrl+z");
    WAIT_UNTIL(fabs(stage_get(rig->stage, "kobuki.x_m") - 1) < 0.001);
    press_key(rig, "ctrl+y");
    WAIT_UNTIL(fabs(stage_get(rig->stage, "kobuki.x_m") - 0.6) < 0.01);
}

static void the_right_button_turns_a_robot_to_the_mouse(void **state)
{
    struct window_rig *rig = *state;
    window_open(rig);
    mouse_drag(rig, window_point(rig, 1.05, 0.8), window_point(rig, 1, 1.4), 3);
    WAIT_UNTIL(fabs(stage_get(rig->stage, "kobuki.heading_deg") - 90) < 0.1);
    assert_true(fabs(stage_get(rig->stage, "kobuki.x_m") - 1) < 0.001);
}

static uint32_t wall_count(struct window_rig *rig)
{
    snapshot_reader_update(rig->reader);
    return snapshot_reader_latest(rig->reader)->walls.count;
}

/* Above the speed of the outer wheel, mm/s; radius 0: straight on. */
static void a_drawn_wall_stops_the_robot_and_its_bumper_reports_it(void **state)
{
    struct window_rig *rig = *state;
    struct kobuki_host host;
    window_open(rig);
    kobuki_host_open(&host, rig->stage->port);
    mouse_move(rig, window_point(rig, 1.4, 0.3));
    press_key(rig, "w");
    mouse_drag(rig, window_point(rig, 1.4, 0.3), window_point(rig, 1.4, 1.3), 1);
    WAIT_UNTIL(wall_count(rig) == 1);
    WAIT_UNTIL((kobuki_host_drive(&host, 200, 0, 1), host.protocol.reading.bumper & KOBUKI_CENTER));
    assert_true(stage_get(rig->stage, "kobuki.x_m") < 1.4 - 0.17);
    press_key(rig, "ctrl+z");
    WAIT_UNTIL((kobuki_host_drive(&host, 200, 0, 1), stage_get(rig->stage, "kobuki.x_m") > 1.4));
    kobuki_host_close(&host);
}

static void a_cable_pulled_in_the_panel_hangs_up_on_the_host(void **state)
{
    struct window_rig *rig = *state;
    window_open(rig);
    assert_int_equal((int)stage_get(rig->stage, "kobuki.uart.plugged"), 1);
    mouse_click(rig, window_part(rig, ACTION_CABLE_OF, 0));
    WAIT_UNTIL(!path_exists(rig->stage->port));
    assert_int_equal((int)stage_get(rig->stage, "kobuki.uart.plugged"), 0);
    mouse_click(rig, window_part(rig, ACTION_CABLE_OF, 0));
    WAIT_UNTIL(path_exists(rig->stage->port));
}

static void damaged_bytes_reach_the_host(void **state)
{
    struct window_rig *rig = *state;
    struct kobuki_host host;
    window_open(rig);
    kobuki_host_open(&host, rig->stage->port);
    kobuki_host_hear(&host, 5);
    assert_int_equal(host.protocol.counters.bad_packets, 0);
    mouse_move(rig, window_point(rig, 0.2, 0.2));
    press_key(rig, "x");
    WAIT_UNTIL((kobuki_host_hear(&host, 1), host.protocol.counters.bad_packets > 0));
    assert_true(stage_get(rig->stage, "kobuki.uart.fault_flips") > 0);
    kobuki_host_close(&host);
}

/* Clicks a part that only changes what the window shows. */
static void turn_to(struct window_rig *rig, enum action action, uint32_t number)
{
    mouse_click(rig, window_part(rig, action, number));
    action_run(&rig->view, action, number);
}

static bool is_wire_whole(struct window_rig *rig, struct kobuki_host *host)
{
    double before = stage_get(rig->stage, "kobuki.uart.fault_flips");
    kobuki_host_hear(host, 5);
    return stage_get(rig->stage, "kobuki.uart.fault_flips") == before;
}

static void a_fault_chosen_in_the_menu_befalls_the_robot_until_it_is_healed(void **state)
{
    struct window_rig *rig = *state;
    struct kobuki_host host;
    window_open(rig);
    kobuki_host_open(&host, rig->stage->port);
    kobuki_host_hear(&host, 1);
    turn_to(rig, ACTION_TAB, TAB_FAULTS);
    turn_to(rig, ACTION_FAULT_PART, 0);  /* the wire */
    turn_to(rig, ACTION_FAULT_KIND, 1);  /* flip, */
    turn_to(rig, ACTION_FAULT_SLIDE, 0); /* of no byte: the slider of its rate is at its left end */
    turn_to(rig, ACTION_FAULT_VALUE, 0); /* of 1 % of the bytes, as is typed then */
    for (const char *const *key =
             (const char *const[]){"0", "period", "0", "2", "BackSpace", "1", "Return", NULL};
         *key; key++)
        press_key(rig, *key);
    mouse_click(rig, window_part(rig, ACTION_FAULT, 0));
    WAIT_UNTIL((kobuki_host_hear(&host, 1), host.protocol.counters.bad_packets > 0));
    mouse_click(rig, window_part(rig, ACTION_HEAL, 0));
    WAIT_UNTIL(is_wire_whole(rig, &host));
    mouse_click(rig, window_part(rig, ACTION_FAULT, 0));
    WAIT_UNTIL(!is_wire_whole(rig, &host));
    press_key(rig, "ctrl+z");
    WAIT_UNTIL(is_wire_whole(rig, &host));
    kobuki_host_close(&host);
}

/* Simulates a machine that is so busy that the window does not read events between two clicks. */
static void clicks_that_have_waited_each_meet_what_the_one_before_has_made(void **state)
{
    struct window_rig *rig = *state;
    struct kobuki_host host;
    window_open(rig);
    kobuki_host_open(&host, rig->stage->port);
    kobuki_host_hear(&host, 1);
    kill(rig->viewer.pid, SIGSTOP);
    turn_to(rig, ACTION_TAB, TAB_FAULTS);
    turn_to(rig, ACTION_FAULT_PART, 0);
    turn_to(rig, ACTION_FAULT_KIND, 1);
    mouse_click(rig, window_part(rig, ACTION_FAULT, 0));
    kill(rig->viewer.pid, SIGCONT);
    WAIT_UNTIL((kobuki_host_hear(&host, 1), host.protocol.counters.bad_packets > 0));
    kobuki_host_close(&host);
}

static void time_stands_steps_and_runs_faster_as_the_toolbar_says(void **state)
{
    struct window_rig *rig = *state;
    window_open(rig);
    mouse_move(rig, window_point(rig, 0.2, 0.2));
    press_key(rig, "space");
    WAIT_UNTIL(stage_get(rig->stage, "world.paused") == 1);
    double from_s = stage_get(rig->stage, "world.time_s");
    press_key(rig, "period");
    WAIT_UNTIL(fabs(stage_get(rig->stage, "world.time_s") - from_s - 0.020) < 1e-6);
    press_key(rig, "comma");
    WAIT_UNTIL(fabs(stage_get(rig->stage, "world.time_s") - from_s - 0.021) < 1e-6);
    mouse_click(rig, window_part(rig, ACTION_FASTER, 0));
    WAIT_UNTIL(stage_get(rig->stage, "world.speed") == 2);
    mouse_click(rig, window_part(rig, ACTION_PLAY, 0));
    WAIT_UNTIL(stage_get(rig->stage, "world.paused") == 0);
}

static bool heads(struct window_rig *rig, double deg)
{
    return fabs(stage_get(rig->stage, "kobuki.heading_deg") - deg) < 0.01;
}

/* The keys for the robot, the room and the speed, whose buttons other tests press. */
static void keys_do_what_the_table_says(void **state)
{
    struct window_rig *rig = *state;
    window_open(rig);
    mouse_move(rig, window_point(rig, 0.2, 0.2));
    press_key(rig, "e");
    WAIT_UNTIL(heads(rig, -15));
    press_key(rig, "q"); // the window may still show it as it was at first
    WAIT_UNTIL(heads(rig, 0) || heads(rig, 15));
    press_key(rig, "c");
    WAIT_UNTIL(stage_get(rig->stage, "kobuki.adapter") == 1);
    press_key(rig, "bracketleft");
    WAIT_UNTIL(stage_get(rig->stage, "world.speed") == 0.5);
    press_key(rig, "backslash");
    WAIT_UNTIL(stage_get(rig->stage, "world.speed") == 1);
    press_key(rig, "b");
    mouse_drag(rig, window_point(rig, 1.5, 0.2), window_point(rig, 1.7, 0.4), 1);
    press_key(rig, "v");
    mouse_drag(rig, window_point(rig, 1, 0.8), window_point(rig, 0.5, 0.5), 1);
    WAIT_UNTIL(fabs(stage_get(rig->stage, "kobuki.x_m") - 0.5) < 0.05);
    stage_do(rig->stage, "world.remove box=1"); // which was drawn before
    press_key(rig, "u");
    WAIT_UNTIL(stage_get(rig->stage, "kobuki.uart.plugged") == 0);
    WAIT_UNTIL((press_key(rig, "u"), stage_get(rig->stage, "kobuki.uart.plugged") == 1));
}

static void reset_puts_all_back(void **state)
{
    struct window_rig *rig = *state;
    window_open(rig);
    stage_do(rig->stage, "kobuki.place x=0.5 y=0.5 heading=45");
    stage_do(rig->stage, "kobuki.lift");
    mouse_move(rig, window_point(rig, 0.2, 0.2));
    press_key(rig, "ctrl+r");
    WAIT_UNTIL(stage_get(rig->stage, "kobuki.lifted") == 0);
    assert_true(fabs(stage_get(rig->stage, "kobuki.x_m") - 1) < 0.001);
    assert_true(fabs(stage_get(rig->stage, "kobuki.heading_deg")) < 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WINDOWED(a_bumper_pressed_by_the_mouse_is_pressed_on_the_wire),
        WINDOWED(a_short_click_on_a_button_is_long_enough_for_the_firmware),
        WINDOWED(a_lifted_robot_drops_its_wheels),
        WINDOWED(a_dragged_robot_is_where_it_was_put_and_undo_brings_it_back),
        WINDOWED(the_right_button_turns_a_robot_to_the_mouse),
        WINDOWED(a_drawn_wall_stops_the_robot_and_its_bumper_reports_it),
        WINDOWED(a_cable_pulled_in_the_panel_hangs_up_on_the_host),
        WINDOWED(damaged_bytes_reach_the_host),
        WINDOWED(a_fault_chosen_in_the_menu_befalls_the_robot_until_it_is_healed),
        WINDOWED(clicks_that_have_waited_each_meet_what_the_one_before_has_made),
        WINDOWED(time_stands_steps_and_runs_faster_as_the_toolbar_says),
        WINDOWED(keys_do_what_the_table_says),
        WINDOWED(reset_puts_all_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
