/* An Arduino sketch as a robot's firmware, compiled for the board and run like on its chip. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/sample.h"
#include "tests/support/test_stage.h"

#define OWN PTYBOT_SOURCE_DIR "/scenes/own"

/* Waits without a limit: the timeout of this test ends a hang. */
static int wait_long(struct stage *stage)
{
    while (program_is_running(&stage->ptybot))
        usleep(10000);
    return program_wait(&stage->ptybot);
}

/* `ptybot test` without a time limit. */
#define TEST_LONG(stage, ...) (TEST_START(stage, __VA_ARGS__), wait_long(stage))

/* Runs a line of shell in the stage's folder. */
static int shell(struct stage *stage, const char *line)
{
    const char *const words[] = {"/bin/sh", "-c", line, NULL};
    program_start(&stage->ptybot, &stage->folder, "shell", words, 0);
    return wait_long(stage);
}

static int arduino(struct stage *stage, const char *sketch, const char *body, const char *out)
{
    const char *const words[] = {PTYBOT_BINARY, "arduino", sketch, body, "-o", out, NULL};
    program_start(&stage->ptybot, &stage->folder, "arduino", words, 0);
    return wait_long(stage);
}

/* Whether this machine can compile for a board and run the binary. */
static bool has_board(struct stage *stage)
{
    return shell(stage,
                 "command -v avr-g++ >/dev/null && [ -d "
                 "/usr/share/arduino/hardware/arduino/avr ] && [ -x '" PTYBOT_AVR "' ]") == 0;
}

/* Makes the robot bridge.yaml from the sketch. */
static void make_bridge(struct stage *stage)
{
    if (!has_board(stage))
        skip();
    assert_int_equal(
        shell(stage, "cp -r " OWN "/bridge . && cp " OWN "/bridge_arduino.yaml bridge.yaml"), 0);
    assert_int_equal(arduino(stage, "bridge", "bridge.yaml", "bridge.elf"), 0);
}

/* PTYBOT_SKETCH_LINES: more than the usual number, for a nightly test, which also measures
 * speeds. */
static int number_of(const char *name, int usual)
{
    const char *set = getenv(name);
    return set ? atoi(set) : usual;
}

/* Far from walls and from each other, so that the sonars of two robots driving at random get no
 * echo. */
static void differ(struct stage *stage, int lines)
{
    char count[16];
    snprintf(count, sizeof count, "%d", number_of("PTYBOT_SKETCH_LINES", lines));
    folder_write(&stage->folder, "two.yaml",
                 "world: {size: {x: 400, y: 200}}\nrobots:\n"
                 "- {name: a, type: ros_arduino_bridge, pose: {x: 100, y: 100}}\n"
                 "- {name: b, type: ./bridge.yaml, pose: {x: 300, y: 100}}\n");
    assert_int_equal(TEST_LONG(stage, "two.yaml", "--warp", "max", "--host-timeout", "3000", "--",
                               "/usr/bin/python3",
                               PTYBOT_SOURCE_DIR "/tests/hosts/bridge_differ.py", "{a}", "{b}",
                               count, "1"),
                     0);
}

/* Checks that the final position is within 2 % of a side from the start. */
static void drive_square(struct stage *stage)
{
    folder_write(
        &stage->folder, "square.yaml",
        "world: {size: {x: 4, y: 4}}\n"
        "robots: [{name: bot, type: ./bridge.yaml, pose: {x: 1.5, y: 1.5}}]\nexpect:\n"
        "- {that: bot.x_m > 2.4 and bot.y_m > 2.4, within: 60}\n"
        "- {that: bot.x_m > 1.48 and bot.x_m < 1.52 and bot.y_m > 1.48 and bot.y_m < 1.52, "
        "at_end: true}\n");
    assert_int_equal(TEST_LONG(stage, "square.yaml", "--warp", "max", "--host-timeout", "3000",
                               "--", "/usr/bin/python3",
                               PTYBOT_SOURCE_DIR "/tests/hosts/bridge_square.py", "{bot}", "4"),
                     0);
}

static double processor_s(void)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
}

/* Turns on the spot by its PID controller, without a driver. Measures ptybot, its world and the
 * sketch together, in CPU time, which does not depend on other programs. */
