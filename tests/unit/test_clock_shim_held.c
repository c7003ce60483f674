/* One thread on a held clock: time, waits, timers and busy-waiting. All results are exact. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <threads.h>

#include "tests/support/held.h"

/* Read without the library, so that reading the time does not count as polling. */
static struct clock_shm *shared;

static int64_t passed_ns(void)
{
    struct clock_course course;
    if (shared == NULL) {
        int file = open(getenv("PTYBOT_WARP_PAGE"), O_RDWR);
        shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        close(file);
    }
    clock_shm_get(shared, &course);
    return course.warped_ns - CLOCK_SHM_HELD_NS;
}

/* ---- Time ---- */

static void clocks_begin_at_the_same_value_in_each_run(void)
{
    static const clockid_t monotonic[] = {CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW,
                                          CLOCK_MONOTONIC_COARSE, CLOCK_BOOTTIME};
    static const clockid_t dates[] = {CLOCK_REALTIME, CLOCK_REALTIME_COARSE, CLOCK_TAI};
    struct timeval now;
    struct timespec fine;
    for (size_t i = 0; i < sizeof monotonic / sizeof *monotonic; i++)
        assert_int_equal(warped_now_ns(monotonic[i]), CLOCK_SHM_HELD_NS);
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++)
        assert_int_equal(warped_now_ns(dates[i]), HELD_DATE_S * SECOND_NS);
    assert_int_equal(time(NULL), HELD_DATE_S);
    usleep(1234567);
    assert_int_equal(warped_now_ns(CLOCK_MONOTONIC), CLOCK_SHM_HELD_NS + 1234567 * US_NS);
    assert_int_equal(warped_now_ns(CLOCK_REALTIME), HELD_DATE_S * SECOND_NS + 1234567 * US_NS);
    assert_int_equal(gettimeofday(&now, NULL), 0);
    assert_true(now.tv_sec == HELD_DATE_S + 1 && now.tv_usec == 234567);
    assert_int_equal(timespec_get(&fine, TIME_UTC), TIME_UTC);
    assert_true(fine.tv_sec == HELD_DATE_S + 1 && fine.tv_nsec == 234567000);
    assert_int_equal(time(NULL), HELD_DATE_S + 1);
}

/* ---- Sleeping ---- */

static void a_short_sleep_takes_the_slack_of_linux(void)
{
    assert_int_equal(nanosleep(&(struct timespec){.tv_nsec = 1}, NULL), 0);
    assert_int_equal(passed_ns(), CLOCK_SHM_SLACK_NS);
    assert_int_equal(nanosleep(&(struct timespec){.tv_nsec = CLOCK_SHM_SLACK_NS + 1}, NULL), 0);
    assert_int_equal(passed_ns(), 2 * CLOCK_SHM_SLACK_NS + 1);
    assert_int_equal(nanosleep(&(struct timespec){.tv_nsec = 0}, NULL), 0);
    assert_int_equal(
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &(struct timespec){.tv_sec = 5}, NULL), 0);
    assert_int_equal(passed_ns(), 2 * CLOCK_SHM_SLACK_NS + 1);
}

static volatile sig_atomic_t heard;

static void hear(int number)
{
    (void)number;
    heard++;
}

static void hear_alarm(void)
{
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = hear}, NULL);
}

static void a_sleep_that_is_interrupted_reports_its_rest(void)
{
    const struct timespec long_time = {.tv_sec = 10, .tv_nsec = 250};
    struct timespec rest;
    hear_alarm();
    alarm(3);
    assert_int_equal(nanosleep(&long_time, &rest), -1);
    assert_int_equal(errno, EINTR);
    assert_true(rest.tv_sec == 7 && rest.tv_nsec == 250);
    alarm(3);
    assert_int_equal(clock_nanosleep(CLOCK_REALTIME, 0, &long_time, &rest), EINTR);
    assert_true(rest.tv_sec == 7 && rest.tv_nsec == 250);
    alarm(3);
    assert_int_equal(thrd_sleep(&long_time, &rest), -1);
    assert_true(rest.tv_sec == 7 && rest.tv_nsec == 250);
    ualarm(2500000, 0);
    errno = 0;
    assert_int_equal(sleep(10), 7);
    assert_int_equal(errno, EINTR);
    alarm(3);
    assert_int_equal(sleep(10), 7);
    alarm(1);
    assert_int_equal(usleep(9000000), -1);
    assert_int_equal(errno, EINTR);
    assert_int_equal(passed_ns(), 15500 * MS_NS);
    assert_int_equal(heard, 6);
}

