/* The page that the clock shim follows, as the simulation writes it, beside a pacer that is told
 * what a clock would show. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/drivers/warp.h"
#include "pty/shim/clock_shm.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"

#define MS INT64_C(1000000) /* in ns */

struct rig {
    struct folder folder;
    struct warp warp;
    struct pacer pacer;
    struct pace pace;
    int64_t now_ns, steps;
};

static int setup(void **state)
{
    static struct rig rig;
    struct error error;
    rig = (struct rig){.pace.speed = 10};
    folder_make(&rig.folder);
    if (!warp_open(&rig.warp, 10, rig.folder.path, &error))
        fail_msg("%s", error.text);
    pacer_init(&rig.pacer, PACER_REAL_TIME);
    rig.pacer.lag_max_ns = warp_lag_max_ns(10);
    rig.now_ns = rig.warp.origin_ns;
    *state = &rig;
    return 0;
}

static int teardown(void **state)
{
    struct rig *rig = *state;
    warp_close(&rig->warp);
    folder_remove(&rig->folder);
    return 0;
}

static int64_t warped_at(const struct rig *rig, int64_t real_ns)
{
    struct clock_course course;
    clock_shm_get(rig->warp.shm, &course);
    return clock_course_at(&course, real_ns) - rig->warp.origin_ns;
}

/* A turn of the loop: the page is brought in line, then the steps that are due are done, MAX of
 * them at most. */
static void turn(struct rig *rig, int64_t after_ns, int64_t max)
{
    rig->now_ns += after_ns;
    warp_follow(&rig->warp, &rig->pacer, false, rig->now_ns);
    int64_t due = pacer_due(&rig->pacer, &rig->pace, rig->now_ns).steps;
    for (int64_t i = 0; i < due && i < max; i++) {
        pacer_stepped(&rig->pacer, &rig->pace);
        rig->steps++;
    }
    warp_follow(&rig->warp, &rig->pacer, false, rig->now_ns);
}

static void the_clock_runs_at_the_speed_of_the_world(void **state)
{
    struct rig *rig = *state;
    for (int i = 0; i < 1000; i++) {
        turn(rig, MS, INT64_MAX);
        assert_in_range(warped_at(rig, rig->now_ns) - rig->steps * MS, 0, 20 * MS);
    }
    assert_int_equal(rig->pacer.stats.drops, 0);
}

static void it_never_runs_back_nor_far_ahead_however_late_the_world_is(void **state)
{
    struct rig *rig = *state;
    int64_t last_ns = 0, from_ns = rig->now_ns;
    turn(rig, MS, INT64_MAX);
    for (int i = 0; i < 20000; i++) {
        int64_t late_ns = (int64_t)(i * 7919LL % 97) * (i % 13 == 0 ? MS : MS / 20);
        /* Others look while nobody writes, up to the moment of the next turn. */
        for (int64_t poll_ns = 0; poll_ns <= late_ns; poll_ns += late_ns / 3 + 1) {
            int64_t warped_ns = warped_at(rig, rig->now_ns + poll_ns);
            assert_true(warped_ns >= last_ns - 10); /* the rounding of a product */
            assert_true(warped_ns <= (rig->steps + 1) * MS + 100 * MS + 10 * MS);
            last_ns = warped_ns;
        }
        turn(rig, late_ns, i % 5 == 0 ? 7 : INT64_MAX);
    }
    assert_true(rig->pacer.stats.drops > 100);
    /* Nothing was lost: real time is what passed and what was dropped. */
    int64_t real_ns = rig->now_ns - from_ns - rig->pacer.stats.dropped_ns;
    struct clock_course course;
    clock_shm_get(rig->warp.shm, &course);
    assert_in_range((course.warped_ns - rig->warp.origin_ns) +
                        (int64_t)((double)(rig->now_ns - course.real_ns) * course.factor),
                    real_ns * 10 - 1000, real_ns * 10 + 1000);
}

static void it_stands_still_while_nobody_moves_the_world(void **state)
{
    struct rig *rig = *state;
    turn(rig, MS, INT64_MAX);
    int64_t hour_ns = INT64_C(3600000) * MS;
    assert_int_equal(warped_at(rig, rig->now_ns + hour_ns), warped_at(rig, rig->now_ns + 20 * MS));
}

static void it_runs_freely_while_the_world_is_held_or_paused(void **state)
{
    struct rig *rig = *state;
    int64_t hour_ns = INT64_C(3600000) * MS;
    assert_int_equal(warped_at(rig, rig->warp.origin_ns + hour_ns), 10 * hour_ns);
    turn(rig, MS, INT64_MAX);
    int64_t before_ns = warped_at(rig, rig->now_ns);
    warp_follow(&rig->warp, &rig->pacer, true, rig->now_ns);
    assert_int_equal(warped_at(rig, rig->now_ns + MS), before_ns + 10 * MS);
    rig->pace.is_paused = true;
    turn(rig, MS, INT64_MAX);
    assert_int_equal(warped_at(rig, rig->now_ns + hour_ns), before_ns + 10 * (hour_ns + MS));
    rig->pace.is_paused = false;
    rig->now_ns += hour_ns;
    turn(rig, MS, INT64_MAX);
    assert_int_equal(rig->pacer.stats.drops, 0);
    assert_int_equal(warped_at(rig, rig->now_ns), before_ns + 10 * (hour_ns + 2 * MS));
}

static void it_takes_a_new_speed_without_running_back(void **state)
{
    struct rig *rig = *state;
    turn(rig, MS, INT64_MAX);
    int64_t before_ns = warped_at(rig, rig->now_ns);
    rig->pace.speed = 2;
    turn(rig, 0, INT64_MAX);
    assert_true(warped_at(rig, rig->now_ns) >= before_ns);
    turn(rig, MS, INT64_MAX);
    int64_t from_ns = warped_at(rig, rig->now_ns);
    for (int i = 0; i < 100; i++)
        turn(rig, MS, INT64_MAX);
    assert_int_equal(warped_at(rig, rig->now_ns) - from_ns, 200 * MS);
}

static void people_see_what_was_reached(void **state)
{
    struct rig *rig = *state;
    char text[256];
    warp_warning(&rig->warp, &rig->pacer, text, sizeof text);
    assert_non_null(strstr(text, "no process of the driver loaded the clock library"));
    atomic_store(&rig->warp.shm->programs, 1);
    for (int i = 0; i < 1000; i++)
        turn(rig, MS, INT64_MAX);
    warp_warning(&rig->warp, &rig->pacer, text, sizeof text);
    assert_string_equal(text, "");
    /* A tenth of a second a turn, of which a hundredth is caught up. */
    for (int i = 0; i < 1000; i++)
        turn(rig, 100 * MS, INT64_MAX);
    warp_warning(&rig->warp, &rig->pacer, text, sizeof text);
    assert_non_null(strstr(text, "could not reach --warp 10: the simulation ran 1."));
}

static void the_page_goes_with_the_run(void **state)
{
    struct rig *rig = *state;
    struct stat about;
    assert_int_equal(stat(rig->warp.path, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0600);
    warp_close(&rig->warp);
    assert_int_equal(stat(rig->warp.path, &about), -1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_clock_runs_at_the_speed_of_the_world),
        TEST(it_never_runs_back_nor_far_ahead_however_late_the_world_is),
        TEST(it_stands_still_while_nobody_moves_the_world),
        TEST(it_runs_freely_while_the_world_is_held_or_paused),
        TEST(it_takes_a_new_speed_without_running_back),
        TEST(people_see_what_was_reached),
        TEST(the_page_goes_with_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