static void measure_speed(struct stage *stage)
{
    enum { SECONDS = 30 };
    assert_int_equal(shell(stage,
                           "sed -i 's/STOP_MS = 2000/STOP_MS = 4000000/' bridge/wheels.h && sed -i "
                           "'s/  next_pid_ms = PID_MS;/& is_moving = true; set_targets(60, -60);/' "
                           "bridge/bridge.ino"),
                     0);
    assert_int_equal(arduino(stage, "bridge", "bridge.yaml", "bridge.elf"), 0);
    folder_write(&stage->folder, "turn.yaml",
                 "world: {size: {x: 4, y: 4}}\n"
                 "robots: [{name: bot, type: ./bridge.yaml, pose: {x: 2, y: 2}}]\n"
                 "expect: [{that: bot.turn_deg_s < -30, at_end: true}]\n");
    double before_s = processor_s();
    stage_start(stage, "turn.yaml",
                (const char *const[]){"--fast", "--private", "--for", "30", NULL});
    assert_int_equal(wait_long(stage), 0);
    double times = SECONDS / (processor_s() - before_s);
    printf("simavr: %.1f times real time\n", times);
    assert_true(times >= 3);
}

static void a_sketch_answers_as_the_built_in_robot(void **state)
{
    make_bridge(*state);
    differ(*state, 60);
}

/* Long: ./dev nightly avr. */
static void a_sketch_drives_a_square(void **state)
{
    if (!getenv("PTYBOT_SKETCH_LINES"))
        skip();
    make_bridge(*state);
    drive_square(*state);
    measure_speed(*state);
}

/* As on the documentation page, with its Python driver of the robot. */
static void the_sketch_of_the_page_drives_a_square(void **state)
{
    struct stage *stage = *state;
    static const char process[] = "## A firmware as a process",
                      sketch[] = "## A sketch for an Arduino";
    if (!has_board(stage))
        skip();
    assert_int_equal(shell(stage, "mkdir rover"), 0);
    test_stage_cut(stage, sketch, "cpp", 0, "rover/rover.ino");
    test_stage_cut(stage, sketch, "yaml", 0, "rover.yaml");
    test_stage_cut(stage, process, "yaml", 1, "scene.yaml");
    test_stage_cut(stage, process, "python", 1, "drive.py");
    assert_int_equal(shell(stage, "sed -i s/my_robot/rover/ scene.yaml"), 0);
    assert_int_equal(arduino(stage, "rover", "rover.yaml", "rover.elf"), 0);
    assert_int_equal(TEST_LONG(stage, "scene.yaml", "--warp", "max"), 0);
    test_stage_said(stage, "passed   out: bot.x_m > 2.4");
}

/* ---- The compiler and the chip ---- */

#define BODY                                                                                       \
    "firmware: {avr: firmware.elf, board: uno}\n"                                                  \
    "body: {shape: disc, radius: 0.1, height: 0.1, mass: 1}\ndrive: {speed_max: 0.5}\n"            \
    "wheels: [{y: 0.08, radius: 0.03}, {y: -0.08, radius: 0.03}]\n"                                \
    "battery: {empty: 6, full: 8}\nbuttons: [go]\n"                                                \
    "channels: [{name: uart, baud: 9600}]\nsignals: [{name: lamp}]\n"                              \
    "pins:\n- {pin: 13, is: signal, of: lamp}\n- {pin: 4, is: button, of: go}\n"                   \
    "- {pin: A0, is: battery, scale: 0.5}\n"

/* Writes the one-robot scene of the sketch in own/. Its lamp must be on after each of two
 * starts. */
static void write_own(struct stage *stage, const char *sketch)
{
    folder_write(&stage->folder, "own.yaml", "%s", BODY);
    assert_int_equal(shell(stage, "mkdir -p own"), 0);
    folder_write(&stage->folder, "own/own.ino", "%s", sketch);
    folder_write(
        &stage->folder, "own_scene.yaml",
        "world: {size: {x: 4, y: 4}}\n"
        "robots: [{name: bot, type: ./own.yaml, pose: {x: 2, y: 2}}]\n"
        "timeline: [{at: 2, do: bot.reset}]\n"
        "expect: [{that: bot.lamp == 1, within: 2}, {that: bot.boots == 2, at_end: true}]\n");
}

static void run_own(struct stage *stage)
{
    stage_start(stage, "own_scene.yaml",
                (const char *const[]){"--fast", "--private", "--for", "4", NULL});
    assert_int_equal(program_wait(&stage->ptybot), 0);
}

/* Compiles C for the chip of a Mega. False: this machine has no compiler. */
static bool make_binary(struct stage *stage, const char *text)
{
    folder_write(&stage->folder, "wild.c", "%s", text);
    int code = shell(stage, "command -v avr-gcc >/dev/null || exit 77; avr-gcc -mmcu=atmega2560 "
                            "-Os -I. -Wl,--undefined=_mmcu wild.c -o wild.elf");
    assert_true(code == 0 || code == 77);
    return code == 0;
}