/* ---- Descriptors ---- */

static void what_is_there_costs_no_time(void)
{
    int ends[2];
    fd_set in;
    char byte;
    struct timeval left = {.tv_sec = 5};
    struct epoll_event event = {.events = EPOLLIN};
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    struct pollfd fd = {.fd = ends[0], .events = POLLIN};
    FD_ZERO(&in);
    FD_SET(ends[0], &in);
    int epoll = epoll_create1(0);
    assert_int_equal(epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event), 0);
    assert_int_equal(poll(&fd, 1, 1000), 1);
    assert_int_equal(fd.revents, POLLIN);
    assert_int_equal(select(FD_SETSIZE, &in, NULL, NULL, &left), 1);
    assert_true(left.tv_sec == 5 && left.tv_usec == 0);
    assert_int_equal(epoll_wait(epoll, &event, 1, 1000), 1);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_int_equal(passed_ns(), 0);
    assert_int_equal(shared->orders, 1); // no wait, and only the turn at the start
}

/* Lets the kernel refuse a timeout of 1 ms. False: this system has no such filters. */
static bool refuse_a_millisecond_of_epoll(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_epoll_pwait, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[3])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog all = {.len = sizeof rules / sizeof *rules, .filter = rules};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) == 0;
}

static void the_kernel_is_first_asked_without_waiting(void)
{
    struct epoll_event event;
    int epoll = epoll_create1(0);
    if (refuse_a_millisecond_of_epoll()) {
        assert_int_equal(epoll_wait(epoll, &event, 1, 1000), 0);
        assert_int_equal(passed_ns(), SECOND_NS);
    }
    close(epoll);
}

static void select_empties_its_sets_at_a_timeout(void)
{
    fd_set in, out, except;
    int ends[2];
    struct timeval left = {.tv_usec =
                               1500000}; // more microseconds than POSIX allows; Linux accepts them
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(dup2(ends[0], 200), 200);
    FD_ZERO(&in);
    FD_SET(200, &in);
    except = in;
    FD_ZERO(&out);
    FD_SET(ends[0], &out); // the descriptor is for reading
    FD_SET(300, &in);      // beyond the given number of descriptors
    assert_int_equal(select(201, &in, &out, &except, &left), 0);
    assert_int_equal(passed_ns(), 1500 * MS_NS);
    assert_true(left.tv_sec == 0 && left.tv_usec == 0);
    assert_false(FD_ISSET(200, &in) || FD_ISSET(200, &except) || FD_ISSET(ends[0], &out));
    assert_true(FD_ISSET(300, &in));
    left = (struct timeval){.tv_usec = 999999};
    assert_int_equal(select(0, NULL, NULL, NULL, &left), 0);
    assert_int_equal(passed_ns(), 1500 * MS_NS + 999999 * US_NS);
}

static void waits_for_descriptors_end_with_a_signal(void)
{
    sigset_t none;
    struct timeval left = {.tv_sec = 10};
    hear_alarm();
    sigemptyset(&none);
    alarm(1);
    assert_int_equal(poll(NULL, 0, 10000), -1);
    assert_int_equal(errno, EINTR);
    alarm(1);
    assert_int_equal(ppoll(NULL, 0, NULL, &none), -1);
    assert_int_equal(errno, EINTR);
    alarm(1);
    assert_int_equal(select(0, NULL, NULL, NULL, &left), -1);
    assert_int_equal(errno, EINTR);
    assert_true(left.tv_sec == 9 && left.tv_usec == 0);
    alarm(1);
    assert_int_equal(pselect(0, NULL, NULL, NULL, NULL, &none), -1);
    assert_int_equal(errno, EINTR);
    assert_int_equal(passed_ns(), 4 * SECOND_NS);
}

