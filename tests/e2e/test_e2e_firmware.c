/* Robots whose firmware is a process: its start and end, its bytes, and a replay of the run without
 * it. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/sample.h"
#include "tests/support/test_stage.h"

/* A body with two wheels, a sensor, a camera and a scanner, with the firmware RUN; and a scene with
 * it. */
static void write_robot(const struct stage *stage, const char *run, const char *more)
{
    folder_write(&stage->folder, "own.yaml",
                 "firmware: {run: \"%s\"}\n"
                 "body: {shape: disc, radius: 0.1, height: 0.1, mass: 1}\n"
                 "drive: {speed_max: 0.5, grip: 0.8}\n"
                 "wheels: [{y: 0.08, radius: 0.03}, {y: -0.08, radius: 0.03}]\n"
                 "sensors:\n- {name: eye, kind: range, x: 0.1, z: 0.05, range: 2, rays: 1}\n"
                 "- {name: camera, kind: camera, x: 0.1, z: 0.08, cone_half: 30, width: 160, "
                 "height: 120}\n- {name: lidar, kind: scanner, z: 0.09, range: 1.5}\n"
                 "battery: {empty: 9, full: 12}\n"
                 "channels: [{name: uart, baud: 115200}]\n"
                 "signals: [{name: turns}, {name: level}]\n"
                 "commands: [{name: set_level, arguments: [{name: to, default: 7}]}]\n",
                 run);
    folder_write(&stage->folder, "own_scene.yaml",
                 "seed: 5\nworld:\n  size: {x: 4, y: 4}\n"
                 "  boxes: [{pose: {x: 3.1, y: 2.5}, size: {x: 0.2, y: 0.2}, color: red}]\n"
                 "robots: [{name: bot, type: ./own.yaml, pose: {x: 2, y: 2, heading: 20}}]\n%s",
                 more);
}

/* Turns at walls, counts its ticks, echoes, uses its sensors, shows the content of a command.
 * FORMAT: of its messages. */
static void write_wanderer(const struct stage *stage, const char *format)
{
    folder_write(&stage->folder, "wander.py",
                 "import zlib\nfrom ptybot.firmware import Firmware\n"
                 "class Wander(Firmware):\n"
                 "    format = '%s'\n"
                 "    def start(self):\n"
                 "        self.turns = 0\n"
                 "    def command(self, name, numbers):\n"
                 "        self.signal('level', numbers[0])\n"
                 "    def tick(self):\n"
                 "        near = self.sensors['eye'].distance_m < 0.3\n"
                 "        self.turns += near\n"
                 "        self.motor = [0.3, -0.3] if near else [0.7, 0.68]\n"
                 "        self.signal('turns', self.turns)\n"
                 "        self.send('uart', self.received('uart'))\n"
                 "        self.send('uart', b'%%.6f %%d\\n' %% (self.wheel_rad[0], self.turns))\n"
                 "        for seen in self.pictures.values():\n"
                 "            self.send('uart', b'%%d\\n' %% zlib.crc32(seen.rgb))\n"
                 "        for seen in self.scans.values():\n"
                 "            self.send('uart', repr((seen.distance_m, seen.reflectance, "
                 "seen.cosine)).encode())\n"
                 "        if self.turns %% 2 == 0:\n"
                 "            self.camera_image('camera', width=16)\n"
                 "            self.scan('lidar', rays=3)\n"
                 "        self.wait_us = 10_000\n"
                 "Wander().run()\n",
                 format);
}

