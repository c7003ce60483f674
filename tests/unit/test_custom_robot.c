/* User-defined robots. A body file gives the same machine as the struct that it was printed from,
 * and errors in a file are reported with their position. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "base/text.h"
#include "sim/parse/scene_parse.h"
#include "sim/sim.h"
#include "tests/support/own_types.h"
#include "tests/support/robot_rig.h"

/* ---- The same machine. The members are compared one by one, without the table of the file,
 * because the table is tested. ---- */

/* Fails if the members of A and B differ. NAME is the robot's name. */
static void same(const char *name, const char *member, const void *a, const void *b, size_t size)
{
    if (memcmp(a, b, size) != 0)
        fail_msg("%s: %s differs", name, member);
}

static void same_text(const char *name, const char *member, const char *a, const char *b)
{
    if (strcmp(a ? a : "", b ? b : "") != 0)
        fail_msg("%s: %s: '%s' and '%s'", name, member, a, b);
}

#define SAME(member)      same(name, #member, &a->member, &b->member, sizeof a->member)
#define SAME_TEXT(member) same_text(name, #member, a->member, b->member)

static void same_wheels(const char *name, const struct robot_wheel *a, const struct robot_wheel *b)
{
    SAME(x_m), SAME(y_m), SAME(heading_rad), SAME(roller_rad), SAME(radius_m), SAME(is_steered);
    SAME(is_passive), SAME(resistance_ohm), SAME(torque_nm_a), SAME(emf_v_s_rad), SAME(gear);
    SAME(idle_a), SAME(wheel_inertia_kg_m2);
}

static void same_sensors(const char *name, const struct sensor_spec *a, const struct sensor_spec *b)
{
    SAME(kind);
    SAME_TEXT(name);
    SAME(x_m), SAME(y_m), SAME(z_m), SAME(heading_rad), SAME(cone_half_rad), SAME(range_m);
    SAME(rays), SAME(width), SAME(height);
}

static void same_lists(const char *name, const struct robot_body *a, const struct robot_body *b)
{
    SAME(wheel_count), SAME(sensor_count), SAME(bumper_count), SAME(part_count);
    for (size_t i = 0; i < a->wheel_count; i++)
        same_wheels(name, &a->wheels[i], &b->wheels[i]);
    for (size_t i = 0; i < a->sensor_count; i++)
        same_sensors(name, &a->sensors[i], &b->sensors[i]);
    for (size_t i = 0; i < a->bumper_count; i++) {
        SAME_TEXT(bumpers[i].name);
        SAME(bumpers[i].from_rad), SAME(bumpers[i].to_rad);
    }
    for (size_t i = 0; i < a->part_count; i++)
        SAME(parts[i]); /* contains only doubles: no padding */
    SAME(servo_count);
    for (size_t i = 0; i < a->servo_count; i++) {
        SAME_TEXT(servos[i].name);
        SAME(servos[i].model);
        SAME(servos[i].id), SAME(servos[i].wheel), SAME(servos[i].is_reversed);
        SAME(servos[i].axis), SAME(servos[i].low_rad), SAME(servos[i].high_rad);
        SAME(servos[i].bend_rad), SAME(servos[i].length_m), SAME(servos[i].mass_kg);
    }
}

static void same_body(const char *name, const struct robot_body *a, const struct robot_body *b)
{
    SAME(shape), SAME(radius_m), SAME(length_m), SAME(width_m), SAME(center_x_m), SAME(height_m);
    SAME(mass_kg), SAME(inertia_kg_m2), SAME(mass_center_x_m);
    SAME(wheel_base_m), SAME(steer_max_rad), SAME(steer_rate_rad_s);
    SAME(drive), SAME(motor), SAME(speed_max_m_s), SAME(grip);
    SAME(supply_v), SAME(resistance_ohm), SAME(torque_nm_a), SAME(emf_v_s_rad), SAME(gear);
    SAME(idle_a), SAME(wheel_inertia_kg_m2), SAME(dead_band), SAME(is_parallel);
    SAME(contact_x_m), SAME(contact_half_y_m), SAME(dock);
    SAME(battery_min_v), SAME(battery_max_v);
    same_lists(name, a, b);
}

/* A new member of the machine needs a key in sim/body/body_keys.c, and a line above. Where
 * pointers have 64 bits there is no padding. */
_Static_assert(sizeof(void *) != 8 ||
                   sizeof(struct robot_body) == 26 * sizeof(double) + 5 * sizeof(size_t) +
                                                    3 * 8 /* kinds */ +
                                                    sizeof(((struct robot_body *)0)->wheels) +
                                                    sizeof(((struct robot_body *)0)->sensors) +
                                                    sizeof(((struct robot_body *)0)->bumpers) +
                                                    sizeof(((struct robot_body *)0)->parts) +
                                                    sizeof(((struct robot_body *)0)->servos),
               "struct robot_body has changed");

static void same_appearance(const char *name, const struct appearance_row *a,
                            const struct appearance_row *b)
{
    SAME(shape), SAME(x_m), SAME(y_m), SAME(heading_rad), SAME(length_m), SAME(width_m);
    SAME(from_rad), SAME(to_rad), SAME(color), SAME(lit_color);
    SAME_TEXT(lit_by);
    SAME_TEXT(turned_by);
    SAME_TEXT(length_by);
    SAME_TEXT(click);
    SAME_TEXT(label);
}

