/* A tap between a robot and its driver. The robot's serial device is a pty with the serial shim: of
 * a running ptybot, or of the test itself, which then acts as the robot. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "app/lab/recording/capture_reader.h"
#include "base/hash.h"
#include "base/modem_lines.h"
#include "base/serial_settings.h"
#include "pty/terminal/pty_link.h"
#include "tests/hosts/kobuki_client.h"
#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/host_libraries.h"
#include "tests/support/serial_port.h"
#include "tests/support/stage.h"

struct tapped {
    struct stage *stage;
    struct program tap;
    char device[FOLDER_PATH_MAX]; /* of the robot */
    char port[FOLDER_PATH_MAX];   /* of the driver */
    char capture[FOLDER_PATH_MAX];
};

static int setup(void **state)
{
    struct tapped *self = calloc(1, sizeof *self);
    void *stage;
    stage_setup(&stage);
    self->stage = stage;
    /* libserialport accepts no name outside /dev. */
    snprintf(self->device, sizeof self->device, "/dev/shm/ptybot-tapped-%ld", (long)getpid());
    snprintf(self->stage->port, sizeof self->stage->port, "%s", self->device);
    folder_path(&self->stage->folder, "port", self->port);
    folder_path(&self->stage->folder, "tap.pcapng", self->capture);
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    struct tapped *self = *state;
    void *stage = self->stage;
    program_cleanup(&self->tap);
    int code = stage_teardown(&stage);
    free(self);
    return code;
}

static void start_tap(struct tapped *self)
{
    const char *const words[] = {"/usr/bin/env", "LD_PRELOAD=" PTYBOT_SHIM,
                                 PTYBOT_BINARY,  "tap",
                                 self->device,   "--as",
                                 "kobuki",       "--port",
                                 self->port,     "--capture",
                                 self->capture,  NULL};
    program_start(&self->tap, &self->stage->folder, "tap", words, 0);
    WAIT_UNTIL(program_has_said(&self->tap, "the driver opens"));
}

static void end_tap(struct tapped *self)
{
    assert_int_equal(program_end(&self->tap, SIGTERM), 0);
    assert_true(program_has_said(&self->tap, " 0 lost"));
}

/* The content of a recording in one direction. */
struct recorded {
    uint64_t size, hash;
};

static void read_recording(const struct tapped *self, struct recorded recorded[2], unsigned *bauds,
                           unsigned *lines_seen)
{
    struct capture_block block;
    struct error error;
    struct capture_reader *reader = capture_reader_open(self->capture, &error);
    if (!reader)
        fail_msg("%s", error.text);
    recorded[0] = recorded[1] = (struct recorded){.hash = HASH_START};
    *bauds = *lines_seen = 0;
    while (capture_reader_next(reader, &block)) {
        if (block.kind == CAPTURE_STATUS && block.baud > 0)
            *bauds = block.baud;
        *lines_seen |= block.lines;
        if (!capture_is_data(&block))
            continue;
        struct recorded *to = &recorded[block.kind == CAPTURE_TO_HOST];
        to->size += block.size;
        to->hash = hash_bytes(to->hash, block.bytes, block.size);
    }
    assert_string_equal(capture_reader_trouble(reader), "");
    assert_string_equal(capture_reader_interface(reader, 0)->name, "kobuki.uart");
    capture_reader_close(reader);
}

/* ---- The test acts as robot and as driver ---- */

struct ends {
    struct byte_link *robot;
    int driver;
};

