/* Timeouts through the clock shim, preloaded into this program: the remaining time that calls
 * return, and timeouts with special meanings. */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>

#include "tests/support/check.h"
#include "tests/support/warped.h"

#define SECOND_NS INT64_C(1000000000)

/* ---- Remaining time ---- */

static void on_alarm(int number)
{
    (void)number;
}

static void what_is_left_of_a_sleep_is_reported(void **state)
{
    (void)state;
    struct timespec rest = {0};
    const struct timespec day = {.tv_sec = 86400};
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_alarm}, NULL);
    alarm(5);
    assert_int_equal(nanosleep(&day, &rest), -1);
    assert_int_equal(errno, EINTR);
    assert_in_range(rest.tv_sec, 3600, 86395);
    alarm(5);
    assert_int_equal(clock_nanosleep(CLOCK_MONOTONIC, 0, &day, &rest), EINTR);
    assert_in_range(rest.tv_sec, 3600, 86395);
    alarm(5);
    assert_in_range(sleep(86400), 3600, 86395);
}

static void what_is_left_of_a_select_is_reported(void **state)
{
    (void)state;
    int ends[2];
    fd_set in;
    struct timeval left = {.tv_sec = 86400};
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    FD_ZERO(&in);
    FD_SET(ends[0], &in);
    assert_int_equal(select(ends[0] + 1, &in, NULL, NULL, &left), 1);
    assert_true(FD_ISSET(ends[0], &in));
    assert_in_range(left.tv_sec, 3600, 86399);
    close(ends[0]);
    close(ends[1]);
}

static void what_is_left_of_a_timer_is_reported(void **state)
{
    (void)state;
    const struct itimerspec wanted = {.it_value.tv_sec = 86400, .it_interval.tv_sec = 100};
    struct itimerspec found, before;
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    assert_int_equal(timerfd_settime(timer, 0, &wanted, NULL), 0);
    assert_int_equal(timerfd_gettime(timer, &found), 0);
    assert_in_range(found.it_value.tv_sec, 3600, 86400);
    assert_int_equal(found.it_interval.tv_sec, 100);
    const struct itimerspec off = {0};
    assert_int_equal(timerfd_settime(timer, 0, &off, &before), 0);
    assert_in_range(before.it_value.tv_sec, 3600, 86400);
    assert_int_equal(timerfd_gettime(timer, &found), 0);
    assert_true(found.it_value.tv_sec == 0 && found.it_value.tv_nsec == 0);
    close(timer);
    assert_int_equal(alarm(86400), 0);
    assert_in_range(alarm(0), 3600, 86400);
}