static void same_channels(const char *name, const struct channel_spec *a,
                          const struct channel_spec *b)
{
    SAME(kind), SAME(tcp_port), SAME(frame_max), SAME(frames);
    SAME_TEXT(name);
    SAME_TEXT(device);
    SAME_TEXT(framing);
}

static void same_type(const char *name, const struct robot_type *a, const struct robot_type *b)
{
    SAME_TEXT(title);
    SAME(channel_count), SAME(signals), SAME(commands), SAME(tick), SAME(state_size);
    for (size_t i = 0; i < a->channel_count; i++)
        same_channels(name, &a->channels[i], &b->channels[i]);
    assert_int_equal(a->appearance->count, b->appearance->count);
    for (size_t i = 0; i < a->appearance->count; i++)
        same_appearance(name, &a->appearance->rows[i], &b->appearance->rows[i]);
    for (size_t i = 0; a->buttons && a->buttons[i]; i++)
        SAME_TEXT(buttons[i]);
}

static void a_printed_machine_is_read_as_the_same(void **state)
{
    (void)state;
    size_t count;
    const struct robot_type *const *types = registry_types(&count);
    for (size_t i = 0; i < count; i++) {
        for (uint64_t seed = 0; seed < 20; seed++) {
            struct robot_rig rig;
            rig_open(&rig, types[i], seed);
            struct custom_robot *own = own_of(types[i], rig.options);
            same_body(types[i]->name, &rig.body, &own->body);
            same_type(types[i]->name, types[i], &own->type);
            struct error error = {0};
            if (!custom_robot_fits(own, rig.options, &error))
                fail_msg("%s: %s", types[i]->name, error.text);
            custom_robot_free(&own);
            rig_close(&rig);
        }
    }
}

/* ---- Errors in a file ---- */

#define SHAPE  "body: {shape: disc, radius: 0.1, height: 0.1, mass: 1}\n"
#define KOBUKI "firmware: kobuki\n" SHAPE

#define RUN  "firmware: {run: a}\n" SHAPE
#define UART "channels: [{name: u, baud: 9600}]\n"

#define WHEELS(kind, list) "drive: {kind: " kind ", speed_max: 1}\nwheels: [" list "]\n" UART

/* A process with two wheels and a sensor, with this wiring. */
#define PINS(list)                                                                                 \
    "firmware: {run: a}\n" SHAPE "pins: [" list "]\n"                                              \
    "drive: {speed_max: 1}\nwheels: [{y: 1, radius: 0.03}, {y: -1, radius: 0.03}]\n"               \
    "sensors: [{name: eye, kind: range, range: 1, rays: 1}]\nchannels: [{name: u, baud: 9600}]\n"

/* A process with more parts that need wiring, and with a motor of this kind. */
#define WIRED(motor, list)                                                                         \
    RUN "pins: [" list "]\n"                                                                       \
        "drive: {speed_max: 1, motor: " motor "}\n"                                                \
        "wheels: [{y: 1, radius: 0.03}, {y: -1, radius: 0.03}]\n"                                  \
        "sensors: [{name: eye, kind: range, range: 1, rays: 1}, {name: tilt, kind: imu}, "         \
        "{name: load, kind: current, motor: 1}]\n"                                                 \
        "bumpers: [{name: rear, from: 170, to: 190}, {name: front, from: -10, to: 10}]\n"          \
        "buttons: [stop, go]\nsignals: [{name: lamp}]\n" UART

/* Servos on a bus, and two wheels that the servos may drive. */
#define SERVOS(list)                                                                               \
    "firmware: sts3215\n" SHAPE "servos: [" list "]\n"                                             \
    "drive: {speed_max: 1}\nwheels: [{y: 1, radius: 0.03}, {y: -1, radius: 0.03}]\n"