static void a_binary_reaches_nothing_but_its_chip(void **state)
{
    struct stage *stage = *state;
    static const struct {
        const char *text;
        int code;
    } wild[] = {
        // The stack points past the end of memory, as with an uninitialized pointer.
        {"int main(void) { asm(\"ldi r16,255\\n out 0x3e,r16\\n out 0x3d,r16\\n push r0\"); "
         "for (;;); }",
         0},
        // Jumps past the end of program memory.
        {"int main(void) { asm(\"jmp 0x7ffffe\"); for (;;); }", 3},
        // Reads and erases program memory that the chip does not have.
        {"#include <avr/pgmspace.h>\nvolatile int sum;\n"
         "int main(void) { for (long at = 0;; at += 4096) sum += pgm_read_byte_far(at); }",
         0},
        {"#include <avr/boot.h>\n"
         "int main(void) { for (long at = 0;; at += 4096) boot_page_erase(at); }",
         0},
        // An invalid instruction: simavr prints a red line.
        {"int main(void) { asm(\".word 0x0001\"); for (;;); }", 0},
        // Asks simavr for a trace.
        {"#include <avr/io.h>\n#include <simavr/avr/avr_mcu_section.h>\n"
         "AVR_MCU(16000000, \"atmega2560\");\nAVR_MCU_VCD_FILE(\"trace.vcd\", 1);\n"
         "const struct avr_mmcu_vcd_trace_t traces[] _MMCU_ = "
         "{{AVR_MCU_VCD_SYMBOL(\"B\"), .what = (void *)&PORTB}};\n"
         "int main(void) { for (;;) PORTB++; }",
         0},
    };
    assert_int_equal(shell(stage, "mkdir -p simavr && ln -sfn /usr/include/simavr/avr simavr"), 0);
    folder_write(&stage->folder, "own.yaml", "%s", BODY);
    assert_int_equal(shell(stage, "sed -i 's/avr: .*/avr: wild.elf, board: mega}/' own.yaml"), 0);
    folder_write(&stage->folder, "own_scene.yaml",
                 "world: {size: {x: 4, y: 4}}\n"
                 "robots: [{name: bot, type: ./own.yaml, pose: {x: 2, y: 2}}]\n");
    for (size_t i = 0; i < sizeof wild / sizeof *wild; i++) {
        if (!make_binary(stage, wild[i].text))
            skip();
        stage_start(stage, "own_scene.yaml",
                    (const char *const[]){"--fast", "--private", "--for", "1", NULL});
        assert_int_equal(program_wait(&stage->ptybot), wild[i].code);
        assert_false(program_has_warned(&stage->ptybot, "signal"));
        assert_false(program_has_warned(&stage->ptybot, "\033")); /* simavr colors its lines */
        assert_int_equal(wild[i].code != 0,
                         program_has_warned(&stage->ptybot, "has crashed at address"));
        assert_int_equal(shell(stage, "test ! -e trace.vcd"), 0);
    }
}

/* The lamp is on if times, EEPROM and inputs are correct; the robot restarts once. */
static void a_sketch_has_the_time_of_the_simulation(void **state)
{
    if (!has_board(*state))
        skip();
    write_own(*state,
              "#include <EEPROM.h>\n"
              "void setup() {\n"
              "  Serial.begin(9600);\n"
              "  pinMode(4, INPUT_PULLUP);\n"
              "  bool is_right = millis() < 2;\n"
              "  delay(250);\n"
              "  is_right = is_right && millis() >= 249 && millis() <= 252;\n"
              "  unsigned long began = micros();\n"
              "  for (int i = 0; i < 73; i++) Serial.write('x');\n"
              "  Serial.flush();\n"
              "  unsigned long took = micros() - began;\n"
              "  is_right = is_right && took > 73 * 1030UL && took < 74 * 1146UL;\n"
              "  is_right = is_right && EEPROM.read(0) == (EEPROM.read(1) == 7 ? 8 : 0xff);\n"
              "  EEPROM.write(0, 8); EEPROM.write(1, 7);\n" /* kept over the restart */
              "  began = micros();\n"
              "  for (int i = 10; i < 20; i++) EEPROM.write(i, i);\n" /* the first waits for two */
              "  took = micros() - began;\n"
              "  is_right = is_right && took > 9 * 3200UL && took < 10 * 3500UL;\n"
              "  volatile int nowhere = digitalRead(99);\n" /* not an address of the chip */
              "  is_right = is_right && analogRead(A0) > 810 && digitalRead(4) == HIGH;\n"
              "  pinMode(13, OUTPUT);\n"
              "  digitalWrite(13, is_right);\n"
              "}\n"
              "void loop() {}\n");
    assert_int_equal(arduino(*state, "own", "own.yaml", "firmware.elf"), 0);
    run_own(*state);
}

/* A car with a servo and a speed controller, a turned sonar, a current sensor and an MPU6050. The
 * driver opens the port, so its board restarts first. */
