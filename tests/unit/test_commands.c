/* Commands in a complete simulation: their effect on the wire, and the errors for invalid ones. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "protocols/registry.h"
#include "sim/commands/robot_commands.h"
#include "sim/state/state.h"
#include "tests/support/simulation.h"
#include "tests/unit/kobuki_rig.h"

struct wrong {
    const char *command, *said;
};

static const struct wrong wrongs[] = {
    {"", "is not a command"},
    {"kobuki", "write TARGET.COMMAND"},
    {".press", "is not a command"},
    {"nobody.press bumper=left", "there is no robot 'nobody'"},
    {"kobukl.press bumper=left", "there is no robot 'kobukl'; did you mean 'kobuki'"},
    {"kobuki.pres bumper=left",
     "kobuki has no command 'pres'; did you mean 'press'? allowed: place, lift"},
    {"world.press", "world has no command 'press'; allowed: reset, wall, box, remove"},
    {"kobuki.press bumpr=left", "unknown argument 'bumpr'; did you mean 'bumper'"},
    {"kobuki.press bumper=top", "there is no 'top'; it has: right, center, left"},
    // Only `fault` takes parts of the robot.
    {"kobuki.press gyro=left", "kobuki.press: unknown argument 'gyro'"},
    {"kobuki.place power=off", "kobuki.place: unknown argument 'power'"},
    {"kobuki.press button=b9", "there is no 'b9'; it has: b0, b1, b2"},
    {"kobuki.press", "give bumper=NAME or button=NAME"},
    {"kobuki.press bumper=left button=b0", "give bumper=NAME or button=NAME"},
    {"kobuki.press bumper=left bumper=right", "bumper: given twice"},
    {"kobuki.press bumper=left for=-1", "for"},
    {"kobuki.press bumper=left for=long", "for"},
    {"kobuki.press bumper=\"left", "the quote is not closed"},
    {"kobuki.press bumper=\"left\"for=1", "a space must follow"},
    {"kobuki.press left", "'left' is not key=value"},
    {"kobuki.lift wheel=2", "wheel: no wheel 2; allowed: 0 to 1"},
    {"kobuki.place x=1", "y: missing; give a number"},
    {"kobuki.place x=nan y=1", "x"},
    {"kobuki.place x=-1 y=1", "outside the room of 20 x 20 m"},
    {"kobuki.place x=0.1 y=1", "inside a wall"},
    {"kobuki.battery v=40", "allowed:"},
    {"kobuki.unplug what=usb", "neither a channel nor the adapter"},
    {"kobuki.unplug what=adapter for=3", "only with a channel"},
};

static void a_wrong_command_says_what_is_wrong_and_changes_nothing(void **state)
{
    (void)state;
    struct rig rig = rig_open(NULL);
    rig_run(&rig, 0.1);
    uint64_t hash = sim_hash(rig.sim);
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        struct error error = {0};
        if (sim_do(rig.sim, wrongs[i].command, &error))
            fail_msg("'%s' was accepted", wrongs[i].command);
        if (!strstr(error.text, wrongs[i].said))
            fail_msg("'%s' said: %s", wrongs[i].command, error.text);
        assert_true(sim_hash(rig.sim) == hash);
    }
    char longer[2000];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    struct error error;
    assert_false(sim_do(rig.sim, longer, &error));
    rig_close(&rig);
}

static uint8_t basic_byte(struct rig *rig, size_t offset)
{
    size_t size;
    rig_run(rig, 0.06);
    return rig_part(rig, 1, &size)[offset];
}

static void presses_reach_the_wire_and_end_by_themselves(void **state)
{
    (void)state;
    struct rig rig = rig_open(NULL);
    rig_run(&rig, 0.1);
    rig_do(&rig, "kobuki.press bumper=left for=0.5");
    assert_int_equal(basic_byte(&rig, 2), 0x04);
    rig_do(&rig, "  kobuki.press   bumper='right'  for=\"0\"  ");
    assert_int_equal(basic_byte(&rig, 2), 0x05);
    rig_run(&rig, 0.5);
    assert_int_equal(basic_byte(&rig, 2), 0x01);
    rig_do(&rig, "kobuki.release bumper=right");
    assert_int_equal(basic_byte(&rig, 2), 0x00);
    rig_do(&rig, "kobuki.press button=b1");
    assert_int_equal(basic_byte(&rig, 11), 0x02);
    rig_run(&rig, 0.3);
    assert_int_equal(basic_byte(&rig, 11), 0x00);
    rig_close(&rig);
}

static void a_tipped_robot_drops_one_wheel(void **state)
{
    (void)state;
    struct rig rig = rig_open(NULL);
    rig_run(&rig, 0.1);
    rig_do(&rig, "kobuki.lift wheel=0 for=0.5");
    assert_int_equal(basic_byte(&rig, 3), 0x02); // left
    rig_do(&rig, "kobuki.lift wheel=1 for=0.5");
    assert_int_equal(basic_byte(&rig, 3), 0x03);
    rig_run(&rig, 0.5);
    assert_int_equal(basic_byte(&rig, 3), 0);
    rig_do(&rig, "kobuki.lift wheel=1");
    assert_int_equal(basic_byte(&rig, 3), 0x01); // right
    rig_do(&rig, "kobuki.lift up=false");
    assert_int_equal(basic_byte(&rig, 3), 0);
    rig_close(&rig);
}

/* If a wheel has no floor contact, the body rests on the floor. Its friction brakes the rotation
 * about the other wheel. */
