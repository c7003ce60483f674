/* The command `fault`: the errors for invalid commands, and every kind of fault on every robot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/angle.h"
#include "base/text.h"
#include "protocols/registry.h"
#include "sim/commands/fault.h"
#include "sim/commands/fault_commands.h"
#include "sim/commands/fault_list.h"
#include "sim/parse/scene_parse.h"
#include "sim/state/state.h"
#include "tests/support/simulation.h"
#include "tests/unit/kobuki_rig.h"

static const struct {
    const char *command, *said;
} wrongs[] = {
    {"kobuki.fault", "give PART=KIND, such as uart=drop"},
    {"kobuki.fault rate=0.1", "give PART=KIND"},
    {"kobuki.fault uart=dorp rate=0.1", "uart: 'dorp' is not one of none, drop, flip"},
    {"kobuki.fault uart=dorp rate=0.1", "did you mean 'drop'?"},
    {"kobuki.fault uart=", "uart: '' is not one of"},
    {"kobuki.fault uart=drop", "rate: missing; uart=drop needs it"},
    {"kobuki.fault uart=drop rate=0", "rate: missing"},
    {"kobuki.fault uart=drop rate=2", "rate: '2' is out of range"},
    {"kobuki.fault uart=drop raet=0.1", "did you mean 'rate'?"},
    {"kobuki.fault urat=drop rate=0.1", "did you mean 'uart'?"},
    {"kobuki.fault bluetooth=drop rate=0.1", "the parts are: uart, cliff_right"},
    {"kobuki.fault PART=bluetooth=drop rate=0.1", "'bluetooth' is neither a part of kobuki"},
    {"kobuki.fault PART=uart", "give PART=KIND"},
    {"kobuki.fault uart=drop uart=flip rate=0.1", "uart: one part at a time"},
    {"kobuki.fault uart=drop gyro=dead rate=0.1", "gyro: one part at a time"},
    {"kobuki.fault uart=drop rate=0.1 rate=0.1", "rate: given twice"},
    {"kobuki.fault uart=stall", "for: missing; uart=stall needs it"},
    {"kobuki.fault uart=stall for=1 rate=0.5", "rate: does not go with uart=stall"},
    {"kobuki.fault uart=drop rate=0.1 grip=0.5", "grip: does not go with uart=drop"},
    {"kobuki.fault uart=ftdi direction=to_host", "direction: does not go with uart=ftdi"},
    {"kobuki.fault uart=drop rate=0.1 direction=up", "direction: 'up' is not one of"},
    {"kobuki.fault uart=garbage bytes=0", "bytes"},
    {"kobuki.fault uart=baud", "baud: missing"},
    {"kobuki.fault uart=hangup", "for: missing"},
    {"kobuki.fault cliff_left=drop rate=0.1", "cliff_left: 'drop' is not one of none, stuck, dead"},
    {"kobuki.fault gyro=drift", "deg_s: missing"},
    {"kobuki.fault compass=drift deg_s=1", "compass: 'drift' is not one of none, stuck, dead"},
    {"kobuki.fault bumper_top=dead", "the parts are: uart"},
    {"kobuki.fault encoder_2=dead", "did you mean 'encoder_"},
    {"kobuki.fault wheels=slip grip=0", "grip"},
    {"kobuki.fault battery=low v=40", "v: 40; allowed:"},
    {"kobuki.fault battery=drain", "factor: missing"},
    {"kobuki.fault power=of", "did you mean 'off'?"},
    {"kobuki.heal uart=drop", "unknown argument 'uart'"},
};

static void a_wrong_fault_says_what_is_wrong_and_changes_nothing(void **state)
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
    rig_close(&rig);
}

static void a_picture_cannot_be_stuck_and_a_server_has_no_baud(void **state)
{
    (void)state;
    static const char *const refused[][2] = {
        {"robot.fault camera=stuck", "robot.fault: camera: allowed: dead, not stuck"},
        {"robot.fault wifi=ftdi", "robot.fault: wifi: not a serial channel"},
        {"robot.fault wifi=baud baud=9600", "robot.fault: wifi: not a serial channel"},
    };
    struct simulation simulation =
        simulation_open("world: {size: {x: 4, y: 4}}\n"
                        "robots: [{name: robot, type: epuck2, pose: {x: 2, y: 2}}]\n",
                        NULL);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct error error = {0};
        assert_false(sim_do(simulation.sim, refused[i][0], &error));
        assert_string_equal(error.text, refused[i][1]);
    }
    simulation_close(&simulation);
}

static void a_wrong_fault_in_a_timeline_is_refused_before_the_run(void **state)
{
    (void)state;
    static const char yaml[] = "world: {size: {x: 4, y: 4}}\n"
                               "robots: [{name: kobuki, type: kobuki, pose: {x: 2, y: 2}}]\n"
                               "timeline:\n"
                               "  - {at: 1, do: 'kobuki.fault uart=drop rate=0.1'}\n"
                               "  - {at: 2, do: 'kobuki.fault uart=dorp rate=0.1'}\n";
    struct error error = {0};
    struct scene *scene = scene_parse(yaml, strlen(yaml), "faults.yaml", &error);
    struct sim *sim = scene ? sim_create(scene, NULL, NULL, &error) : NULL;
    assert_null(sim);
    if (!strstr(error.text, "did you mean 'drop'?") || !strstr(error.text, "5:"))
        fail_msg("said: %s", error.text);
    scene_destroy(scene);
}

/* Continues the run as an app would, with a host on every channel. */
static void run_on(struct sim *sim, int steps)
{
    for (int i = 0; i < steps; i++) {
        const uint8_t *bytes;
        size_t size;
        sim_step(sim);
        for (size_t c = 0; c < sim_channel_count(sim); c++) {
            const uint8_t noise[] = {0xaa, 0x55, (uint8_t)i, 0xff, 0x5a};
            if (sim_host_room(sim, c) >= sizeof noise)
                sim_host_bytes(sim, c, noise, sizeof noise);
            while (sim_output(sim, c, &bytes, &size))
                assert_true(size > 0);
        }
    }
}

