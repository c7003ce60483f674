/* The clock shim, as the real library preloaded into this program: the clocks that it returns,
 * child processes, and the page that can stop the time. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "pty/shim/clock_shm.h"
#include "tests/support/check.h"
#include "tests/support/warped.h"

#define SECOND_NS INT64_C(1000000000)

static struct clock_shm *page; /* the page that controls this program's clock */
static int64_t origin_ns;

/* ---- Clocks ---- */

/* Compares two readings of a clock with readings of the kernel's clock before and after each. The
 * check is therefore valid on a machine of any speed. */
static void assert_runs_at(int64_t (*look)(void), double factor, int64_t grain_ns)
{
    int64_t before_ns = warped_real_ns(CLOCK_MONOTONIC), from_ns = look();
    int64_t inner_ns = warped_real_ns(CLOCK_MONOTONIC);
    do
        sched_yield();
    while (warped_real_ns(CLOCK_MONOTONIC) < inner_ns + SECOND_NS / 10);
    int64_t inner_took_ns = warped_real_ns(CLOCK_MONOTONIC) - inner_ns;
    int64_t took_ns = look() - from_ns;
    int64_t outer_took_ns = warped_real_ns(CLOCK_MONOTONIC) - before_ns;
    /* The kernel slews its CLOCK_REALTIME against CLOCK_MONOTONIC; the shim does not. */
    assert_true((double)took_ns >= (double)inner_took_ns * factor - (double)grain_ns);
    assert_true((double)took_ns <= (double)outer_took_ns * factor + (double)grain_ns);
}

static clockid_t clock_read;

static int64_t look_at_clock(void)
{
    return warped_now_ns(clock_read);
}

static void the_clocks_of_the_world_run_faster(void **state)
{
    (void)state;
    static const clockid_t clocks[] = {
        CLOCK_REALTIME, CLOCK_MONOTONIC,       CLOCK_MONOTONIC_RAW,
        CLOCK_BOOTTIME, CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE,
    };
    for (size_t i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
        clock_read = clocks[i];
        assert_runs_at(look_at_clock, WARPED_FACTOR, 1000);
    }
}

static int64_t look_at_cpu(void)
{
    return warped_now_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static void the_clock_of_a_cpu_does_not(void **state)
{
    (void)state;
    int64_t real_ns = warped_real_ns(CLOCK_PROCESS_CPUTIME_ID), now_ns = look_at_cpu();
    int64_t after_ns = warped_real_ns(CLOCK_PROCESS_CPUTIME_ID);
    assert_in_range(now_ns, real_ns, after_ns);
}

static int64_t look_at_gettimeofday(void)
{
    struct timeval now;
    gettimeofday(&now, NULL);
    return now.tv_sec * SECOND_NS + now.tv_usec * 1000;
}

static int64_t look_at_time(void)
{
    return time(NULL) * SECOND_NS;
}

static int64_t look_at_timespec_get(void)
{
    struct timespec now;
    assert_int_equal(timespec_get(&now, TIME_UTC), TIME_UTC);
    return warped_ns(&now);
}

static void all_ways_to_ask_for_the_time_agree(void **state)
{
    (void)state;
    int64_t (*const looks[])(void) = {look_at_gettimeofday, look_at_timespec_get, look_at_time};
    static const int64_t grains_ns[] = {1000, 1, SECOND_NS};
    for (size_t i = 0; i < 3; i++) {
        int64_t before_ns = warped_now_ns(CLOCK_REALTIME), now_ns = looks[i]();
        int64_t after_ns = warped_now_ns(CLOCK_REALTIME);
        assert_in_range(now_ns, before_ns - grains_ns[i], after_ns);
    }
    time_t stored = 0, now = time(&stored);
    assert_int_equal(now, stored);
}

static void time_began_with_the_run(void **state)
{
    (void)state;
    int64_t before_ns = warped_real_ns(CLOCK_MONOTONIC);
    int64_t now_ns = warped_now_ns(CLOCK_MONOTONIC);
    int64_t after_ns = warped_real_ns(CLOCK_MONOTONIC);
    assert_in_range(now_ns - origin_ns, (before_ns - origin_ns) * WARPED_FACTOR - 1000,
                    (after_ns - origin_ns) * WARPED_FACTOR + 1000);
}

static void programs_of_a_run_agree(void **state)
{
    (void)state;
    int64_t its_ns[2];
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    int64_t before_ns = warped_now_ns(CLOCK_MONOTONIC);
    int64_t before_date_ns = warped_now_ns(CLOCK_REALTIME);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 1);
        execl("/proc/self/exe", "test", "tell", NULL);
        _exit(1);
    }
    assert_int_equal(read(ends[0], its_ns, sizeof its_ns), sizeof its_ns);
    waitpid(child, NULL, 0);
    assert_in_range(its_ns[0], before_ns, warped_now_ns(CLOCK_MONOTONIC));
    assert_in_range(its_ns[1], before_date_ns, warped_now_ns(CLOCK_REALTIME));
    close(ends[0]);
    close(ends[1]);
}