static const struct {
    const char *text, *says; /* SAYS: beginning of the message */
} wrong[] = {
    {"", "1:1: the file is empty; a body file has at least the keys firmware and body"},
    {SHAPE, "1:1: firmware: missing; allowed: a robot type such as kobuki, {run: \"a command"},
    {"firmware: kobuki\n", "1:1: body: missing; allowed: a mapping of shape, radius, "},
    {"firmware: kobuky\n" SHAPE, "1:11: firmware: no robot type 'kobuky' with such a "
                                 "firmware; did you mean 'kobuki'? allowed: "},
    {"firmware: {}\n" SHAPE, "1:11: firmware: has neither; allowed: one of run, avr"},
    {"firmware: {run: a, avr: b}\n" SHAPE, "1:11: firmware: has both; allowed: one of run, avr"},
    {"firmware: {runn: a}\n" SHAPE, "1:12: firmware.runn: no such key; did you mean 'run'? "},
    {"firmware: [a]\n" SHAPE, "1:11: firmware: found a list; allowed: a robot type such as "},
    {"firmware: kobuki\nbody: {shape: disk, height: 0.1, mass: 1}\n",
     "2:15: body.shape: 'disk' is not one of disc, box; did you mean 'disc'?"},
    {"firmware: kobuki\nbody: {shape: disc, height: 0.1, mass: 1}\n",
     "2:7: body: the radius of a disc is 0; allowed: at least 0.005"},
    {"firmware: kobuki\nbody: {shape: box, length: 300, height: 0.1, mass: 1}\n",
     "2:28: body.length: '300' is out of range; allowed: a number from 0 to 2 (unit m, "},
    {"firmware: kobuki\nbody: {shape: disc, radius: 0.1, height: 0.1}\n",
     "2:7: body.mass: missing; allowed: a number from 0.001 to 100 kg"},
    {KOBUKI "weels: []\n", "3:1: weels: no such key; did you mean 'wheels'? allowed: title, "},
    {KOBUKI "wheels: [{radius: 0.03}]\n", "3:9: wheels: one wheel is not enough; allowed: 2 to 8"},
    {KOBUKI "wheels: [{y: -1, radius: 0.03}, {y: 1, radius: 0.03}]\n",
     "3:9: wheels: a differential drive has two: the left one (y above 0), the right one"},
    {KOBUKI "wheels: [{y: 1, radius: 0.03}, {y: -1, radius: 0.03}]\n",
     "1:1: drive: needs speed_max: m/s at the rim of a wheel without load"},
    {KOBUKI "drive: {speed_max: 0.5, idle: 5}\n"
            "wheels: [{y: 1, radius: 0.03}, {y: -1, radius: 0.03}]\n",
     "3:8: drive: emf is "},
    {KOBUKI "wheels: [{y: 1, radius: 0.03, heading: right}]\n",
     "3:40: wheels[0].heading: 'right' is not a number; allowed: a number from -360 to 360 "},
    {KOBUKI "wheels: [{y: 1, radius: 0.03, heading: 7 rad}]\n",
     "3:40: wheels[0].heading: '7 rad' is out of range; allowed: a number from -360 to 360 "},
    {KOBUKI "sensors: [{kind: range, range: 1, rays: 1}]\n",
     "3:11: sensors[0].name: missing; allowed: a text"},
    {KOBUKI "sensors: [{name: a, kind: range}]\n",
     "3:11: sensors[0].range: it needs range and rays above 0"},
    {KOBUKI "sensors: [{name: a, kind: cliff}, {name: a, kind: cliff}]\n",
     "3:42: sensors[1].name: the name of another sensor"},
    {KOBUKI "sensors: [{name: a, kind: scanner, range: 3}]\n",
     "3:11: sensors[0].z: a scanner needs range and z above 0"},
    {KOBUKI "sensors: [{name: a, kind: camera, width: 1}]\n",
     "3:42: sensors[0].width: a camera needs width and height"},
    {KOBUKI "sensors: [{name: a, kind: camera, width: 9, height: 9, z: 1}]\n",
     "3:11: sensors[0].cone_half: a camera needs half its horizontal angle of view, 1 to 80"},
    {KOBUKI "sensors: [{name: a, kind: camera, width: 9, height: 9, cone_half: 90, z: 1}]\n",
     "3:67: sensors[0].cone_half: a camera needs half its horizontal angle of view, 1 to 80"},
    {KOBUKI "sensors: [{name: a, kind: camera, width: 9, height: 9, cone_half: 80}]\n",
     "3:11: sensors[0].z: a camera needs z above 0"},
    {KOBUKI "bumpers: [{name: a, from: 30, to: 30}]\n", "3:35: bumpers[0].to: must be above from"},
    {KOBUKI "parts: [{radius: 0.1, low: 0.2, high: 0.1}]\n",
     "3:39: parts[0].high: must not be below low"},
    {KOBUKI "battery: {empty: 12, full: 11}\n", "3:10: battery: empty must not be above full"},
    {KOBUKI "buttons: [b0, b1]\n",
     "3:10: buttons: the firmware of a kobuki defines them; leave the key out"},
    {KOBUKI "channels: [{name: usb, baud: 9600}]\n",
     "3:19: channels[0].name: differs from the channel of the firmware; leave channels out to use "
     "its channels"},
    {KOBUKI "channels: [{name: uart}]\n",
     "3:12: channels[0].baud: missing; a serial channel needs this key"},
    {KOBUKI "channels: [{name: uart, baud: 1}, {name: b, baud: 1}]\n",
     "3:11: channels: has 2 items; the firmware of a kobuki needs 1"},
    {KOBUKI "signals: [{name: a}]\n",
     "3:10: signals: the firmware of a kobuki defines them; leave the key out"},
    {KOBUKI "commands: [{name: a}]\n",
     "3:11: commands: the firmware of a kobuki defines them; leave the key out"},
    {KOBUKI "signals: [{name: A}]\n",
     "3:18: signals[0].name: allowed: a letter, then letters, digits and _, all lower-case; each"},
    {KOBUKI "appearance: [{shape: disc, color: red}]\n",
     "3:35: appearance[0].color: 'red' is not a color; allowed: \"#rrggbb\", or with opacity "},
    {KOBUKI "appearance: [{shape: disc, lit_by: charging}]\n",
     "3:14: appearance[0].lit: missing: the color that lit_by switches on"},
    {KOBUKI "looks: [{shape: disc, lit_by: charging}]\n", /* the old name */
     "3:9: looks[0].lit: missing: the color that lit_by switches on"},
    {KOBUKI "looks: [{shape: disc}]\nappearance: [{shape: disc}]\n",
     "3:8: looks: the old name of 'appearance', which the file has too: remove one"},
    {KOBUKI "pins: [{pin: 2, is: button}]\n",
     "3:14: pins[0].pin: a built-in firmware has no pins; leave the key out"},
    {PINS("{pin: 2, is: encodr_a}"),
     "3:21: pins[0].is: 'encodr_a' is not one of forward, backward, enable, direction, step, esc, "
     "steering, servo, signal, trigger, echo, encoder_a, encoder_b, bumper, button, battery, "
     "distance, reflectance, current, mpu6050, serial; did you mean 'encoder_a'?"},
    {PINS("{pin: 2, is: encoder_a, of: left}"),
     "3:8: pins[0].counts: missing: counts per turn of the wheel, four per slot"},
    {PINS("{pin: 2, is: encoder_b, of: left}"), "3:21: pins[0].is: its encoder_a is missing"},
    {PINS("{pin: 2, is: forward, of: lft}"),
     "3:34: pins[0].of: 'lft' is not a wheel; did you mean 'left'? allowed: left, right"},
    {PINS("{pin: 2, is: forward}"), "3:8: pins[0].of: missing: a wheel; allowed: left, right"},
    {PINS("{pin: 2, is: bumper, of: a}"), "3:33: pins[0].of: 'a' is not a bumper; the robot has"},
    {PINS("{pin: A0, is: battery, of: a}"), "3:35: pins[0].of: belongs to the robot; leave it out"},
    {PINS("{pin: 14, is: forward, of: left}"),
     "3:14: pins[0].pin: '14' is not such a pin of the board uno; allowed: 0 .. 13, A0 .. A5"},
    {PINS("{pin: 3, is: battery}"),
     "3:14: pins[0].pin: '3' is not such a pin of the board uno; allowed: A0 .. A5"},
    {PINS("{pin: Serial1, is: serial, of: u}"),
     "3:14: pins[0].pin: 'Serial1' is not such a pin of the board uno; allowed: Serial"},
    {PINS("{pin: 2, is: forward, of: left}, {pin: 2, is: backward, of: left}"),
     "3:47: pins[1].pin: is wired already"},
    {PINS("{pin: 2, is: echo, of: eye}"), "3:21: pins[0].is: its trigger is missing"},
    {"firmware: {avr: a.elf, board: leonardo}\n" SHAPE "channels: [{name: u, baud: 9600}]\n",
     "1:1: pins: Serial of a leonardo is its USB port, which the simulation of the chip does not "
     "have: use Serial1"},
    {"firmware: {avr: a.elf, board: leonardo}\n" SHAPE "channels: [{name: u, baud: 9600}]\n"
     "pins: [{pin: Serial1, is: serial, of: u}, {pin: Serial, is: serial, of: u}]\n",
     "4:49: pins[1].pin: Serial of a leonardo is its USB"},
    {RUN "channels: [{name: u, baud: 9600}, {name: u, baud: 9600}]\n",
     "3:42: channels[1].name: allowed: a letter, then letters, digits and _, all lower-case; each"},
    {RUN "channels: [{name: U, baud: 9600}]\n", "3:19: channels[0].name: allowed: a letter, then"},
    {RUN "bumpers: [{name: a, from: 0, to: 9}, {name: a, from: 9, to: 18}]\n" UART,
     "3:45: bumpers[1].name: allowed: a letter, then letters, digits and _, all lower-case; each"},
    {RUN "buttons: [go, go]\n" UART, "3:15: buttons[1]"},
    {RUN "signals: [{name: boots}]\n" UART,
     "3:18: signals[0].name: every program has this option already; choose another name"},
    {RUN "signals: [{name: a}, {name: a}]\n" UART,
     "3:29: signals[1].name: allowed: a letter, then letters, digits and _, all lower-case; each"},
    {RUN "commands: [{name: a}, {name: a}]\n" UART,
     "3:30: commands[1].name: allowed: a letter, then letters, digits and _, all lower-case; each"},
    {RUN "commands: [{name: a, arguments: [{name: b}, {name: b}]}]\n" UART,
     "3:33: commands[0].arguments: a name is a letter, then letters, digits and _, all lower-case"},
    {"firmware: {run: a, board: unp}\n" SHAPE,
     "1:27: firmware.board: 'unp' is not one of uno, nano, leonardo, mega; did you mean 'uno'?"},
    {RUN WHEELS("ackermann", "{y: 1, radius: 0.1}, {x: 1, radius: 0.1}"),
     "4:9: wheels: an ackermann drive steers; add `steered: true` to the wheels that turn"},
    {RUN WHEELS("skid", "{y: 1, radius: 0.1}, {x: 1, radius: 0.1, steered: true}"),
     "3:8: drive: wheels that steer need steer_max and steer_rate"},
    {RUN WHEELS("skid", "{radius: 0.1, passive: true}, {x: 1, radius: 0.1, passive: true}"),
     "4:9: wheels: no wheel is driven"},
    {KOBUKI "sensors: [{name: a, kind: current, motor: 3}]\n",
     "3:43: sensors[0].motor: the robot has fewer wheels; they are numbered from 1"},
    {KOBUKI "title: [a]\n", "3:8: title: found a list; allowed: a text"},
    {RUN "drive: {kind: skid, speed_max: 1, steer_rate: 90}\n"
         "wheels: [{y: 1, radius: 0.1}, {x: 1, radius: 0.1, steered: true}]\n" UART,
     "3:8: drive: wheels that steer need steer_max and steer_rate"},
    {RUN "drive: {kind: skid, speed_max: 1, steer_max: 30}\n"
         "wheels: [{y: 1, radius: 0.1}, {x: 1, radius: 0.1, steered: true}]\n" UART,
     "3:8: drive: wheels that steer need steer_max and steer_rate"},
    {RUN "drive: {kind: ackermann, speed_max: 1, steer_max: 30, steer_rate: 90}\n"
         "wheels: [{y: 1, radius: 0.1}, {y: -1, radius: 0.1, steered: true}]\n" UART,
     "3:8: drive: wheels that steer need wheel_base"},
    {KOBUKI "sensors: [{name: a, kind: range, range: 1}]\n",
     "3:41: sensors[0].range: it needs range and rays above 0"},
    {KOBUKI "sensors: [{name: a, kind: dock_ir, rays: 1}]\n",
     "3:11: sensors[0].range: it needs range and rays above 0"},
    {KOBUKI "buttons: [b0, b1, b2, b3]\n",
     "3:10: buttons: the firmware of a kobuki defines them; leave the key out"},
    {KOBUKI "buttons: [b0, b1, go]\n",
     "3:10: buttons: the firmware of a kobuki defines them; leave the key out"},
    {"firmware: diff_board\n" SHAPE "buttons: [go]\n",
     "3:10: buttons: the firmware of a diff_board defines them; leave the key out"},
    {SERVOS("{name: a, id: 1, moves: wheel}, {name: b, id: 2, moves: wheel}"),
     "3:42: servos[1].wheel: the body has no such wheel, or it has a servo already"},
    {SERVOS("{name: a, id: 1, moves: wheel, wheel: 1}, {name: b, id: 2, moves: wheel, wheel: 1}"),
     "3:90: servos[1].wheel: the body has no such wheel, or it has a servo already"},
    {SERVOS("{name: a, id: 1, moves: wheel, wheel: 2}"),
     "3:48: servos[0].wheel: the body has no such wheel, or it has a servo already"},
    {SERVOS("{name: a, id: 1}, {name: a, id: 2}"), "3:35: servos[1].name: allowed: a letter"},
    {SERVOS("{name: a, id: 1, low: 10, high: 5}"), "3:42: servos[0].high: must not be below low"},
    {KOBUKI "servos: [{name: a, id: 1}]\n",
     "3:9: servos: the firmware of a kobuki has no servos; leave the key out"},
    {"firmware: sts3215\n" SHAPE, "1:1: servos: missing; the firmware of a sts3215 moves servos"},
    {WIRED("dc", "{pin: 2, is: encoder_a, of: left, counts: 20}, "
                 "{pin: 3, is: encoder_b, of: right}"),
     "3:68: pins[1].is: its encoder_a is missing"},
    {WIRED("stepper", "{pin: 2, is: step, of: left}"),
     "3:8: pins[0].counts: missing: steps per turn of the wheel"},
    {WIRED("dc", "{pin: 2, is: step, of: left, counts: 200}"),
     "3:21: pins[0].is: needs a motor of the kind stepper"},
    {WIRED("stepper", "{pin: 2, is: forward, of: left}"),
     "3:21: pins[0].is: needs a motor of the kind dc"},
    {WIRED("stepper", "{pin: 2, is: direction, of: left}, "
                      "{pin: 3, is: step, of: right, counts: 200}"),
     "3:21: pins[0].is: needs a motor of the kind dc"},
    {WIRED("dc", "{pin: A0, is: current, of: tilt}"),
     "3:35: pins[0].of: needs a sensor of the kind current"},
    {WIRED("dc", "{pin: Wire, is: mpu6050, of: eye}"),
     "3:37: pins[0].of: needs a sensor of the kind imu"},
};