/* The signal that counts faults of this kind, or NULL. */
static const char *counter(const char *kind)
{
    static const char *const names[][2] = {
        {"drop", "fault_drops"},
        {"flip", "fault_flips"},
        {"duplicate", "fault_duplicates"},
        {"insert", "fault_inserts"},
        {"delay", "fault_delays"},
        {"split", "fault_splits"},
        {"ftdi", "fault_ftdi_chunks"},
        {"stall", "fault_stalls"},
        {"baud", "fault_baud_bytes"},
        {"hangup", "fault_hangups"},
        {"garbage", "fault_garbage"},
        {"stuck", "fault_stuck"},
        {"dead", "fault_dead"},
        {"drift", "fault_drifts"},
        {"slip", "fault_slips"},
        {"low", "fault_battery_lows"},
        {"brownout", "fault_brownouts"},
        {"off", "fault_power_cuts"},
        {"usb", "fault_power_cuts"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i][0], kind) == 0)
            return names[i][1];
    return NULL;
}

/* `robot.fault PART=KIND` with a value for every argument that the kind requires. */
static void write_command(char *text, size_t size, const struct fault_part *part,
                          const struct sim_fault_info *info)
{
    static const struct {
        const char *key, *value;
    } values[] = {
        {"rate", "0.5"}, {"for", "0.1"}, {"baud", "9600"}, {"deg_s", "5"}, {"factor", "9"}};
    size_t used = (size_t)snprintf(text, size, "robot.fault %.40s=%s", part->name, info->kind);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        char needed[16];
        snprintf(needed, sizeof needed, "%s=", values[i].key);
        const char *at = strstr(info->arguments, needed);
        if (at && (at == info->arguments || at[-1] != '['))
            used += (size_t)snprintf(text + used, size - used, " %s%s", needed, values[i].value);
    }
}

/* The text of the fault list for a failed part, or for any part of the class if PART means all of
 * them; "": not listed. */
