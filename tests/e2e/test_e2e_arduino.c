/* A sketch of Arduino as a robot's firmware: compiled for the PC, and as the binary of an AVR. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/test_stage.h"

#define OWN PTYBOT_SOURCE_DIR "/scenes/own"

/* Runs a line of shell in the stage's folder. */
static int shell(struct stage *stage, const char *line)
{
    const char *const words[] = {"/bin/sh", "-c", line, NULL};
    return program_run(&stage->ptybot, &stage->folder, "shell", words);
}

static int arduino(struct stage *stage, const char *sketch, const char *body, const char *out)
{
    const char *const words[] = {PTYBOT_BINARY, "arduino", sketch, body, "-o", out, NULL};
    return program_run(&stage->ptybot, &stage->folder, "arduino", words);
}

/* Makes the robot bridge.yaml of the sketch. False: this machine cannot compile for an AVR. */
static bool make_bridge(struct stage *stage, bool is_avr)
{
    assert_int_equal(
        shell(stage, "cp -r " OWN "/bridge . && cp " OWN "/bridge_arduino.yaml bridge.yaml"), 0);
    assert_int_equal(
        arduino(stage, "bridge", "bridge.yaml", is_avr ? "bridge.cpp" : "bridge_firmware"), 0);
    if (!is_avr)
        return true;
    int code = shell(stage, PTYBOT_SOURCE_DIR
                     "/tests/arduino/avr_build.sh $PWD/bridge.cpp $PWD/bridge mega "
                     "$PWD/bridge.elf && sed -i 's/^firmware:.*/firmware: {avr: "
                     "bridge.elf, board: mega}/' bridge.yaml");
    assert_true(code == 0 || code == 77);
    return code == 0;
}

/* PTYBOT_SKETCH_LINES, PTYBOT_SKETCH_SIDES: more than usual, for a night. */
static int number_of(const char *name, int usual)
{
    const char *set = getenv(name);
    return set ? atoi(set) : usual;
}

/* Far from walls and from each other: sonars of two robots that drive at random hear nothing. */
static void differ(struct stage *stage, int lines)
{
    char count[16];
    snprintf(count, sizeof count, "%d", number_of("PTYBOT_SKETCH_LINES", lines));
    folder_write(&stage->folder, "two.yaml",
                 "world: {size: {x: 400, y: 200}}\nrobots:\n"
                 "- {name: a, type: ros_arduino_bridge, pose: {x: 100, y: 100}}\n"
                 "- {name: b, type: ./bridge.yaml, pose: {x: 300, y: 100}}\n");
    assert_int_equal(TEST_RUN(stage, "two.yaml", "--warp", "max", "--host-timeout", "3000", "--",
                              "/usr/bin/python3", PTYBOT_SOURCE_DIR "/tests/hosts/bridge_differ.py",
                              "{a}", "{b}", count, "1"),
                     0);
}

/* Where it is in the end is within 2 % of a side of where it began. */
static void drive_square(struct stage *stage)
{
    folder_write(
        &stage->folder, "square.yaml",
        "world: {size: {x: 4, y: 4}}\n"
        "robots: [{name: bot, type: ./bridge.yaml, pose: {x: 1.5, y: 1.5}}]\nexpect:\n"
        "- {that: bot.x_m > 2.4 and bot.y_m > 2.4, within: 60}\n"
        "- {that: bot.x_m > 1.48 and bot.x_m < 1.52 and bot.y_m > 1.48 and bot.y_m < 1.52, "
        "at_end: true}\n");
    assert_int_equal(TEST_RUN(stage, "square.yaml", "--warp", "max", "--host-timeout", "3000", "--",
                              "/usr/bin/python3", PTYBOT_SOURCE_DIR "/tests/hosts/bridge_square.py",
                              "{bot}", "4"),
                     0);
}

static void a_sketch_on_the_pc_answers_as_the_built_in_robot(void **state)
{
    make_bridge(*state, false);
    differ(*state, 300);
}

static void the_binary_of_an_avr_answers_as_the_built_in_robot(void **state)
{
    if (!make_bridge(*state, true))
        skip();
    differ(*state, 60);
}

/* Long: the binary's part is one of ./dev nightly avr. */
static void a_sketch_drives_a_square(void **state)
{
    make_bridge(*state, false);
    drive_square(*state);
}

static void the_binary_of_an_avr_drives_a_square(void **state)
{
    if (!getenv("PTYBOT_SKETCH_LINES") || !make_bridge(*state, true))
        skip();
    drive_square(*state);
}

/* ---- The core ---- */

#define BODY                                                                                       \
    "firmware: {run: \"exec ./firmware\", board: uno}\n"                                           \
    "body: {shape: disc, radius: 0.1, height: 0.1, mass: 1}\ndrive: {speed_max: 0.5}\n"            \
    "wheels: [{y: 0.08, radius: 0.03}, {y: -0.08, radius: 0.03}]\n"                                \
    "battery: {empty: 6, full: 8}\nbuttons: [go]\n"                                                \
    "channels: [{name: uart, baud: 9600}]\nsignals: [{name: lamp}]\n"                              \
    "pins:\n- {pin: 13, is: signal, of: lamp}\n- {pin: 4, is: button, of: go}\n"                   \
    "- {pin: A0, is: battery, scale: 0.5}\n"