static const char CAR[] =
    "firmware: {avr: car.elf, board: uno}\n"
    "body: {shape: box, length: 0.3, width: 0.2, height: 0.1, mass: 1}\n"
    "drive: {kind: ackermann, speed_max: 1, steer_max: 30, steer_rate: 300}\nwheels:\n"
    "- {x: 0.2, y: 0.08, radius: 0.03, steered: true, passive: true}\n"
    "- {x: 0.2, y: -0.08, radius: 0.03, steered: true, passive: true}\n"
    "- {y: 0.08, radius: 0.03}\n- {y: -0.08, radius: 0.03}\nsensors:\n"
    "- {name: sonar, kind: range, x: 0.1, z: 0.05, range: 4, rays: 1}\n"
    "- {name: amps, kind: current, motor: 3}\n- {name: imu, kind: imu}\n"
    "channels: [{name: uart, baud: 57600}]\npins:\n- {pin: 9, is: steering}\n"
    "- {pin: 10, is: esc, of: 2}\n- {pin: 10, is: esc, of: 3}\n- {pin: 6, is: servo, of: sonar}\n"
    "- {pin: 7, is: trigger, of: sonar}\n- {pin: 8, is: echo, of: sonar}\n"
    "- {pin: A1, is: current, of: amps, scale: 0.5, zero: 2.5}\n"
    "- {pin: Wire, is: mpu6050, of: imu}\n";

static const char CAR_SKETCH[] =
    "#include <Wire.h>\n"
    "void pulse(int pin, int us) {\n"
    "  digitalWrite(pin, HIGH); delayMicroseconds(us); digitalWrite(pin, LOW);\n}\n"
    "int word_of(int at) {\n"
    "  Wire.beginTransmission(0x68); Wire.write(at); Wire.endTransmission(false);\n"
    "  Wire.requestFrom(0x68, 2);\n"
    "  int high = Wire.read();\n"
    "  return high << 8 | Wire.read();\n}\n"
    "void say(long number) { Serial.print(number); Serial.print(' '); }\n"
    "void ping() { pulse(7, 10); say(pulseIn(8, HIGH, 40000) / 58); }\n"
    "void setup() {\n"
    "  Serial.begin(57600); Wire.begin();\n"
    "  pinMode(6, OUTPUT); pinMode(7, OUTPUT); pinMode(9, OUTPUT); pinMode(10, OUTPUT);\n"
    "  Wire.beginTransmission(0x68); Wire.write(0x6b); Wire.write(0); Wire.endTransmission();\n"
    "  delay(5);\n"
    "  say(word_of(0x75) >> 8); say(word_of(0x3f)); ping();\n"
    "  for (int i = 0; i < 25; i++) { pulse(6, 2400); delay(17); }\n"
    "  ping();\n"
    "  int most = 0, turn = 0;\n"
    "  for (int i = 0; i < 60; i++) {\n"
    "    pulse(9, 1472 + 206); pulse(10, 1800); delay(16);\n"
    "    most = max(most, analogRead(A1) - 512); turn = word_of(0x47);\n  }\n"
    "  say(most); say(turn); Serial.println();\n}\nvoid loop() {}\n";

static void a_car_steers_looks_aside_and_feels(void **state)
{
    struct stage *stage = *state;
    if (!has_board(stage))
        skip();
    folder_write(&stage->folder, "car.yaml", "%s", CAR);
    assert_int_equal(shell(stage, "mkdir -p car && ! '" PTYBOT_BINARY "' check car.yaml 2>said && "
                                  "grep -q 'car: its firmware car.elf: No such file' said"),
                     0);
    folder_write(&stage->folder, "car/car.ino", "%s", CAR_SKETCH);
    assert_int_equal(arduino(stage, "car", "car.yaml", "car.elf"), 0);
    folder_write(&stage->folder, "scene.yaml",
                 "world: {size: {x: 4, y: 4}}\n"
                 "robots: [{name: bot, type: ./car.yaml, pose: {x: 2, y: 3}}]\n"
                 "expect: [{that: bot.heading_deg > 10, within: 3}]\n");
    folder_write(&stage->folder, "driver.py",
                 "import os, sys, termios, time, tty\n"
                 "fd = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)\n"
                 "tty.setraw(fd)\n"
                 "mode = termios.tcgetattr(fd)\n"
                 "mode[4] = mode[5] = termios.B57600\n"
                 "termios.tcsetattr(fd, termios.TCSANOW, mode)\n"
                 "began, said = time.monotonic(), os.read(fd, 1)\n"
                 "assert time.monotonic() - began > 1.5, 'no restart'\n"
                 "while not said.endswith(b'\\n'):\n"
                 "    said += os.read(fd, 1)\n"
                 "who, g, ahead, left, most, turn = map(int, said.split())\n"
                 "assert who == 0x68 and abs(g - 16384) < 10, said\n"
                 "assert abs(ahead - 185) < 12 and abs(left - 98) < 8, said\n"
                 "assert most > 20 and turn > 2000, said\n");
    assert_int_equal(TEST_LONG(stage, "scene.yaml", "--warp", "max", "--host-timeout", "100", "--",
                               "/usr/bin/python3", "driver.py", "{bot}"),
                     0);
}