/* The same as tests/hosts/seeing_firmware.c. */
static void write_seer(const struct stage *stage, const char *format)
{
    folder_write(&stage->folder, "seer.py",
                 "from ptybot.firmware import Firmware\n"
                 "class Seer(Firmware):\n"
                 "    format = '%s'\n"
                 "    def tick(self):\n"
                 "        self.motor = [0.5, -0.3]\n"
                 "        self.wait_us = 50_000\n"
                 "        if self.pictures:\n"
                 "            eye, lidar, total = self.pictures['camera'], self.scans['lidar'], 0\n"
                 "            for byte in eye.rgb:\n"
                 "                total = (31 * total + byte) %% 2**32\n"
                 "            line = '%%d %%d %%d' %% (eye.width, eye.height, total)\n"
                 "            for ray in zip(lidar.distance_m, lidar.reflectance, lidar.cosine):\n"
                 "                line += ' %%.9f %%.9f %%.9f' %% ray\n"
                 "            self.send('uart', line.encode() + b'\\n')\n"
                 "        self.camera_image('camera', 40)\n"
                 "        self.scan('lidar', 4, -1, 1.5)\n"
                 "Seer().run()\n",
                 format);
}

static void forget(const struct stage *stage, const char *name)
{
    char path[FOLDER_PATH_MAX];
    assert_int_equal(unlink(folder_path(&stage->folder, name, path)), 0);
}

/* Repeats a run from its journal. */
static int replay(struct stage *stage, const char *journal)
{
    const char *const words[] = {PTYBOT_BINARY, "replay", journal, NULL};
    return program_run(&stage->ptybot, &stage->folder, "replay", words);
}

/* The lines of a journal with the outputs of the robot. The caller frees them. */
static char *outputs(const struct stage *stage, const char *journal)
{
    char *text = folder_read(&stage->folder, journal), *kept = strdup(text);
    size_t used = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (strstr(line, " out ") || strstr(line, " end "))
            used += (size_t)sprintf(kept + used, "%s\n", strchr(line, ' '));
    kept[used] = '\0';
    free(text);
    return kept;
}

#define RUN(stage, ...)                                                                            \
    (stage_start(stage, "own_scene.yaml",                                                          \
                 (const char *const[]){"--fast", "--private", __VA_ARGS__, NULL}),                 \
     program_wait(&(stage)->ptybot))

/* Keeps all processors busy. */
enum { BUSY = 4 };

static void burden(pid_t busy[BUSY])
{
    for (int i = 0; i < BUSY; i++) {
        busy[i] = fork();
        if (busy[i] == 0) {
            alarm(300); /* ends it if no other process does */
            for (volatile unsigned n = 0;; n++) {
            }
        }
        assert_true(busy[i] > 0);
    }
}

static void unburden(const pid_t busy[BUSY])
{
    for (int i = 0; i < BUSY; i++) {
        kill(busy[i], SIGKILL);
        waitpid(busy[i], NULL, 0);
    }
}

/* The last run of each half runs at the same time as programs that use all processors. Twenty runs
 * in the full test: a difference between runs of one program is rare, so many runs are needed to
 * find it. */
static void the_same_firmware_gives_the_same_run_each_time(void **state)
{
    struct stage *stage = *state;
    const int half = sample_is_whole() ? 10 : 1;
    write_robot(stage, "python3 wander.py", "expect: [{that: bot.turns > 0, within: 20}]\n");
    write_wanderer(stage, "binary");
    char *first = NULL;
    for (int i = 0; i < 2 * half; i++) {
        pid_t busy[BUSY] = {0};
        const bool is_busy = half > 1 && i % half == half - 1; /* not by day: uses all processors */
        if (is_busy)
            burden(busy);
        stage_start(stage, "own_scene.yaml",
                    (const char *const[]){"--fast", "--private", "--for", "12", "--journal",
                                          "a.journal", NULL});
        while (program_is_running(&stage->ptybot)) /* without a time limit */
            usleep(10000);
        int code = program_wait(&stage->ptybot);
        if (is_busy)
            unburden(busy);
        assert_int_equal(code, 0);
        char *now = outputs(stage, "a.journal");
        assert_true(strlen(now) > 20);
        if (first)
            check_same_lines(first, now);
        else
            first = strdup(now);
        free(now);
    }
    free(first);
}

