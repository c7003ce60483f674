/* `ptybot stress` with small drivers for each robot, good ones and defective ones. Prints the
 * findings, with their number of runs and seconds. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/sample.h"
#include "tests/support/test_stage.h"

static const struct {
    const char *robot, *fault, *only, *finding; /* NULL: no finding */
    bool is_usual; /* the others only in the full test: the same fault in a driver of another robot
                    */
} drivers[] = {
    {"create2", "good", "power-off-large", NULL, true},
    {"create2", "leaves", "SIGTERM-medium", "robot keeps moving", true},
    {"create2", "success", "hangup-medium", "reported success", false},
    {"create2", "blocked", "power-off-large", "did not recover", false},
    {"epuck2", "good", "power-off-large", NULL, false},
    {"epuck2", "leaves", "SIGTERM-medium", "robot keeps moving", false},
    {"epuck2", "crash", "hangup-medium", "crashed", true},
    {"epuck2", "deaf", "hangup-medium", "did not recover", false},
    {"cobot", "good", "power-off-large", NULL, false},
    {"cobot", "crash", "hangup-medium", "crashed", false},
    {"cobot", "success", "hangup-medium", "reported success", false},
    {"cobot", "deaf", "hangup-medium", "did not recover", true},
    {"diff_board", "good", "power-off-large", NULL, false},
    {"diff_board", "blocked", "power-off-large", "did not recover", false},
    {"diff_board", "spin", "hangup-medium", "spins", true},
    {"diff_board", "success", "hangup-medium", "reported success", false},
    {"ros_arduino_bridge", "good", "power-off-large", NULL, false},
    {"ros_arduino_bridge", "blocked", "power-off-large", "did not recover", true},
    {"ros_arduino_bridge", "spin", "hangup-medium", "spins", false},
    {"ros_arduino_bridge", "deaf", "hangup-medium", "did not recover", false},
    {"rplidar_a1", "good", "power-off-large", NULL, true},
    {"rplidar_a1", "blocked", "power-off-large", "did not recover", false},
    {"rplidar_a1", "success", "hangup-medium", "reported success", false},
    {"rplidar_a1", "crash", "hangup-medium", "crashed", false},
    {"ld06", "good", "power-off-large", NULL, false},
    {"ld06", "deaf", "hangup-medium", "did not recover", false},
    {"ld06", "success", "hangup-medium", "reported success", true},
    {"ld06", "crash", "hangup-medium", "crashed", false},
};

/* Drivers of a Kobuki that are defective from the start, and the messages of the baseline. There is
 * no message about a turn in the wrong direction, because ptybot does not know the driver's
 * intention. */
static const struct {
    const char *fault, *said;
    bool is_finding;
    bool is_known; /* by day only test_e2e_stress has it, or a line here for a similar fault */
} kobuki_drivers[] = {
    {"good", "0 of 1 cases failed", false, false},
    {"crash", "finding in the baseline: crashed: SIGSEGV at 0.5", true, true},
    {"exception", "finding in the baseline: crashed: KeyError: 'speed'", true, true},
    {"silence", "the driver never sent a byte", false, false},
    {"hang", "finding in the baseline: hung: no byte read or written from 5.7 s", true, true},
    {"scale", "at most speed 20 mm/s in base_control; its maximum is 0.888 m/s", false, false},
    {"turn_sign", "0 of 1 cases failed", false, false},
    {"endianness", "check the byte order", false, false},
    {"length", "finding in the baseline: unexpected commands: the robot refused 90", true, false},
    {"checksum", "finding in the baseline: unexpected commands: the robot refused 90", true, true},
    {"no_feed", "repeat the command before the watchdog expires", false, false},
    {"baud", "finding in the baseline: serial settings of kobuki.uart: the driver set 57600", true,
     false},
    {"never_raw", "finding in the baseline: serial settings of kobuki.uart: the driver set", true,
     true},
    {"parity", "finding in the baseline: serial settings of kobuki.uart: the driver set", true,
     true},
    {"no_reader", "note on the baseline: driver: kobuki.uart: the driver did not read for", false,
     false},
    {"slow_reader", "note on the baseline: driver: kobuki.uart: the driver read too slow", false,
     true},
    {"forks", "a process that it had started was still running when it exited", false, false},
};