/* Each has exactly the keys that its parts require. */
static const char *const good[] = {
    KOBUKI "buttons: [b0, b1, b2]\n",
    KOBUKI "sensors: [{name: a, kind: range, range: 0.01, rays: 1}]\n",
    KOBUKI "sensors: [{name: a, kind: camera, width: 1, height: 1, cone_half: 80, z: 0.1}]\n",
    SERVOS("{name: a, id: 1}"),
    SERVOS("{name: a, id: 1, moves: wheel}, {name: b, id: 2, moves: wheel, wheel: 1}"),
    WIRED("dc", "{pin: 2, is: encoder_a, of: left, counts: 20}, "
                "{pin: 3, is: encoder_b, of: left}"),
    WIRED("dc", "{pin: 2, is: encoder_a, of: left, counts: 20}, "
                "{pin: 3, is: encoder_a, of: right, counts: 20}, "
                "{pin: 4, is: encoder_b, of: right}"),
    WIRED("dc", "{pin: 2, is: forward, of: left}, {pin: 3, is: backward, of: left}"),
    WIRED("stepper", "{pin: 2, is: step, of: right, counts: 200}, "
                     "{pin: 3, is: direction, of: right}, {pin: 4, is: bumper, of: rear}"),
    WIRED("dc", "{pin: 2, is: trigger, of: eye}, {pin: 3, is: echo, of: eye}"),
    WIRED("dc", "{pin: A0, is: current, of: load}, {pin: Wire, is: mpu6050, of: tilt}"),
    WIRED("dc", "{pin: 9, is: signal, of: lamp}, {pin: 8, is: servo, of: eye}"),
};

