/* The behavior of a robot without further commands: after each of its golden frames, and at every
 * level of its battery. Also a Create 2 that cleans and seeks its base, and an e-puck2 that answers
 * queries over its serial line. The result must match tests/wire/habits.txt to the last byte.
 * PTYBOT_UPDATE_GOLDEN=1 updates that file after an intended change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "protocols/create2/create2_power.h"
#include "protocols/epuck2/epuck2_sercom_commands.h"
#include "protocols/registry.h"
#include "tests/places.h"
#include "tests/support/furnished_room.h"
#include "tests/support/record.h"
#include "tests/support/simulation.h"

/* Steps of 1 ms. Chosen: long enough for a tune, and for movements that end automatically. */
enum {
    ALONE_STEPS = 2600,
    SIGNALS_EVERY = 40,
    BATTERY_STEPS = 30,
    CONDUCT_STEPS = 45000,
    CONDUCT_SIGNALS = 200
};

static const char habits[] = PTYBOT_SOURCE_DIR "/tests/wire/habits.txt";
static char told[RECORD_TEXT_MAX];
static size_t report_size;

/* POSE and OPTIONS as in a scene. */
static struct simulation open_one(const char *type, const char *pose, const char *options)
{
    char yaml[4096];
    snprintf(yaml, sizeof yaml,
             "seed: 7\n" FURNISHED_ROOM "robots: [{name: %s, type: %s, pose: %s, options: %s}]\n",
             type, type, pose, options);
    return simulation_open(yaml, NULL);
}

static void run(struct record *record, int steps, int signals_every)
{
    for (int i = 0; i < steps; i++) {
        record_step(record);
        if (record->steps % (size_t)signals_every == 0)
            record_sample(record);
    }
}

static void tell(const struct record *record, const char *name)
{
    report_size += record_report(record, name, told + report_size, sizeof told - report_size);
}

/* ---- Each frame alone ---- */

static void say_each(const struct robot_type *type, unsigned channel, const char *options)
{
    static struct record record;
    struct simulation simulation = open_one(type->name, "{x: 1.5, y: 1.4, heading: 190}", options);
    char name[64];
    size_t frames = record_frames(type, channel);
    record_begin(&record, simulation.sim);
    for (size_t i = 0; i < frames; i++) {
        run(&record, 40, SIGNALS_EVERY);
        record_say(&record, channel, i);
        run(&record, ALONE_STEPS, SIGNALS_EVERY);
        simulation_do(simulation.sim, "world.reset");
        record_step(&record);
    }
    snprintf(name, sizeof name, "each of %zu frames to %s", frames, type->channels[channel].name);
    if (frames > 0)
        tell(&record, name);
    simulation_close(&simulation);
}

/* ---- Batteries ---- */

/* Sweeps the voltage from empty to full, without the adapter and with it. */
static void sweep_battery(const char *type, const char *options, double low_v, double high_v)
{
    static struct record record;
    struct simulation simulation = open_one(type, "{x: 1.5, y: 1.4}", options);
    struct error refusal;
    char text[80];
    record_begin(&record, simulation.sim);
    for (int is_plugged = 0; is_plugged < 2; is_plugged++) {
        for (int i = 0; i <= 40; i++) {
            snprintf(text, sizeof text, "%s.battery v=%.3f", type,
                     low_v + (high_v - low_v) * i / 40);
            simulation_do(simulation.sim, text);
            run(&record, BATTERY_STEPS, BATTERY_STEPS / 2);
        }
        snprintf(text, sizeof text, "%s.plug what=adapter", type);
        (void)sim_do(simulation.sim, text, &refusal); /* not every robot has one */
    }
    snprintf(text, sizeof text, "battery %s", options);
    tell(&record, text);
    simulation_close(&simulation);
}

/* ---- A Create 2 that acts without commands ---- */

static void let_go(uint8_t opcode, const char *pose)
{
    static struct record record;
    struct simulation simulation = open_one("create2", pose, "{}");
    char name[80];
    const uint8_t words[] = {128, 131, opcode}; /* Start, Safe, and the opcode */
    record_begin(&record, simulation.sim);
    run(&record, 100, CONDUCT_SIGNALS);
    sim_host_bytes(simulation.sim, 0, words, sizeof words);
    run(&record, CONDUCT_STEPS, CONDUCT_SIGNALS);
    snprintf(name, sizeof name, "opcode %u from %s", opcode, pose);
    tell(&record, name);
    simulation_close(&simulation);
}

/* Plays each note as a separate song, and also numbers that are not notes. */
static void play_notes(void)
{
    static struct record record;
    struct simulation simulation = open_one("create2", "{x: 1.5, y: 1.4}", "{}");
    static const uint8_t wake[] = {128, 131};
    record_begin(&record, simulation.sim);
    sim_host_bytes(simulation.sim, 0, wake, sizeof wake);
    for (unsigned note = 30; note <= 128; note++) {
        const uint8_t song[] = {140, 0, 1, (uint8_t)note, 4, 141, 0};
        sim_host_bytes(simulation.sim, 0, song, sizeof song);
        run(&record, 80, SIGNALS_EVERY);
    }
    tell(&record, "each note of");
    simulation_close(&simulation);
}