static void nothing_is_warped_without_a_factor(void **state)
{
    (void)state;
    static const char *const wrong[] = {NULL, "", "0", "-1", "x", "2x", "nan", "inf", "1e9"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            if (wrong[i])
                setenv("PTYBOT_WARP", wrong[i], 1);
            else
                unsetenv("PTYBOT_WARP");
            execl("/proc/self/exe", "test", "compare", NULL);
            _exit(1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

/* ---- A world that has fallen behind ---- */

/* Stops the clock for SPAN_NS of real time. */
static void stand_still(int64_t span_ns)
{
    struct clock_course course;
    int64_t now_ns = warped_real_ns(CLOCK_MONOTONIC);
    clock_shm_get(page, &course);
    course.warped_ns = clock_course_at(&course, now_ns + SECOND_NS / 1000);
    course.real_ns = now_ns + span_ns;
    clock_shm_set(page, &course);
}

/* Stops the clock from the real time REAL_NS until go_on() is called. */
static void stop(int64_t real_ns)
{
    struct clock_course course;
    clock_shm_get(page, &course);
    course.until_ns = real_ns;
    clock_shm_set(page, &course);
}

static void go_on(void)
{
    struct clock_course course;
    clock_shm_get(page, &course);
    course.real_ns += warped_real_ns(CLOCK_MONOTONIC) - course.until_ns;
    course.until_ns = INT64_MAX;
    clock_shm_set(page, &course);
}

static void *go_on_later(void *data)
{
    atomic_bool *is_stopped = data;
    const struct timespec pause = {.tv_nsec = SECOND_NS / 5};
    syscall(SYS_nanosleep, &pause, NULL);
    atomic_store(is_stopped, false);
    go_on();
    return NULL;
}

static void a_clock_that_is_stopped_stands_still_and_so_do_waits(void **state)
{
    (void)state;
    pthread_t thread;
    atomic_bool is_stopped = true;
    int64_t real_ns = warped_real_ns(CLOCK_MONOTONIC);
    stop(real_ns + SECOND_NS / 1000);
    while (warped_real_ns(CLOCK_MONOTONIC) <= real_ns + SECOND_NS / 1000)
        sched_yield();
    int64_t from_ns = warped_now_ns(CLOCK_MONOTONIC);
    sched_yield();
    assert_int_equal(warped_now_ns(CLOCK_MONOTONIC), from_ns);
    assert_int_equal(pthread_create(&thread, NULL, go_on_later, &is_stopped), 0);
    assert_int_equal(poll(NULL, 0, 1000), 0);
    assert_false(atomic_load(&is_stopped));
    assert_true(warped_now_ns(CLOCK_MONOTONIC) >= from_ns + SECOND_NS);
    pthread_join(thread, NULL);
}

static void a_wait_lasts_until_the_clock_gets_there(void **state)
{
    (void)state;
    fd_set in;
    struct timeval second = {.tv_sec = 1};
    int64_t from_ns = warped_now_ns(CLOCK_MONOTONIC), real_ns = warped_real_ns(CLOCK_MONOTONIC);
    stand_still(SECOND_NS / 5);
    poll(NULL, 0, 1000);
    int64_t took_ns = warped_real_ns(CLOCK_MONOTONIC) - real_ns;
    assert_true(took_ns >= SECOND_NS / 5 + SECOND_NS / WARPED_FACTOR);
    assert_true(warped_now_ns(CLOCK_MONOTONIC) >= from_ns + SECOND_NS);
    stand_still(SECOND_NS / 5);
    real_ns = warped_real_ns(CLOCK_MONOTONIC);
    FD_ZERO(&in);
    FD_SET(0, &in);
    assert_int_equal(select(0, &in, NULL, NULL, &second), 0);
    assert_true(warped_real_ns(CLOCK_MONOTONIC) - real_ns >= SECOND_NS / 5);
}

/* Stops the clock for short spans while another thread waits. */
static void *fall_behind(void *data)
{
    atomic_bool *is_waiting = data;
    while (!atomic_load(is_waiting))
        sched_yield();
    for (int i = 0; i < 20; i++) {
        stand_still(SECOND_NS / 100);
        usleep(1000);
    }
    return NULL;
}

static void a_wait_that_has_begun_lasts_longer_when_the_world_falls_behind(void **state)
{
    (void)state;
    pthread_t thread;
    atomic_bool is_waiting = false;
    assert_int_equal(pthread_create(&thread, NULL, fall_behind, &is_waiting), 0);
    int64_t from_ns = warped_now_ns(CLOCK_MONOTONIC);
    atomic_store(&is_waiting, true);
    assert_int_equal(poll(NULL, 0, 5000), 0);
    assert_true(warped_now_ns(CLOCK_MONOTONIC) >= from_ns + 5 * SECOND_NS);
    pthread_join(thread, NULL);
}

static _Atomic int64_t handled_ns;

static void on_alarm_read_clock(int number)
{
    (void)number;
    atomic_store(&handled_ns, warped_now_ns(CLOCK_MONOTONIC));
}

static void the_clock_may_be_read_in_a_signal_handler(void **state)
{
    (void)state;
    int64_t from_ns = warped_now_ns(CLOCK_MONOTONIC);
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_alarm_read_clock}, NULL);
    alarm(1);
    while (atomic_load(&handled_ns) == 0)
        poll(NULL, 0, 1000);
    assert_in_range(atomic_load(&handled_ns), from_ns, warped_now_ns(CLOCK_MONOTONIC));
}

/* ---- */

static int tell(void)
{
    const int64_t now_ns[2] = {warped_now_ns(CLOCK_MONOTONIC), warped_now_ns(CLOCK_REALTIME)};
    return write(1, now_ns, sizeof now_ns) == sizeof now_ns ? 0 : 1;
}

/* Whether the clock is the kernel's. */
static int compare(void)
{
    int64_t before_ns = warped_real_ns(CLOCK_MONOTONIC), now_ns = warped_now_ns(CLOCK_MONOTONIC);
    return now_ns >= before_ns && now_ns <= warped_real_ns(CLOCK_MONOTONIC) ? 0 : 1;
}

/* Creates the page in the first run of this program, and opens it again after the exec. */
static void open_page(void)
{
    char origin[64], path[64];
    const char *found = getenv("PTYBOT_WARP_PAGE");
    snprintf(path, sizeof path, "/dev/shm/unit-clock-%ld", (long)getpid());
    int file = open(path, O_RDWR | O_CREAT, 0600);
    assert_int_equal(ftruncate(file, sizeof *page), 0);
    page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert_ptr_not_equal(page, MAP_FAILED);
    close(file);
    if (found) {
        unlink(path);
        const char *told = getenv("PTYBOT_WARP_ORIGIN");
        assert_true(told != NULL);
        origin_ns = told ? strtoll(told, NULL, 10) : 0;
        return;
    }
    origin_ns = warped_real_ns(CLOCK_MONOTONIC);
    snprintf(origin, sizeof origin, "%lld:%lld", (long long)origin_ns,
             (long long)warped_real_ns(CLOCK_REALTIME));
    page->courses[0] = (struct clock_course){.real_ns = origin_ns,
                                             .warped_ns = origin_ns,
                                             .until_ns = INT64_MAX,
                                             .factor = WARPED_FACTOR};
    page->version = CLOCK_SHM_VERSION;
    page->magic = CLOCK_SHM_MAGIC;
    setenv("PTYBOT_WARP_PAGE", path, 1);
    setenv("PTYBOT_WARP_ORIGIN", origin, 1);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return strcmp(argv[1], "tell") == 0 ? tell() : compare();
    open_page();
    warped_preload(argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_began_with_the_run),
        cmocka_unit_test(the_clocks_of_the_world_run_faster),
        cmocka_unit_test(the_clock_of_a_cpu_does_not),
        cmocka_unit_test(all_ways_to_ask_for_the_time_agree),
        cmocka_unit_test(programs_of_a_run_agree),
        cmocka_unit_test(nothing_is_warped_without_a_factor),
        cmocka_unit_test(a_clock_that_is_stopped_stands_still_and_so_do_waits),
        cmocka_unit_test(a_wait_lasts_until_the_clock_gets_there),
        cmocka_unit_test(a_wait_that_has_begun_lasts_longer_when_the_world_falls_behind),
        cmocka_unit_test(the_clock_may_be_read_in_a_signal_handler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