/* ---- Busy-waiting ---- */

static int silent[2];

static void look_at_clock(void)
{
    warped_now_ns(CLOCK_MONOTONIC);
}

static void look_at_date(void)
{
    gettimeofday(&(struct timeval){0}, NULL);
}

static void look_at_seconds(void)
{
    time(NULL);
}

static void look_by_poll(void)
{
    assert_int_equal(poll(&(struct pollfd){.fd = silent[0], .events = POLLIN}, 1, 0), 0);
}

static void look_by_ppoll(void)
{
    const struct timespec none = {0};
    assert_int_equal(ppoll(&(struct pollfd){.fd = silent[0], .events = POLLIN}, 1, &none, NULL), 0);
}

static void look_by_select(void)
{
    assert_int_equal(select(0, NULL, NULL, NULL, &(struct timeval){0}), 0);
}

static void look_by_pselect(void)
{
    assert_int_equal(pselect(0, NULL, NULL, NULL, &(struct timespec){0}, NULL), 0);
}

static int empty_epoll;

static void look_by_epoll(void)
{
    struct epoll_event event;
    assert_int_equal(epoll_wait(empty_epoll, &event, 1, 0), 0);
}

static void look_by_epoll_pwait2(void)
{
    struct epoll_event event;
    assert_int_equal(epoll_pwait2(empty_epoll, &event, 1, &(struct timespec){0}, NULL), 0);
}

static void look_by_read(void)
{
    char byte;
    assert_int_equal(read(silent[0], &byte, 1), -1);
    assert_int_equal(errno, EAGAIN);
}

static int quiet_terminal;

static void look_at_terminal(void)
{
    char byte;
    assert_int_equal(read(quiet_terminal, &byte, 1), 0);
}

static void look_for_size(void)
{
    int size = -1;
    assert_int_equal(ioctl(silent[0], FIONREAD, &size), 0);
    assert_int_equal(size, 0);
}

static void look_by_yield(void)
{
    sched_yield();
}

static void no_look_for_size(void)
{
    int size = -1;
    assert_int_equal(ioctl(silent[0], FIONREAD, &size), 0);
    assert_int_equal(size, 1);
}

static void no_look_by_poll(void)
{
    assert_int_equal(poll(&(struct pollfd){.fd = silent[0], .events = POLLIN}, 1, 0), 1);
}

static void no_look_by_select(void)
{
    fd_set in, out;
    FD_ZERO(&in);
    FD_SET(silent[0], &in);
    out = in;
    assert_int_equal(select(silent[0] + 1, &in, &out, NULL, &(struct timeval){0}), 1);
    assert_true(FD_ISSET(silent[0], &in) && !FD_ISSET(silent[0], &out));
}

/* The first FREE calls take no time. Each call after them advances the clock by the minimum. */
static void assert_costs(void (*look)(void), int free)
{
    int64_t from_ns;
    usleep(1000);
    from_ns = passed_ns();
    for (int i = 0; i < free; i++)
        look();
    assert_int_equal(passed_ns(), from_ns);
    for (int i = 1; i <= 3; i++) {
        look();
        assert_int_equal(passed_ns(), from_ns + i * CLOCK_SHM_POLL_MIN_NS);
    }
}

static void open_silent(void)
{
    assert_int_equal(pipe2(silent, O_NONBLOCK), 0);
    empty_epoll = epoll_create1(0);
}

static void open_terminal(void)
{
    int robot;
    struct termios mode;
    assert_int_equal(openpty(&robot, &quiet_terminal, NULL, NULL, NULL), 0);
    assert_int_equal(tcgetattr(quiet_terminal, &mode), 0);
    cfmakeraw(&mode);
    mode.c_cc[VMIN] = 0;
    mode.c_cc[VTIME] = 0;
    assert_int_equal(tcsetattr(quiet_terminal, TCSANOW, &mode), 0);
}