static void a_timer_of_the_shortest_span_is_set(void **state)
{
    (void)state;
    const struct itimerspec shortest = {.it_value.tv_nsec = 1}, past = {.it_value.tv_sec = 1};
    const struct itimerval alarm_soon = {.it_value.tv_usec = 1};
    uint64_t count;
    sigset_t set;
    int number, timer = timerfd_create(CLOCK_MONOTONIC, 0);
    assert_int_equal(timerfd_settime(timer, 0, &shortest, NULL), 0);
    assert_int_equal(read(timer, &count, sizeof count), sizeof count);
    assert_int_equal(timerfd_settime(timer, TFD_TIMER_ABSTIME, &past, NULL), 0);
    assert_int_equal(read(timer, &count, sizeof count), sizeof count);
    close(timer);
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    assert_int_equal(setitimer(ITIMER_REAL, &alarm_soon, NULL), 0);
    assert_int_equal(sigwait(&set, &number), 0);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* Ten seconds take 0.2 s here. */
static void a_timer_is_set_for_a_whole_second(void **state)
{
    (void)state;
    uint64_t count;
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    int64_t real_ns = warped_real_ns(CLOCK_MONOTONIC);
    const struct itimerspec wanted = {
        .it_value.tv_sec = (time_t)(warped_now_ns(CLOCK_MONOTONIC) / SECOND_NS) + 10};
    assert_int_equal(timerfd_settime(timer, TFD_TIMER_ABSTIME, &wanted, NULL), 0);
    assert_int_equal(read(timer, &count, sizeof count), sizeof count);
    assert_true(warped_real_ns(CLOCK_MONOTONIC) - real_ns < 8 * SECOND_NS);
    close(timer);
}

static void what_is_left_of_timers_with_signals_is_reported(void **state)
{
    (void)state;
    const struct itimerspec wanted = {.it_value.tv_sec = 86400, .it_interval.tv_sec = 100},
                            off = {0};
    const struct itimerval coarse = {.it_value.tv_sec = 86400, .it_interval.tv_sec = 100};
    struct itimerspec found, before;
    struct itimerval left, first;
    timer_t timer;
    assert_int_equal(timer_create(CLOCK_MONOTONIC, NULL, &timer), 0);
    assert_int_equal(timer_settime(timer, 0, &wanted, NULL), 0);
    assert_int_equal(timer_gettime(timer, &found), 0);
    assert_in_range(found.it_value.tv_sec, 3600, 86400);
    assert_int_equal(found.it_interval.tv_sec, 100);
    assert_int_equal(timer_settime(timer, 0, &off, &before), 0);
    assert_in_range(before.it_value.tv_sec, 3600, 86400);
    assert_int_equal(before.it_interval.tv_sec, 100);
    timer_delete(timer);
    assert_int_equal(setitimer(ITIMER_REAL, &coarse, NULL), 0);
    assert_int_equal(getitimer(ITIMER_REAL, &left), 0);
    assert_in_range(left.it_value.tv_sec, 3600, 86400);
    assert_int_equal(left.it_interval.tv_sec, 100);
    assert_int_equal(setitimer(ITIMER_REAL, &(struct itimerval){0}, &first), 0);
    assert_in_range(first.it_value.tv_sec, 3600, 86400);
    assert_int_equal(first.it_interval.tv_sec, 100);
    assert_int_equal(ualarm(900000000, 0), 0);
    assert_in_range(ualarm(0, 0), 1000000, 900000000);
}

static void the_timeout_of_a_socket_reads_as_it_was_set(void **state)
{
    (void)state;
    struct timeval set = {.tv_sec = 1000}, found = {0};
    socklen_t size = sizeof found;
    int one = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(getsockopt(one, SOL_SOCKET, SO_RCVTIMEO, &found, &size), 0);
    assert_true(found.tv_sec == 0 && found.tv_usec == 0);
    assert_int_equal(setsockopt(one, SOL_SOCKET, SO_RCVTIMEO, &set, sizeof set), 0);
    assert_int_equal(getsockopt(one, SOL_SOCKET, SO_RCVTIMEO, &found, &size), 0);
    assert_in_range(found.tv_sec, 999, 1001);
    close(one);
}

/* Some options are as large as a timeval. */
static void other_options_of_a_socket_pass(void **state)
{
    (void)state;
    const int wide[4] = {1};
    unsigned char info[16], real[16];
    int is_on = 0;
    socklen_t size = sizeof is_on, info_size = sizeof info, real_size = sizeof real;
    int one = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(setsockopt(one, SOL_SOCKET, SO_KEEPALIVE, wide, sizeof wide), 0);
    assert_int_equal(getsockopt(one, SOL_SOCKET, SO_KEEPALIVE, &is_on, &size), 0);
    assert_int_equal(is_on, 1);
    assert_int_equal(getsockopt(one, IPPROTO_TCP, TCP_INFO, info, &info_size), 0);
    assert_int_equal(info_size, sizeof info);
    assert_int_equal(syscall(SYS_getsockopt, one, IPPROTO_TCP, TCP_INFO, real, &real_size), 0);
    assert_memory_equal(info, real, sizeof info);
    struct timeval kept = {.tv_sec = 3};
    size = sizeof kept;
    assert_int_equal(getsockopt(-1, SOL_SOCKET, SO_RCVTIMEO, &kept, &size), -1);
    assert_int_equal(kept.tv_sec, 3);
    close(one);
}

static void poll_for_a_millisecond(int epoll)
{
    (void)epoll;
    assert_int_equal(poll(NULL, 0, 1), 0);
}

static void epoll_for_a_millisecond(int epoll)
{
    assert_int_equal(epoll_wait(epoll, &(struct epoll_event){0}, 1, 1), 0);
}

/* A millisecond takes 20 us here, and the kernel may add 50 us. One of many waits takes less than
 * 400 us, also on a busy machine. */
static void a_short_timeout_is_not_rounded_up(void **state)
{
    (void)state;
    static void (*const waits[])(int epoll) = {poll_for_a_millisecond, epoll_for_a_millisecond};
    int epoll = epoll_create1(0);
    for (size_t i = 0; i < 2; i++) {
        int64_t took_ns = SECOND_NS;
        for (int tries = 0; tries < 5000 && took_ns >= SECOND_NS / WARPED_FACTOR; tries++) {
            int64_t from_ns = warped_now_ns(CLOCK_MONOTONIC);
            waits[i](epoll);
            took_ns = warped_now_ns(CLOCK_MONOTONIC) - from_ns;
        }
        assert_in_range(took_ns, SECOND_NS / 1000, SECOND_NS / WARPED_FACTOR - 1);
    }
    close(epoll);
}

/* ---- Timeouts with special meanings ---- */

static void wrong_timeouts_are_refused(void **state)
{
    (void)state;
    const struct timespec negative = {.tv_sec = -1}, crowded = {.tv_nsec = SECOND_NS};
    struct timeval negative_tv = {.tv_sec = -1};
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    assert_int_equal(nanosleep(&negative, NULL), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(clock_nanosleep(CLOCK_MONOTONIC, 0, &crowded, NULL), EINVAL);
    assert_int_equal(clock_nanosleep(12345, 0, &crowded, NULL), EINVAL);
    assert_int_equal(select(0, NULL, NULL, NULL, &negative_tv), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(sem_timedwait(&semaphore, &crowded), -1);
    assert_int_equal(errno, EINVAL);
}

static void what_has_passed_is_over_at_once(void **state)
{
    (void)state;
    const struct timespec past = {.tv_sec = 1};
    struct timeval none = {0};
    sem_t semaphore;
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    sem_init(&semaphore, 0, 0);
    assert_int_equal(sem_timedwait(&semaphore, &past), -1);
    assert_int_equal(errno, ETIMEDOUT);
    pthread_mutex_lock(&mutex);
    assert_int_equal(pthread_cond_timedwait(&condition, &mutex, &past), ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
    assert_int_equal(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &past, NULL), 0);
    assert_int_equal(poll(NULL, 0, 0), 0);
    assert_int_equal(select(0, NULL, NULL, NULL, &none), 0);
}

static void what_lasts_for_ever_ends_with_what_it_waits_for(void **state)
{
    (void)state;
    int ends[2];
    fd_set in;
    const struct timespec ever = {.tv_sec = (time_t)(sizeof(time_t) == 8 ? INT64_MAX : INT32_MAX),
                                  .tv_nsec = SECOND_NS - 1};
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    struct pollfd fd = {.fd = ends[0], .events = POLLIN};
    assert_int_equal(poll(&fd, 1, -1), 1);
    assert_int_equal(ppoll(&fd, 1, NULL, NULL), 1);
    assert_int_equal(ppoll(&fd, 1, &ever, NULL), 1);
    FD_ZERO(&in);
    FD_SET(ends[0], &in);
    assert_int_equal(select(ends[0] + 1, &in, NULL, NULL, NULL), 1);
    sem_t semaphore;
    sem_init(&semaphore, 0, 1);
    assert_int_equal(sem_timedwait(&semaphore, &ever), 0);
    close(ends[0]);
    close(ends[1]);
}

/* ---- */

int main(int argc, char **argv)
{
    (void)argc;
    warped_preload(argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_of_a_sleep_is_reported),
        cmocka_unit_test(what_is_left_of_a_select_is_reported),
        cmocka_unit_test(what_is_left_of_a_timer_is_reported),
        cmocka_unit_test(a_timer_of_the_shortest_span_is_set),
        cmocka_unit_test(a_timer_is_set_for_a_whole_second),
        cmocka_unit_test(what_is_left_of_timers_with_signals_is_reported),
        cmocka_unit_test(the_timeout_of_a_socket_reads_as_it_was_set),
        cmocka_unit_test(other_options_of_a_socket_pass),
        cmocka_unit_test(a_short_timeout_is_not_rounded_up),
        cmocka_unit_test(wrong_timeouts_are_refused),
        cmocka_unit_test(what_has_passed_is_over_at_once),
        cmocka_unit_test(what_lasts_for_ever_ends_with_what_it_waits_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