static void find_in_list(const struct sim *sim, const struct fault_part *part, char what[80])
{
    struct fault_now list[FAULT_PARTS_MAX];
    size_t count = fault_list(&sim->robots[0], list, FAULT_PARTS_MAX);
    *what = '\0';
    for (size_t i = 0; i < count; i++)
        if (part->number == FAULT_ALL ? list[i].part.class == part->class
                                      : strcmp(list[i].part.name, part->name) == 0)
            memcpy(what, list[i].what, sizeof list[i].what);
}

/* An active fault is listed by its name. A battery that is low is not listed, because `low` only
 * sets its charge once. */
static void check_list(const struct sim *sim, const struct fault_part *part, const char *kind)
{
    char what[80];
    find_in_list(sim, part, what);
    const char *wanted = strcmp(kind, "low") == 0        ? ""
                         : strcmp(kind, "brownout") == 0 ? "off"
                                                         : kind;
    if (strncmp(what, wanted, strlen(wanted)) != 0 || (!*wanted && *what))
        fail_msg("%s=%s is listed as '%s'", part->name, kind, what);
}

/* Tries all kinds of the part, one after the other. */
static size_t try_all(struct sim *sim, const struct fault_part *part)
{
    struct sim_fault_info info;
    size_t tried = 0;
    for (size_t i = 0; sim_fault_info(i, &info); i++) {
        char command[128], name[80];
        struct error error = {0};
        if (!fault_befalls(i, &sim->robots[0], part))
            continue;
        if (part->class != FAULT_SENSOR)
            assert_null(strstr(info.note, "cliff"));
        write_command(command, sizeof command, part, &info);
        const char *of = counter(info.kind);
        snprintf(name, sizeof name, "robot.%.40s%s%s",
                 part->class == FAULT_CHANNEL ? part->name : "",
                 part->class == FAULT_CHANNEL ? "." : "", of ? of : "time_s");
        double before = of ? simulation_get(sim, name) : 0;
        if (!sim_do(sim, command, &error))
            fail_msg("%s: %s", command, error.text);
        check_list(sim, part, info.kind);
        if (strcmp(info.kind, "garbage") == 0) {
            sim_host_present(sim, part->number, false);
            run_on(sim, 2);
            sim_host_present(sim, part->number, true);
        }
        run_on(sim, 300);
        // Boards that reply only to valid requests send nothing here.
        bool is_wire = part->class == FAULT_CHANNEL && strcmp(info.kind, "ftdi") == 0;
        if (of && !is_wire && !(simulation_get(sim, name) > before))
            fail_msg("%s: %s stays at %g", command, name, before);
        snprintf(command, sizeof command, "robot.fault %.40s=none", part->name);
        simulation_do(sim, command);
        check_list(sim, part, "low");
        run_on(sim, 20);
        tried++;
    }
    return tried;
}

static void every_part_of_every_robot_takes_all_its_faults(void **state)
{
    (void)state;
    size_t count;
    const struct robot_type *const *types = registry_types(&count);
    for (size_t t = 0; t < count; t++) {
        char yaml[256];
        snprintf(yaml, sizeof yaml,
                 "world: {size: {x: 20, y: 20}}\n"
                 "robots: [{name: robot, type: %s, pose: {x: 10, y: 10}}]\n",
                 types[t]->name);
        struct simulation simulation = simulation_open(yaml, NULL);
        for (size_t c = 0; c < sim_channel_count(simulation.sim); c++)
            sim_host_present(simulation.sim, c, true);
        run_on(simulation.sim, 50);
        struct fault_part parts[FAULT_PARTS_MAX];
        struct robot_body body;
        robot_type_body(types[t], simulation.scene->robots[0].options, &body);
        size_t part_count = fault_parts(types[t], &body, parts);
        for (size_t p = 0; p < part_count; p++) {
            if (option_find(fault_rows, FAULT_ARGS, parts[p].name))
                fail_msg("%s is a part and an argument", parts[p].name);
            for (size_t q = 0; q < p; q++)
                if (strcmp(parts[q].name, parts[p].name) == 0)
                    fail_msg("%s has two parts %s", types[t]->name, parts[p].name);
            assert_true(try_all(simulation.sim, &parts[p]) >= 1);
        }
        simulation_do(simulation.sim, "robot.heal");
        assert_true(simulation_get(simulation.sim, "robot.power") == 0);
        simulation_close(&simulation);
    }
}