static void what_does_not_compile_is_reported(void **state)
{
    struct stage *stage = *state;
    if (!has_board(stage))
        skip();
    write_own(stage, "void setup() { nothing(); }\nvoid loop() {}\n");
    assert_int_equal(arduino(stage, "own", "own.yaml", "firmware.elf"), 2);
    assert_true(program_has_warned(&stage->ptybot, "own/own.ino:1"));
    assert_true(program_has_warned(&stage->ptybot, "own: compilation failed"));
    assert_int_equal(arduino(stage, "nowhere", "own.yaml", "firmware.elf"), 2);
    assert_true(program_has_warned(&stage->ptybot, "not a folder with .ino, .cpp or .c files"));
}

/* A library next to the sketch, one of the project, sources in a subfolder of src/, and a macro:
 * the lamp is on only if all of them work. Names contain blanks. */
static void a_project_is_built_with_its_libraries(void **state)
{
    struct stage *stage = *state;
    if (!has_board(stage))
        skip();
    write_own(stage, "");
    assert_int_equal(shell(stage,
                           "mkdir -p 'my project/src/parts' 'my project/lib/Lamp/src' 'my library' "
                           "&& cd 'my project' && "
                           "echo >platformio.ini && echo 'int lit();' >lib/Lamp/src/Lamp.h && "
                           "echo 'int lit() { return 1; }' >lib/Lamp/src/Lamp.cpp && "
                           "echo 'int part() { return 1; }' >src/parts/part.cpp && "
                           "echo 'int other() { return 1; }' >'../my library/Other.cpp' && "
                           "echo 'int other();' >'../my library/Other.h'"),
                     0);
    folder_write(&stage->folder, "my project/src/main.cpp",
                 "#include <Arduino.h>\n#include <Lamp.h>\n#include <Other.h>\nint part();\n"
                 "void setup() { pinMode(13, OUTPUT); digitalWrite(13, lit() && part() && other() "
                 "&& LAMP == 3); }\n"
                 "void loop() {}\n");
    assert_int_equal(
        shell(stage, PTYBOT_BINARY
              " arduino 'my project' own.yaml -o firmware.elf --lib 'my library' --define LAMP=3"),
        0);
    run_own(stage);
}

/* As with the Arduino IDE, whose core is a library: the sketch has its own main and an interrupt
 * that tone() would use. An old PlatformIO project has a library that is not included. */
static void a_project_is_built_as_by_its_maker(void **state)
{
    struct stage *stage = *state;
    if (!has_board(stage))
        skip();
    write_own(stage, "");
    assert_int_equal(shell(stage, "mkdir -p project/src project/.piolibdeps/Lamp_ID1 "
                                  "project/.piolibdeps/lamp_ID2 && cd project/.piolibdeps && "
                                  "echo 'extern int lamp;' >Lamp_ID1/Lamp.h && "
                                  "echo 'int lamp = LAMP;' >Lamp_ID1/Lamp.cpp && "
                                  "echo '#error' | tee lamp_ID2/lamp.h >lamp_ID2/lamp.cpp"),
                     0);
    folder_write(&stage->folder, "project/platformio.ini",
                 "[pins]\nlamp = \n  -D LAMP=13 ; of the board\n;  -D LAMP=12\n"
                 "[env:mega]\nboard = megaatmega2560\nbuild_flags = -D LAMP=12\n"
                 "[env:main]\nboard = uno\nbuild_flags = -Wall\n  ${pins.lamp} -DMOST=100\n");
    folder_write(
        &stage->folder, "project/src/main.cpp",
        "#include <Arduino.h>\n#include <Lamp.h>\n#ifdef NEVER\n#include <lamp.h>\n#endif\n"
        "volatile byte ticks;\nISR(TIMER2_COMPA_vect) { ticks++; }\n"
        "int main() {\n  init();\n  TIMSK2 = 1 << OCIE2A;\n  pinMode(lamp, OUTPUT);\n"
        "  for (;;) digitalWrite(lamp, ticks > MOST);\n}\n");
    assert_int_equal(arduino(stage, "project", "own.yaml", "firmware.elf"), 0);
    run_own(stage);
}

/* One turn of both wheels, half a turn in opposite directions, half a turn back; also in steps of
 * 5.6 degrees. The pin for the drivers' enable input stays an input with a pull-up, as in some
 * sketches. */