static void looking_in_vain_is_free_for_a_while(void)
{
    static void (*const calls[])(void) = {
        look_by_poll,         look_by_ppoll, look_by_select, look_by_pselect, look_by_epoll,
        look_by_epoll_pwait2, look_by_read,  look_for_size,  look_by_yield,   look_at_terminal,
    };
    open_silent();
    open_terminal();
    assert_costs(look_at_clock, 5000);
    assert_costs(look_at_date, 5000);
    assert_costs(look_at_seconds, 5000);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        assert_costs(calls[i], 500);
}

static void finding_something_is_free(void)
{
    open_silent();
    assert_int_equal(write(silent[1], "x", 1), 1);
    int end = open("/dev/null", O_RDONLY);
    for (int i = 0; i < 600; i++) {
        no_look_for_size();
        no_look_by_poll();
        no_look_by_select();
        assert_int_equal(read(end, &(char){0}, 1), 0);
    }
    look_by_yield();
    assert_int_equal(passed_ns(), 0);
}

/* Each poll costs a quarter of the time that has passed so far: at least 20 us, at most 1 ms. */
static void looking_costs_more_the_longer_it_lasts(void)
{
    int64_t expected_ns = 0;
    for (int i = 0; i < 500; i++)
        sched_yield();
    for (int i = 0; i < 40; i++) {
        int64_t cost_ns = expected_ns / 4;
        cost_ns = cost_ns < 20 * US_NS ? 20 * US_NS : cost_ns > MS_NS ? MS_NS : cost_ns;
        expected_ns += cost_ns;
        sched_yield();
        assert_int_equal(passed_ns(), expected_ns);
    }
}

/* ---- Timers ---- */

static int64_t timer_left_ns(int timer, int64_t *interval_ns)
{
    struct itimerspec now;
    assert_int_equal(timerfd_gettime(timer, &now), 0);
    *interval_ns = warped_ns(&now.it_interval);
    return warped_ns(&now.it_value);
}

static void read_once(int timer)
{
    uint64_t count;
    assert_int_equal(read(timer, &count, sizeof count), sizeof count);
    assert_int_equal(count, 1);
}

static void a_timer_expires_at_each_of_its_moments(void)
{
    int64_t interval_ns;
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    const struct itimerspec wanted = {.it_value = {2, 500}, .it_interval = {1, 7}}, off = {0};
    struct itimerspec before;
    assert_int_equal(timer_left_ns(timer, &interval_ns), 0);
    assert_int_equal(timerfd_settime(timer, 0, &wanted, &before), 0);
    assert_true(warped_ns(&before.it_value) == 0 && warped_ns(&before.it_interval) == 0);
    assert_int_equal(timer_left_ns(timer, &interval_ns), 2 * SECOND_NS + 500);
    assert_int_equal(interval_ns, SECOND_NS + 7);
    read_once(timer);
    assert_int_equal(passed_ns(), 2 * SECOND_NS + 500);
    read_once(timer);
    assert_int_equal(passed_ns(), 3 * SECOND_NS + 507);
    usleep(400000);
    assert_int_equal(timerfd_settime(timer, 0, &off, &before), 0);
    assert_int_equal(warped_ns(&before.it_value), 600 * MS_NS + 7);
    assert_int_equal(warped_ns(&before.it_interval), SECOND_NS + 7);
    assert_int_equal(timer_left_ns(timer, &interval_ns), 0);
    assert_int_equal(interval_ns, 0);
    assert_int_equal(poll(&(struct pollfd){.fd = timer, .events = POLLIN}, 1, 5000), 0);
}

static void expire_at(int64_t moment_s, clockid_t clock, int64_t expected_ns)
{
    int timer = timerfd_create(clock, 0);
    const struct itimerspec wanted = {.it_value.tv_sec = (time_t)moment_s};
    assert_int_equal(timerfd_settime(timer, TFD_TIMER_ABSTIME, &wanted, NULL), 0);
    read_once(timer);
    assert_int_equal(passed_ns(), expected_ns);
    close(timer);
}

