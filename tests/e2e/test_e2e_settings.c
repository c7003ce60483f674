/* Drivers that configure their port wrongly, which a pseudo-terminal tolerates and a real port does
 * not; and a machine that is too busy. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/test_stage.h"

#define OPEN "exec 3<>$PTYBOT_PORT_KOBUKI; "
#define SAY  "printf " DRIVE " >&3; "

/* Stops ptybot, so that it is late on every machine. A process on the machine's clock continues it:
 * a process in virtual time would wait for ptybot. */
#define STOP                                                                                       \
    "ptybot=" PTYBOT_PID                                                                           \
    "; LD_PRELOAD= sh -c \"kill -STOP $ptybot; sleep 0.5; kill -CONT $ptybot\"; "

/* Runs the shell LINE as driver of a scene with EXPECT and with MORE for its link. */
static int run(struct stage *stage, const char *line, const char *expect, const char *more)
{
    folder_write(&stage->folder, "s.yaml",
                 "world: {size: {x: 20, y: 20}}\n"
                 "robots:\n"
                 "  - {name: kobuki, type: kobuki, pose: {x: 10, y: 10}, links: [{%s}]}\n"
                 "expect: [%s]\n",
                 more, expect);
    return TEST_RUN(stage, "s.yaml", "--junit", "j.xml", "--out", "out", "--", "sh", "-c", line);
}

/* ---- Settings ---- */

static void each_wrong_setting_fails_and_is_named(void **state)
{
    struct stage *stage = *state;
    static const struct {
        const char *host, *found;
    } wrong[] = {
        {OPEN SAY,
         "the driver set no settings, and a real port starts with 9600 baud, 8N1, not raw "
         "(ICANON, ECHO, ISIG, ICRNL, IXON, OPOST); the robot has 115200 baud, 8N1, raw"},
        {OPEN "stty 115200 <&3; " SAY,
         "the driver set 115200 baud, 8N1, not raw (ICANON, ECHO, ISIG, ICRNL, IXON, OPOST)"},
        {OPEN "stty raw -echo <&3; " SAY, "the driver set 9600 baud, 8N1, raw"},
        {OPEN "stty raw -echo 57600 <&3; " SAY, "the driver set 57600 baud, 8N1, raw"},
        {OPEN "stty raw 115200 <&3; " SAY, "the driver set 115200 baud, 8N1, not raw (ECHO)"},
        {OPEN "stty raw -echo icrnl ixon 115200 <&3; " SAY,
         "the driver set 115200 baud, 8N1, not raw (ICRNL, IXON)"},
        {OPEN "stty -icanon -isig -echo -icrnl -ixon 115200 <&3; " SAY,
         "the driver set 115200 baud, 8N1, not raw (OPOST)"},
        {OPEN "stty raw -echo 115200 cstopb <&3; " SAY, "the driver set 115200 baud, 8N2, raw"},
        {OPEN "stty raw -echo 115200 parenb <&3; " SAY, "the driver set 115200 baud, 8E1, raw"},
        {OPEN "stty raw -echo 115200 parenb parodd cs7 <&3; " SAY,
         "the driver set 115200 baud, 7O1, raw"},
        {OPEN "stty raw -echo 57600 <&3; sleep 0.5", "the driver set 57600 baud, 8N1, raw"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(run(stage, wrong[i].host, "", "pty: kobuki"), 1);
        test_stage_said(stage, wrong[i].found);
        test_stage_said(stage, "driver failure: serial settings of kobuki.uart: ");
        test_stage_said(stage, "FAILED   serial settings of kobuki.uart");
        test_stage_junit(stage, "j.xml", "1 suites, 2 cases, 1 failures, 0 errors serial_settings");
    }
}

static void what_says_nothing_of_a_driver_passes(void **state)
{
    struct stage *stage = *state;
    static const char *const right[] = {
        OPEN SERIAL SAY,
        /* First other settings, then the right ones, then those found at the start; stty complains
         * about the last change on every pty. */
        OPEN "old=$(stty -g <&3); stty 9600 <&3; stty 115200 <&3; " SERIAL SAY "sleep 0.3; "
             "stty $old <&3 || :",
        /* Set by a separate program, as in a shell. */
        "stty raw -echo 115200 <$PTYBOT_PORT_KOBUKI; " OPEN SAY,
        /* Only read, before the driver. */
        "stty -a <$PTYBOT_PORT_KOBUKI; " OPEN SERIAL SAY,
        /* ... on a machine that delays it while it reads. */
        "exec 4<$PTYBOT_PORT_KOBUKI; sleep 0.05; " STOP "exec 4<&-; " OPEN SERIAL SAY,
    };
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        int code = run(stage, right[i], "", "pty: kobuki");
        test_stage_said(stage, "passed   serial settings of kobuki.uart");
        test_stage_said(stage, "passed: 2 of 2");
        assert_int_equal(code, 0);
    }
}