static void step_and_turn(struct stage *stage, int counts, int pause_us)
{
    folder_write(&stage->folder, "own.yaml",
                 "firmware: {avr: firmware.elf, board: uno}\n"
                 "body: {shape: disc, radius: 0.1, height: 0.1, mass: 1}\n"
                 "drive: {motor: stepper, speed_max: 0.5}\nsignals: [{name: enable}]\n"
                 "wheels: [{y: 0.08, radius: 0.03}, {y: -0.08, radius: 0.03}]\n"
                 "channels: [{name: uart, baud: 9600}]\npins:\n"
                 "- {pin: 2, is: step, of: left, counts: %d}\n"
                 "- {pin: 5, is: direction, of: left}\n"
                 "- {pin: 3, is: step, of: right, counts: %d}\n"
                 "- {pin: 6, is: direction, of: right}\n- {pin: 8, is: signal, of: enable}\n",
                 counts, counts);
    folder_write(&stage->folder, "scene.yaml",
                 "world: {size: {x: 4, y: 4}}\n"
                 "robots: [{name: bot, type: ./own.yaml, pose: {x: 2, y: 2}}]\nexpect:\n"
                 "- {name: far, that: bot.x_m > 2.187 and bot.x_m < 2.19, within: 3}\n"
                 "- {name: turned, that: bot.heading_deg > 67 and bot.heading_deg < 68, "
                 "within: 3, after: far}\n"
                 "- {that: bot.x_m < 2.154 and bot.x_m > 2.15 and bot.y_m < 1.914, at_end: true}\n"
                 "- {that: bot.enable == 1, at_end: true}\n");
    folder_write(&stage->folder, "own/own.ino",
                 "enum { TURN = %d };\nvoid go(int steps, bool left, bool right) {\n"
                 "  digitalWrite(5, left); digitalWrite(6, right);\n"
                 "  for (int i = 0; i < steps; i++) {\n"
                 "    digitalWrite(2, HIGH); digitalWrite(3, HIGH); delayMicroseconds(20);\n"
                 "    digitalWrite(2, LOW); digitalWrite(3, LOW); delayMicroseconds(%d);\n  }\n  "
                 "delay(400);\n}\n"
                 "void setup() {\n"
                 "  for (int pin = 2; pin < 7; pin++) pinMode(pin, OUTPUT);\n"
                 "  digitalWrite(8, HIGH);\n"
                 "  go(TURN, HIGH, HIGH); go(TURN / 2, LOW, HIGH); go(TURN / 2, LOW, LOW);\n}\n"
                 "void loop() {}\n",
                 counts, pause_us);
    assert_int_equal(arduino(stage, "own", "own.yaml", "firmware.elf"), 0);
    stage_start(stage, "scene.yaml",
                (const char *const[]){"--fast", "--private", "--for", "6", NULL});
    assert_int_equal(program_wait(&stage->ptybot), 0);
}

static void steppers_go_as_many_steps_as_they_get(void **state)
{
    struct stage *stage = *state;
    if (!has_board(stage))
        skip();
    assert_int_equal(shell(stage, "mkdir own"), 0);
    step_and_turn(stage, 1600, 950);
    step_and_turn(stage, 64, 16000);
    step_and_turn(stage, 64, 9000);
}

/* No part of a name or a value is executed, taken as an option of another program, or lost. */
static void names_and_values_stay_what_they_are(void **state)
{
    struct stage *stage = *state;
    if (!has_board(stage))
        skip();
    write_own(stage, "void setup() { pinMode(13, OUTPUT); digitalWrite(13, sizeof A == 18 && "
                     "A[0] == 92 && sizeof B == 301); }\n"
                     "void loop() {}\n");
    folder_write(&stage->folder, "try.sh",
                 "set -e\n"
                 "name=' a \"b'\\''$(touch hit)`touch hit`;touch hit;\\t'\n"
                 "mkdir keep ./-delete\n"
                 "mv own \"$name\"\n"
                 "mv \"$name/own.ino\" \"$name/$name.ino\"\n"
                 "b=$(printf %%0300d 0)\n"
                 "\"$0\" arduino \"$name\" own.yaml -o firmware.elf --lib -delete "
                 "--define 'A=\"\\\\n;$(touch hit); \"' --define \"B=\\\"$b\\\"\"\n"
                 "[ ! -e hit ] && [ -d keep ]\n"
                 "cp -r \"$name\" ./-delete/own\n"
                 "cd ./-delete && mv own ./-delete\n"
                 "\"$0\" arduino -o ../firmware.elf --define 'A=\"\\\\n;$(touch hit); \"' "
                 "--define \"B=\\\"$b\\\"\" -- -delete ../own.yaml\n"
                 "[ -d ./-delete ]\n"
                 "\"$0\" arduino ./-delete ../own.yaml -o x.elf --define 'A=1\n-fplugin=./x.so' "
                 "2>errors && exit 1\n"
                 "grep 'a line break in' errors\n");
    assert_int_equal(shell(stage, "exec sh -c '. ./try.sh' " PTYBOT_BINARY), 0);
    run_own(stage);
}