static void a_tipped_robot_comes_to_rest(void **state)
{
    (void)state;
    struct rig rig = rig_open(NULL);
    rig_do(&rig, "kobuki.lift wheel=0");
    rig_drive(&rig, 200, 0, 2);
    rig_drive(&rig, 0, 0, 2);
    assert_float_equal(rig_get(&rig, "kobuki.turn_deg_s"), 0, 0.01);
    assert_float_equal(rig_get(&rig, "kobuki.speed_m_s"), 0, 1e-4);
    rig_close(&rig);
}

static void the_adapter_and_the_battery_reach_the_wire(void **state)
{
    (void)state;
    struct rig rig = rig_open(NULL);
    rig_run(&rig, 0.1);
    assert_int_equal(basic_byte(&rig, 12), 0);
    rig_do(&rig, "kobuki.battery v=14.5");
    assert_in_range(basic_byte(&rig, 13), 144, 146);
    rig_do(&rig, "kobuki.plug what=adapter");
    assert_int_equal(basic_byte(&rig, 12), 22);
    double charge = rig_get(&rig, "kobuki.charge");
    rig_run(&rig, 30);
    assert_true(rig_get(&rig, "kobuki.charge") > charge);
    rig_do(&rig, "kobuki.unplug what=adapter");
    assert_int_equal(basic_byte(&rig, 12), 0);
    charge = rig_get(&rig, "kobuki.charge");
    rig_run(&rig, 30);
    assert_true(rig_get(&rig, "kobuki.charge") < charge);
    rig_close(&rig);
}

static void placing_moves_the_body_and_not_the_encoders(void **state)
{
    (void)state;
    struct rig rig = rig_open(NULL);
    rig_run(&rig, 0.1);
    rig_do(&rig, "kobuki.place x=3 y=4 heading=90");
    rig_run(&rig, 0.1);
    assert_true(fabs(rig_get(&rig, "kobuki.x_m") - 3) < 1e-6);
    assert_true(fabs(rig_get(&rig, "kobuki.y_m") - 4) < 1e-6);
    assert_true(fabs(rig_get(&rig, "kobuki.heading_deg") - 90) < 1e-6);
    assert_int_equal(basic_byte(&rig, 5), 0);
    assert_true(rig_get(&rig, "kobuki.collisions") == 0);
    rig_close(&rig);
}