static void spell_panel(void)
{
    report_size +=
        (size_t)snprintf(told + report_size, sizeof told - report_size, "panel of a create2:");
    for (int sign = ' '; sign < 0x7F; sign++)
        report_size += (size_t)snprintf(told + report_size, sizeof told - report_size, " %u",
                                        create2_panel_segments((uint8_t)sign));
    report_size += (size_t)snprintf(told + report_size, sizeof told - report_size, "\n");
}

/* ---- A serial e-puck2 ---- */

/* Sizes of pictures that just fit, and sizes that are just too large: 640 x 480 pixels of the
 * sensor, 3200 bytes. */
static const char *const lines[] = {
    "A",
    "B,1",
    "B,2",
    "B",
    "b",
    "C",
    "D,300,-200",
    "D,7",
    "E",
    "F,1",
    "G",
    "g",
    "H",
    "J,0,40,40,8",
    "J,1,40,40,8",
    "J,0,255,1,1",
    "J,0,256,1,1",
    "J,0,1,255,1",
    "J,0,1,256,1",
    "J,0,1,1,16",
    "J,0,1,1,17",
    "J,0,80,2,8",
    "J,0,81,2,8",
    "J,0,2,60,8",
    "J,0,2,61,8",
    "J,0,80,40,2",
    "J,0,81,40,2",
    "J,1,40,41,2",
    "J,0,20,20,2,100",
    "J,0,20,20,2,100,50",
    "J,0,20,20,2,600,440",
    "J,0,20,20,2,601,441",
    "J,0,20,20,2,0,0",
    "J,0,0,0,0",
    "J,0",
    "J",
    "J,2,9,9",
    "L,1,1",
    "L,8,2",
    "L,3",
    "M",
    "N",
    "O",
    "P,100,-100",
    "P,5",
    "Q",
    "S",
    "T,1",
    "T,5",
    "T,6",
    "T",
    "t",
    "U",
    "V",
    "z",
    "h",
    "R",
    "K",
};

static void speak_lines(void)
{
    enum { CODE_IMAGE = 0x100 - 'I', PARTS_MS = 300, CALIBRATION_MS = 9000 };
    static struct record record;
    struct simulation simulation =
        open_one("epuck2", "{x: 1.5, y: 1.4, heading: 190}", "{ground_sensors: yes}");
    size_t serial = sim_channel_index(simulation.sim, 0, 1);
    record_begin(&record, simulation.sim);
    for (size_t i = 0; i < COUNT(lines); i++) {
        static const uint8_t after[] = {'\r', 'I', '\r', CODE_IMAGE, 0};
        sim_host_bytes(simulation.sim, serial, (const uint8_t *)lines[i], strlen(lines[i]));
        sim_host_bytes(simulation.sim, serial, after, sizeof after);
        run(&record, i + 1 < COUNT(lines) ? PARTS_MS : CALIBRATION_MS, SIGNALS_EVERY);
    }
    for (unsigned code = 1; code < 0x80; code++) {
        const uint8_t bytes[] = {(uint8_t)(0x100 - code), 1, 2, 3, 4, 0};
        int arguments = epuck2_sercom_arguments((uint8_t)code);
        if (arguments >= 0 && arguments <= 4)
            sim_host_bytes(simulation.sim, serial, bytes, 2 + (size_t)arguments);
        run(&record, arguments >= 0 ? PARTS_MS : 1, SIGNALS_EVERY);
    }
    tell(&record, "lines and codes to");
    simulation_close(&simulation);
}

/* ---- All of them ---- */

static void robots_left_to_themselves_do_as_ever_to_the_last_byte(void **state)
{
    (void)state;
    static const struct {
        const char *type, *options;
        double low_v, high_v;
    } batteries[] = {
        {"kobuki", "{battery_pack: 4s1p}", 10.7, 16.7},
        {"kobuki", "{battery_pack: 4s2p}", 11.1, 16.7},
        {"cobot", "{}", 9, 12.6},
        {"cobot", "{battery_cells: 4}", 12, 16.8},
        {"create2", "{}", 12, 16.5},
        {"create2", "{charge_text: yes}", 12, 16.5},
        {"epuck2", "{}", 3.2, 4.2},
    };
    static const uint8_t opcodes[] = {134, 135, 143}; /* Spot, Clean, Seek Dock */
    static const char *const poses[] = {"{x: 0.9, y: 0.7, heading: 180}",
                                        "{x: 0.8, y: 1.2, heading: 150}",
                                        "{x: 1.5, y: 0.5, heading: 100}"};
    size_t count;
    const struct robot_type *const *types = registry_types(&count);
    for (size_t i = 0; i < count; i++)
        for (unsigned channel = 0; channel < types[i]->channel_count; channel++)
            say_each(types[i], channel, "{}");
    for (size_t i = 0; i < COUNT(batteries); i++)
        sweep_battery(batteries[i].type, batteries[i].options, batteries[i].low_v,
                      batteries[i].high_v);
    for (size_t i = 0; i < COUNT(opcodes); i++)
        for (size_t pose = 0; pose < COUNT(poses); pose++)
            let_go(opcodes[i], poses[pose]);
    play_notes();
    spell_panel();
    speak_lines();
    record_check(habits, told);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(robots_left_to_themselves_do_as_ever_to_the_last_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
