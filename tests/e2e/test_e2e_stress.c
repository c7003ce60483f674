/* `ptybot stress`: its verdicts on drivers that handle a hangup badly, its exit codes and files. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/sample.h"
#include "tests/support/test_stage.h"

#define DRIVER PTYBOT_HOSTS_DIR "/broken_driver"

/* Runs `ptybot stress kobuki WORDS...`; returns the exit code. */
#define STRESS(self, ...)                                                                          \
    stress_run(self, (const char *const[]){"stress", "kobuki", __VA_ARGS__, NULL})
static int stress_run(struct stage *self, const char *const words[])
{
    char tmp[FOLDER_PATH_MAX + 8];
    const char *all[24] = {"/usr/bin/env", tmp, PTYBOT_BINARY};
    snprintf(tmp, sizeof tmp, "TMPDIR=%s/tmp", self->folder.path);
    for (size_t i = 0; words[i]; i++) {
        assert_true(i + 4 < COUNT(all));
        all[i + 3] = words[i];
    }
    program_start(&self->ptybot, &self->folder, "stress", all, self->user);
    return program_wait(&self->ptybot);
}

static void a_good_driver_survives(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(STRESS(stage, "--only", "uart-drop", "--only", "SIGTERM", "--only",
                            "off-at-first", "--", DRIVER, "good"),
                     0);
    test_stage_said(stage, "baseline: exits with 0 at 4.5 s; 20 commands/s");
    test_stage_said(stage, "; robots have stopped\n");
    test_stage_said(stage, "kobuki.uart drop-byte");
    test_stage_said(stage, "driver SIGTERM");
    test_stage_said(stage, "0 of 16 cases failed");
    test_stage_said(stage, "The driver ends at 4.5 s, too early to judge its recovery in ");
    test_stage_said(stage, "  ended early  ");
    test_stage_nothing_left(stage);
}

static void a_driver_that_handles_a_hang_up_badly_has_a_finding(void **state)
{
    static const struct {
        const char *fault, *finding, *found;
    } drivers[] = {
        {"late_crash", "finding 1: crashed (1 case)", "SIGSEGV at 1."},
        {"late_success", "finding 1: reported success (1 case)", "exited with 0 at 1."},
        {"late_spin", "finding 1: spins (1 case)", "it did not wait"},
        {"late_spin_clock", "finding 1: spins (1 case)", "it did not wait"},
        {"late_deaf", "finding 1: did not recover (1 case)", "it sends 0 commands/s"},
    };
    struct stage *stage = *state;
    /* By day test_e2e_stress_robots covers the others, with other robots. */
    size_t count = sample_is_whole() ? COUNT(drivers) : 2;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(
            STRESS(stage, "--only", "uart-hangup-medium", "--", DRIVER, drivers[i].fault), 1);
        test_stage_said(stage, drivers[i].finding);
        test_stage_said(stage, drivers[i].found);
        test_stage_said(stage, "stress kobuki --only kobuki.uart-hangup-medium -- ");
    }
}

static void accidents_around_the_driver_have_findings(void **state)
{
    static const struct {
        const char *only, *fault, *finding, *found;
    } drivers[] = {
        {"stale-large", "stale", "crashed (1 case)", "SIGSEGV at 3."},
        {"SIGKILL-medium", "locks", "gave up (1 case)", "exited with 5 at 1.8"},
        {"uart-gone", "late_success", "reported success (1 case)", "exited with 0 at 1.8"},
    };
    struct stage *stage = *state;
    assert_int_equal(STRESS(stage, "--only", "stale", "--only", "SIGKILL", "--only", "uart-gone",
                            "--only", "wake-order", "--", DRIVER, "good"),
                     0);
    test_stage_said(stage, "0 of 10 cases failed");
    for (size_t i = 0; i < COUNT(drivers); i++) {
        assert_int_equal(STRESS(stage, "--only", drivers[i].only, "--", DRIVER, drivers[i].fault),
                         1);
        test_stage_said(stage, drivers[i].finding);
        test_stage_said(stage, drivers[i].found);
    }
}