static void the_list_of_faults_says_how_much_which_way_and_how_long(void **state)
{
    (void)state;
    struct simulation simulation =
        simulation_open("world: {size: {x: 6, y: 4}}\n"
                        "robots: [{name: robot, type: kobuki, pose: {x: 3, y: 2}}]\n",
                        NULL);
    static const char *const commands[] = {
        "robot.fault uart=drop rate=0.05 direction=to_host for=9",
        "robot.fault uart=delay rate=1 ms=40",
        "robot.fault uart=baud baud=9600 direction=to_robot for=2",
        "robot.fault gyro=drift deg_s=2.5 for=1",
        "robot.fault wheel_1=slip grip=0.25",
        "robot.fault cliff_left=stuck rate=0.125 for=3",
        "robot.fault battery=drain factor=20 for=4",
    };
    static const struct {
        const char *part, *what;
        int64_t until_us;
    } wanted[] = {
        {"uart", "drop 5 % to host, delay 40 ms, baud 9600 to robot", ROBOT_NEVER},
        {"cliff_left", "stuck 12.5 %", 3000000},
        {"gyro", "drift 2.5 deg/s", 1000000},
        {"wheel_1", "slip, 25 % grip", ROBOT_NEVER},
        {"battery", "drain 20 times", 4000000},
    };
    enum { COUNT = sizeof wanted / sizeof wanted[0] };
    struct fault_now list[FAULT_PARTS_MAX];
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        simulation_do(simulation.sim, commands[i]);
    assert_int_equal(fault_list(&simulation.sim->robots[0], list, 2), COUNT);
    assert_int_equal(fault_list(&simulation.sim->robots[0], list, FAULT_PARTS_MAX), COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        assert_string_equal(list[i].part.name, wanted[i].part);
        assert_string_equal(list[i].what, wanted[i].what);
        assert_int_equal(list[i].until_us, wanted[i].until_us);
    }
    run_on(simulation.sim, 2500);
    assert_int_equal(fault_list(&simulation.sim->robots[0], list, FAULT_PARTS_MAX), COUNT - 1);
    assert_string_equal(list[0].what, "drop 5 % to host, delay 40 ms");
    simulation_do(simulation.sim, "robot.heal");
    assert_int_equal(fault_list(&simulation.sim->robots[0], list, FAULT_PARTS_MAX), 0);
    simulation_close(&simulation);
}

static void each_fault_alone_is_listed_with_the_usual_values(void **state)
{
    (void)state;
    struct simulation simulation =
        simulation_open("world: {size: {x: 6, y: 4}}\n"
                        "robots: [{name: robot, type: kobuki, pose: {x: 3, y: 2}}]\n",
                        NULL);
    static const char *const rows[][2] = {
        {"robot.fault uart=delay rate=1", "delay 100 ms"},
        {"robot.fault uart=delay rate=1 ms=0.5", "delay 0.5 ms"},
        {"robot.fault uart=split rate=1", "split 5 ms"},
        {"robot.fault uart=ftdi", "ftdi 16 ms"},
        {"robot.fault uart=ftdi ms=1", "ftdi 1 ms"},
        {"robot.fault wheel_1=slip grip=0.25", "slip, 25 % grip"},
        {"robot.fault battery=drain factor=20", "drain 20 times"},
        {"robot.fault cliff_left=stuck", "stuck"},
        {"robot.fault power=off for=1", "off"},
        {"robot.fault uart=drop rate=0.5 direction=to_robot", "drop 50 % to robot"},
    };
    struct fault_now list[FAULT_PARTS_MAX];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        simulation_do(simulation.sim, "robot.heal");
        simulation_do(simulation.sim, rows[i][0]);
        assert_int_equal(fault_list(&simulation.sim->robots[0], list, FAULT_PARTS_MAX), 1);
        if (!strstr(list[0].what, rows[i][1]))
            fail_msg("%s: %s", rows[i][0], list[0].what);
    }
    simulation_close(&simulation);
}