static void a_cliff_under_a_sensor_raises_its_flag_and_a_wheel_over_the_edge_drops(void **state)
{
    (void)state;
    static const char edge[] =
        "world:\n"
        "  size: {x: 6, y: 6}\n"
        "  cliffs: [{points: [{x: 4, y: 0}, {x: 6, y: 0}, {x: 6, y: 6}, {x: 4, y: 6}], "
        "depth: 0.3}]\n"
        "robots: [{name: kobuki, type: kobuki, pose: {x: 3.5, y: 3, heading: 0}}]\n";
    const char *const quiet[] = {"kobuki.noise=off", NULL};
    struct rig rig = rig_open_scene(edge, quiet);
    assert_int_equal(basic_byte(&rig, 4), 0);
    size_t size;
    const uint8_t *cliff = rig_part(&rig, 5, &size);
    unsigned floor = cliff[2] | (unsigned)cliff[3] << 8;
    assert_in_range(floor, 1500, 2000);
    rig_do(&rig, "kobuki.place x=3.87 y=3");
    assert_int_equal(basic_byte(&rig, 4), 0x02); // only the center sensor is beyond the edge
    cliff = rig_part(&rig, 5, &size);
    assert_true((cliff[2] | (unsigned)cliff[3] << 8) < 850);
    rig_do(&rig, "kobuki.place x=4.05 y=3");
    assert_int_equal(basic_byte(&rig, 4), 0x07);
    assert_int_equal(basic_byte(&rig, 3), 0x03);
    rig_close(&rig);
}

static void a_pulled_cable_is_silent_and_comes_back(void **state)
{
    (void)state;
    struct rig rig = rig_open(NULL);
    rig_run(&rig, 1);
    rig_do(&rig, "kobuki.unplug what=uart for=1");
    assert_false(sim_channel_is_plugged(rig.sim, rig.channel));
    sim_host_present(rig.sim, rig.channel, false);
    uint64_t packets = rig.packets;
    rig_run(&rig, 0.99);
    assert_int_equal(rig.packets, packets);
    rig_run(&rig, 0.02);
    assert_true(sim_channel_is_plugged(rig.sim, rig.channel));
    sim_host_present(rig.sim, rig.channel, true);
    rig_run(&rig, 1);
    assert_in_range(rig.packets, packets + 49, packets + 51);
    assert_int_equal(rig.bad_packets, 0);
    rig_do(&rig, "kobuki.unplug what=uart"); // no end time
    rig_run(&rig, 2);
    assert_false(sim_channel_is_plugged(rig.sim, rig.channel));
    rig_close(&rig);
}

static void what_is_on_a_cable_when_it_is_pulled_is_lost(void **state)
{
    (void)state;
    static const uint8_t bytes[1000];
    struct rig rig = rig_open(NULL);
    sim_host_bytes(rig.sim, rig.channel, bytes, sizeof bytes); // 87 ms at 115200 baud
    rig_run(&rig, 0.01);
    rig_do(&rig, "kobuki.unplug what=uart");
    uint64_t arrived = sim_channel_line(rig.sim, rig.channel)->from_host_bytes;
    assert_in_range(arrived, 1, 200);
    rig_run(&rig, 0.2);
    assert_int_equal(sim_channel_line(rig.sim, rig.channel)->from_host_bytes, arrived);
    rig_close(&rig);
}