static void a_leak_counts_in_any_process_of_the_driver(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(
        STRESS(stage, "--only", "reconnects", "--", "sh", "-c", DRIVER " late_leak; exit $?"), 1);
    test_stage_said(stage, "finding 1: leaks (1 case)");
}

static void nothing_is_left_of_bad_drivers(void **state)
{
    static const char *const faults[] = {"daemon",    "forks",     "hang",     "crash",
                                         "late_deaf", "late_leak", "late_spin"};
    struct stage *stage = *state;
    /* By day only the drivers that leave processes behind, and the hang. */
    size_t count = sample_is_whole() ? COUNT(faults) : 3;
    folder_write(&stage->folder, "noting.sh", "%s", NOTE "exec " DRIVER " $1\n");
    for (size_t i = 0; i < count; i++) {
        bool does_leak = strcmp(faults[i], "late_leak") == 0;
        STRESS(stage, "--only", does_leak ? "reconnects" : "uart-hangup-large", "--out", "out",
               "--", "sh", "noting.sh", faults[i]);
        test_stage_nothing_left(stage);
    }
}

static void a_baseline_that_fails_is_the_finding(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(STRESS(stage, "--", DRIVER, "crash"), 1);
    test_stage_said(stage, "finding in the baseline: crashed: SIGSEGV at 0.5");
    assert_int_equal(STRESS(stage, "--only", "battery-low", "--", DRIVER, "hang"), 1);
    test_stage_said(stage, "finding in the baseline: hung: no byte read or written from ");
    assert_int_equal(STRESS(stage, "--only", "battery-low", "--", DRIVER, "checksum"), 1);
    test_stage_said(stage, "note on the baseline: wire: kobuki.uart: 90 frames came, 0 understood");
}

static void a_driver_that_does_nothing_is_refused(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(STRESS(stage, "--only", "battery-low", "--", DRIVER, "listens_only"), 1);
    test_stage_said(stage, "finding in the baseline: hung: it sends nothing from 0.");
    test_stage_said(stage, "ptybot runs no further case");
    assert_int_equal(
        STRESS(stage, "--only", "battery-low", "--listens", "--", DRIVER, "listens_only"), 0);
    test_stage_said(stage, "0 of 1 cases failed");
    assert_int_equal(STRESS(stage, "--only", "battery-low", "--", DRIVER, "absent"), 1);
    test_stage_said(stage, "finding in the baseline: reported success: exited with 0 at 0.");
    assert_int_equal(STRESS(stage, "--only", "battery-low", "--", DRIVER, "exception"), 1);
    test_stage_said(stage, "ptybot runs no further case");
}

static void only_time_that_stands_still_exceeds_the_limit(void **state)
{
    struct stage *stage = *state;
    // It drives for 4.5 s.
    assert_int_equal(STRESS(stage, "--only", "battery-low", "--warp", "1", "--host-timeout", "4",
                            "--", DRIVER, "good"),
                     0);
    // Before it opens the port it computes longer than the limit, as on a busy machine.
    assert_int_equal(
        STRESS(stage, "--only", "battery-low", "--host-timeout", "0.1", "--", "sh", "-c",
               "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; exec " DRIVER " good"),
        0);
    test_stage_said(stage, "0 of 1 cases failed");
    /* The last driver uses a whole processor: not by day. */
    static const char *const hung[] = {"while :; do sleep 10; done", "read line <port",
                                       "while :; do :; done"};
    size_t count = sample_is_whole() ? COUNT(hung) : COUNT(hung) - 1;
    assert_int_equal(mkfifo(folder_path(&stage->folder, "port", (char[FOLDER_PATH_MAX]){0}), 0600),
                     0);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(STRESS(stage, "--only", "battery-low", "--host-timeout", "0.2", "--", "sh",
                                "-c", hung[i]),
                         1);
        test_stage_said(stage, "finding in the baseline: hung: simulated time stood still");
    }
}

