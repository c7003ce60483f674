/* Warped time: the part in ptybot. */
#include "app/drivers/warp.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/program.h"
#include "app/links/poller.h"
#include "app/time/wakeup_latency.h"
#include "base/rng.h"
#include "base/text.h"
#include "pty/shared_memory.h"
#include "pty/shim/clock_shm.h"

/* Chosen: longer than writing the shared memory takes. */
#define AHEAD_NS INT64_C(1000000)
/* Chosen: warn if a smaller part of the factor was reached. */
static const double reached_min = 0.95;

static bool find_library(struct warp *warp, struct error *error)
{
    program_find(PROGRAM_CLOCK, warp->library, sizeof warp->library);
    if (!*warp->library)
        return error_set(error,
                         "--warp: libptybot_clock.so not found: build or install ptybot again");
    // The dynamic linker treats these characters as separators.
    if (strpbrk(warp->library, " :\t\n"))
        return error_set(error,
                         "--warp: '%s' cannot be preloaded, because its path contains a space or a "
                         "colon: install ptybot elsewhere",
                         warp->library);
    return true;
}

static bool make_shm(struct warp *warp, struct error *error)
{
    int fd = open(warp->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0)
        warp->shm = shared_memory_map(fd, sizeof *warp->shm);
    int reason = errno;
    if (fd >= 0)
        close(fd);
    if (warp->shm)
        return true;
    if (fd >= 0)
        unlink(warp->path);
    return error_environment(error, "--warp: %s: %s%s", warp->path, strerror(reason),
                             reason == ENOSPC || reason == EDQUOT
                                 ? "; make room in its folder (docker run --shm-size=1m)"
                                 : "");
}

bool warp_open(struct warp *warp, double factor, const char *folder, struct error *error)
{
    *warp = (struct warp){.factor = factor};
    if (!find_library(warp, error))
        return false;
    int wrote = snprintf(warp->path, sizeof warp->path, "%s/clock", folder);
    if (wrote < 0 || (size_t)wrote >= sizeof warp->path)
        return error_set(error, "--warp: %.100s...: the path is too long", folder);
    if (!make_shm(warp, error))
        return false;
    warp->origin_ns = poller_clock_ns(CLOCK_MONOTONIC);
    warp->realtime_ns = poller_clock_ns(CLOCK_REALTIME);
    struct clock_shm *shm = warp->shm;
    shm->courses[0] = (struct clock_course){.real_ns = warp->origin_ns,
                                            .warped_ns = warp->origin_ns,
                                            .until_ns = INT64_MAX,
                                            .factor = isinf(factor) ? 1 : factor};
    shm->version = CLOCK_SHM_VERSION;
    shm->magic = CLOCK_SHM_MAGIC;
    return true;
}

bool warp_hold(struct warp *warp, struct error *error)
{
    if (!idle_proof_test(error)) {
        if (isinf(warp->factor))
            warp->factor = 1;
        return false;
    }
    struct clock_course course;
    clock_shm_get(warp->shm, &course);
    course.warped_ns = warp->origin_ns = CLOCK_SHM_HELD_NS;
    clock_shm_set(warp->shm, &course);
    warp->realtime_ns -= warp->realtime_ns % 1000000000;
    hold_open(&warp->hold, warp->shm);
    wakeup_latency_shorten(true); // a busy machine lets the host and us react quickly
    warp->is_held = true;
    return true;
}

void warp_slow_down(struct warp *warp, const struct scene_host_delay *delay, uint64_t wake_order,
                    uint64_t seed)
{
    warp->shm->delay_min_us = delay->min_us;
    warp->shm->delay_max_us = delay->max_us;
    warp->shm->delay_seed = rng_key(seed, "host delay");
    warp->hold.wake_order = wake_order;
}

void warp_close(struct warp *warp)
{
    if (!warp->shm)
        return;
    if (warp->is_held)
        hold_close(&warp->hold);
    shared_memory_unmap(warp->shm, sizeof *warp->shm);
    unlink(warp->path);
    warp->shm = NULL;
}

void warp_set_environment(const struct warp *warp)
{
    char text[64];
    snprintf(text, sizeof text, "%.17g", isinf(warp->factor) ? 1 : warp->factor);
    setenv(CLOCK_SHM_FACTOR, text, 1);
    snprintf(text, sizeof text, "%lld:%lld", (long long)warp->origin_ns,
             (long long)warp->realtime_ns);
    setenv(CLOCK_SHM_ORIGIN, text, 1);
    setenv(CLOCK_SHM_PATH, warp->path, 1);
}