/* Writes a sketch of one file, and compiles it. */
static int make(struct stage *stage, const char *text)
{
    folder_write(&stage->folder, "own.yaml", "%s", BODY);
    assert_int_equal(shell(stage, "mkdir -p own"), 0);
    folder_write(&stage->folder, "own/own.ino", "%s", text);
    folder_write(
        &stage->folder, "own_scene.yaml",
        "world: {size: {x: 4, y: 4}}\n"
        "robots: [{name: bot, type: ./own.yaml, pose: {x: 2, y: 2}}]\n"
        "timeline: [{at: 2, do: bot.reset}]\n"
        "expect: [{that: bot.lamp == 1, within: 2}, {that: bot.boots == 2, at_end: true}]\n");
    return arduino(stage, "own", "own.yaml", "firmware");
}

static void run(struct stage *stage, const char *text)
{
    assert_int_equal(make(stage, text), 0);
    stage_start(stage, "own_scene.yaml",
                (const char *const[]){"--fast", "--private", "--for", "4", NULL});
    assert_int_equal(program_wait(&stage->ptybot), 0);
}

/* The lamp goes on if all is as it should be; the robot is switched off and on once. */
static void a_sketch_has_the_time_of_the_simulation(void **state)
{
    run(*state,
        "#include <EEPROM.h>\n"
        "int starts; String text;\n"
        "void setup() {\n"
        "  Serial.begin(9600);\n"
        "  bool is_right = starts++ == 0 && millis() == 0;\n" /* memory is fresh each time */
        "  delay(250);\n"
        "  is_right = is_right && millis() == 250;\n"
        "  while (millis() < 300) {}\n"
        "  is_right = is_right && micros() >= 300000UL && micros() < 301000UL;\n"
        "  unsigned long began = micros();\n"
        "  for (int i = 0; i < 73; i++) Serial.write('x');\n" /* 64 wait, 9 leave */
        "  Serial.flush();\n"
        "  unsigned long took = micros() - began;\n"
        "  is_right = is_right && took > 73 * 1041UL && took < 74 * 1042UL + 1000;\n"
        "  is_right = is_right && EEPROM.read(0) == (EEPROM.read(1) == 7 ? 8 : 0xff);\n"
        "  EEPROM.write(0, 8); EEPROM.write(1, 7);\n" /* the second life finds them */
        "  text = String(\"a\") + 12 + ',' + String(-1, HEX) + String(2.5);\n"
        "  is_right = is_right && text == \"a12,FFFF2.50\" && map(5, 0, 10, 0, 100) == 50;\n"
        "  is_right = is_right && analogRead(A0) == 818 && digitalRead(4) == HIGH;\n"
        "  pinMode(13, OUTPUT);\n"
        "  digitalWrite(13, is_right);\n"
        "}\n"
        "void loop() {}\n");
}

static void what_a_pc_has_not_is_told(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(make(stage, "void setup() { PORTB |= 1; }\nvoid loop() {}\n"), 2);
    assert_true(program_has_warned(&stage->ptybot, "own/own.ino:1"));
    assert_true(program_has_warned(&stage->ptybot, "'PORTB' is a register or vector"));
    assert_int_equal(make(stage, "void setup() {}\nvoid loop() {}\n"), 0);
    assert_true(program_has_warned(&stage->ptybot, "here int has 32 bits"));
    assert_int_equal(arduino(stage, "nowhere", "own.yaml", "firmware"), 2);
    assert_true(program_has_warned(&stage->ptybot, "no sketch: a folder with .ino files"));
}

/* A sketch that dies is told like any other process. */
static void a_sketch_that_crashes_is_told(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(make(stage, "void setup() { delay(5); abort(); }\nvoid loop() {}\n"), 0);
    stage_start(stage, "own_scene.yaml",
                (const char *const[]){"--fast", "--private", "--for", "1", NULL});
    assert_int_equal(program_wait(&stage->ptybot), 3);
    assert_true(program_has_warned(&stage->ptybot, "was ended by signal 6"));
}

static void a_file_that_is_no_firmware_is_told(void **state)
{
    struct stage *stage = *state;
    folder_write(&stage->folder, "own.yaml", "%s", BODY);
    assert_int_equal(
        shell(stage, "sed -i 's/run: .*, board/avr: no.elf, board/' own.yaml; echo no >no.elf"), 0);
    folder_write(&stage->folder, "own_scene.yaml",
                 "world: {size: {x: 4, y: 4}}\n"
                 "robots: [{name: bot, type: ./own.yaml, pose: {x: 2, y: 2}}]\n");
    stage_start(stage, "own_scene.yaml",
                (const char *const[]){"--fast", "--private", "--for", "1", NULL});
    assert_int_equal(program_wait(&stage->ptybot), 3);
    assert_true(
        program_has_warned(&stage->ptybot, "no.elf: cannot be read as an ELF file for an AVR") ||
        program_has_warned(&stage->ptybot, "install the package ptybot-avr"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_STAGED(a_sketch_has_the_time_of_the_simulation),
        TEST_STAGED(what_a_pc_has_not_is_told),
        TEST_STAGED(a_sketch_that_crashes_is_told),
        TEST_STAGED(a_file_that_is_no_firmware_is_told),
        TEST_STAGED(a_sketch_on_the_pc_answers_as_the_built_in_robot),
        TEST_STAGED(the_binary_of_an_avr_answers_as_the_built_in_robot),
        TEST_STAGED(a_sketch_drives_a_square),
        TEST_STAGED(the_binary_of_an_avr_drives_a_square),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