static void both_forms_of_the_messages_give_the_same_run(void **state)
{
    struct stage *stage = *state;
    static const char script[] = "timeline: [{at: 1, do: bot.set_level to=0.1}]\n"
                                 "expect: [{that: bot.level == 0.1, within: 2}]\n";
    write_robot(stage, "python3 wander.py", script);
    write_wanderer(stage, "binary");
    assert_int_equal(RUN(stage, "--for", "12", "--journal", "binary.journal"), 0);
    write_wanderer(stage, "json");
    assert_int_equal(RUN(stage, "--for", "12", "--journal", "json.journal"), 0);
    char *binary = outputs(stage, "binary.journal"), *json = outputs(stage, "json.journal");
    assert_string_equal(binary, json);
    free(binary);
    free(json);
}

/* Its packets contain its sensor data, and the hash at the end contains the hash of all its
 * answers. */
static void all_helpers_see_the_same(void **state)
{
    struct stage *stage = *state;
    char *out[3];
    static const char *const runs[] = {"python3 seer.py", "python3 seer.py",
                                       "exec " PTYBOT_HOSTS_DIR "/seeing_firmware"};
    for (int i = 0; i < 3; i++) {
        write_robot(stage, runs[i], "");
        write_seer(stage, i == 0 ? "json" : "binary");
        assert_int_equal(RUN(stage, "--for", "2", "--journal", "a.journal"), 0);
        out[i] = outputs(stage, "a.journal");
        assert_true(strlen(out[i]) > 20);
        assert_int_equal(replay(stage, "a.journal"), 0);
    }
    assert_string_equal(out[0], out[1]);
    assert_string_equal(out[0], out[2]);
    for (int i = 0; i < 3; i++)
        free(out[i]);
}

static void a_run_is_repeated_without_the_process(void **state)
{
    struct stage *stage = *state;
    write_robot(stage, "touch started; exec python3 wander.py", "");
    write_wanderer(stage, "binary");
    assert_int_equal(RUN(stage, "--for", "12", "--journal", "a.journal"), 0);
    forget(stage, "started");
    forget(stage, "wander.py");
    assert_int_equal(replay(stage, "a.journal"), 0);
    test_stage_said(stage, "compared up to 12.000 s");
    char started[FOLDER_PATH_MAX];
    assert_false(path_exists(folder_path(&stage->folder, "started", started)));
}

static void the_robot_of_the_page_drives_a_square(void **state)
{
    struct stage *stage = *state;
    static const char from[] = "## A firmware as a process";
    test_stage_cut(stage, from, "yaml", 0, "my_robot.yaml");
    test_stage_cut(stage, from, "yaml", 1, "scene.yaml");
    test_stage_cut(stage, from, "python", 0, "my_firmware.py");
    test_stage_cut(stage, from, "python", 1, "drive.py");
    assert_int_equal(TEST_RUN(stage, "scene.yaml", "--warp", "max"), 0);
    test_stage_said(stage, "passed   out: bot.x_m > 2.4");
}

static void copy(const struct stage *stage, const char *name)
{
    struct folder own = {.path = PTYBOT_SOURCE_DIR "/scenes/own"};
    char *text = folder_read(&own, name);
    folder_write(&stage->folder, name, "%s", text);
    free(text);
}

/* The page contains the files of scenes/own; the scene judges the result. */
static void the_seeker_of_the_page_finds_the_red_box(void **state)
{
    struct stage *stage = *state;
    struct folder own = {.path = PTYBOT_SOURCE_DIR "/scenes/own"};
    test_stage_cut(stage, "### Looking", "python", 0, "seeker.py");
    char *page = folder_read(&stage->folder, "seeker.py"), *whole = folder_read(&own, "seeker.py");
    assert_non_null(strstr(whole, page));
    free(page);
    free(whole);
    copy(stage, "seeker.yaml");
    copy(stage, "seeker_box.yaml");
    assert_int_equal(TEST_RUN(stage, "seeker_box.yaml", "--fast", "--for", "40"), 0);
    test_stage_said(stage, "passed: 4 of 4");

    // Without its sensor it turns forever.
    assert_int_equal(TEST_RUN(stage, "seeker_box.yaml", "--fast", "--for", "40", "--set",
                              "do=bot.fault eye=dead"),
                     1);
}

