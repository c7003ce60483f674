#include "tests/bench/bench_dock.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/angle.h"
#include "tests/support/dock_trial.h"

enum { INSIDE = 240, OUTSIDE = 50, SEED_INSIDE = 1, SEED_OUTSIDE = 2, IN_FRONT = 40 };

struct tally {
    unsigned poses, seeing, docked, docked_seeing;
    double times_s[INSIDE]; /* of the trials that docked */
};

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Prints a start pose that should have led to docking and did not. */
static void tell(const char *name, struct pose start, const struct dock_outcome *outcome)
{
    fprintf(stderr,
            "%s: from x %.3f y %.3f heading %.0f deg before the face: not docked, ends at "
            "x %.3f y %.3f heading %.0f deg after %u bumps\n",
            name, start.x_m - dock_trial_face.x, start.y_m - dock_trial_face.y,
            start.heading_rad * 180 / ANGLE_PI, outcome->end.x_m - dock_trial_face.x,
            outcome->end.y_m - dock_trial_face.y, outcome->end.heading_rad * 180 / ANGLE_PI,
            outcome->bumps);
}

static void run(struct tally *tally, const char *name, bool is_inside, bool is_noisy, bool is_wary)
{
    static struct pose poses[INSIDE];
    *tally = (struct tally){.poses = is_inside ? INSIDE : OUTSIDE};
    dock_trial_poses(is_inside ? SEED_INSIDE : SEED_OUTSIDE, is_inside, poses, tally->poses);
    for (unsigned i = 0; i < tally->poses; i++) {
        bool sees = dock_trial_can_see(poses[i]);
        struct dock_outcome outcome = dock_trial_drive(poses[i], is_noisy, is_wary);
        tally->seeing += sees;
        if (outcome.is_charging)
            tally->times_s[tally->docked++] = outcome.took_s;
        tally->docked_seeing += sees && outcome.is_charging;
        if (sees && !outcome.is_charging)
            tell(name, poses[i], &outcome);
    }
    qsort(tally->times_s, tally->docked, sizeof tally->times_s[0], by_size);
}

static void report(const char *name, const struct tally *tally)
{
    unsigned blind = tally->poses - tally->seeing;
    printf("dock.%s.seeing\t%u\tposes\t%.3f\tposes\n", name, tally->seeing,
           (double)tally->seeing / tally->poses);
    printf("dock.%s.docked\t%u\tposes\t%.3f\tposes that see a region within one turn\n", name,
           tally->docked_seeing, tally->seeing ? (double)tally->docked_seeing / tally->seeing : 1);
    printf("dock.%s.docked_blind\t%u\tposes\t%.3f\tposes that see none\n", name,
           tally->docked - tally->docked_seeing,
           blind ? (double)(tally->docked - tally->docked_seeing) / blind : 0);
    if (tally->docked > 0) {
        double median_s = tally->times_s[tally->docked / 2];
        double most_s = tally->times_s[tally->docked - 1];
        printf("dock.%s.time_median\t%.1f\ts\t%.3f\tlimit of 180 s\n", name, median_s,
               median_s / DOCK_TRIAL_LIMIT_S);
        printf("dock.%s.time_most\t%.1f\ts\t%.3f\tlimit of 180 s\n", name, most_s,
               most_s / DOCK_TRIAL_LIMIT_S);
    }
    fflush(stdout);
}

/* The simple host, from poses in front of the dock. */
static void run_straight(struct tally *tally)
{
    struct pose poses[IN_FRONT];
    dock_trial_poses_in_front(poses, IN_FRONT);
    *tally = (struct tally){.poses = IN_FRONT, .seeing = IN_FRONT};
    for (unsigned i = 0; i < IN_FRONT; i++) {
        struct dock_outcome outcome = dock_trial_straight(poses[i], true);
        if (outcome.is_charging)
            tally->times_s[tally->docked++] = outcome.took_s;
        else
            tell("straight", poses[i], &outcome);
    }
    tally->docked_seeing = tally->docked;
    qsort(tally->times_s, tally->docked, sizeof tally->times_s[0], by_size);
}

void bench_dock(void)
{
    static struct tally tally;
    static const struct {
        const char *name;
        bool is_inside, is_noisy, is_wary;
    } runs[] = {
        {"inside", true, true, true},         {"inside.quiet", true, false, true},
        {"inside.vendor", true, true, false}, /* exactly like the vendor's program */
        {"outside", false, true, true},       {"outside.quiet", false, false, true},
    };
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        run(&tally, runs[i].name, runs[i].is_inside, runs[i].is_noisy, runs[i].is_wary);
        report(runs[i].name, &tally);
    }
    run_straight(&tally);
    report("straight", &tally);
}