static void open_ends(struct tapped *self, struct ends *ends)
{
    struct error error = {0};
    const struct byte_link_config config = {.address = self->device, .baud = 115200};
    ends->robot = pty_link_open(&config, &error);
    if (!ends->robot)
        fail_msg("%s", error.text);
    byte_link_set_unread_kept(ends->robot, true);
    start_tap(self);
    ends->driver = open(self->port, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    assert_true(ends->driver >= 0);
    WAIT_UNTIL(program_has_warned(&self->tap, "driver came"));
}

/* Reads at the robot's end; also notices baud rate and modem lines. */
static size_t robot_read(struct ends *ends, uint8_t *bytes, size_t cap)
{
    struct byte_link_event event;
    byte_link_update(ends->robot);
    size_t size = byte_link_read(ends->robot, bytes, cap);
    while (size == 0 && byte_link_next_event(ends->robot, &event))
        size = byte_link_read(ends->robot, bytes, cap);
    return size;
}

enum { MOVED = 1 << 20 };

static void random_bytes_pass_unchanged_both_ways_at_once_and_are_recorded(void **state)
{
    struct tapped *self = *state;
    struct ends ends = {0};
    static uint8_t sent[2][MOVED], got[2][MOVED];
    size_t sent_size[2] = {0}, got_size[2] = {0};
    open_ends(self, &ends);
    for (size_t i = 0; i < MOVED; i++) {
        sent[0][i] = (uint8_t)(hash_bytes(HASH_START, &i, sizeof i) >> 8);
        sent[1][i] = (uint8_t)(hash_bytes(HASH_START, &i, sizeof i) >> 16);
    }
    int64_t end_ms = now_ms() + TEST_TIMEOUT_MS;
    while (got_size[0] + got_size[1] < (size_t)2 * MOVED && now_ms() < end_ms) {
        size_t rest = MOVED - sent_size[0];
        ssize_t size =
            rest > 0 ? write(ends.driver, sent[0] + sent_size[0], rest < 700 ? rest : 700) : 0;
        sent_size[0] += size > 0 ? (size_t)size : 0;
        rest = MOVED - sent_size[1];
        rest = rest < 500 ? rest : 500;
        if (rest > 0 && !byte_link_is_busy(ends.robot) &&
            byte_link_write(ends.robot, sent[1] + sent_size[1], rest))
            sent_size[1] += rest;
        got_size[0] += robot_read(&ends, got[0] + got_size[0], MOVED - got_size[0]);
        size = read(ends.driver, got[1] + got_size[1], MOVED - got_size[1]);
        got_size[1] += size > 0 ? (size_t)size : 0;
    }
    assert_int_equal(got_size[0], MOVED);
    assert_int_equal(got_size[1], MOVED);
    assert_memory_equal(sent[0], got[0], MOVED);
    assert_memory_equal(sent[1], got[1], MOVED);
    close(ends.driver);
    end_tap(self);
    byte_link_close(ends.robot);

    struct recorded recorded[2];
    unsigned bauds, lines;
    read_recording(self, recorded, &bauds, &lines);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(recorded[i].size, MOVED);
        assert_true(recorded[i].hash == hash_bytes(HASH_START, sent[i], MOVED));
    }
}

static void the_drivers_baud_is_set_at_the_device_and_recorded(void **state)
{
    struct tapped *self = *state;
    struct ends ends = {0};
    struct termios mode;
    uint8_t byte;
    open_ends(self, &ends);
    assert_int_equal(tcgetattr(ends.driver, &mode), 0);
    assert_int_equal(cfsetspeed(&mode, B57600), 0);
    assert_int_equal(tcsetattr(ends.driver, TCSANOW, &mode), 0);
    WAIT_UNTIL((robot_read(&ends, &byte, 1), byte_link_host_settings(ends.robot).baud == 57600));
    close(ends.driver);
    end_tap(self);
    byte_link_close(ends.robot);
    struct recorded recorded[2];
    unsigned bauds, lines;
    read_recording(self, recorded, &bauds, &lines);
    assert_int_equal(bauds, 57600);
    assert_int_equal(lines & MODEM_HOST_LINES, MODEM_HOST_LINES);
}