static void a_scene_may_turn_it_off_and_tcp_has_no_settings(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(run(stage, OPEN SAY, "", "pty: kobuki, baud_check: 'off'"), 0);
    test_stage_said(stage, "passed: 1 of 1");
    char *said = program_err(&stage->ptybot);
    assert_null(strstr(said, "baud"));
    free(said);
    assert_int_equal(run(stage,
                         "exec python3 -c \"import os, socket; h, p = "
                         "os.environ['PTYBOT_PORT_KOBUKI'].rsplit(':', 1); "
                         "socket.create_connection((h, int(p))).sendall(b'x')\"",
                         "", "tcp: auto"),
                     0);
    test_stage_said(stage, "passed: 1 of 1");
}

static void expectations_may_name_them_and_a_journal_has_them(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(
        run(stage, OPEN "stty raw echo 57600 parenb parodd cs7 cstopb <&3; " SAY,
            "{that: 'kobuki.uart.host_baud == 57600 and kobuki.uart.host_raw == false and "
            "kobuki.uart.host_parity == odd and kobuki.uart.host_data_bits == 7 and "
            "kobuki.uart.host_stop_bits == 2', at_end: true}",
            "pty: kobuki, baud_check: 'off'"),
        0);
    struct program replay;
    int code = program_run(
        &replay, &stage->folder, "replay",
        (const char *const[]){PTYBOT_BINARY, "replay", "out/run.journal", "s.yaml", NULL});
    char *out = program_out(&replay);
    if (code != 0 || !strstr(out, "host_stop_bits = 2"))
        fail_msg("%d: %s", code, out);
    free(out);
}

/* ---- Time ---- */

static void a_machine_that_is_too_busy_is_reported_at_once_and_with_the_verdict(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", STANDS, "");
    /* By the machine's clock: virtual time would wait. */
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--warp", "off", "--junit", "j.xml", "--", "sh",
                              "-c",
                              OPEN SERIAL SAY "sleep 0.2; " STOP "sleep 0.2; "
                                              "\"$PTYBOT\" ctl --control $PTYBOT_CONTROL get "
                                              "world.late_ms world.dropped_s >got"),
                     0);
    test_stage_said(stage, "the machine is too busy for real time: a step was");
    test_stage_said(stage, "machine warning: the machine was too busy for real time");
    test_stage_said(stage, "without --warp off");
    test_stage_said(stage, "passed: 3 of 3, ");
    double late_ms = 0, dropped_s = 0;
    char *got = folder_read(&stage->folder, "got");
    assert_int_equal(
        sscanf(got, "world.late_ms %lf ms world.dropped_s %lf s", &late_ms, &dropped_s), 2);
    free(got);
    assert_true(late_ms > 300 && dropped_s > 0.2);
    char *junit = folder_read(&stage->folder, "j.xml");
    assert_non_null(strstr(junit, "name=\"machine.warning\" value=\"the machine was too busy"));
    free(junit);
}

static void a_clock_that_waits_is_not_late(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "s.yaml", STANDS, "");
    assert_int_equal(TEST_RUN(stage, "s.yaml", "--", "sh", "-c", OPEN SERIAL SAY STOP "sleep 0.2"),
                     0);
    char *out = program_out(&stage->ptybot), *err = program_err(&stage->ptybot);
    assert_null(strstr(out, "too busy"));
    assert_null(strstr(err, "too busy"));
    free(out);
    free(err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_STAGED(each_wrong_setting_fails_and_is_named),
        TEST_STAGED(what_says_nothing_of_a_driver_passes),
        TEST_STAGED(a_scene_may_turn_it_off_and_tcp_has_no_settings),
        TEST_STAGED(expectations_may_name_them_and_a_journal_has_them),
        TEST_STAGED(a_machine_that_is_too_busy_is_reported_at_once_and_with_the_verdict),
        TEST_STAGED(a_clock_that_waits_is_not_late),
    };
    assert_int_equal(setenv("PTYBOT", PTYBOT_BINARY, 1), 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