static void a_timer_expires_at_a_moment_of_its_clock(void)
{
    expire_at(CLOCK_SHM_HELD_NS / SECOND_NS + 3, CLOCK_MONOTONIC, 3 * SECOND_NS);
    expire_at(HELD_DATE_S + 5, CLOCK_REALTIME, 5 * SECOND_NS);
    expire_at(1, CLOCK_MONOTONIC, 5 * SECOND_NS);
}

static void a_descriptor_that_is_used_again_has_no_timer(void)
{
    int64_t interval_ns;
    const struct itimerspec wanted = {.it_value.tv_sec = 3};
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    assert_int_equal(timerfd_settime(timer, 0, &wanted, NULL), 0);
    close(timer);
    assert_int_equal(timerfd_create(CLOCK_MONOTONIC, 0), timer);
    assert_int_equal(timer_left_ns(timer, &interval_ns), 0);
    assert_int_equal(poll(&(struct pollfd){.fd = timer, .events = POLLIN}, 1, 5000), 0);
}

static void a_child_has_timers_of_its_own(void)
{
    int status;
    int64_t interval_ns;
    const struct itimerspec wanted = {.it_value.tv_sec = 3}, its = {.it_value.tv_sec = 1};
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    assert_int_equal(timerfd_settime(timer, 0, &wanted, NULL), 0);
    alarm(100);
    pid_t child = fork();
    if (child == 0) {
        bool is_own = timer_left_ns(timer, &interval_ns) == 0 && alarm(0) == 0 &&
                      timerfd_settime(timer, 0, &its, NULL) == 0;
        sleep(2);
        _exit(is_own ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(alarm(0), 98);
    assert_int_equal(timer_left_ns(timer, &interval_ns), SECOND_NS);
    const struct itimerspec off = {0};
    assert_int_equal(timerfd_settime(timer, 0, &off, NULL), 0);
}

static void wrong_timers_are_refused(void)
{
    static const struct itimerspec wrong[] = {
        {.it_value = {-1, 0}},
        {.it_value = {1, -1}},
        {.it_value = {1, SECOND_NS}},
        {.it_value = {1, 0}, .it_interval = {-1, 0}},
        {.it_value = {1, 0}, .it_interval = {0, -1}},
        {.it_value = {1, 0}, .it_interval = {0, SECOND_NS}},
    };
    int64_t interval_ns;
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        errno = 0;
        assert_int_equal(timerfd_settime(timer, 0, &wrong[i], NULL), -1);
        assert_int_equal(errno, EINVAL);
        const struct itimerval coarse = {
            .it_value = {wrong[i].it_value.tv_sec, wrong[i].it_value.tv_nsec / 1000},
            .it_interval = {wrong[i].it_interval.tv_sec, wrong[i].it_interval.tv_nsec / 1000}};
        if (wrong[i].it_value.tv_nsec != -1 && wrong[i].it_interval.tv_nsec != -1) {
            assert_int_equal(setitimer(ITIMER_REAL, &coarse, NULL), -1);
            assert_int_equal(errno, EINVAL);
        }
    }
    const struct itimerspec last = {.it_value = {1, SECOND_NS - 1},
                                    .it_interval = {1, SECOND_NS - 1}};
    assert_int_equal(timerfd_settime(timer, 0, &last, NULL), 0);
    assert_int_equal(timer_left_ns(timer, &interval_ns), 2 * SECOND_NS - 1);
    assert_int_equal(timerfd_settime(silent[0], 0, &last, NULL), -1);
    // Longer than any wait.
    const struct itimerspec ever = {.it_value.tv_sec = INT64_C(1) << 33};
    assert_int_equal(timerfd_settime(timer, 0, &ever, NULL), 0);
    assert_int_equal(timerfd_settime(timer, 0, &(struct itimerspec){0}, NULL), 0);
}

static void an_alarm_comes_again_at_its_interval(void)
{
    const struct itimerval wanted = {.it_value = {1, 500000}, .it_interval = {0, 250001}},
                           off = {0};
    struct itimerval now;
    hear_alarm();
    assert_int_equal(getitimer(ITIMER_REAL, &now), 0);
    assert_true(now.it_value.tv_sec == 0 && now.it_value.tv_usec == 0);
    assert_int_equal(setitimer(ITIMER_REAL, &wanted, NULL), 0);
    usleep(100000);
    assert_int_equal(getitimer(ITIMER_REAL, &now), 0);
    assert_true(now.it_value.tv_sec == 1 && now.it_value.tv_usec == 400000);
    assert_true(now.it_interval.tv_sec == 0 && now.it_interval.tv_usec == 250001);
    pause();
    assert_int_equal(passed_ns(), 1500 * MS_NS);
    pause();
    assert_int_equal(passed_ns(), 1750 * MS_NS + US_NS);
    assert_int_equal(setitimer(ITIMER_REAL, &off, &now), 0);
    assert_true(now.it_value.tv_sec == 0 && now.it_value.tv_usec == 250001);
    assert_true(now.it_interval.tv_sec == 0 && now.it_interval.tv_usec == 250001);
    assert_int_equal(getitimer(ITIMER_REAL, &now), 0);
    assert_true(now.it_value.tv_sec == 0 && now.it_value.tv_usec == 0);
    assert_int_equal(heard, 2);
}

static void alarms_report_what_was_left(void)
{
    hear_alarm();
    assert_int_equal(alarm(10), 0);
    usleep(400000);
    assert_int_equal(alarm(20), 10); // 9.6 s
    usleep(600000);
    assert_int_equal(ualarm(700000, 300000), 19400000);
    usleep(400000);
    assert_int_equal(alarm(0), 1); // 0.3 s, but not 0
    assert_int_equal(ualarm(2000000, 300000), 0);
    usleep(400000);
    struct itimerval now;
    assert_int_equal(getitimer(ITIMER_REAL, &now), 0);
    assert_true(now.it_value.tv_sec == 1 && now.it_value.tv_usec == 600000);
    assert_int_equal(now.it_interval.tv_usec, 300000);
    assert_int_equal(alarm(5), 2); // 1.6 s
    assert_int_equal(usleep(900000), 0);
    usleep(800000);
    assert_int_equal(alarm(0), 3); // 3.3 s
    assert_int_equal(heard, 0);
}

/* ---- The signal that ends waits ---- */

static void check_mask(int number)
{
    sigset_t now;
    (void)number;
    sigprocmask(SIG_BLOCK, NULL, &now);
    heard += sigismember(&now, CLOCK_SHM_SIGNAL) == 0 && sigismember(&now, SIGUSR1) == 1;
}

static void the_signal_cannot_be_blocked_or_caught(void)
{
    sigset_t all, now;
    struct sigaction kept, action = {.sa_handler = check_mask};
    sigfillset(&all);
    assert_int_equal(sigprocmask(SIG_SETMASK, &all, NULL), 0);
    assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &now), 0);
    assert_int_equal(sigismember(&now, CLOCK_SHM_SIGNAL), 0);
    assert_int_equal(sigismember(&now, SIGUSR2), 1);
    assert_int_equal(sigismember(&all, CLOCK_SHM_SIGNAL), 1);
    assert_int_equal(sigprocmask(SIG_UNBLOCK, &all, NULL), 0);
    assert_int_equal(pthread_sigmask(SIG_BLOCK, &all, NULL), 0);
    assert_int_equal(pthread_sigmask(SIG_BLOCK, NULL, &now), 0);
    assert_int_equal(sigismember(&now, CLOCK_SHM_SIGNAL), 0);
    assert_int_equal(sigismember(&now, SIGUSR2), 1);
    assert_int_equal(pthread_sigmask(SIG_UNBLOCK, &all, NULL), 0);

    assert_ptr_equal(signal(CLOCK_SHM_SIGNAL, hear), SIG_DFL);
    assert_int_equal(sigaction(CLOCK_SHM_SIGNAL, &action, NULL), 0);
    usleep(1000);
    assert_int_equal(heard, 0);
    sigfillset(&action.sa_mask);
    assert_int_equal(sigaction(SIGUSR2, &action, NULL), 0);
    assert_int_equal(sigaction(SIGUSR2, NULL, &kept), 0);
    assert_ptr_equal(kept.sa_handler, check_mask);
    raise(SIGUSR2);
    assert_int_equal(heard, 1);
}