/* A pty drops PARENB and keeps the other flags, so parity is visible only if it is odd. */
static void
the_drivers_parity_and_stop_bits_are_set_at_the_device_and_come_back_with_it(void **state)
{
    struct tapped *self = *state;
    struct ends ends = {0};
    struct termios mode;
    struct error error;
    uint8_t byte;
    const uint32_t wanted =
        (uint32_t)SERIAL_PARITY_ODD << SERIAL_PARITY_SHIFT | SERIAL_TWO_STOP_BITS;
    open_ends(self, &ends);
    assert_int_equal(tcgetattr(ends.driver, &mode), 0);
    cfmakeraw(&mode);
    assert_int_equal(cfsetspeed(&mode, B57600), 0);
    mode.c_cflag |= PARENB | PARODD | CSTOPB;
    assert_int_equal(tcsetattr(ends.driver, TCSANOW, &mode), 0);
    WAIT_UNTIL((robot_read(&ends, &byte, 1),
                (byte_link_host_settings(ends.robot).mode & SERIAL_FRAMING) == wanted));
    byte_link_unplug(ends.robot);
    WAIT_UNTIL(program_has_warned(&self->tap, "has disappeared; waiting"));
    assert_true(byte_link_replug(ends.robot, &error));
    WAIT_UNTIL(program_has_warned(&self->tap, "is connected again"));
    WAIT_UNTIL((robot_read(&ends, &byte, 1),
                (byte_link_host_settings(ends.robot).mode & SERIAL_FRAMING) == wanted));
    mode.c_cflag &= ~(tcflag_t)(PARENB | PARODD | CSTOPB);
    assert_int_equal(tcsetattr(ends.driver, TCSANOW, &mode), 0);
    WAIT_UNTIL((robot_read(&ends, &byte, 1),
                (byte_link_host_settings(ends.robot).mode & SERIAL_FRAMING) == 0));
    close(ends.driver);
    end_tap(self);
    byte_link_close(ends.robot);
}

static void a_device_that_is_lost_and_returns_goes_on(void **state)
{
    struct tapped *self = *state;
    struct ends ends = {0};
    struct error error;
    uint8_t byte = 0;
    open_ends(self, &ends);
    byte_link_unplug(ends.robot);
    WAIT_UNTIL(program_has_warned(&self->tap, "has disappeared; waiting"));
    assert_true(byte_link_replug(ends.robot, &error));
    WAIT_UNTIL(program_has_warned(&self->tap, "is connected again"));
    assert_int_equal(write(ends.driver, "x", 1), 1);
    WAIT_UNTIL(robot_read(&ends, &byte, 1) == 1);
    assert_int_equal(byte, 'x');
    close(ends.driver);
    end_tap(self);
    byte_link_close(ends.robot);
}

/* The link to the device may point anywhere when the tap looks for the device again. */
static void a_device_that_leads_to_the_port_of_the_tap_is_not_opened(void **state)
{
    struct tapped *self = *state;
    struct ends ends = {0};
    struct error error;
    uint8_t byte = 0;
    open_ends(self, &ends);
    byte_link_unplug(ends.robot);
    WAIT_UNTIL(program_has_warned(&self->tap, "has disappeared; waiting"));
    assert_int_equal(symlink(self->port, self->device), 0);
    WAIT_UNTIL(program_has_warned(&self->tap, "the port for the driver: give the device of the"));
    assert_int_equal(unlink(self->device), 0);
    assert_true(byte_link_replug(ends.robot, &error));
    WAIT_UNTIL(program_has_warned(&self->tap, "is connected again"));
    assert_int_equal(write(ends.driver, "x", 1), 1);
    WAIT_UNTIL(robot_read(&ends, &byte, 1) == 1);
    assert_int_equal(byte, 'x');
    close(ends.driver);
    end_tap(self);
    byte_link_close(ends.robot);
}

/* ---- A running robot, and programs as its driver ---- */

static void a_driver_with_modem_lines_finds_the_robots_through_the_tap(void **state)
{
    struct tapped *self = *state;
    struct program driver;
    need_python_with_pyserial(self->stage);
    stage_write_kobuki(self->stage, "", "");
    STAGE_RUN_KOBUKI(self->stage, "--speed", "1");
    start_tap(self);
    WAIT_UNTIL(stage_get(self->stage, "kobuki.uart.dtr") == 0);
    const char *const words[] = {
        "/usr/bin/env",     "LD_PRELOAD=" PTYBOT_SHIM,
        "/usr/bin/python3", PTYBOT_SOURCE_DIR "/tests/hosts/modem_pyserial.py",
        self->port,         NULL};
    program_start(&driver, &self->stage->folder, "driver", words, 0);
    WAIT_UNTIL(program_has_said(&driver, "ready") || !program_is_running(&driver));
    WAIT_UNTIL(stage_get(self->stage, "kobuki.uart.dtr") == 0);
    WAIT_UNTIL(stage_get(self->stage, "kobuki.uart.rts") == 1);
    stage_do(self->stage, "kobuki.modem what=uart cts=off");
    WAIT_UNTIL(program_has_said(&driver, "cts went off") || !program_is_running(&driver));
    WAIT_UNTIL(stage_get(self->stage, "kobuki.uart.dtr") == 1);
    stage_do(self->stage, "kobuki.modem what=uart ri=on");
    int code = program_wait(&driver);
    if (code != 0)
        fail_msg("%s", program_err(&driver));
    WAIT_UNTIL(stage_get(self->stage, "kobuki.uart.dtr") == 0);
    end_tap(self);
    stage_end(self->stage);
    struct recorded recorded[2];
    unsigned bauds, lines;
    read_recording(self, recorded, &bauds, &lines);
    assert_int_equal(lines, MODEM_HOST_LINES | MODEM_ROBOT_LINES);
}