static void a_policy_says_what_a_driver_may_do(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(STRESS(stage, "--only", "uart-hangup-medium", "--", DRIVER, "good"), 0);
    test_stage_said(stage, "degrades: exit 4");
    assert_int_equal(
        STRESS(stage, "--only", "uart-hangup-medium", "--policy", "exit", "--", DRIVER, "good"), 0);
    assert_int_equal(STRESS(stage, "--only", "uart-hangup-medium", "--policy", "exit", "--", DRIVER,
                            "late_deaf"),
                     1);
    test_stage_said(stage, "still running (--policy exit)");
    assert_int_equal(
        STRESS(stage, "--only", "uart-hangup-medium", "--policy", "restart", "--", DRIVER, "good"),
        0);
    test_stage_said(stage, "  survives");
}

static void the_printed_command_repeats_a_finding(void **state)
{
    struct stage *stage = *state;
    char tmp[FOLDER_PATH_MAX + 8], command[2048];
    snprintf(tmp, sizeof tmp, "TMPDIR=%s/tmp", stage->folder.path);
    assert_int_equal(STRESS(stage, "--only", "uart-hangup-medium", "--policy", "exit", "--seed",
                            "7", "--wake-order", "3", "--host-delay", "0..1ms", "--host-timeout",
                            "50", "--", "sh", "-c", "echo \"it's $0\"; exec " DRIVER " $0",
                            "late_deaf"),
                     1);
    test_stage_said(stage, "still running (--policy exit)");
    test_stage_said(stage, "  its last line   it's late_deaf\n");
    char *out = program_out(&stage->ptybot);
    char *replay = strstr(out, "  replay          ");
    assert_non_null(replay);
    assert_non_null(strstr(replay, " --host-delay 0..1ms --wake-order 3 --host-timeout 50 -- "));
    replay += strlen("  replay          ptybot ");
    snprintf(command, sizeof command, "exec %s %.*s", PTYBOT_BINARY, (int)strcspn(replay, "\n"),
             replay);
    free(out);
    const char *const words[] = {"/usr/bin/env", tmp, "sh", "-c", command, NULL};
    program_start(&stage->ptybot, &stage->folder, "again", words, stage->user);
    assert_int_equal(program_wait(&stage->ptybot), 1);
    test_stage_said(stage, "still running (--policy exit)");
}

static void only_new_findings_fail(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(STRESS(stage, "--only", "hangup", "--results", "old.ndjson", "--junit",
                            "j.xml", "--html", "r.html", "--", DRIVER, "late_crash"),
                     1);
    test_stage_said(stage, "finding 1: crashed (");
    char *results = folder_read(&stage->folder, "old.ndjson");
    assert_non_null(strstr(results, "\"vary\":{\"hardship\":\"kobuki.uart hangup\""));
    free(results);
    char *page = folder_read(&stage->folder, "r.html");
    assert_non_null(strstr(page, "<td class=\"bad\">FAILS: crashed"));
    assert_non_null(strstr(page, "<code>ptybot stress kobuki --only kobuki.uart-hangup-"));
    assert_non_null(strstr(page, "kobuki.uart &lt;- base_control speed=200 mm/s"));
    free(page);
    assert_int_equal(
        STRESS(stage, "--only", "hangup", "--baseline", "old.ndjson", "--", DRIVER, "late_crash"),
        0);
    test_stage_said(stage, ", known)");
    assert_int_equal(
        STRESS(stage, "--only", "hangup", "--baseline", "old.ndjson", "--", DRIVER, "late_success"),
        1);
}

static void a_finding_is_made_smaller_and_kept_as_a_scene(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(STRESS(stage, "--only", "uart-hangup-large", "--minimize", "--out", "out",
                            "--", DRIVER, "late_crash"),
                     1);
    test_stage_said(stage, "  hardship        at=1.8 do=kobuki.fault uart=hangup for=3\n");
    test_stage_said(stage, "  minimal         at=0.0");
    char *scene = folder_read(&stage->folder, "out/finding-1.yaml");
    assert_non_null(strstr(scene, "do: kobuki.fault uart=hangup for=0.0"));
    free(scene);
    assert_int_equal(
        TEST_RUN(stage, "out/finding-1.yaml", "--warp", "max", "--", DRIVER, "late_crash"), 1);
    test_stage_said(stage, "was killed by SIGSEGV");
}