static const char alone[] = "world: {size: {x: 6, y: 4}}\n"
                            "robots: [{name: robot, type: kobuki, pose: {x: 3, y: 2}}]\n";

/* Text of the list of faults: part and fault, one after the other. */
static const char *listed(const struct sim *sim, char text[256])
{
    struct fault_now list[FAULT_PARTS_MAX];
    size_t count = fault_list(&sim->robots[0], list, FAULT_PARTS_MAX);
    text[0] = '\0';
    for (size_t i = 0; i < count; i++)
        text_add(text, 256, "; ", "%s %s", list[i].part.name, list[i].what);
    return text;
}

static void only_a_hangup_is_a_fault_of_a_plug(void **state)
{
    (void)state;
    static const struct {
        const char *command, *list;
    } rows[] = {
        {"robot.fault gyro=dead", "gyro dead"},
        {"robot.unplug what=uart", "gyro dead"},
        {"robot.plug what=uart", "gyro dead"},
        {"robot.unplug what=uart for=1", "gyro dead"},
        {"robot.plug what=uart", "gyro dead"},
        {"robot.fault uart=hangup for=1", "uart hangup; gyro dead"},
        {"robot.plug what=uart", "gyro dead"},
        {"robot.unplug what=uart", "gyro dead"},
        {"robot.unplug what=uart for=2", "gyro dead"},
        {"robot.plug what=uart", "gyro dead"},
        {"robot.fault uart=hangup for=1", "uart hangup; gyro dead"},
        {"robot.heal", ""},
    };
    struct simulation simulation = simulation_open(alone, NULL);
    char text[256];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        run_on(simulation.sim, 10);
        simulation_do(simulation.sim, rows[i].command);
        if (strcmp(listed(simulation.sim, text), rows[i].list) != 0)
            fail_msg("%zu: after %s: %s", i, rows[i].command, text);
    }
    assert_false(simulation.sim->robots[0].faults.is_any);
    simulation_close(&simulation);
}

static void each_fault_is_over_at_the_time_of_its_end(void **state)
{
    (void)state;
    static const char *const commands[] = {
        "uart=drop rate=0.5", "uart=delay rate=0.5", "uart=stall",
        "uart=garbage",       "uart=hangup",         "cliff_left=dead",
        "bumper_left=stuck",  "button_b0=dead",      "gyro=dead",
        "gyro=drift deg_s=5", "accelerometer=stuck", "encoder_1=dead",
        "wheel_0=slip",       "wheels=slip",         "battery=drain factor=9",
        "power=off",          "power=usb",           "power=brownout",
    };
    struct simulation simulation = simulation_open(alone, NULL);
    char command[128], text[256];
    // The fault ends with and without a sample of the firmware at the same time.
    for (int ms = 5; ms <= 23; ms += 3)
        for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
            snprintf(command, sizeof command, "robot.fault %s for=%g", commands[i], ms / 1000.0);
            simulation_do(simulation.sim, command);
            run_on(simulation.sim, ms - 1);
            if (!*listed(simulation.sim, text))
                fail_msg("%s is over too early", commands[i]);
            run_on(simulation.sim, 1);
            if (*listed(simulation.sim, text))
                fail_msg("%s is not over: %s", commands[i], text);
        }
    simulation_close(&simulation);
}