static void a_square_driven_through_the_tap_is_recorded_whole(void **state)
{
    struct tapped *self = *state;
    struct program driver;
    stage_write_kobuki(self->stage, "", "");
    STAGE_RUN_KOBUKI(self->stage, "--speed", "4");
    start_tap(self);
    const char *const words[] = {PTYBOT_HOSTS_DIR "/kobuki_square", self->port, NULL};
    assert_int_equal(program_run(&driver, &self->stage->folder, "driver", words), 0);
    assert_true(program_has_said(&driver, " 0 of them damaged, 0 stray bytes, 0 parts unknown"));
    end_tap(self);
    struct recorded recorded[2];
    unsigned bauds, lines;
    read_recording(self, recorded, &bauds, &lines);
    assert_true(stage_get(self->stage, "kobuki.uart.from_host_bytes") == (double)recorded[0].size);
    assert_true(recorded[1].size > 10000);
    stage_end(self->stage);
}

/* ---- A long drive, byte by byte at four places: driver, tap, robot ---- */

enum { STREAM_MAX = 1 << 24 }; /* more than the bytes of ten minutes */

struct stream {
    uint8_t bytes[STREAM_MAX];
    size_t size;
};

static void stream_add(struct stream *to, const uint8_t *bytes, size_t size)
{
    assert_true(size <= STREAM_MAX - to->size);
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

/* The content of a recording, by direction; 0: to the robot. */
static void read_streams(const char *path, struct stream streams[2])
{
    struct capture_block block;
    struct error error;
    struct capture_reader *reader = capture_reader_open(path, &error);
    if (!reader)
        fail_msg("%s", error.text);
    streams[0].size = streams[1].size = 0;
    while (capture_reader_next(reader, &block))
        if (capture_is_data(&block))
            stream_add(&streams[block.kind == CAPTURE_TO_HOST], block.bytes, block.size);
    assert_string_equal(capture_reader_trouble(reader), "");
    capture_reader_close(reader);
}

/* Checks that the bytes of PART are the last bytes of WHOLE. */
static void assert_ends_with(const struct stream *whole, const struct stream *part)
{
    assert_true(part->size > 0 && part->size <= whole->size);
    assert_memory_equal(whole->bytes + whole->size - part->size, part->bytes, part->size);
}

static void hear(int port, struct stream *heard, int timeout_ms)
{
    uint8_t bytes[4096];
    int size = serial_port_read(port, bytes, sizeof bytes, timeout_ms);
    assert_true(size >= 0);
    stream_add(heard, bytes, (size_t)size);
}

/* Turns on the spot for SECONDS, in real time: one command for each received packet. */
static void drive(int port, int seconds, struct stream *heard, struct stream *said)
{
    int64_t end_ms = now_ms() + seconds * INT64_C(1000);
    for (unsigned i = 0; now_ms() < end_ms; i++) {
        uint8_t command[KOBUKI_COMMAND_MAX];
        hear(port, heard, TEST_TIMEOUT_MS);
        size_t size = kobuki_base_control(command, (int16_t)(i % 500), 1);
        assert_true(serial_port_write(port, command, size));
        stream_add(said, command, size);
    }
}

/* PTYBOT_TAP_SECONDS: the duration; ./dev nightly tap takes ten minutes. */
static void a_long_drive_is_the_same_at_both_ends_and_in_both_recordings(void **state)
{
    struct tapped *self = *state;
    static struct stream heard, said, tapped[2], simulated[2];
    const char *seconds = getenv("PTYBOT_TAP_SECONDS");
    char capture[FOLDER_PATH_MAX], summary[64];
    heard.size = said.size = 0;
    stage_write_kobuki(self->stage, "", "");
    STAGE_RUN_KOBUKI(self->stage, "--capture", "run.pcapng");
    start_tap(self);
    int port = serial_port_open(self->port);
    assert_true(port >= 0);
    serial_port_set(port, B115200);
    drive(port, seconds ? atoi(seconds) : 2, &heard, &said);
    // The robot stops sending, and data on the wire arrives.
    WAIT_UNTIL(stage_get(self->stage, "kobuki.uart.from_host_bytes") == (double)said.size);
    assert_int_equal(STAGE_CTL(self->stage, "pause"), 0);
    for (size_t before = 0; before != heard.size; hear(port, &heard, 1000))
        before = heard.size;
    end_tap(self);
    snprintf(summary, sizeof summary, "%zu bytes to the robot, %zu to the driver", said.size,
             heard.size);
    if (!program_has_said(&self->tap, summary))
        fail_msg("\"%s\" is not in: %s", summary, program_out(&self->tap));
    close(port);
    stage_end(self->stage);
    read_streams(self->capture, tapped);
    read_streams(folder_path(&self->stage->folder, "run.pcapng", capture), simulated);
    // To the robot all bytes; to the driver those since it connected, and to the tap those since
    // the tap connected.
    assert_int_equal(tapped[0].size, said.size);
    assert_int_equal(simulated[0].size, said.size);
    assert_memory_equal(tapped[0].bytes, said.bytes, said.size);
    assert_memory_equal(simulated[0].bytes, said.bytes, said.size);
    assert_ends_with(&tapped[1], &heard);
    assert_ends_with(&simulated[1], &tapped[1]);
    print_message("%zu and %zu bytes, equal at four places\n", said.size, heard.size);
}

static void expect_refusal(const struct tapped *self, const char *const words[], int code,
                           const char *text)
{
    struct program tap;
    int found = program_run(&tap, &self->stage->folder, "refused", words);
    if (!program_has_warned(&tap, text))
        fail_msg("\"%s\" does not tell \"%s\"", program_err(&tap), text);
    assert_int_equal(found, code);
}

static void what_cannot_be_tapped_is_said_with_the_remedy(void **state)
{
    struct tapped *self = *state;
    static const char program[] = PTYBOT_BINARY;
    expect_refusal(self, (const char *const[]){program, "tap", NULL}, 2, "serial device");
    expect_refusal(self, (const char *const[]){program, "tap", "/dev/ttyX", NULL}, 2,
                   "--as is missing");
    expect_refusal(self, (const char *const[]){program, "tap", "/dev/ttyX", "--as", "kobki", NULL},
                   2, "kobuki");
    expect_refusal(self,
                   (const char *const[]){program, "tap", "/dev/ttyX", "--as", "kobuki.usb", NULL},
                   2, "no such serial channel");
    expect_refusal(self, (const char *const[]){program, "tap", "/dev/ttyX", "--as", "kobuki", NULL},
                   3, "there is no such device");
    expect_refusal(self, (const char *const[]){program, "tap", "/dev/null", "--as", "kobuki", NULL},
                   3, "not a serial device");
}

#define TAPPED(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(int count, char **words)
{
    if (count > 1)
        cmocka_set_test_filter(words[1]);
    const struct CMUnitTest tests[] = {
        TAPPED(random_bytes_pass_unchanged_both_ways_at_once_and_are_recorded),
        TAPPED(the_drivers_baud_is_set_at_the_device_and_recorded),
        TAPPED(the_drivers_parity_and_stop_bits_are_set_at_the_device_and_come_back_with_it),
        TAPPED(a_device_that_is_lost_and_returns_goes_on),
        TAPPED(a_device_that_leads_to_the_port_of_the_tap_is_not_opened),
        TAPPED(a_driver_with_modem_lines_finds_the_robots_through_the_tap),
        TAPPED(a_square_driven_through_the_tap_is_recorded_whole),
        TAPPED(a_long_drive_is_the_same_at_both_ends_and_in_both_recordings),
        TAPPED(what_cannot_be_tapped_is_said_with_the_remedy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
