/* `ptybot stress`: its verdicts on drivers that handle a hang-up badly, its exit codes and files.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/test_stage.h"

#define DRIVER PTYBOT_HOSTS_DIR "/broken_driver"

/* `ptybot stress kobuki WORDS...`; returns the exit code. */
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
    assert_int_equal(
        STRESS(stage, "--only", "uart-drop", "--only", "SIGTERM", "--", DRIVER, "good"), 0);
    test_stage_said(stage, "baseline: exits with 0 at 4.5 s; 20 commands/s");
    test_stage_said(stage, "kobuki.uart drop-byte");
    test_stage_said(stage, "driver SIGTERM");
    test_stage_said(stage, "0 of 13 cases failed");
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
        {"late_deaf", "finding 1: did not recover (1 case)", "it sends 0 commands/s"},
    };
    struct stage *stage = *state;
    for (size_t i = 0; i < COUNT(drivers); i++) {
        assert_int_equal(
            STRESS(stage, "--only", "uart-hangup-medium", "--", DRIVER, drivers[i].fault), 1);
        test_stage_said(stage, drivers[i].finding);
        test_stage_said(stage, drivers[i].found);
        test_stage_said(stage, "stress kobuki --only kobuki.uart-hangup-medium -- ");
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

static void what_is_no_campaign_is_refused(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(STRESS(stage, "--only", "nothing"), 2);
    assert_int_equal(STRESS(stage, "--only", "nothing", "--", DRIVER, "good"), 2);
    assert_int_equal(STRESS(stage, "--resume", "--", DRIVER, "good"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_STAGED(a_good_driver_survives),
        TEST_STAGED(a_driver_that_handles_a_hang_up_badly_has_a_finding),
        TEST_STAGED(a_baseline_that_fails_is_the_finding),
        TEST_STAGED(a_policy_says_what_a_driver_may_do),
        TEST_STAGED(only_new_findings_fail),
        TEST_STAGED(a_finding_is_made_smaller_and_kept_as_a_scene),
        TEST_STAGED(what_a_driver_believes_is_compared),
        TEST_STAGED(an_estimate_can_come_by_the_control_socket),
        TEST_STAGED(random_cases_repeat_by_their_number),
        TEST_STAGED(what_cannot_be_held_runs_in_real_time),
        TEST_STAGED(what_is_no_campaign_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