/* A servo turns the sensor from its heading, and needs time. Setting a sensor value, or a
 * misspelled output, is an error of the program. */
static void a_servo_turns_a_sensor_and_wrong_outputs_raise(void **state)
{
    struct stage *stage = *state;
    static const char *const formats[] = {"json", "binary"};
    write_robot(stage, "exec python3 aim.py", "");
    folder_write(&stage->folder, "aim.yaml",
                 "world: {size: {x: 4, y: 4}}\n"
                 "robots: [{name: bot, type: ./own.yaml, pose: {x: 1, y: 3}}]\n"
                 "expect:\n- {that: bot.turns > 1.9, within: 0.1}\n"
                 "- {that: bot.turns > 0.99 and bot.turns < 1.01, within: 0.3}\n");
    for (size_t i = 0; i < 2; i++) {
        folder_write(&stage->folder, "aim.py",
                     "from ptybot.firmware import Firmware\n"
                     "class Aim(Firmware):\n"
                     "    format = '%s'\n"
                     "    motors_seen = 0\n"
                     "    def tick(self):\n"
                     "        self.motors_seen = 1\n"
                     "        for name in ('steer_rad', 'steer', 'motors', 'bumpers'):\n"
                     "            try:\n"
                     "                setattr(self, name, 0.5)\n"
                     "            except AttributeError:\n"
                     "                continue\n"
                     "            raise SystemExit(name)\n"
                     "        self.aim_rad['eye'] = 1.5708\n"
                     "        self.signal('turns', self.sensors['eye'].distance_m)\n"
                     "Aim().run()\n",
                     formats[i]);
        assert_int_equal(TEST_RUN(stage, "aim.yaml", "--fast"), 0);
    }
}

static void a_firmware_in_c_by_the_client_library(void **state)
{
    struct stage *stage = *state;
    write_robot(stage, "exec " PTYBOT_HOSTS_DIR "/echo_firmware",
                "timeline: [{at: 1, do: bot.set_level}]\n"
                "expect:\n- {that: bot.turns > 2900 and bot.level == 7, at_end: true}\n"
                "- {that: bot.x_m > 2.5, within: 3}\n");
    assert_int_equal(RUN(stage, "--for", "3"), 0);
}

/* Both in one world get the same sensor data, and the driver sends both the same requests. */
static void the_bridge_in_python_gives_the_bytes_of_the_built_in_one(void **state)
{
    struct stage *stage = *state;
    char *out[2];
    static const char *const types[] = {"ros_arduino_bridge",
                                        PTYBOT_SOURCE_DIR "/scenes/own/bridge.yaml"};
    for (int i = 0; i < 2; i++) {
        folder_write(&stage->folder, "bridge.yaml",
                     "seed: 3\nworld: {size: {x: 4, y: 4}}\n"
                     "robots: [{name: bot, type: %s, pose: {x: 1.5, y: 1.5}}]\n",
                     types[i]);
        assert_int_equal(TEST_RUN(stage, "bridge.yaml", "--warp", "max", "--journal", "b.journal",
                                  "--", "/usr/bin/python3",
                                  PTYBOT_SOURCE_DIR "/tests/hosts/bridge_square.py", "{bot}", "1"),
                         0);
        out[i] = outputs(stage, "b.journal");
        *strstr(out[i], " end ") = '\0'; /* the hash of the state differs: other signals */
        assert_true(strlen(out[i]) > 1000);
    }
    assert_string_equal(out[0], out[1]);
    free(out[0]);
    free(out[1]);
}

/* ---- Errors: exit code 3, no verdict on the driver, and the place of the error ---- */

