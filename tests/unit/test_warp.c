/* The page that the clock shim follows, as the simulation writes it, and a pacer whose clock
 * readings are arguments. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/drivers/warp.h"
#include "pty/shim/clock_shm.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"
#include "tests/support/machine.h"

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

/* An iteration of the loop: updates the page, then makes the due steps, at most MAX of them. */
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
        /* Other processes read the page between two writes, up to the moment of the next iteration.
         */
        for (int64_t poll_ns = 0; poll_ns <= late_ns; poll_ns += late_ns / 3 + 1) {
            int64_t warped_ns = warped_at(rig, rig->now_ns + poll_ns);
            assert_true(warped_ns >= last_ns - 10); /* the rounding of a product */
            assert_true(warped_ns <= (rig->steps + 1) * MS + 100 * MS + 10 * MS);
            last_ns = warped_ns;
        }
        turn(rig, late_ns, i % 5 == 0 ? 7 : INT64_MAX);
    }
    assert_true(rig->pacer.stats.drops > 100);
    /* No time is lost: real time is the time that passed on the page plus the dropped time. */
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
    assert_int_equal(warped_at(rig, rig->now_ns + MS), before_ns + 10 * MS); // as it was before
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
    /* An iteration takes 0.1 s, but only 0.01 s of it can be caught up. */
    for (int i = 0; i < 1000; i++)
        turn(rig, 100 * MS, INT64_MAX);
    warp_warning(&rig->warp, &rig->pacer, text, sizeof text);
    assert_non_null(strstr(text, "could not reach --warp 10: the simulation ran 1."));
}

static int64_t clock_of(clockid_t clock)
{
    struct timespec now;
    assert_int_equal(clock_gettime(clock, &now), 0);
    return now.tv_sec * 1000 * MS + now.tv_nsec;
}

static void it_begins_now(void **state)
{
    struct rig *rig = *state;
    struct error error = {0};
    warp_close(&rig->warp);
    int64_t begin_ns = clock_of(CLOCK_MONOTONIC), real_ns = clock_of(CLOCK_REALTIME);
    assert_true(warp_open(&rig->warp, 2, rig->folder.path, &error));
    assert_in_range(rig->warp.origin_ns, begin_ns, clock_of(CLOCK_MONOTONIC));
    assert_in_range(rig->warp.realtime_ns, real_ns, clock_of(CLOCK_REALTIME));
}

static void without_a_limit_it_runs_as_fast_as_real_time_until_it_is_held(void **state)
{
    struct rig *rig = *state;
    struct error error = {0};
    warp_close(&rig->warp);
    assert_true(warp_open(&rig->warp, INFINITY, rig->folder.path, &error));
    assert_int_equal(warped_at(rig, rig->warp.origin_ns + 1000 * MS), 1000 * MS);
    assert_true(isinf(rig->warp.factor));
    // If time cannot be held, the clock continues at factor 1.
    machine_refuse(
        (struct refusal){.call = CALL_SYSCALL, .request = SYS_pidfd_open, .reason = ENOSYS});
    assert_false(warp_hold(&rig->warp, &error));
    machine_obey();
    assert_string_equal(error.text, "pidfd_getfd of a child: Function not implemented");
    assert_true(rig->warp.factor == 1);
    assert_false(rig->warp.is_held);
    warp_close(&rig->warp);
    assert_true(warp_open(&rig->warp, 3, rig->folder.path, &error));
    machine_refuse(
        (struct refusal){.call = CALL_SYSCALL, .request = SYS_pidfd_open, .reason = ENOSYS});
    assert_false(warp_hold(&rig->warp, &error));
    machine_obey();
    assert_true(rig->warp.factor == 3);
}