static void who_waits_for_all_signals_does_not_get_it(void)
{
    sigset_t all, none;
    siginfo_t about;
    int number = 0;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    raise(CLOCK_SHM_SIGNAL);
    alarm(1);
    assert_int_equal(sigwait(&all, &number), 0);
    assert_int_equal(number, SIGALRM);
    alarm(1);
    assert_int_equal(sigwaitinfo(&all, &about), SIGALRM);
    alarm(1);
    assert_int_equal(sigtimedwait(&all, &about, &(struct timespec){.tv_sec = 3}), SIGALRM);
    assert_int_equal(sigtimedwait(&all, &about, &(struct timespec){.tv_sec = 3}), -1);
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(passed_ns(), 6 * SECOND_NS);
    hear_alarm();
    sigfillset(&none);
    sigdelset(&none, SIGALRM);
    alarm(1);
    assert_int_equal(sigsuspend(&none), -1);
    assert_int_equal(heard, 1);
    assert_int_equal(passed_ns(), 7 * SECOND_NS);
}

/* ---- The waits of other tests ---- Each takes its exact duration to the nanosecond. Handlers jump
 * out of some of them. */

static void check_all_seen(struct clock_shm *shm)
{
    assert_int_equal(shm->unseen, 0);
}

static void all_waits_for_time_and_descriptors_are_exact(void **state)
{
    (void)state;
    held_run((char *[]){PTYBOT_CLOCK_WAITS, NULL}, &(struct deed){.after = check_all_seen});
}