#define RAW                                                                                        \
    "import json, os, socket, struct, sys, time\n"                                                 \
    "s = socket.socket(fileno=int(os.environ['PTYBOT_FIRMWARE_FD']))\n"                            \
    "f = s.makefile('rb')\n"                                                                       \
    "f.readline()\n"                                                                               \
    "def say(o): s.sendall(json.dumps(o).encode() + b'\\n')\n"
#define JSON RAW "say({'ptybot_firmware': 2, 'format': 'json'})\n"
#define TEN  JSON "for i in range(10):\n    f.readline()\n    say({'wait_us': 1000})\nf.readline()\n"
#define PACKED                                                                                     \
    RAW "say({'ptybot_firmware': 2, 'format': 'binary'})\nf.read(struct.unpack('<I', "             \
        "f.read(4))[0])\n"
/* Has the page of include/ptybot/firmware_page.h, and received a question in it. */
#define SHARED                                                                                     \
    RAW "import mmap\nfd = int(os.environ['PTYBOT_FIRMWARE_PAGE'])\nm = mmap.mmap(fd, 0)\n"        \
        "m[0] = 1\nsay({'ptybot_firmware': 2, 'format': 'binary'})\n"                              \
        "while m[4] == 0: time.sleep(0.001)\n"

static const struct {
    const char *what, *program, *said;
} wrongs[] = {
    {"exits", TEN "sys.exit(5)\n", "at 0.011 s: exited with 5"},
    {"is killed", TEN "os.kill(os.getpid(), 9)\n", "was ended by signal 9"},
    {"sleeps", TEN "time.sleep(1000)\n", "slept for 2 s without an answer"},
    {"sleeps in each answer",
     JSON "while f.readline():\n    time.sleep(0.5)\n    say({'wait_us': 1000})\n",
     "slept for 5 s in its answers"},
    {"spins", TEN "while True: pass\n", "computed for more than 5 s"},
    {"closes", TEN "f.close(); s.close(); time.sleep(1000)\n", "closed its socket"},
    {"raves", TEN "s.sendall(b'hello\\n'); time.sleep(1000)\n", "JSON object in one line"},
    {"misspells", TEN "say({'motr': [0, 0]}); time.sleep(1000)\n",
     "unknown key 'motr'; did you mean 'motor'"},
    {"lies", TEN "say({'motor': [0, 7]}); time.sleep(1000)\n", "motor is 7; allowed: -1 .. 1"},
    {"counts wrong", TEN "say({'motor': [0]}); time.sleep(1000)\n", "a list of 2 was expected"},
    {"shows what is not there", TEN "say({'signals': {'turn': 1}}); time.sleep(1000)\n",
     "unknown signal 'turn'; did you mean 'turns'"},
    {"never waits", TEN "say({'wait_us': 0}); time.sleep(1000)\n", "wait_us is 0"},
    {"sends too much at once", TEN "say({'tx': {'uart': '00' * 2000}}); time.sleep(1000)\n",
     "2000 bytes at once"},
    {"speaks unasked", TEN "s.sendall(b'{}\\n{}\\n'); time.sleep(1000)\n",
     "sent 3 bytes after its answer"},
    {"floods", TEN "while True: s.sendall(b'x' * 65536)\n", "a line of more than 65536 bytes"},
    {"announces too much", PACKED "s.sendall(b'\\xff\\xff\\xff\\x7f'); time.sleep(1000)\n",
     "announced an answer of"},
    {"is cut off", PACKED "s.sendall(b'\\x04\\0\\0\\0abcd'); time.sleep(1000)\n",
     "that is cut off"},
    {"exits with a page", SHARED "sys.exit(5)\n", "at 0.001 s: exited with 5"},
    {"sleeps with a page", SHARED "time.sleep(1000)\n", "slept for 2 s without an answer"},
    {"announces too much in the page",
     SHARED "m[-16388:-16384] = b'\\xff\\xff\\xff\\x7f'; m[8] = 1; time.sleep(1000)\n",
     "announced an answer of 2147483647 bytes"},
    {"cuts its page short", SHARED "os.ftruncate(fd, 0); time.sleep(1000)\n",
     "announced an answer of 0 bytes"},
    {"looks by what is not there",
     TEN "say({'observe': [{'sensor': 'camra'}]}); time.sleep(1000)\n",
     "observe: unknown sensor 'camra'; did you mean 'camera'"},
    {"looks by what has no picture",
     TEN "say({'observe': [{'sensor': 'eye'}]}); time.sleep(1000)\n",
     "observe: sensor 0: not a camera or scanner"},
    {"looks too closely",
     TEN "say({'observe': [{'sensor': 'camera', 'width': 5000}]}); time.sleep(1000)\n",
     "width is 5000; allowed: 0 .. 160"},
    {"looks at less than nothing",
     TEN "say({'observe': [{'sensor': 'lidar', 'rays': -7}]}); time.sleep(1000)\n",
     "rays is -7; allowed: 1 .. 2048"},
    {"looks a thousand times",
     TEN "say({'observe': [{'sensor': 'camera'}] * 1000}); time.sleep(1000)\n",
     "observe: a list of up to 8 was expected"},
    {"says nothing", "import time; time.sleep(1000)\n", "slept for 2 s"},
    {"has another version", RAW "say({'ptybot_firmware': 9, 'format': 'json'})\n",
     "\"ptybot_firmware\" must be 2"},
    {"has another format", RAW "say({'ptybot_firmware': 2, 'format': 'xml'})\n",
     "format 'xml'; allowed: json, binary"},
    {"has other signals", RAW "say({'ptybot_firmware': 2, 'format': 'json', 'signals': ['a']})\n",
     "the body file has"},
};