static void what_is_wrong_is_reported_with_its_place(void **state)
{
    (void)state;
    size_t bad = 0;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct error error = {0};
        assert_null(custom_robot_parse(wrong[i].text, strlen(wrong[i].text), "r.yaml", &error));
        if (strncmp(error.text, "r.yaml:", 7) != 0 ||
            strncmp(error.text + 7, wrong[i].says, strlen(wrong[i].says)) != 0) {
            print_error("wrong file %zu:\n%s\nsays:   %s\nwanted: r.yaml:%s\n", i, wrong[i].text,
                        error.text, wrong[i].says);
            bad++;
        }
    }
    assert_int_equal(bad, 0);
}

static struct custom_robot *parse(const char *text, const char *file)
{
    struct error error = {0};
    struct custom_robot *own = custom_robot_parse(text, strlen(text), file, &error);
    if (!own)
        fail_msg("%s\n%s", error.text, text);
    return own;
}

static void what_has_all_that_it_needs_is_accepted(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(good); i++) {
        struct custom_robot *own = parse(good[i], "r.yaml");
        custom_robot_free(&own);
    }
}

static void a_pin_belongs_to_the_part_that_it_names(void **state)
{
    (void)state;
    static const char text[] = WIRED(
        "dc",
        "{pin: 2, is: bumper, of: front}, {pin: 3, is: bumper, of: rear}, {pin: 4, is: "
        "button, of: go}, {pin: 5, is: forward, of: right}, {pin: A0, is: distance, of: eye}");
    static const uint32_t indexes[] = {1, 0, 1, 1, 0};
    struct custom_robot *own = parse(text, "r.yaml");
    assert_int_equal(own->program.pin_count, COUNT(indexes));
    for (size_t i = 0; i < COUNT(indexes); i++)
        assert_int_equal(own->program.pins[i].index, indexes[i]);
    custom_robot_free(&own);
}