/* No fault affects a sample at the time of its end. */
static void faults_that_begin_and_end_together_hit_the_same_samples(void **state)
{
    (void)state;
    struct simulation simulation = simulation_open(alone, NULL);
    struct sim *sim = simulation.sim;
    run_on(sim, 50);
    double dead = 0, drifts = 0;
    for (int ms = 1; ms <= 40; ms++) {
        char command[128];
        snprintf(command, sizeof command, "robot.fault accelerometer=dead for=%g", ms / 1000.0);
        simulation_do(sim, command);
        snprintf(command, sizeof command, "robot.fault gyro=drift deg_s=5 for=%g", ms / 1000.0);
        simulation_do(sim, command);
        run_on(sim, ms + 3);
        assert_true(simulation_get(sim, "robot.fault_dead") >= dead);
        dead = simulation_get(sim, "robot.fault_dead");
        drifts = simulation_get(sim, "robot.fault_drifts");
        assert_true(drifts == dead);
    }
    assert_true(dead > 20);
    simulation_close(&simulation);
}

static void a_drain_is_over_in_the_step_of_its_end(void **state)
{
    (void)state;
    struct simulation simulation = simulation_open(alone, NULL);
    struct sim *sim = simulation.sim;
    run_on(sim, 50);
    double before = simulation_get(sim, "robot.charge");
    simulation_do(sim, "robot.fault battery=drain factor=10000 for=0.02");
    for (int i = 1; i <= 25; i++) {
        run_on(sim, 1);
        double charge = simulation_get(sim, "robot.charge");
        assert_true(charge < before);
        assert_int_equal(before - charge > 1e-5, i < 20);
        before = charge;
    }
    simulation_close(&simulation);
}

static void dead_inertial_sensors_report_exactly_zero(void **state)
{
    (void)state;
    struct simulation simulation = simulation_open(alone, NULL);
    const struct robot_sensors *sensors = &simulation.sim->robots[0].sensors;
    run_on(simulation.sim, 50);
    assert_true(sensors->accel_m_s2[2] > 9 && sensors->field_ut[2] != 0);
    simulation_do(simulation.sim, "robot.fault gyro=dead");
    simulation_do(simulation.sim, "robot.fault accelerometer=dead");
    simulation_do(simulation.sim, "robot.fault compass=dead");
    run_on(simulation.sim, 50);
    for (size_t i = 0; i < 3; i++) {
        assert_true(sensors->gyro_rad_s[i] == 0);
        assert_true(sensors->accel_m_s2[i] == 0);
        assert_true(sensors->field_ut[i] == 0);
    }
    simulation_close(&simulation);
}

static void an_encoder_loses_the_same_pieces_whichever_way_it_turns(void **state)
{
    (void)state;
    enum { PLACES = 200, PIECES = 1000 /* pieces per turn, as in the count of lost ticks */ };
    static double read_rad[2 * PLACES + 1];
    struct simulation simulation = simulation_open(alone, NULL);
    struct sim_robot *robot = &simulation.sim->robots[0];
    simulation_do(simulation.sim, "robot.fault encoder_0=loss rate=0.5");
    for (int sweep = 0; sweep < 4; sweep++)
        for (int i = 0; i <= 2 * PLACES; i++) {
            int place = sweep % 2 == 0 ? i : 2 * PLACES - i;
            double true_rad = (place - PLACES + 0.3) * 0.37 * (2 * ANGLE_PI / PIECES);
            robot->sensors.wheel_rad[0] = true_rad;
            fault_overlay(robot);
            double found_rad = robot->sensors.wheel_rad[0];
            if (sweep == 0)
                read_rad[place] = found_rad;
            else if (!(found_rad > read_rad[place] - 1e-9 && found_rad < read_rad[place] + 1e-9))
                fail_msg("at %g rad %g and %g", true_rad, read_rad[place], found_rad);
        }
    double share =
        (read_rad[2 * PLACES] - read_rad[0]) / (2 * PLACES * 0.37 * (2 * ANGLE_PI / PIECES));
    assert_true(share > 0.3 && share < 0.7);
    simulation_close(&simulation);
}