static bool has_said(const struct stage *stage, bool is_test, const char *text)
{
    return is_test ? program_has_said(&stage->ptybot, text)
                   : program_has_warned(&stage->ptybot, text);
}

static void what_a_process_does_wrong_is_said_and_ends_with_3(void **state)
{
    struct stage *stage = *state;
    write_robot(stage, "exec python3 wrong.py", "");
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        /* Not by day: it uses 5 s of CPU time. */
        if (!sample_is_whole() && strcmp(wrongs[i].what, "spins") == 0)
            continue;
        folder_write(&stage->folder, "wrong.py", "%s", wrongs[i].program);
        int code = RUN(stage, "--for", "1");
        if (code != 3 || !has_said(stage, false, wrongs[i].said))
            fail_msg("%s: code %d, not 3; or not said: %s; but: %s", wrongs[i].what, code,
                     wrongs[i].said, program_err(&stage->ptybot));
    }
}

/* The driver would fail, too, since it has no robot any more. */
static void what_a_process_prints_is_shown_up_to_a_megabyte(void **state)
{
    struct stage *stage = *state;
    write_robot(stage, "exec python3 prints.py", "");
    folder_write(&stage->folder, "prints.py", "%s",
                 JSON "print('begin', flush=True)\nos.write(2, b'x' * 5000000)\n"
                      "while f.readline():\n    say({'wait_us': 1000})\n");
    assert_int_equal(RUN(stage, "--for", "1"), 0);
    char *err = program_err(&stage->ptybot);
    assert_non_null(strstr(err, "begin\nxxxx"));
    assert_non_null(strstr(err, "bot: its firmware printed 1048576 bytes; ptybot omits the rest"));
    assert_in_range(strlen(err), 1 << 20, (1 << 20) + 1000);
    free(err);
    /* The last output of a process that fails. */
    folder_write(&stage->folder, "prints.py", "%s", TEN "raise KeyError('speed')\n");
    assert_int_equal(RUN(stage, "--for", "1"), 3);
    err = program_err(&stage->ptybot);
    char *words = strstr(err, "KeyError: 'speed'"), *end = strstr(err, "exited with 1");
    assert_true(words && end && words < end);
    free(err);
}