/* A program with that many signals and commands. NULL, with an error, if they are too many. */
static struct custom_robot *with_items(size_t signals, size_t commands, struct error *error)
{
    char text[4096] = RUN UART "signals:\n";
    size_t used = strlen(text);
    for (size_t i = 0; i < signals; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "- {name: s%zu}\n", i);
    used += (size_t)snprintf(text + used, sizeof text - used, "commands:\n");
    for (size_t i = 0; i < commands; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "- {name: c%zu}\n", i);
    return custom_robot_parse(text, used, "r.yaml", error);
}

/* Checks the file's items and their positions. They follow the signals of every program. */
static void check_items(const struct custom_robot *own, size_t signals, size_t commands)
{
    const struct robot_type *process = registry_process();
    size_t standing = process->signal_count - 1; /* its first row is a placeholder for the file */
    char name[32];
    assert_int_equal(own->type.signal_count, standing + signals);
    for (size_t i = 0; i < standing; i++)
        assert_string_equal(own->type.signals[i].name, process->signals[i + 1].name);
    for (size_t i = 0; i < signals; i++) {
        snprintf(name, sizeof name, "s%zu", i);
        assert_string_equal(own->type.signals[standing + i].name, name);
        assert_int_equal(own->signal_places[i].line, 5 + i);
        assert_int_equal(own->signal_places[i].column, 3);
    }
    assert_int_equal(own->type.command_count, commands);
    for (size_t i = 0; i < commands; i++) {
        snprintf(name, sizeof name, "c%zu", i);
        assert_string_equal(own->type.commands[i].name, name);
        assert_string_equal(own->type.commands[i].note, "");
        assert_true(own->type.commands[i].run == process->commands[i].run);
        assert_int_equal(own->command_places[i].line, 6 + signals + i);
        assert_int_equal(own->command_places[i].column, 3);
    }
}

static void a_program_has_as_many_signals_and_commands_as_are_allowed(void **state)
{
    (void)state;
    struct error error = {0};
    char says[64];
    size_t signals = ROBOT_SIGNALS_MAX + 1 - registry_process()->signal_count;
    size_t commands = registry_process()->command_count;
    struct custom_robot *own = with_items(signals, commands, &error);
    if (!own)
        fail_msg("%s", error.text);
    check_items(own, signals, commands);
    custom_robot_free(&own);
    assert_null(with_items(signals + 1, 1, &error));
    snprintf(says, sizeof says, "signals: has %zu items; allowed: at most %zu", signals + 1,
             signals);
    assert_non_null(strstr(error.text, says));
    assert_null(with_items(1, commands + 1, &error));
    snprintf(says, sizeof says, "commands: has %zu items; allowed: ", commands + 1);
    assert_non_null(strstr(error.text, says));
}

/* A file may omit the appearance. Then the body and the wheels are visible. */
static void a_program_without_an_appearance_is_drawn_as_its_body_and_wheels(void **state)
{
    (void)state;
    struct custom_robot *own = parse(RUN UART, "r.yaml");
    const struct appearance_list *list = own->type.appearance;
    bool has_body = false, has_wheels = false;
    for (size_t i = 0; i < list->count; i++) {
        const struct appearance_row *row = &list->rows[i];
        has_body = has_body || row->shape == APPEARANCE_BODY;
        has_wheels = has_wheels || row->shape == APPEARANCE_WHEELS;
        assert_int_equal(row->color & 0xFF, 0xFF); /* opaque */
        assert_int_equal(row->lit_color, row->color);
    }
    assert_true(has_body && has_wheels);
    custom_robot_free(&own);
}