static void a_reset_starts_the_firmware_again_where_the_robot_stands(void **state)
{
    (void)state;
    struct rig rig = rig_open(NULL);
    rig_drive(&rig, 300, 0, 3);
    double x = rig_get(&rig, "kobuki.x_m");
    double frames = rig_get(&rig, "kobuki.uart.frames"), sent = rig_get(&rig, "kobuki.uart.sent");
    assert_true(frames > 0 && sent > 0);
    rig_do(&rig, "kobuki.reset");
    // The counters keep the frames that were sent.
    assert_true(rig_get(&rig, "kobuki.uart.frames") == frames);
    assert_true(rig_get(&rig, "kobuki.uart.sent") == sent);
    rig_run(&rig, 0.1);
    size_t size;
    const uint8_t *basic = rig_part(&rig, 1, &size);
    assert_in_range(basic[0] | (unsigned)basic[1] << 8, 20, 120);
    assert_true(rig_get(&rig, "kobuki.x_m") >= x);
    rig_run(&rig, 2);
    assert_true(fabs(rig_get(&rig, "kobuki.speed_m_s")) < 1e-3);
    rig_close(&rig);
}

static void each_lift_ends_at_its_own_time(void **state)
{
    (void)state;
    struct rig rig = rig_open(NULL);
    rig_do(&rig, "kobuki.lift for=1");
    rig_do(&rig, "kobuki.lift wheel=0");
    rig_run(&rig, 2);
    assert_true(rig_get(&rig, "kobuki.lifted") == 0);
    assert_true(rig_get(&rig, "kobuki.hung_wheels") == 1);
    rig_do(&rig, "kobuki.lift up=false");
    assert_true(rig_get(&rig, "kobuki.hung_wheels") == 0);

    rig_do(&rig, "kobuki.lift wheel=0 for=1");
    rig_do(&rig, "kobuki.lift wheel=1 for=5");
    rig_run(&rig, 0.5);
    assert_true(rig_get(&rig, "kobuki.hung_wheels") == 3);
    rig_run(&rig, 1.5);
    assert_true(rig_get(&rig, "kobuki.hung_wheels") == 2);
    rig_run(&rig, 4);
    assert_true(rig_get(&rig, "kobuki.hung_wheels") == 0);
    rig_close(&rig);
}

static void a_lift_ends_after_its_time_and_no_later(void **state)
{
    (void)state;
    enum { MS = 250 };
    static const struct {
        const char *command, *signal;
    } rows[] = {
        {"kobuki.lift for=0.25", "kobuki.lifted"},
        {"kobuki.lift wheel=0 for=0.25", "kobuki.hung_wheels"},
        {"kobuki.lift wheel=1 for=0.25", "kobuki.hung_wheels"},
    };
    struct rig rig = rig_open(NULL);
    for (size_t i = 0; i < COUNT(rows); i++) {
        rig_do(&rig, rows[i].command);
        for (int ms = 0; ms < MS; ms++) {
            assert_true(rig_get(&rig, rows[i].signal) != 0);
            sim_step(rig.sim);
        }
        assert_true(rig_get(&rig, rows[i].signal) == 0);
    }
    rig_close(&rig);
}

static void a_robot_put_down_forgets_when_it_was_to_be(void **state)
{
    (void)state;
    struct rig rig = rig_open(NULL);
    rig_do(&rig, "kobuki.lift for=1");
    rig_do(&rig, "kobuki.lift wheel=0 for=1");
    rig_run(&rig, 0.5);
    rig_do(&rig, "kobuki.lift up=false");
    const struct robot_handling *handling = &rig.sim->robots[0].handling;
    assert_true(handling->lift_until_us == ROBOT_NEVER);
    for (size_t i = 0; i < ROBOT_WHEELS_MAX; i++)
        assert_true(handling->hang_until_us[i] == ROBOT_NEVER);
    rig_do(&rig, "kobuki.lift");
    rig_do(&rig, "kobuki.lift wheel=0");
    rig_run(&rig, 2);
    assert_true(rig_get(&rig, "kobuki.lifted") == 1);
    assert_true(rig_get(&rig, "kobuki.hung_wheels") == 1);
    rig_close(&rig);
}