static void a_firmware_that_is_gone_is_no_verdict_on_the_host(void **state)
{
    struct stage *stage = *state;
    write_robot(stage, "exec python3 wrong.py",
                "expect: [{that: bot.charge >= 0, always: true}]\n");
    for (size_t i = 0; i < 4; i++) {
        folder_write(&stage->folder, "wrong.py", "%s", wrongs[i].program);
        int code = TEST_RUN(stage, "own_scene.yaml", "--for", "30", "--junit", "j.xml", "--", "sh",
                            "-c", "exec 3<>$PTYBOT_PORT_BOT; sleep 20; exit 1");
        char *junit = folder_read(&stage->folder, "j.xml");
        if (code != 3 || !has_said(stage, true, wrongs[i].said) || strstr(junit, "<failure"))
            fail_msg("%s: code %d, not 3; or not said: %s; but: %s", wrongs[i].what, code,
                     wrongs[i].said, program_err(&stage->ptybot));
        assert_non_null(strstr(junit, i < 2 ? "a robot's firmware answers\" time=\"0.011\"" : ""));
        free(junit);
    }
}

/* A run continues; its robot stays without power. */
static void a_robot_without_its_firmware_has_no_power(void **state)
{
    struct stage *stage = *state;
    write_robot(stage, "exec python3 wrong.py",
                "timeline: [{at: 1, do: bot.reset}]\n"
                "expect: [{that: bot.power == 1, at_end: true}]\n");
    folder_write(&stage->folder, "wrong.py", "%s", TEN "sys.exit(5)\n");
    assert_int_equal(RUN(stage, "--for", "2", "--journal", "a.journal"), 3);
    assert_true(program_has_warned(&stage->ptybot, "the robot has no power from then on"));
    assert_true(program_has_said(&stage->ptybot, "passed   bot.power == 1"));
    assert_int_equal(replay(stage, "a.journal"), 0);
}

/* The process finds its socket closed, even if ptybot could not notify it. */
static void no_process_outlives_the_run(void **state)
{
    struct stage *stage = *state;
    write_robot(stage, "echo $$ >pid; exec python3 wander.py", "");
    write_wanderer(stage, "json");
    stage_start(stage, "own_scene.yaml", (const char *const[]){"--private", NULL});
    while (!program_has_said(&stage->ptybot, "bot"))
        usleep(10000);
    kill(stage->ptybot.pid, SIGKILL);
    program_wait(&stage->ptybot);
    char *pid = folder_read(&stage->folder, "pid");
    for (int i = 0; i < 3000 && kill((pid_t)atol(pid), 0) == 0; i++)
        usleep(10000);
    assert_int_equal(kill((pid_t)atol(pid), 0), -1);
    free(pid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_STAGED(both_forms_of_the_messages_give_the_same_run),
        TEST_STAGED(all_helpers_see_the_same),
        TEST_STAGED(a_run_is_repeated_without_the_process),
        TEST_STAGED(the_seeker_of_the_page_finds_the_red_box),
        TEST_STAGED(a_servo_turns_a_sensor_and_wrong_outputs_raise),
        TEST_STAGED(a_firmware_in_c_by_the_client_library),
        TEST_STAGED(what_a_process_does_wrong_is_said_and_ends_with_3),
        TEST_STAGED(what_a_process_prints_is_shown_up_to_a_megabyte),
        TEST_STAGED(a_firmware_that_is_gone_is_no_verdict_on_the_host),
        TEST_STAGED(a_robot_without_its_firmware_has_no_power),
        TEST_STAGED(no_process_outlives_the_run),
    };
    /* Their firmwares are other programs that run the code of the firmwares above. */
    const struct CMUnitTest more[] = {
        TEST_STAGED(the_same_firmware_gives_the_same_run_each_time),
        TEST_STAGED(the_robot_of_the_page_drives_a_square),
        TEST_STAGED(the_bridge_in_python_gives_the_bytes_of_the_built_in_one),
    };
    return SAMPLE_RUN(tests, more);
}
