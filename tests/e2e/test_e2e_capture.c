/* `--capture` with live drivers, and `ptybot decode` on the result. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "tests/e2e/journal_stage.h"
#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/serial_port.h"
#include "tests/support/stage.h"

/* Runs `ptybot WORDS...` in the folder and returns its exit code; the output is in NAME.out and
 * NAME.err. */
#define PTYBOT(self, name, ...)                                                                    \
    run_ptybot(self, name, (const char *const[]){PTYBOT_BINARY, __VA_ARGS__, NULL})
static int run_ptybot(const struct stage *stage, const char *name, const char *const argv[])
{
    struct program program;
    return program_run(&program, &stage->folder, name, argv);
}

static size_t count_text(const struct stage *stage, const char *name, const char *text)
{
    size_t count = 0;
    char *all = folder_read(&stage->folder, name);
    for (const char *at = all; (at = strstr(at, text)); at += strlen(text))
        count++;
    free(all);
    return count;
}

static void assert_same_files(const struct stage *stage, const char *one, const char *other)
{
    char paths[2][FOLDER_PATH_MAX];
    const char *const compare[] = {"/usr/bin/cmp", folder_path(&stage->folder, one, paths[0]),
                                   folder_path(&stage->folder, other, paths[1]), NULL};
    assert_int_equal(run_ptybot(stage, "cmp", compare), 0);
}

/* A run with an active driver, a wrong baud rate, faults, and an unplugged cable. */
static void make_run(struct stage *stage)
{
    static struct heard heard;
    heard.size = 0;
    // Faster than real time, to keep the test short.
    STAGE_RUN_KOBUKI(stage, "--journal", "j", "--capture", "c.pcapng", "--speed", "4");
    int port = serial_port_await(stage->port);
    serial_port_set(port, B115200);
    journal_drive(port, &heard, 4000);
    serial_port_set(port, B57600);
    journal_drive(port, &heard, 2000);
    serial_port_set(port, B115200);
    stage_do(stage, "kobuki.fault uart=flip rate=0.01");
    journal_drive(port, &heard, 4000);
    stage_do(stage, "kobuki.unplug what=uart");
    WAIT_UNTIL(!path_exists(stage->port) && stage_get(stage, "kobuki.uart.host") == 0);
    close(port);
    stage_end(stage);
}

static void a_replay_captures_the_same_bytes_at_the_same_times(void **state)
{
    struct stage *stage = *state;
    make_run(stage);
    assert_int_equal(REPLAY(stage, "j", "--capture", "again.pcapng"), 0);
    assert_same_files(stage, "c.pcapng", "again.pcapng");
    // A journal is decoded by replaying it.
    assert_int_equal(PTYBOT(stage, "of_capture", "decode", "c.pcapng"), 0);
    assert_int_equal(PTYBOT(stage, "of_journal", "decode", "j"), 0);
    assert_same_files(stage, "of_capture.out", "of_journal.out");
}

static void hosts_bauds_faults_and_frames_are_reported(void **state)
{
    struct stage *stage = *state;
    make_run(stage);
    assert_int_equal(PTYBOT(stage, "d", "decode", "c.pcapng"), 0);
    journal_said(stage, "d.out", "driver connected");
    journal_said(stage, "d.out", "lines DTR RTS CTS DSR DCD");
    journal_said(stage, "d.out", "57600 baud");
    journal_said(stage, "d.out", "framing error (driver and robot have different baud rates)");
    journal_said(stage, "d.out", "parity error (fault flip");
    journal_said(stage, "d.out", "driver disconnected");
    journal_said(stage, "d.out", " -> base_control speed=");
    journal_said(stage, "d.out", " <- basic timestamp=");
    journal_said(stage, "d.out", "bad checksum");
    // For programs: as many objects as lines of text.
    assert_int_equal(PTYBOT(stage, "json", "decode", "--json", "c.pcapng"), 0);
    assert_int_equal(count_text(stage, "json.out", "\"packet\":\"basic\""),
                     count_text(stage, "d.out", " <- basic "));
    assert_int_equal(count_text(stage, "json.out", "\"event\":"),
                     count_text(stage, "d.out", " -- "));
    assert_int_equal(count_text(stage, "json.out", "\"bad\":\"bad checksum\""),
                     count_text(stage, "d.out", " bad checksum: "));
    assert_true(count_text(stage, "json.out", "\"packet\":\"basic\"") > 20);
}

/* A replay writes raw bytes without times, as a logger does: decoding them gives the same
 * frames. */
static void bare_bytes_are_decoded_like_a_capture(void **state)
{
    struct stage *stage = *state;
    make_run(stage);
    assert_int_equal(REPLAY(stage, "j", "--bytes", "sent"), 0);
    assert_int_equal(PTYBOT(stage, "d", "decode", "c.pcapng"), 0);
    assert_int_equal(
        PTYBOT(stage, "raw", "decode", "--raw", "--robot", "kobuki", "sent/kobuki.uart"), 0);
    assert_int_equal(count_text(stage, "raw.out", " <- basic "),
                     count_text(stage, "d.out", " <- basic "));
    // The text log of socat, both directions.
    folder_write(&stage->folder, "log",
                 "> 2026/01/31 23:59:59.250000  length=10 from=0 to=9\n"
                 " aa 55 06 01 04 77 00 00 00 74\n--\n"
                 "< 2026/01/31 23:59:59.260000  length=3 from=0 to=2\n aa 55 09\n--\n");
    assert_int_equal(PTYBOT(stage, "socat", "decode", "--raw", "--robot", "kobuki", "log"), 0);
    journal_said(stage, "socat.out", "1769903999.250000 raw -> base_control speed=119 mm/s");
    journal_said(stage, "socat.out", "1769903999.260000 raw <- cut off: aa 55 09");
    folder_write(&stage->folder, "log", "# me\n(0.5) > aa5506010477 00000074\n0.75 rx zz\n");
    assert_int_equal(PTYBOT(stage, "timed", "decode", "--raw", "--robot", "kobuki", "log"), 0);
    journal_said(stage, "timed.out", "0.500000 raw -> base_control speed=119 mm/s");
    journal_said(stage, "timed.err", "1 lines do not contain bytes");
}