static void a_button_that_a_robot_does_not_have_is_refused_by_every_type(void **state)
{
    (void)state;
    size_t count;
    const struct robot_type *const *types = registry_types(&count);
    for (size_t i = 0; i < count; i++) {
        char yaml[160];
        snprintf(yaml, sizeof yaml,
                 "world: {size: {x: 9, y: 9}}\n"
                 "robots: [{name: robot, type: %s, pose: {x: 4, y: 4}}]\n",
                 types[i]->name);
        struct simulation self = simulation_open(yaml, NULL);
        static const char *const commands[] = {
            "robot.press button=nosuch", "robot.release button=nosuch", "robot.press bumper=nosuch",
            "robot.release bumper=nosuch"};
        for (size_t k = 0; k < COUNT(commands); k++) {
            struct error error = {0};
            assert_false(sim_do(self.sim, commands[k], &error));
            assert_non_null(strstr(error.text, "there is no 'nosuch'; it has: "));
        }
        simulation_close(&self);
    }
}

/* Whether TEXT consists of these names, separated by commas. It may be shortened by dots before the
 * last name. */
static bool is_list(const char *text, const struct command_row *const rows[2],
                    const size_t counts[2])
{
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < counts[k]; i++) {
            size_t size = strlen(rows[k][i].name);
            if (strcmp(text, "...") == 0)
                return true;
            if (strncmp(text, rows[k][i].name, size) != 0)
                return false;
            text += size;
            text += strncmp(text, ", ", 2) == 0 ? 2 : 0;
        }
    return *text == '\0';
}

static void an_unknown_command_lists_those_that_there_are_and_no_others(void **state)
{
    (void)state;
    size_t count, common_count, world_count;
    const struct robot_type *const *types = registry_types(&count);
    const struct command_row *common = sim_robot_commands(&common_count);
    const struct command_row *world = sim_world_commands(&world_count);
    for (size_t i = 0; i < count; i++) {
        char yaml[160];
        struct error error = {0};
        snprintf(yaml, sizeof yaml,
                 "world: {size: {x: 9, y: 9}}\n"
                 "robots: [{name: robot, type: %s, pose: {x: 4, y: 4}}]\n",
                 types[i]->name);
        struct simulation self = simulation_open(yaml, NULL);
        assert_false(sim_do(self.sim, "robot.0", &error));
        const char *list = strstr(error.text, "allowed: ");
        if (!list ||
            !is_list(list + 9, (const struct command_row *const[]){common, types[i]->commands},
                     (const size_t[]){common_count, types[i]->command_count}))
            fail_msg("%s: %s", types[i]->name, error.text);
        assert_false(sim_do(self.sim, "world.0", &error));
        list = strstr(error.text, "allowed: ");
        if (!list || !is_list(list + 9, (const struct command_row *const[]){world, NULL},
                              (const size_t[]){world_count, 0}))
            fail_msg("%s", error.text);
        simulation_close(&self);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_command_says_what_is_wrong_and_changes_nothing),
        cmocka_unit_test(an_unknown_command_lists_those_that_there_are_and_no_others),
        cmocka_unit_test(presses_reach_the_wire_and_end_by_themselves),
        cmocka_unit_test(a_tipped_robot_drops_one_wheel),
        cmocka_unit_test(a_tipped_robot_comes_to_rest),
        cmocka_unit_test(the_adapter_and_the_battery_reach_the_wire),
        cmocka_unit_test(placing_moves_the_body_and_not_the_encoders),
        cmocka_unit_test(a_cliff_under_a_sensor_raises_its_flag_and_a_wheel_over_the_edge_drops),
        cmocka_unit_test(a_pulled_cable_is_silent_and_comes_back),
        cmocka_unit_test(what_is_on_a_cable_when_it_is_pulled_is_lost),
        cmocka_unit_test(a_reset_starts_the_firmware_again_where_the_robot_stands),
        cmocka_unit_test(each_lift_ends_at_its_own_time),
        cmocka_unit_test(a_lift_ends_after_its_time_and_no_later),
        cmocka_unit_test(a_robot_put_down_forgets_when_it_was_to_be),
        cmocka_unit_test(a_button_that_a_robot_does_not_have_is_refused_by_every_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
