/* Estimates in the output of a driver, among any other output. */
#define _GNU_SOURCE
#include "app/test/survival.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/parse/scene_parse.h"
#include "tests/support/check.h"

struct rig {
    struct scene *scene;
    struct live live;
    struct sim *sim;
    struct estimate estimate;
    int log;
    char path[64];
};

static int set_up(void **state)
{
    struct rig *rig = calloc(1, sizeof *rig);
    struct error error = {0};
    rig->scene = scene_of_type("kobuki", &error);
    assert_non_null(rig->scene);
    assert_true(live_open(&rig->live, rig->scene, &error));
    rig->sim = sim_create(rig->scene, NULL, NULL, &error);
    assert_non_null(rig->sim);
    rig->log = memfd_create("log", MFD_CLOEXEC);
    assert_true(rig->log >= 0);
    snprintf(rig->path, sizeof rig->path, "/proc/self/fd/%d", rig->log);
    *state = rig;
    return 0;
}

static int tear_down(void **state)
{
    struct rig *rig = *state;
    close(rig->log);
    sim_destroy(rig->sim);
    live_close(&rig->live);
    scene_destroy(rig->scene);
    free(rig);
    return 0;
}

/* The error of the speed after the driver has printed BYTES. The robot does not move. */
static double speed_after(struct rig *rig, const char *bytes, size_t size)
{
    assert_int_equal(write(rig->log, bytes, size), size);
    return estimate_update(&rig->estimate, rig->sim, &rig->live, rig->path).speed_m_s;
}
#define SPEED_AFTER(rig, text) speed_after(rig, text, sizeof(text) - 1)
#define SAYS                   "ptybot estimate x_m=1 y_m=2 speed_m_s=0.5\n"

static void a_line_counts_when_it_has_ended(void **state)
{
    struct rig *rig = *state;
    assert_true(SPEED_AFTER(rig, "ptybot estimate speed_m_s=0") == 0);
    assert_true(SPEED_AFTER(rig, ".5") == 0);
    assert_true(SPEED_AFTER(rig, "\nand so on") == 0.5);
}

static void long_lines_and_zeros_hide_no_later_estimate(void **state)
{
    struct rig *rig = *state;
    static char line[100000];
    memset(line, 'x', sizeof line);
    assert_true(speed_after(rig, line, sizeof line) == 0);
    assert_true(SPEED_AFTER(rig, "\n" SAYS) == 0.5);
    /* A hole in a log of gigabytes is read as NUL bytes. */
    memset(line, '\0', sizeof line);
    assert_true(speed_after(rig, line, sizeof line) == 0.5);
    assert_true(SPEED_AFTER(rig, "\nptybot estimate speed_m_s=0.25\n") == 0.25);
}

static void what_is_no_number_in_bounds_is_no_estimate(void **state)
{
    static const char *const wrong[] = {"nan", "inf", "-inf", "1e308", "-1e9", "", "fast", "=5"};
    struct rig *rig = *state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char line[160];
        int size = snprintf(line, sizeof line,
                            "ptybot estimate x_m=%s y_m=%s speed_m_s=%s turn_deg_s=%s\n", wrong[i],
                            wrong[i], wrong[i], wrong[i]);
        assert_true(SPEED_AFTER(rig, SAYS) == 0.5);
        assert_true(speed_after(rig, line, (size_t)size) == 0);
        const struct estimate_error error =
            estimate_update(&rig->estimate, rig->sim, &rig->live, rig->path);
        assert_true(error.position_m == 0 && error.turn_deg_s == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_line_counts_when_it_has_ended, set_up, tear_down),
        cmocka_unit_test_setup_teardown(long_lines_and_zeros_hide_no_later_estimate, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_number_in_bounds_is_no_estimate, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