static void only_a_robot_with_wheels_has_parts_of_them(void **state)
{
    (void)state;
    size_t count;
    const struct robot_type *const *types = registry_types(&count);
    struct robot_body body = {0};
    for (size_t wheels = 0; wheels <= ROBOT_WHEELS_MAX; wheels++) {
        struct fault_part parts[FAULT_PARTS_MAX];
        size_t found = 0;
        body.wheel_count = wheels;
        size_t part_count = fault_parts(types[0], &body, parts);
        for (size_t i = 0; i < part_count; i++)
            found += parts[i].class == FAULT_WHEEL || parts[i].class == FAULT_ENCODER;
        assert_int_equal(found,
                         wheels > 0 ? 2 * (wheels + 1) : 0); // each of them, and all together
    }
}

static void a_hangup_ends_once_and_does_not_put_a_later_plug_back(void **state)
{
    (void)state;
    struct simulation simulation =
        simulation_open("world: {size: {x: 6, y: 4}}\n"
                        "robots: [{name: robot, type: kobuki, pose: {x: 3, y: 2}}]\n",
                        NULL);
    struct sim *sim = simulation.sim;
    size_t channel = sim_channel_index(sim, 0, 0);
    simulation_do(sim, "robot.fault uart=hangup for=0.1");
    run_on(sim, 99);
    assert_false(sim_channel_is_plugged(sim, channel));
    run_on(sim, 2);
    assert_true(sim_channel_is_plugged(sim, channel));
    simulation_do(sim, "robot.unplug what=uart");
    run_on(sim, 300);
    assert_false(sim_channel_is_plugged(sim, channel));
    simulation_do(sim, "robot.plug what=uart");
    run_on(sim, 1);
    assert_true(sim_channel_is_plugged(sim, channel));
    simulation_close(&simulation);
}

static void a_server_dies_with_its_robot_and_comes_back_with_it(void **state)
{
    (void)state;
    struct simulation simulation =
        simulation_open("world: {size: {x: 4, y: 4}}\n"
                        "robots: [{name: robot, type: epuck2, pose: {x: 2, y: 2}}]\n",
                        NULL);
    size_t channel = sim_channel_index(simulation.sim, 0, 0);
    sim_host_present(simulation.sim, channel, true);
    run_on(simulation.sim, 100);
    simulation_do(simulation.sim, "robot.fault power=off for=1");
    assert_false(sim_channel_is_plugged(simulation.sim, channel));
    sim_host_present(simulation.sim, channel, false); // as the app reports
    run_on(simulation.sim, 990);
    assert_false(sim_channel_is_plugged(simulation.sim, channel));
    run_on(simulation.sim, 20);
    assert_true(sim_channel_is_plugged(simulation.sim, channel));
    // A cable that was unplugged by a command stays unplugged.
    simulation_do(simulation.sim, "robot.fault power=brownout");
    simulation_do(simulation.sim, "robot.unplug what=wifi");
    run_on(simulation.sim, 1000);
    assert_false(sim_channel_is_plugged(simulation.sim, channel));
    simulation_close(&simulation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_fault_says_what_is_wrong_and_changes_nothing),
        cmocka_unit_test(a_picture_cannot_be_stuck_and_a_server_has_no_baud),
        cmocka_unit_test(a_wrong_fault_in_a_timeline_is_refused_before_the_run),
        cmocka_unit_test(every_part_of_every_robot_takes_all_its_faults),
        cmocka_unit_test(the_list_of_faults_says_how_much_which_way_and_how_long),
        cmocka_unit_test(each_fault_alone_is_listed_with_the_usual_values),
        cmocka_unit_test(only_a_hangup_is_a_fault_of_a_plug),
        cmocka_unit_test(each_fault_is_over_at_the_time_of_its_end),
        cmocka_unit_test(faults_that_begin_and_end_together_hit_the_same_samples),
        cmocka_unit_test(a_drain_is_over_in_the_step_of_its_end),
        cmocka_unit_test(dead_inertial_sensors_report_exactly_zero),
        cmocka_unit_test(an_encoder_loses_the_same_pieces_whichever_way_it_turns),
        cmocka_unit_test(only_a_robot_with_wheels_has_parts_of_them),
        cmocka_unit_test(a_hangup_ends_once_and_does_not_put_a_later_plug_back),
        cmocka_unit_test(a_server_dies_with_its_robot_and_comes_back_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