static void a_file_that_is_no_firmware_is_reported(void **state)
{
    struct stage *stage = *state;
    folder_write(&stage->folder, "own.yaml", "%s", BODY);
    assert_int_equal(
        shell(stage, "sed -i 's/avr: .*, board/avr: no.elf, board/' own.yaml; echo no >no.elf"), 0);
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

/* ---- The boards: uno, leonardo, mega; each as ELF and HEX ---- */

static const struct board {
    const char *name, *pwm, *edge, *serial; /* as in tests/arduino/boards */
    int right, wraps, analogs;
} boards[] = {
    {"uno", "3 5 6 9 10 11", "2 3", "Serial", 8, 12, 6},
    {"leonardo", "3 5 6 9 10 11 13", "2 3 7", "Serial1", 8, 12, 6},
    {"mega", "2 3 4 5 6 7 8 9 10 11 12 13 44 45 46", "2 3 18 19 20 21",
     "Serial Serial1 Serial2 Serial3", 22, 23, 16},
};

enum { TEXT_MAX = 8192 };

/* Appends a text for each word of WORDS to OUT, with a format that takes a number and the word. */
static void add_each(char out[TEXT_MAX], const char *words, const char *format)
{
    char word[16];
    for (int i = 0, used; sscanf(words, "%15s%n", word, &used) == 1; words += used, i++)
        snprintf(out + strlen(out), TEXT_MAX - strlen(out), format, i, word);
}

static void add(char out[TEXT_MAX], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out + strlen(out), TEXT_MAX - strlen(out), format, arguments);
    va_end(arguments);
}

/* The robot NAME: its interrupts if IS_EDGES, else the other pins. */
static void write_board(const struct stage *stage, const struct board *board, const char *name,
                        const char *firmware, bool is_edges)
{
    char text[TEXT_MAX] = "";
    add(text, "firmware: {%s, board: %s, auto_reset: false}\n", firmware, board->name);
    add(text, "body: {shape: disc, radius: 0.1, height: 0.1, mass: 1}\n"
              "battery: {empty: 6, full: 10}\nsignals:\n- {name: right}\n- {name: wraps}\n");
    if (!is_edges)
        add_each(text, board->pwm, "- {name: p%d} # %s\n");
    add(text, "channels:\n");
    for (int i = 0; i < (is_edges || board->analogs == 6 ? 1 : 4);
         i++) /* as the sketch sets them */
        add(text, "- {name: c%d, baud: %d}\n", i, 9600 << i);
    if (is_edges) {
        add(text, "buttons:\n");
        add_each(text, board->edge, "- e%d # %s\n");
    }
    add(text, "pins:\n- {pin: %d, is: signal, of: right}\n- {pin: %d, is: signal, of: wraps}\n",
        board->right, board->wraps);
    for (int i = 0; i < (is_edges ? 1 : board->analogs); i++) /* 10 V make 0.3, 0.6 ... 4.8 */
        add(text, "- {pin: A%d, is: battery, scale: %g}\n", i, is_edges ? 0 : 0.03 * (i + 1));
    if (is_edges)
        add_each(text, board->edge, "- {is: button, of: e%d, pin: %s}\n");
    else
        add_each(text, board->pwm, "- {is: signal, of: p%d, pin: %s}\n");
    add_each(text, is_edges ? "Serial1" : board->serial, "- {is: serial, of: c%d, pin: %s}\n");
    if (is_edges && strcmp(board->name, "uno") == 0)
        *strstr(text, "- {is: serial") = '\0';
    char file[48];
    snprintf(file, sizeof file, "%s.yaml", name);
    folder_write(&stage->folder, file, "%s", text);
}

/* Its expectations, and its buttons as a timeline. */
static void expect_board(char timeline[TEXT_MAX], char expect[TEXT_MAX], const struct board *board,
                         const char *name, bool is_edges)
{
    char word[16];
    const char *at = is_edges ? board->edge : board->pwm;
    add(expect, "- {that: %s.right == 1 and %s.wraps == 1, at_end: true}\n", name, name);
    for (int i = 0, used; sscanf(at, "%15s%n", word, &used) == 1; at += used, i++)
        if (is_edges)
            add(timeline, "- {at: %d.5, do: %s.press button=e%d for=0.1}\n", i / 2, name, i);
        else
            add(expect, "- {that: %s.p%d > %g and %s.p%d < %g, at_end: true}\n", name, i,
                (49 + 8 * i) / 255.0, name, i, (54 + 8 * i) / 255.0);
}