/* The path of a port contains the process ID of ptybot. */
static void exceptions_that_differ_only_in_the_port_are_one_finding(void **state)
{
    struct stage *stage = *state;
    folder_write(&stage->folder, "fails.sh", "%s",
                 DRIVER " good || {\n"
                        "echo 'Traceback (most recent call last):'\n"
                        "echo '  File \"/a/driver.py\", line 6, in <module>'\n"
                        "echo \"OSError: [Errno 5] $PTYBOT_PORT_KOBUKI in pass $$\"; exit 1; }\n");
    assert_int_equal(STRESS(stage, "--only", "uart-hangup", "--", "sh", "fails.sh"), 1);
    test_stage_said(stage, "finding 1: crashed (4 cases)");
    test_stage_said(stage, "; driver.py, line 6, in <module>\n");
}

static void what_a_driver_believes_is_compared(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(STRESS(stage, "--only", "uart-drop-frame-large", "--", DRIVER, "late_belief"),
                     1);
    test_stage_said(stage, "finding 1: wrong estimate (1 case)");
    test_stage_said(stage, " m/s (0.20), ");
}

static void an_estimate_can_come_by_the_control_socket(void **state)
{
    struct stage *stage = *state;
    // The first three runs are the baseline.
    folder_write(&stage->folder, "client.sh", "%s",
                 "echo x >>$0.runs\n"
                 "[ $(wc -l <$0.runs) -le 3 ] || (sleep 2.5; " PTYBOT_BINARY
                 " ctl --control $PTYBOT_CONTROL world.estimate speed_m_s=7) &\n"
                 "exec " DRIVER " good\n");
    assert_int_equal(STRESS(stage, "--only", "uart-delay-small", "--", "sh", "client.sh"), 1);
    test_stage_said(stage, "finding 1: wrong estimate (1 case)");
}

static void a_test_can_expect_an_estimate(void **state)
{
    struct stage *stage = *state;
    test_stage_scene(stage, "a.yaml",
                     "{that: 'abs(world.estimate_speed_m_s - 0.2) < 0.1', within: 4}", "");
    folder_write(&stage->folder, "client.sh", "%s",
                 "(sleep 1; " PTYBOT_BINARY
                 " ctl --control $PTYBOT_CONTROL world.estimate speed_m_s=$1) &\n"
                 "exec " DRIVER " good\n");
    assert_int_equal(TEST_RUN(stage, "a.yaml", "--warp", "max", "--", "sh", "client.sh", "0.2"), 0);
    assert_int_equal(TEST_RUN(stage, "a.yaml", "--warp", "max", "--", "sh", "client.sh", "0.4"), 1);
}

static void random_cases_repeat_by_their_number(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(
        STRESS(stage, "--random", "12", "--only", "random", "--", DRIVER, "late_crash"), 1);
    char *out = program_out(&stage->ptybot);
    char *at = strstr(out, "--random "), number[8] = "", name[32];
    assert_non_null(at);
    sscanf(at, "--random %7s", number);
    snprintf(name, sizeof name, "random-%s", number);
    char *hardship = strstr(out, "  hardship        at="), *end = strchr(hardship, '\n');
    assert_int_equal(STRESS(stage, "--random", number, "--only", name, "--", DRIVER, "late_crash"),
                     1);
    *end = '\0';
    test_stage_said(stage, hardship);
    test_stage_said(stage, "1 of 1 cases failed");
    free(out);
}

static void what_cannot_be_held_runs_in_real_time(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(
        STRESS(stage, "--only", "uart-hangup-large", "--warp", "off", "--", DRIVER, "late_crash"),
        1);
    test_stage_said(stage, "1 cases run in real time, for up to 1 minutes");
    test_stage_said(stage, "finding 1: crashed (1 case)");
}