/* The robot is named after the file, so the file name is converted to a valid name. */
static void every_file_name_makes_a_name_of_a_robot(void **state)
{
    (void)state;
    static const struct {
        const char *file, *name;
    } rows[] = {
        {"dir/My-Robot 2.yaml", "my_robot_2"},
        {"my.own.yaml", "my_own"},
        {"2wd.yaml", "robot_2wd"},
        {"r\xc3\xa4"
         "der.yaml",
         "r__der"},
        {"a123456789012345678901234567890b.yaml", "a123456789012345678901234567890b"},
        {"a123456789012345678901234567890bc.yaml", "a123456789012345678901234567890b"},
        {"9123456789012345678901234567890123456789.yaml", "robot_91234567890123456789012345"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct error error = {0};
        struct custom_robot *own = parse(RUN UART, rows[i].file);
        assert_string_equal(own->type.name, rows[i].name);
        assert_true(text_is_name(own->type.name));
        struct scene *scene = scene_of_custom(own, &error);
        if (!scene)
            fail_msg("%s", error.text);
        assert_string_equal(scene->robots[0].name, rows[i].name);
        scene_destroy(scene);
    }
}

static void a_firmware_is_not_put_on_a_machine_that_lacks_what_it_reads(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *says;
    } edits[] = {
        {"name: cliff_left,", "name: cliff_back,",
         "sensors[2] is cliff_back; the firmware of a kobuki needs cliff_left at this position"},
        {"name: center, from", "name: middle, from",
         "bumpers[1] is middle; the firmware of a kobuki needs center at this position"},
        {"  speed_max:", "  motor: stepper\n  speed_max:",
         "drive.motor is not the motor that the firmware of a kobuki drives"},
    };
    _Alignas(16) uint8_t options[ROBOT_OPTIONS_MAX] = {0};
    const struct robot_type *type = registry_find("kobuki");
    option_defaults(type->options, type->option_count, options);
    char *text = custom_robot_print(type, options, NULL);
    assert_non_null(text);
    for (size_t i = 0; i < COUNT(edits); i++) {
        struct error error = {0};
        char file[32768];
        const char *at = strstr(text, edits[i].from);
        assert_non_null(at);
        snprintf(file, sizeof file, "%.*s%s%s", (int)(at - text), text, edits[i].to,
                 at + strlen(edits[i].from));
        struct custom_robot *own = custom_robot_parse(file, strlen(file), "r.yaml", &error);
        if (!own)
            fail_msg("%s", error.text);
        assert_false(custom_robot_fits(own, options, &error));
        assert_string_equal(error.text, edits[i].says);
        assert_null(scene_of_custom(own, &error));
    }
    free(text);
}

/* A list must have neither fewer items nor more. */
static void a_firmware_needs_each_sensor_and_bumper_that_it_reads(void **state)
{
    (void)state;
    _Alignas(16) uint8_t options[ROBOT_OPTIONS_MAX] = {0};
    struct error error = {0};
    const struct robot_type *type = registry_find("kobuki");
    option_defaults(type->options, type->option_count, options);
    struct custom_robot *own = own_of(type, options);
    struct robot_body *body = &own->body;
    body->bumper_count--;
    assert_false(custom_robot_fits(own, options, &error));
    assert_string_equal(error.text, "bumpers[2] is missing; the firmware of a kobuki needs left at "
                                    "this position");
    body->bumper_count += 2;
    body->bumpers[3] = (struct bumper_spec){.name = "back"};
    assert_false(custom_robot_fits(own, options, &error));
    assert_string_equal(error.text, "bumpers[3] is back; the firmware of a kobuki needs no more at "
                                    "this position");
    body->bumper_count--;
    assert_true(custom_robot_fits(own, options, &error));
    body->sensor_count--;
    assert_false(custom_robot_fits(own, options, &error));
    assert_non_null(strstr(error.text, "] is missing; the firmware of a kobuki needs "));
    body->sensor_count += 2;
    body->sensors[body->sensor_count - 1].name = "nose";
    assert_false(custom_robot_fits(own, options, &error));
    assert_non_null(strstr(error.text, "] is nose; the firmware of a kobuki needs no more"));
    body->sensor_count--;
    body->wheel_count--;
    assert_false(custom_robot_fits(own, options, &error));
    assert_string_equal(error.text, "wheels has 1 items; the firmware of a kobuki needs 2");
    custom_robot_free(&own);
}

/* Names that every robot has are refused. The error has the position of the row with the name. */
static void assert_taken(const char *list, const char *name, bool is_first)
{
    struct error error = {0};
    char file[512], wanted[256];
    snprintf(file, sizeof file, RUN UART "%s:\n- {name: %s}\n- {name: %s}\n", list,
             is_first ? name : "mine", is_first ? "mine" : name);
    struct custom_robot *own = custom_robot_parse(file, strlen(file), "r.yaml", &error);
    struct scene *scene = own ? scene_of_custom(own, &error) : NULL;
    if (!scene)
        fail_msg("%s", error.text);
    assert_false(sim_check_script(scene, NULL, &error));
    snprintf(wanted, sizeof wanted,
             "r.yaml:%d:3: %s: every robot already has %s; choose another name", is_first ? 5 : 6,
             list, name);
    assert_string_equal(error.text, wanted);
    scene_destroy(scene);
}