/* Makes the firmware of a board, as ELF and as HEX. */
static void make_board(struct stage *stage, const char *board)
{
    char line[128], out[32], body[32];
    snprintf(out, sizeof out, "%s.elf", board);
    snprintf(body, sizeof body, "%s_a.yaml", board);
    assert_int_equal(arduino(stage, PTYBOT_SOURCE_DIR "/tests/arduino/boards", body, out), 0);
    snprintf(line, sizeof line, "avr-objcopy -O ihex -R .eeprom %s.elf %s.hex", board, board);
    assert_int_equal(shell(stage, line), 0);
}

/* Each port echoes; the letter is one further than on the port before it. */
static const char echo[] = "import os, sys, time, tty\n"
                           "for path in sys.argv[1:]:\n"
                           "    further = int(path[-1]) + 1 if path[-1].isdigit() else 1\n"
                           "    fd = os.open(path, os.O_RDWR | os.O_NOCTTY)\n"
                           "    tty.setraw(fd)\n"
                           "    os.write(fd, b'abc')\n"
                           "    got = b''\n"
                           "    while len(got) < 3:\n"
                           "        got += os.read(fd, 3)\n"
                           "    assert got == bytes(n + further for n in b'abc'), (path, got)\n"
                           "time.sleep(3)\n";

static void each_board_has_its_pins(void **state)
{
    struct stage *stage = *state;
    if (!has_board(stage))
        skip();
    static const char *const upper[] = {"UNO", "LEONARDO", "MEGA"};
    char robots[TEXT_MAX] = "", timeline[TEXT_MAX] = "", expect[TEXT_MAX] = "",
         ports[TEXT_MAX] = "";
    for (size_t i = 0; i < sizeof boards / sizeof *boards; i++)
        for (int is_edges = 0; is_edges < 2; is_edges++) {
            const struct board *board = &boards[i];
            char name[32], firmware[64];
            snprintf(name, sizeof name, "%s_%c", board->name, "ab"[is_edges]);
            snprintf(firmware, sizeof firmware, "avr: %s.%s", board->name,
                     is_edges ? "hex" : "elf");
            write_board(stage, board, name, firmware, is_edges);
            if (!is_edges)
                make_board(stage, board->name);
            add(robots, "- {name: %s, type: ./%s.yaml, pose: {x: %zu, y: %d}}\n", name, name, i + 1,
                is_edges + 1);
            expect_board(timeline, expect, board, name, is_edges);
            for (int n = 0; !is_edges && n < (board->analogs > 6 ? 4 : 1); n++)
                add(ports, " $PTYBOT_PORT_%s_A_C%d", upper[i], n);
        }
    folder_write(&stage->folder, "echo.py", "%s", echo);
    folder_write(&stage->folder, "boards.yaml",
                 "world: {size: {x: 4, y: 4}}\nrobots:\n%stimeline:\n%sexpect:\n%s"
                 "host: exec /usr/bin/python3 echo.py%s\n",
                 robots, timeline, expect, ports);
    int code = TEST_LONG(stage, "boards.yaml", "--warp", "max");
    char *said = program_out(&stage->ptybot);
    for (char *line = strtok(said, "\n"); code != 0 && line; line = strtok(NULL, "\n"))
        if (strstr(line, "FAILED"))
            print_error("%s\n", line);
    free(said);
    assert_int_equal(code, 0);
}

/* A word on the command line runs only the tests with that name. */
int main(int count, char **words)
{
    if (count > 1)
        cmocka_set_test_filter(words[1]);
    const struct CMUnitTest tests[] = {
        TEST_STAGED(a_sketch_has_the_time_of_the_simulation),
        TEST_STAGED(a_car_steers_looks_aside_and_feels),
        TEST_STAGED(what_does_not_compile_is_reported),
        TEST_STAGED(steppers_go_as_many_steps_as_they_get),
        TEST_STAGED(a_binary_reaches_nothing_but_its_chip),
        TEST_STAGED(a_file_that_is_no_firmware_is_reported),
        TEST_STAGED(each_board_has_its_pins),
        TEST_STAGED(a_sketch_drives_a_square),
    };
    /* Most of their time is that of compilers, and of a simulated chip without sanitizers. */
    const struct CMUnitTest more[] = {
        TEST_STAGED(the_sketch_of_the_page_drives_a_square),
        TEST_STAGED(a_project_is_built_with_its_libraries),
        TEST_STAGED(a_project_is_built_as_by_its_maker),
        TEST_STAGED(names_and_values_stay_what_they_are),
        TEST_STAGED(a_sketch_answers_as_the_built_in_robot),
    };
    return SAMPLE_RUN(tests, more);
}