/* The names of the slow cases contain those of the others. */
static int run(struct stage *self, size_t i)
{
    char tmp[FOLDER_PATH_MAX + 8], port[32];
    bool is_good = !drivers[i].finding;
    snprintf(tmp, sizeof tmp, "TMPDIR=%s/tmp", self->folder.path);
    snprintf(port, sizeof port, "{%s}", drivers[i].robot);
    const char *const words[] = {"/usr/bin/env",
                                 tmp,
                                 PTYBOT_BINARY,
                                 "stress",
                                 drivers[i].robot,
                                 "--skip",
                                 "slow",
                                 "--only",
                                 drivers[i].only,
                                 "--only",
                                 is_good ? "hangup-medium" : drivers[i].only,
                                 "--only",
                                 is_good ? "SIGTERM-medium" : drivers[i].only,
                                 "--",
                                 PTYBOT_HOSTS_DIR "/any_driver",
                                 port,
                                 drivers[i].robot,
                                 drivers[i].fault,
                                 NULL};
    program_start(&self->ptybot, &self->folder, "stress", words, self->user);
    return program_wait(&self->ptybot);
}

static void each_robot_has_drivers_that_survive_and_that_do_not(void **state)
{
    struct stage *stage = *state;
    size_t wrong = 0;
    printf("%-20s %-10s %-20s %s\n", "robot", "driver", "finding", "cases and seconds");
    for (size_t i = 0; i < COUNT(drivers); i++) {
        if (!drivers[i].is_usual && !sample_is_whole())
            continue;
        char line[96];
        const char *finding = drivers[i].finding;
        int code = run(stage, i);
        snprintf(line, sizeof line, "finding 1: %s (1 case)", finding ? finding : "");
        char *out = program_out(&stage->ptybot);
        const char *last = strstr(out, " cases failed; ");
        while (last && last > out && last[-1] != '\n')
            last--;
        printf("%-20s %-10s %-20s %s", drivers[i].robot, drivers[i].fault, finding ? finding : "-",
               last ? last : "no case\n");
        bool is_right = finding ? code == 1 && strstr(out, line) : code == 0;
        if (!is_right)
            printf("expected otherwise:\n%s\n", out);
        wrong += !is_right;
        free(out);
    }
    assert_int_equal(wrong, 0);
}

static void the_baseline_says_what_is_wrong_from_the_start(void **state)
{
    struct stage *stage = *state;
    char tmp[FOLDER_PATH_MAX + 8];
    size_t wrong = 0;
    snprintf(tmp, sizeof tmp, "TMPDIR=%s/tmp", stage->folder.path);
    for (size_t i = 0; i < COUNT(kobuki_drivers); i++) {
        if (kobuki_drivers[i].is_known && !sample_is_whole())
            continue;
        const char *const words[] = {"/usr/bin/env",
                                     tmp,
                                     PTYBOT_BINARY,
                                     "stress",
                                     "kobuki",
                                     "--only",
                                     "SIGTERM-medium",
                                     "--",
                                     PTYBOT_HOSTS_DIR "/broken_driver",
                                     kobuki_drivers[i].fault,
                                     NULL};
        program_start(&stage->ptybot, &stage->folder, "stress", words, stage->user);
        int code = program_wait(&stage->ptybot);
        char *out = program_out(&stage->ptybot);
        bool is_right = code == kobuki_drivers[i].is_finding && strstr(out, kobuki_drivers[i].said);
        if (!is_right)
            printf("%s: expected otherwise, exit %d:\n%s\n", kobuki_drivers[i].fault, code, out);
        wrong += !is_right;
        free(out);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_STAGED(the_baseline_says_what_is_wrong_from_the_start),
        TEST_STAGED(each_robot_has_drivers_that_survive_and_that_do_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