static void all_waits_for_threads_and_messages_are_exact(void **state)
{
    (void)state;
    held_run((char *[]){PTYBOT_CLOCK_THREADS, NULL}, &(struct deed){0});
}

/* ---- */

int main(int argc, char **argv)
{
    static const struct deed deeds[] = {
        DEED(clocks_begin_at_the_same_value_in_each_run),
        DEED(a_short_sleep_takes_the_slack_of_linux),
        DEED(a_sleep_that_is_interrupted_reports_its_rest),
        DEED(what_is_there_costs_no_time),
        DEED(the_kernel_is_first_asked_without_waiting),
        DEED(select_empties_its_sets_at_a_timeout),
        DEED(waits_for_descriptors_end_with_a_signal),
        DEED(looking_in_vain_is_free_for_a_while),
        DEED(finding_something_is_free),
        DEED(looking_costs_more_the_longer_it_lasts),
        DEED(a_timer_expires_at_each_of_its_moments),
        DEED(a_timer_expires_at_a_moment_of_its_clock),
        DEED(a_descriptor_that_is_used_again_has_no_timer),
        DEED(a_child_has_timers_of_its_own),
        DEED(wrong_timers_are_refused),
        DEED(an_alarm_comes_again_at_its_interval),
        DEED(alarms_report_what_was_left),
        DEED(the_signal_cannot_be_blocked_or_caught),
        DEED(who_waits_for_all_signals_does_not_get_it),
    };
    const struct CMUnitTest waits[] = {
        cmocka_unit_test(all_waits_for_time_and_descriptors_are_exact),
        cmocka_unit_test(all_waits_for_threads_and_messages_are_exact),
    };
    if (argc == 1 && cmocka_run_group_tests(waits, NULL, NULL) != 0)
        return 1;
    return held_main(argc, argv, deeds, sizeof deeds / sizeof *deeds);
}