static void a_killed_run_leaves_a_whole_capture(void **state)
{
    struct stage *stage = *state;
    static struct heard heard;
    heard.size = 0;
    STAGE_RUN_KOBUKI(stage, "--capture", "c.pcapng");
    int port = serial_port_await(stage->port);
    serial_port_set(port, B115200);
    journal_drive(port, &heard, 4000);
    program_end(&stage->ptybot, SIGKILL);
    close(port);
    assert_int_equal(PTYBOT(stage, "d", "decode", "c.pcapng"), 0);
    assert_true(count_text(stage, "d.out", " <- basic ") > 20);
}

/* The size of a file is limited: the file ends with a complete block, and the failure is
 * reported. */
static void a_full_disk_does_not_end_the_run(void **state)
{
    struct stage *stage = *state;
    make_run(stage);
    const char *const small[] = {
        "/bin/sh", "-c", "ulimit -f 8; exec " PTYBOT_BINARY " replay j --capture small.pcapng",
        NULL};
    assert_int_equal(run_ptybot(stage, "r", small), 3);
    journal_said(stage, "r.err",
                 "--capture small.pcapng: writing stopped: File too large; "
                 "the run continues");
    journal_said(stage, "r.out", "the same");
    assert_int_equal(PTYBOT(stage, "d", "decode", "small.pcapng"), 0);
    assert_true(count_text(stage, "d.out", " <- basic ") > 5);
}

static void a_reader_that_has_read_enough_ends_decode_without_an_error(void **state)
{
    struct stage *stage = *state;
    struct program shell;
    char line[3 * FOLDER_PATH_MAX];
    assert_int_equal(PTYBOT(stage, "r", "run", "kobuki.yaml", "--for", "100", "--fast", "--capture",
                            "long.pcapng"),
                     0);
    /* With line buffering no data is left at the end whose write would report the reason. */
    static const char *const forms[][2] = {
        {"", "decode long.pcapng"}, {"stdbuf -oL", "decode long.pcapng"}, {"", "decode --json -"}};
    for (size_t i = 0; i < COUNT(forms); i++) {
        snprintf(line, sizeof line,
                 "{ %s %s %s <long.pcapng; echo $? >code; } | head -n 1 >/dev/null", forms[i][0],
                 PTYBOT_BINARY, forms[i][1]);
        assert_int_equal(program_run(&shell, &stage->folder, "shell",
                                     (const char *const[]){"/bin/sh", "-c", line, NULL}),
                         0);
        journal_said(stage, "code", "0\n");
        char *said = program_err(&shell);
        assert_string_equal(said, "");
        free(said);
    }
}

static void mistakes_are_named(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(PTYBOT(stage, "r", "run", "kobuki.yaml", "--capture", "kobuki.yaml"), 3);
    journal_said(stage, "r.err", "exists and is not a pcapng file, so ptybot does not replace it");
    assert_int_equal(PTYBOT(stage, "d", "decode", "kobuki.yaml"), 2);
    journal_said(stage, "d.err", "not a recording");
    assert_int_equal(PTYBOT(stage, "d", "decode", "--raw", "kobuki.yaml"), 2);
    journal_said(stage, "d.err", "--robot is missing");
    assert_int_equal(PTYBOT(stage, "d", "decode", "--raw", "--robot", "kobuki", "/"), 3);
    journal_said(stage, "d.err", "/: Is a directory");
    assert_int_equal(PTYBOT(stage, "d", "decode", "/"), 3);
    journal_said(stage, "d.err", "/: Is a directory");
    assert_int_equal(PTYBOT(stage, "d", "decode", "--raw", "--robot", "kobukki", "kobuki.yaml"), 2);
    journal_said(stage, "d.err", "did you mean 'kobuki'?");
    assert_int_equal(
        PTYBOT(stage, "d", "decode", "--robot", "cobot", "--channel", "blue", "kobuki.yaml"), 2);
    journal_said(stage, "d.err", "bluetooth");
    assert_int_equal(PTYBOT(stage, "d", "describe", "--json", "--markdown"), 2);
    journal_said(stage, "d.err", "exclude each other");
    assert_int_equal(PTYBOT(stage, "d", "describe", "--wireshark", "no/such/place"), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JOURNALED(a_replay_captures_the_same_bytes_at_the_same_times),
        JOURNALED(hosts_bauds_faults_and_frames_are_reported),
        JOURNALED(bare_bytes_are_decoded_like_a_capture),
        JOURNALED(a_killed_run_leaves_a_whole_capture),
        JOURNALED(a_full_disk_does_not_end_the_run),
        JOURNALED(a_reader_that_has_read_enough_ends_decode_without_an_error),
        JOURNALED(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