/* Its firmware ends in each case: after the three runs of the baseline. */
static void cases_that_could_not_run_have_a_reason(void **state)
{
    struct stage *stage = *state;
    folder_write(&stage->folder, "own.yaml", "%s",
                 "firmware: {run: exec python3 ends.py}\n"
                 "body: {shape: disc, radius: 0.1, height: 0.1, mass: 1}\n"
                 "channels: [{name: uart, baud: 115200}]\n");
    folder_write(&stage->folder, "own_scene.yaml", "%s",
                 "world: {size: {x: 4, y: 4}}\n"
                 "robots: [{name: bot, type: ./own.yaml, pose: {x: 2, y: 2}}]\n");
    folder_write(&stage->folder, "ends.py", "%s",
                 "from ptybot.firmware import Firmware\n"
                 "open('runs', 'a').write('x')\n"
                 "class Ends(Firmware):\n"
                 "    def tick(self):\n"
                 "        if self.time_us > 1200000 and len(open('runs').read()) > 3:\n"
                 "            raise KeyError('speed')\n"
                 "Ends().run()\n");
    static const char driver[] =
        "exec 3<>$PTYBOT_PORT_BOT; " SERIAL "for i in 1 2 3 4; do printf x >&3; sleep 0.5; done";
    const char *const words[] = {
        "stress", "own_scene.yaml", "--only", "uart-delay", "--listens", "--", "sh",
        "-c",     driver,           NULL};
    assert_int_equal(stress_run(stage, words), 3);
    test_stage_said(stage, "\nerror 1: could not run (3 cases)\n");
    test_stage_said(stage, "  reason          a robot's firmware answers: bot: its firmware, ");
    test_stage_said(stage, "at 1.201 s: exited with 1; its last line: KeyError: 'speed'");
    char files[FOLDER_PATH_MAX] = "", *out = program_out(&stage->ptybot);
    sscanf(strstr(out, "  files "), "  files %s", files);
    free(out);
    struct stat status;
    assert_int_equal(stat(files, &status), 0);
    test_stage_said(stage, "0 of 3 cases failed, 3 could not run; ");
}

static void what_is_no_campaign_is_refused(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(STRESS(stage, "--only", "nothing"), 2);
    assert_int_equal(STRESS(stage, "--only", "nothing", "--", DRIVER, "good"), 2);
    assert_int_equal(STRESS(stage, "--resume", "--", DRIVER, "good"), 2);
    assert_int_equal(STRESS(stage, "--", "./absent"), 3);
    test_stage_said(stage, "could not run: ");
    test_stage_said(stage, "./absent: No such file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_STAGED(a_good_driver_survives),
        TEST_STAGED(a_baseline_that_fails_is_the_finding),
        TEST_STAGED(only_new_findings_fail),
        TEST_STAGED(a_finding_is_made_smaller_and_kept_as_a_scene),
        TEST_STAGED(exceptions_that_differ_only_in_the_port_are_one_finding),
        TEST_STAGED(what_a_driver_believes_is_compared),
        TEST_STAGED(an_estimate_can_come_by_the_control_socket),
        TEST_STAGED(a_test_can_expect_an_estimate),
        TEST_STAGED(random_cases_repeat_by_their_number),
        TEST_STAGED(cases_that_could_not_run_have_a_reason),
        TEST_STAGED(what_is_no_campaign_is_refused),
    };
    /* They run the code of those above with other drivers. */
    const struct CMUnitTest more[] = {
        TEST_STAGED(a_driver_that_handles_a_hang_up_badly_has_a_finding),
        TEST_STAGED(a_leak_counts_in_any_process_of_the_driver),
        TEST_STAGED(nothing_is_left_of_bad_drivers),
        TEST_STAGED(only_time_that_stands_still_exceeds_the_limit),
        TEST_STAGED(a_policy_says_what_a_driver_may_do),
        TEST_STAGED(the_printed_command_repeats_a_finding),
        TEST_STAGED(what_cannot_be_held_runs_in_real_time),
        TEST_STAGED(accidents_around_the_driver_have_findings),
        TEST_STAGED(a_driver_that_does_nothing_is_refused),
    };
    return SAMPLE_RUN(tests, more);
}