static void a_name_that_every_robot_has_is_refused(void **state)
{
    (void)state;
    struct error error = {0};
    static const char text[] = RUN UART;
    struct custom_robot *own = custom_robot_parse(text, sizeof text - 1, "r.yaml", &error);
    struct scene *scene = own ? scene_of_custom(own, &error) : NULL;
    struct sim *sim = scene ? sim_create(scene, NULL, NULL, &error) : NULL;
    size_t signals = 0, count;
    if (!sim)
        fail_msg("%s", error.text);
    assert_true(sim_check_script(scene, NULL, &error));
    for (size_t i = 0; i < sim_signal_count(sim); i++) {
        const char *name = sim_signal_info(sim, i).name;
        const char *dot = strchr(name, '.');
        bool is_own = strstr(name, "firmware_") || strstr(name, "boots");
        if (strncmp(name, "world.", 6) == 0 || strchr(dot + 1, '.') || is_own)
            continue;
        assert_taken("signals", dot + 1, signals % 2);
        signals++;
    }
    assert_true(signals > 15);
    const struct command_row *commands = sim_robot_commands(&count);
    for (size_t i = 0; i < count; i++)
        assert_taken("commands", commands[i].name, i % 2);
    sim_destroy(sim);
    scene_destroy(scene);
}

/* A short file may omit these keys. */
static void a_short_file_makes_a_machine_that_drives(void **state)
{
    (void)state;
    static const char text[] = "firmware: ros_arduino_bridge\n"
                               "body: {shape: box, length: 0.3, width: 0.2, height: 0.1, mass: 2}\n"
                               "drive: {speed_max: 0.5}\n"
                               "wheels: [{y: 0.1, radius: 0.03}, {y: -0.1, radius: 0.03}]\n";
    struct error error = {0};
    struct custom_robot *own =
        custom_robot_parse(text, sizeof text - 1, "dir/My-Robot 2.yaml", &error);
    if (!own) {
        fail_msg("%s", error.text);
        return;
    }
    const struct robot_body *body = &own->body;
    assert_string_equal(own->type.name, "my_robot_2");
    assert_string_equal(own->type.title, "my_robot_2");
    assert_string_equal(own->folder, "dir");
    assert_true(fabs(body->inertia_kg_m2 - 2 * (0.09 + 0.04) / 12) < 1e-9);
    double free_v = body->supply_v - body->idle_a * body->resistance_ohm;
    assert_true(fabs(free_v / (body->emf_v_s_rad * body->gear) * 0.03 - 0.5) < 1e-9);
    assert_true(body->grip > 0 && body->wheel_inertia_kg_m2 > 0);
    assert_true(own->type.appearance->count > 0);
    custom_robot_free(&own);
}

static void the_wheel_base_is_that_of_its_axles_unless_it_is_given(void **state)
{
    (void)state;
    for (int is_given = 0; is_given < 2; is_given++) {
        char text[512];
        struct error error = {0};
        snprintf(text, sizeof text,
                 RUN
                 "drive: {kind: ackermann, speed_max: 1, steer_max: 30, steer_rate: 90%s}\n"
                 "wheels: [{x: 0.3, y: 0, radius: 0.05, steered: true}, {x: -0.1, y: 0.1, radius: "
                 "0.05}, {x: -0.1, y: -0.1, radius: 0.05}]\n" UART,
                 is_given ? ", wheel_base: 0.35" : "");
        struct custom_robot *own = custom_robot_parse(text, strlen(text), "r.yaml", &error);
        if (!own) {
            fail_msg("%s", error.text);
            return;
        }
        assert_true(fabs(own->body.wheel_base_m - (is_given ? 0.35 : 0.4)) < 1e-9);
        custom_robot_free(&own);
    }
}

/* Its rotor turns faster than the wheel. */
static void a_wheel_with_a_gear_of_its_own_has_inertia(void **state)
{
    (void)state;
    static const char text[] =
        RUN WHEELS("skid", "{y: 0.1, radius: 0.05, gear: 20}, {y: -0.1, radius: 0.05, gear: 40}, "
                           "{x: 0.1, radius: 0.05, passive: true}, {x: 0.2, radius: 0.05}");
    struct error error = {0};
    struct custom_robot *own = custom_robot_parse(text, strlen(text), "r.yaml", &error);
    if (!own) {
        fail_msg("%s", error.text);
        return;
    }
    const struct robot_wheel *wheels = own->body.wheels;
    assert_true(wheels[0].wheel_inertia_kg_m2 > 0);
    assert_true(fabs(wheels[1].wheel_inertia_kg_m2 / wheels[0].wheel_inertia_kg_m2 - 4) < 1e-9);
    assert_true(wheels[2].wheel_inertia_kg_m2 > 0);
    assert_true(wheels[3].wheel_inertia_kg_m2 == 0); /* that of the machine */
    custom_robot_free(&own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_printed_machine_is_read_as_the_same),
        cmocka_unit_test(what_is_wrong_is_reported_with_its_place),
        cmocka_unit_test(what_has_all_that_it_needs_is_accepted),
        cmocka_unit_test(a_pin_belongs_to_the_part_that_it_names),
        cmocka_unit_test(a_program_has_as_many_signals_and_commands_as_are_allowed),
        cmocka_unit_test(a_program_without_an_appearance_is_drawn_as_its_body_and_wheels),
        cmocka_unit_test(every_file_name_makes_a_name_of_a_robot),
        cmocka_unit_test(a_firmware_needs_each_sensor_and_bumper_that_it_reads),
        cmocka_unit_test(a_firmware_is_not_put_on_a_machine_that_lacks_what_it_reads),
        cmocka_unit_test(a_name_that_every_robot_has_is_refused),
        cmocka_unit_test(the_wheel_base_is_that_of_its_axles_unless_it_is_given),
        cmocka_unit_test(a_wheel_with_a_gear_of_its_own_has_inertia),
        cmocka_unit_test(a_short_file_makes_a_machine_that_drives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