static void the_page_goes_with_the_run(void **state)
{
    struct rig *rig = *state;
    struct stat about;
    assert_int_equal(rig->warp.shm->magic, CLOCK_SHM_MAGIC);
    assert_int_equal(rig->warp.shm->version, CLOCK_SHM_VERSION);
    assert_int_equal(stat(rig->warp.path, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0600);
    warp_close(&rig->warp);
    assert_int_equal(stat(rig->warp.path, &about), -1);
}

/* ---- Reports ---- */

static int setup_held(void **state)
{
    struct error error = {0};
    setup(state);
    struct rig *rig = *state;
    if (!warp_hold(&rig->warp, &error))
        fail_msg("%s", error.text);
    assert_true(hold_watch(&rig->warp.hold, getpid()));
    atomic_store(&rig->warp.shm->programs, 1);
    return 0;
}

static struct warp_outcome outcome_of(const struct rig *rig)
{
    struct warp_outcome outcome;
    warp_describe(&rig->warp, 10, 4, &outcome);
    return outcome;
}

static void a_held_clock_begins_at_the_same_time_in_each_run(void **state)
{
    struct rig *rig = *state;
    struct clock_course course;
    clock_shm_get(rig->warp.shm, &course);
    assert_int_equal(rig->warp.origin_ns, CLOCK_SHM_HELD_NS);
    assert_int_equal(course.warped_ns, CLOCK_SHM_HELD_NS);
    assert_int_equal(rig->warp.realtime_ns % (1000 * MS), 0);
    assert_int_equal(rig->warp.shm->is_held, 1);
    // An iteration of the loop does not move it.
    turn(rig, 1000 * MS, INT64_MAX);
    assert_int_equal(warped_at(rig, rig->now_ns + 1000 * MS), 0);
}

static void time_that_waited_for_the_driver_is_reported_with_its_speed(void **state)
{
    struct rig *rig = *state;
    struct warp_outcome outcome = outcome_of(rig);
    assert_true(outcome.is_held);
    assert_true(outcome.speed == 2.5);
    assert_true(outcome.charged_s == 0);
    assert_string_equal(outcome.foreign, "");
    assert_string_equal(outcome.text, "held: simulated time waited for the driver and ran 2.5 "
                                      "times as fast as real time");
    warp_describe(&rig->warp, 10, 0, &outcome);
    assert_true(outcome.speed == 0);
    warp_describe(&rig->warp, 10, 0.5, &outcome);
    assert_true(outcome.speed == 20);
}

/* Checks that time was not held, because of REASON. */
static void check_reason(const struct rig *rig, const char *reason)
{
    char wanted[600];
    struct warp_outcome outcome = outcome_of(rig);
    snprintf(wanted, sizeof wanted, "not held: %s; it ran 2.5 times as fast as real time", reason);
    assert_string_equal(outcome.text, wanted);
    assert_false(outcome.is_held);
}

static void each_reason_why_time_did_not_wait_is_named(void **state)
{
    struct rig *rig = *state;
    struct hold *hold = &rig->warp.hold;
    atomic_store(&rig->warp.shm->programs, 0);
    check_reason(rig, "no process of the driver loaded the clock library");
    atomic_store(&rig->warp.shm->programs, 2);
    assert_int_equal(warp_programs(&rig->warp), 2);
    atomic_store(&rig->warp.shm->unseen, 1);
    check_reason(rig, "a timer or a wait used real time");
    hold->charged_ns = 450 * MS;
    check_reason(rig, "the driver kept computing or polling, and 0.45 s of simulated time passed "
                      "meanwhile");
    assert_true(outcome_of(rig).charged_s == 0.45);
    hold->charged_ns = 0;
    hold->race = (struct idle_proof_race){
        .process = 7, .threads = {8, 9}, .name = "driver", .call = "futex"};
    check_reason(rig, "threads 8 and 9 of driver ran at the same time, woken from futex");
    hold->race.process = 0;
    hold->peers.count = 1;
    strcpy(hold->peers.peers[0].name, "driver");
    strcpy(hold->peers.peers[0].where, "[::1]:5");
    check_reason(rig, "driver talked to [::1]:5");
    hold->stray = 12;
    check_reason(rig, "driver talked to [::1]:5, process 12, outside of the driver command, loaded "
                      "the clock library");
    hold->peers.count = 0;
    hold->stray = -1;
    check_reason(rig, "a process of another PID namespace, outside of the driver command, uses the "
                      "clock library and waits without end");
    hold->stray = 0;
    atomic_store(&rig->warp.shm->unseen, 0);
    assert_true(outcome_of(rig).is_held);
}

static void a_clock_that_follows_the_world_is_not_held(void **state)
{
    struct rig *rig = *state;
    check_reason(rig, "ptybot cannot observe the driver on this machine, and the clock of the "
                      "driver followed simulated time");
}

/* Checks the warning and the entry that explains it; START: how it begins. */
static void check_warning(const struct rig *rig, const char *start, const char *entry)
{
    char text[600];
    const char *got = warp_warning(&rig->warp, &rig->pacer, text, sizeof text);
    if (strncmp(text, start, strlen(start)) != 0)
        fail_msg("'%s' does not begin with '%s'", text, start);
    if (!entry)
        assert_true(!got && !*text);
    else
        assert_string_equal(got, entry);
}

static void a_warning_names_what_to_do_and_where_it_is_explained(void **state)
{
    struct rig *rig = *state;
    struct hold *hold = &rig->warp.hold;
    check_warning(rig, "", NULL);
    // Virtual time has no speed that it must reach.
    rig->pacer.stats = (struct pacer_stats){.steps = 1000, .dropped_ns = 10000 * MS};
    check_warning(rig, "", NULL);
    hold->stray = 5; // its waits end
    check_warning(rig, "", NULL);
    hold->stray = -1;
    check_warning(rig, "a process of another PID namespace loaded the clock library",
                  "troubleshooting.md#other-pid-namespace");
    hold->race = (struct idle_proof_race){
        .process = 7, .threads = {8, 9}, .name = "driver", .call = "futex"};
    check_warning(rig,
                  "threads 8 and 9 of driver (process 7) ran at the same time, because ptybot does "
                  "not control futex of the second thread",
                  "troubleshooting.md#threads-not-ordered");
    atomic_store(&rig->warp.shm->programs, 0);
    check_warning(rig, "no process of the driver loaded the clock library: is it a static binary",
                  "troubleshooting.md#clock-not-loaded");
    char lost[PATH_MAX + 100];
    snprintf(lost, sizeof lost,
             "%s was truncated by another program: the time that the driver read is unknown",
             rig->warp.path);
    rig->warp.shm->magic = 0;
    check_warning(rig, lost, "troubleshooting.md#clock-memory-lost");
    assert_string_equal(outcome_of(rig).text, "");
    rig->warp.shm->magic = CLOCK_SHM_MAGIC;
}

/* The driver inherits this from ptybot. */
static void a_driver_in_virtual_time_is_woken_without_delay(void **state)
{
    struct rig *rig = *state;
    int status;
    pid_t child = fork();
    if (child == 0) {
        struct error error = {0};
        prctl(PR_SET_TIMERSLACK, 50000);
        bool is_held = warp_hold(&rig->warp, &error);
        bool is_other = (sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) != SCHED_OTHER;
        _exit(is_held && (is_other || prctl(PR_GET_TIMERSLACK) == 1000) ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static bool may_go(struct rig *rig)
{
    return hold_may_go(&rig->warp.hold);
}

static void a_driver_that_waits_in_real_time_is_named(void **state)
{
    struct rig *rig = *state;
    char wanted[200];
    pid_t driver = fork();
    if (driver == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, "sleeper");
        for (;;)
            syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &(struct timespec){.tv_sec = 1000},
                    NULL);
    }
    hold_close(&rig->warp.hold);
    assert_true(driver > 0 && hold_watch(&rig->warp.hold, driver));
    WAIT_UNTIL(may_go(rig));
    snprintf(wanted, sizeof wanted, "sleeper (process %d) waited in clock_nanosleep", (int)driver);
    check_warning(rig, wanted, "troubleshooting.md#real-time-wait");
    struct warp_outcome outcome = outcome_of(rig);
    assert_string_equal(outcome.foreign, wanted);
    strcat(wanted, " in real time");
    check_reason(rig, wanted);
    kill(driver, SIGKILL);
    waitpid(driver, NULL, 0);
}

static bool has_clockless(struct rig *rig)
{
    return may_go(rig) && idle_proof_stats(rig->warp.hold.proof)->clockless != 0;
}

static void a_driver_without_the_library_is_named(void **state)
{
    struct rig *rig = *state;
    char wanted[200];
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t driver = fork();
    if (driver == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(ends[0], 0);
        execlp("cat", "cat", (char *)NULL);
    }
    hold_close(&rig->warp.hold);
    assert_true(driver > 0 && hold_watch(&rig->warp.hold, driver));
    WAIT_UNTIL(has_clockless(rig));
    snprintf(wanted, sizeof wanted, "cat (process %d) did not load the clock library", (int)driver);
    check_reason(rig, wanted);
    strcat(wanted, ", so its clock and its timers follow real time");
    check_warning(rig, wanted, "troubleshooting.md#clock-not-loaded");
    atomic_store(&rig->warp.shm->programs, 0); // nor did any other
    check_reason(rig, "no process of the driver loaded the clock library");
    kill(driver, SIGKILL);
    waitpid(driver, NULL, 0);
    close(ends[0]);
    close(ends[1]);
}

static ssize_t hide_calls(const char *path, char *bytes, size_t size, ssize_t got)
{
    (void)bytes, (void)size;
    if (!strstr(path, "/syscall"))
        return got;
    errno = EPERM;
    return -1;
}

static void a_driver_whose_state_may_not_be_read_is_a_reason(void **state)
{
    struct rig *rig = *state;
    pid_t driver = fork();
    if (driver == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    hold_close(&rig->warp.hold);
    assert_true(driver > 0 && hold_watch(&rig->warp.hold, driver));
    machine_text = hide_calls;
    WAIT_UNTIL(may_go(rig));
    machine_text = NULL;
    check_reason(rig, "ptybot may not read the state of a process");
    kill(driver, SIGKILL);
    waitpid(driver, NULL, 0);
}

/* Also the descriptors of the proof. */
static void all_descriptors_go_with_the_run(void **state)
{
    struct rig *rig = *state;
    struct error error = {0};
    warp_close(&rig->warp);
    unsigned descriptors = descriptor_count();
    assert_true(warp_open(&rig->warp, 1, rig->folder.path, &error));
    assert_true(warp_hold(&rig->warp, &error));
    assert_true(hold_watch(&rig->warp.hold, getpid()));
    may_go(rig);
    assert_true(descriptor_count() > descriptors);
    void *memory = rig->warp.shm;
    assert_int_equal(msync(memory, 1, MS_ASYNC), 0);
    warp_close(&rig->warp);
    assert_int_equal(descriptor_count(), descriptors);
    assert_int_equal(msync(memory, 1, MS_ASYNC), -1); // its memory, too
    assert_int_equal(errno, ENOMEM);
    assert_int_equal(warp_programs(&rig->warp), 0);
    warp_close(&rig->warp);
}

static void a_speed_that_is_almost_reached_is_no_warning(void **state)
{
    struct rig *rig = *state;
    atomic_store(&rig->warp.shm->programs, 1);
    check_warning(rig, "", NULL); // before the first step
    // 10 s in 1 s are 10 times as fast. With 52 ms of dropped time it is 9.5 times, with 54 ms
    // less.
    rig->pacer.stats = (struct pacer_stats){.steps = 10000, .dropped_ns = 52 * MS};
    check_warning(rig, "", NULL);
    rig->pacer.stats.dropped_ns = 54 * MS;
    check_warning(rig, "could not reach --warp 10: the simulation ran 9.49 times as fast",
                  "troubleshooting.md#warp-not-reached");
    rig->pacer.stats.steps = 1;
    check_warning(rig, "could not reach --warp 10", "troubleshooting.md#warp-not-reached");
}

static void a_lag_is_caught_up_as_far_as_in_real_time(void **state)
{
    (void)state;
    assert_int_equal(warp_lag_max_ns(1), PACER_LAG_MAX_NS);
    assert_int_equal(warp_lag_max_ns(10), PACER_LAG_MAX_NS / 10);
    assert_int_equal(warp_lag_max_ns(0.5), 2 * PACER_LAG_MAX_NS);
}

static void programs_find_the_clock_by_their_environment(void **state)
{
    struct rig *rig = *state;
    char origin[64];
    setenv(CLOCK_SHM_FACTOR, "7", 1);
    setenv(CLOCK_SHM_PATH, "/old", 1); // set by an outer ptybot
    setenv(CLOCK_SHM_ORIGIN, "1:2", 1);
    warp_set_environment(&rig->warp);
    assert_string_equal(getenv(CLOCK_SHM_FACTOR), "10");
    assert_string_equal(getenv(CLOCK_SHM_PATH), rig->warp.path);
    snprintf(origin, sizeof origin, "%lld:%lld", (long long)rig->warp.origin_ns,
             (long long)rig->warp.realtime_ns);
    assert_string_equal(getenv(CLOCK_SHM_ORIGIN), origin);
    rig->warp.factor = INFINITY; // as fast as real time while the course is followed
    warp_set_environment(&rig->warp);
    assert_string_equal(getenv(CLOCK_SHM_FACTOR), "1");
}

static void a_slow_host_is_told_its_delays_and_their_seed(void **state)
{
    struct rig *rig = *state;
    const struct scene_host_delay delay = {.min_us = 3, .max_us = 7};
    warp_slow_down(&rig->warp, &delay, 11, 1);
    assert_int_equal(rig->warp.shm->delay_min_us, 3);
    assert_int_equal(rig->warp.shm->delay_max_us, 7);
    assert_int_equal(rig->warp.hold.wake_order, 11);
    uint64_t seed = rig->warp.shm->delay_seed;
    warp_slow_down(&rig->warp, &delay, 11, 2);
    assert_int_not_equal(rig->warp.shm->delay_seed, seed);
    warp_slow_down(&rig->warp, &delay, 11, 1);
    assert_int_equal(rig->warp.shm->delay_seed, seed);
}

static void a_clock_that_cannot_be_made_is_refused_with_its_path(void **state)
{
    struct rig *rig = *state;
    struct warp other;
    struct error error = {0};
    char wanted[FOLDER_PATH_MAX + 200], longest[PATH_MAX];
    assert_false(warp_open(&other, 1, rig->folder.path, &error)); // the file exists
    snprintf(wanted, sizeof wanted, "--warp: %s/clock: File exists", rig->folder.path);
    assert_string_equal(error.text, wanted);
    warp_close(&other);
    assert_true(path_exists(rig->warp.path));
    // With "/clock" the first path is as long as a path can be, including its end.
    for (size_t size = sizeof longest - 6; size < sizeof longest; size += 5) {
        memset(longest, 'x', size);
        longest[size] = '\0';
        assert_false(warp_open(&other, 1, longest, &error));
        snprintf(wanted, sizeof wanted, "--warp: %.100s...: the path is too long", longest);
        assert_string_equal(error.text, wanted);
        warp_close(&other);
        assert_int_equal(warp_programs(&other), 0);
    }
}

/* The number that the next descriptor gets. */
static int next_descriptor(void)
{
    int next = dup(STDERR_FILENO);
    close(next);
    return next;
}

static void a_full_disk_leaves_no_file_and_no_descriptor(void **state)
{
    struct rig *rig = *state;
    struct error error = {0};
    int next = next_descriptor();
    warp_close(&rig->warp);
    machine_refuse((struct refusal){.call = CALL_FALLOCATE, .reason = ENOSPC});
    assert_false(warp_open(&rig->warp, 1, rig->folder.path, &error));
    assert_int_equal(machine_obey(), 1);
    assert_non_null(strstr(error.text, "/clock: No space left on device; make room in its folder"));
    assert_false(path_exists(rig->warp.path));
    assert_int_equal(next_descriptor(), next);
    assert_true(warp_open(&rig->warp, 1, rig->folder.path, &error));
    assert_int_equal(next_descriptor(), next);
}

#define TEST(name)      cmocka_unit_test_setup_teardown(name, setup, teardown)
#define TEST_HELD(name) cmocka_unit_test_setup_teardown(name, setup_held, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_clock_runs_at_the_speed_of_the_world),
        TEST(it_never_runs_back_nor_far_ahead_however_late_the_world_is),
        TEST(it_stands_still_while_nobody_moves_the_world),
        TEST(it_runs_freely_while_the_world_is_held_or_paused),
        TEST(it_takes_a_new_speed_without_running_back),
        TEST(people_see_what_was_reached),
        TEST(it_begins_now),
        TEST(without_a_limit_it_runs_as_fast_as_real_time_until_it_is_held),
        TEST(the_page_goes_with_the_run),
        TEST(all_descriptors_go_with_the_run),
        TEST_HELD(a_held_clock_begins_at_the_same_time_in_each_run),
        TEST_HELD(time_that_waited_for_the_driver_is_reported_with_its_speed),
        TEST_HELD(each_reason_why_time_did_not_wait_is_named),
        TEST(a_clock_that_follows_the_world_is_not_held),
        TEST_HELD(a_warning_names_what_to_do_and_where_it_is_explained),
        TEST_HELD(a_driver_that_waits_in_real_time_is_named),
        TEST(a_driver_in_virtual_time_is_woken_without_delay),
        TEST_HELD(a_driver_without_the_library_is_named),
        TEST_HELD(a_driver_whose_state_may_not_be_read_is_a_reason),
        TEST(a_speed_that_is_almost_reached_is_no_warning),
        TEST(a_lag_is_caught_up_as_far_as_in_real_time),
        TEST(programs_find_the_clock_by_their_environment),
        TEST(a_slow_host_is_told_its_delays_and_their_seed),
        TEST(a_clock_that_cannot_be_made_is_refused_with_its_path),
        TEST(a_full_disk_leaves_no_file_and_no_descriptor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
