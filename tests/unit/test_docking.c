/* Docking from many places, with bytes only, in lockstep. Poses have fixed seeds. A robot inside
 * the dock's light that detects some of it within one turn must dock. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/angle.h"
#include "tests/support/dock_trial.h"
#include "tests/support/sample.h"

enum { INSIDE = SAMPLE_OF(240), OUTSIDE = 50, QUIET = SAMPLE_OF(40), IN_FRONT = SAMPLE_OF(40) };

static void describe(const char *how, struct pose start, struct dock_outcome outcome)
{
    print_error("%s from (%.3f, %.3f) before the face, heading %.0f deg: ends at (%.3f, %.3f), "
                "heading %.0f deg, after %.0f s and %u bumps\n",
                how, start.x_m - dock_trial_face.x, start.y_m - dock_trial_face.y,
                start.heading_rad * 180 / ANGLE_PI, outcome.end.x_m - dock_trial_face.x,
                outcome.end.y_m - dock_trial_face.y, outcome.end.heading_rad * 180 / ANGLE_PI,
                outcome.took_s, outcome.bumps);
}

/* Runs all poses. Reports and counts the robots that detect some light and do not dock. */
static unsigned failures(uint64_t seed, bool is_inside, bool is_noisy, size_t count,
                         unsigned *seeing)
{
    static struct pose poses[INSIDE > OUTSIDE ? INSIDE : OUTSIDE];
    unsigned failed = 0;
    double slowest_s = 0;
    assert_true(count <= sizeof poses / sizeof *poses);
    dock_trial_poses(seed, is_inside, poses, count);
    *seeing = 0;
    for (size_t i = 0; i < count; i++) {
        if (!dock_trial_can_see(poses[i]))
            continue;
        ++*seeing;
        struct dock_outcome outcome = dock_trial_drive(poses[i], is_noisy, true);
        assert_int_equal(outcome.damaged, 0);
        slowest_s = fmax(slowest_s, outcome.took_s);
        if (!outcome.is_charging) {
            failed++;
            describe("not docked", poses[i], outcome);
        }
    }
    print_message(
        "%u of %u poses that see light docked (%zu poses in all), the slowest in %.0f s\n",
        *seeing - failed, *seeing, count, slowest_s);
    return failed;
}

static void every_pose_in_the_light_docks(void **state)
{
    (void)state;
    unsigned seeing;
    const unsigned count = sample_is_whole() ? INSIDE : INSIDE / 2;
    assert_int_equal(failures(1, true, true, count, &seeing), 0);
    assert_true(seeing >= count * 5 / 6);
}

static void every_pose_beside_the_light_that_sees_it_docks(void **state)
{
    (void)state;
    unsigned seeing;
    assert_int_equal(failures(2, false, true, OUTSIDE, &seeing), 0);
    assert_true(seeing < OUTSIDE);
}

static void without_noise_it_docks_as_well(void **state)
{
    (void)state;
    unsigned seeing;
    assert_int_equal(failures(3, true, false, QUIET, &seeing), 0);
}

static void the_same_start_gives_the_same_way_in(void **state)
{
    (void)state;
    struct pose pose;
    dock_trial_poses(5, true, &pose, 1);
    struct dock_outcome first = dock_trial_drive(pose, true, true);
    struct dock_outcome second = dock_trial_drive(pose, true, true);
    assert_true(first.is_charging);
    assert_true(first.took_s == second.took_s && first.end.x_m == second.end.x_m &&
                first.end.y_m == second.end.y_m && first.end.heading_rad == second.end.heading_rad);
}

/* ---- The plain host ---- */

static void a_host_that_only_knows_what_in_front_means_docks_from_in_front(void **state)
{
    (void)state;
    struct pose poses[IN_FRONT];
    unsigned failed = 0;
    dock_trial_poses_in_front(poses, IN_FRONT);
    for (int i = 0; i < IN_FRONT; i++) {
        struct dock_outcome outcome = dock_trial_straight(poses[i], true);
        failed += !outcome.is_charging;
        if (!outcome.is_charging)
            describe("not docked straight", poses[i], outcome);
    }
    assert_int_equal(failed, 0);
}

/* Behavior of the vendor's program according to docs/hosts/kobuki.md. The dock looks along x. */
static void the_vendors_program_turns_for_ever_outside_the_light(void **state)
{
    (void)state;
    const struct pose behind = {dock_trial_face.x + 0.8, dock_trial_face.y + 2.8, 0};
    assert_false(dock_trial_can_see(behind));
    struct dock_outcome outcome = dock_trial_drive(behind, false, false);
    assert_false(outcome.is_charging);
    assert_true(outcome.took_s >= DOCK_TRIAL_LIMIT_S);
    assert_true(hypot(outcome.end.x_m - behind.x_m, outcome.end.y_m - behind.y_m) < 0.05);
}

/* It docks from three of the four such starts. */
static void the_vendors_program_drives_past_from_2_m_20_degrees_aside_looking_away(void **state)
{
    (void)state;
    unsigned passed_by = 0;
    for (int side = -1; side <= 1; side += 2)
        for (int look = -1; look <= 1; look += 2) {
            double aside_rad = side * 20 * ANGLE_PI / 180;
            const struct pose start = {dock_trial_face.x + 2 * cos(aside_rad),
                                       dock_trial_face.y + 2 * sin(aside_rad),
                                       ANGLE_PI + aside_rad + look * ANGLE_PI / 2};
            struct dock_outcome outcome = dock_trial_drive(start, false, false);
            assert_true(outcome.is_charging || (side == 1 && look == 1));
            passed_by += !outcome.is_charging;
        }
    assert_int_equal(passed_by, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_vendors_program_turns_for_ever_outside_the_light),
        cmocka_unit_test(the_vendors_program_drives_past_from_2_m_20_degrees_aside_looking_away),
        cmocka_unit_test(every_pose_in_the_light_docks),
        cmocka_unit_test(every_pose_beside_the_light_that_sees_it_docks),
        cmocka_unit_test(without_noise_it_docks_as_well),
        cmocka_unit_test(the_same_start_gives_the_same_way_in),
        cmocka_unit_test(a_host_that_only_knows_what_in_front_means_docks_from_in_front),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