/* Whether another program has cut the shared memory short. */
static bool is_lost(const struct warp *warp)
{
    return warp->shm->magic != CLOCK_SHM_MAGIC;
}

int64_t warp_lag_max_ns(double factor)
{
    return (int64_t)((double)PACER_LAG_MAX_NS / factor);
}

/* The new speed applies a little later, since programs may already have read a later time at the
 * old speed than the new one allows. */
static void set_factor(struct clock_course *course, double factor, int64_t now_ns)
{
    int64_t turn_ns = now_ns + AHEAD_NS;
    int64_t warped_ns = clock_course_at(course, turn_ns);
    course->real_ns = turn_ns;
    course->warped_ns = warped_ns;
    course->factor = factor;
}

void warp_follow(struct warp *warp, const struct pacer *pacer, bool is_held, int64_t now_ns)
{
    struct clock_course course;
    if (is_lost(warp) || warp->is_held)
        return;
    clock_shm_get(warp->shm, &course);
    int64_t until_ns = course.until_ns, next_ns = pacer_next_ns(pacer);
    int64_t dropped_ns = pacer->stats.dropped_ns - warp->dropped_ns;
    bool is_free = is_held || next_ns == PACER_NEVER;
    course.until_ns = is_free ? INT64_MAX : next_ns + pacer->lag_max_ns;
    // The clock stood still for that time.
    course.real_ns += dropped_ns;
    warp->dropped_ns += dropped_ns;
    if (pacer->is_anchored && pacer->speed != course.factor)
        set_factor(&course, pacer->speed, now_ns);
    if (dropped_ns != 0 || course.until_ns != until_ns)
        clock_shm_set(warp->shm, &course);
}

uint32_t warp_programs(const struct warp *warp)
{
    return warp->shm ? atomic_load(&warp->shm->programs) : 0;
}

/* Speed reached: simulated time per wall-clock time, without the time while the simulation was
 * held. */
static double reached(const struct warp *warp, const struct pacer *pacer)
{
    double simulated_s = (double)pacer->stats.steps * SIM_STEP_US * 1e-6;
    double dropped_s = (double)pacer->stats.dropped_ns * 1e-9;
    return simulated_s / (simulated_s / warp->factor + dropped_s);
}

/* Adds a reason why time was not held. */
#define ADD_REASON(outcome, ...) text_add((outcome)->text, sizeof(outcome)->text, ", ", __VA_ARGS__)

static void add_reasons(const struct warp *warp, struct warp_outcome *outcome)
{
    const struct hold *hold = &warp->hold;
    const struct idle_proof_stats *proof =
        warp->is_held && hold->proof ? idle_proof_stats(hold->proof) : NULL;
    if (!warp->is_held) {
        ADD_REASON(outcome, "ptybot cannot observe the driver on this machine, and the clock of "
                            "the driver followed simulated time");
        return;
    }
    if (hold->charged_ns > 0)
        ADD_REASON(
            outcome,
            "the driver kept computing or polling, and %.3g s of simulated time passed meanwhile",
            outcome->charged_s);
    if (*outcome->foreign)
        ADD_REASON(outcome, "%s in real time", outcome->foreign);
    if (proof && proof->has_unseen)
        ADD_REASON(outcome, "ptybot may not read the state of a process");
    if (proof && proof->clockless != 0 && !*outcome->foreign && warp_programs(warp) > 0)
        ADD_REASON(outcome, "%s (process %d) did not load the clock library", proof->clockless_name,
                   (int)proof->clockless);
    if (hold->race.process != 0)
        ADD_REASON(outcome, "threads %d and %d of %s ran at the same time, woken from %s",
                   (int)hold->race.threads[0], (int)hold->race.threads[1], hold->race.name,
                   hold->race.call);
    if (hold->peers.count > 0)
        ADD_REASON(outcome, "%s talked to %s", hold->peers.peers[0].name,
                   hold->peers.peers[0].where);
    if (hold->stray > 0)
        ADD_REASON(outcome, "process %d, outside of the driver command, loaded the clock library",
                   (int)hold->stray);
    if (hold->stray < 0)
        ADD_REASON(outcome, "a process of another PID namespace, outside of the driver command, "
                            "uses the clock library and waits without end");
    if (!*outcome->text && atomic_load(&hold->shm->unseen) > 0)
        ADD_REASON(outcome, "a timer or a wait used real time");
    if (!*outcome->text && !outcome->is_held)
        ADD_REASON(outcome, "no process of the driver loaded the clock library");
}

void warp_describe(const struct warp *warp, double simulated_s, double wall_s,
                   struct warp_outcome *outcome)
{
    const struct hold *hold = &warp->hold;
    char why[400];
    *outcome = (struct warp_outcome){.speed = wall_s > 0 ? simulated_s / wall_s : 0};
    if (!warp->shm || is_lost(warp))
        return;
    if (warp->is_held) {
        const struct idle_proof_foreign *foreign = &idle_proof_stats(hold->proof)->foreign;
        outcome->is_held = hold_was_exact(hold) && warp_programs(warp) > 0;
        outcome->charged_s = (double)hold->charged_ns * 1e-9;
        if (foreign->seen > 0)
            snprintf(outcome->foreign, sizeof outcome->foreign, "%s (process %d) waited in %s",
                     foreign->name, (int)foreign->process, foreign->call);
    }
    add_reasons(warp, outcome);
    snprintf(why, sizeof why, "not held: %.300s; it", outcome->text);
    snprintf(outcome->text, sizeof outcome->text, "%s ran %.3g times as fast as real time",
             outcome->is_held ? "held: simulated time waited for the driver and" : why,
             outcome->speed);
}

const char *warp_warning(const struct warp *warp, const struct pacer *pacer, char *text,
                         size_t size)
{
    const struct idle_proof_stats *proof =
        warp->is_held && warp->hold.proof ? idle_proof_stats(warp->hold.proof) : NULL;
    double got = pacer->stats.steps > 0 && !warp->is_held ? reached(warp, pacer) : warp->factor;
    const char *entry = NULL;
    text[0] = '\0';
    if (warp->shm && is_lost(warp)) {
        entry = "troubleshooting.md#clock-memory-lost";
        snprintf(text, size,
                 "%s was truncated by another program: the time that the driver read is unknown",
                 warp->path);
    } else if (warp_programs(warp) == 0) {
        entry = "troubleshooting.md#clock-not-loaded";
        snprintf(text, size,
                 "no process of the driver loaded the clock library: is it a static binary, or "
                 "does it clear LD_PRELOAD? Use --warp off to run on the real clock");
    } else if (proof && proof->foreign.seen > 0) {
        entry = "troubleshooting.md#real-time-wait";
        snprintf(text, size,
                 "%s (process %d) waited in %s in real time, without the clock library: is it a "
                 "static program, or written in Go? Simulated time was not faster than real time; "
                 "use --warp off to run on the real clock",
                 proof->foreign.name, (int)proof->foreign.process, proof->foreign.call);
    } else if (proof && proof->clockless != 0) {
        entry = "troubleshooting.md#clock-not-loaded";
        snprintf(
            text, size,
            "%s (process %d) did not load the clock library, so its clock and its timers follow "
            "real time: is it a static binary, or does it clear LD_PRELOAD? Use --warp off to "
            "run on the real clock",
            proof->clockless_name, (int)proof->clockless);
    } else if (warp->is_held && warp->hold.race.process != 0) {
        entry = "troubleshooting.md#threads-not-ordered";
        snprintf(text, size,
                 "threads %d and %d of %s (process %d) ran at the same time, because ptybot does "
                 "not control %s of the second thread (docs/explanation/virtual-time.md). Let them "
                 "wait for each other by conditions, mutexes or semaphores",
                 (int)warp->hold.race.threads[0], (int)warp->hold.race.threads[1],
                 warp->hold.race.name, (int)warp->hold.race.process, warp->hold.race.call);
    } else if (warp->is_held && warp->hold.stray < 0) {
        entry = "troubleshooting.md#other-pid-namespace";
        snprintf(text, size,
                 "a process of another PID namespace loaded the clock library but is not a child "
                 "of the driver command, so its waits do not end: does a daemon start it, as for "
                 "docker run? Run ptybot in the container too, or use --warp off");
    } else if (got < reached_min * warp->factor) {
        entry = "troubleshooting.md#warp-not-reached";
        snprintf(text, size,
                 "could not reach --warp %g: the simulation ran %.3g times as fast as real time, "
                 "and the clock of the driver waited for it",
                 warp->factor, got);
    }
    return entry;
}
