/* Threads, processes, sockets and terminals on a held clock: their order and their moments. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <threads.h>

#include "tests/support/held.h"

static int64_t passed_ns(void)
{
    return warped_now_ns(CLOCK_MONOTONIC) - CLOCK_SHM_HELD_NS;
}

/* ---- Threads ---- */

enum { THREADS = 5 };
static pthread_t threads[THREADS];
static char told[64];
static size_t told_size;

/* One thread runs at a time, so this needs no lock. */
static void tell(char letter)
{
    told[told_size++] = letter;
    told[told_size] = '\0';
}

static void start_all(void *(*routine)(void *))
{
    for (intptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, routine, (void *)i), 0);
}

static void join_all(void)
{
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static char letter_of(void *number)
{
    return (char)('a' + (intptr_t)number);
}

static void *tell_twice(void *number)
{
    tell(letter_of(number));
    usleep(1000);
    tell(letter_of(number));
    return number;
}

static void threads_start_and_continue_in_the_order_of_their_creation(void)
{
    void *out;
    start_all(tell_twice);
    assert_string_equal(told, "");
    usleep(500);
    assert_string_equal(told, "abcde");
    assert_int_equal(pthread_join(threads[3], &out), 0);
    assert_int_equal((intptr_t)out, 3);
    usleep(1);
    assert_string_equal(told, "abcdeabcde");
    assert_int_equal(passed_ns(), 1050 * US_NS);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int tickets;

static void *take_ticket(void *number)
{
    pthread_mutex_lock(&mutex);
    while (tickets == 0)
        assert_int_equal(pthread_cond_wait(&condition, &mutex), 0);
    tickets--;
    tell(letter_of(number));
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void give_tickets(int count, int (*wake)(pthread_cond_t *))
{
    pthread_mutex_lock(&mutex);
    tickets += count;
    assert_int_equal(wake(&condition), 0);
    pthread_mutex_unlock(&mutex);
    usleep(1000);
}

static void a_signal_wakes_one_thread_and_a_broadcast_all_in_order(void)
{
    start_all(take_ticket);
    usleep(1000);
    give_tickets(2, pthread_cond_signal);
    assert_string_equal(told, "a");
    tickets = 0;
    give_tickets(4, pthread_cond_broadcast);
    assert_string_equal(told, "abcde");
    join_all();
    assert_int_equal(passed_ns(), 3 * MS_NS);
}

static void on_alarm(int number)
{
    (void)number;
}

static void *signal_later(void *unused)
{
    pthread_mutex_lock(&mutex);
    usleep(2000000);
    pthread_mutex_unlock(&mutex);
    usleep(1000000);
    pthread_cond_signal(&condition);
    return unused;
}

/* As in the C library, though POSIX allows a wait to end for no reason. */
static void a_handler_does_not_end_a_wait_for_a_condition(void)
{
    pthread_t other;
    int type;
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_alarm}, NULL);
    assert_int_equal(pthread_create(&other, NULL, signal_later, NULL), 0);
    usleep(1000);
    errno = 77;
    assert_int_equal(pthread_mutex_lock(&mutex), 0);
    assert_int_equal(errno, 77);
    assert_int_equal(passed_ns(), 2 * SECOND_NS);
    ualarm(500000, 0);
    assert_int_equal(pthread_cond_wait(&condition, &mutex), 0);
    assert_int_equal(errno, 77);
    assert_int_equal(passed_ns(), 3 * SECOND_NS);
    assert_int_equal(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type), 0);
    assert_int_equal(type, PTHREAD_CANCEL_DEFERRED);
    pthread_join(other, NULL);
}

static mtx_t own_mutex;
static cnd_t own_condition;

static void *take_ticket_of_c(void *number)
{
    assert_int_equal(mtx_lock(&own_mutex), thrd_success);
    while (tickets == 0)
        assert_int_equal(cnd_wait(&own_condition, &own_mutex), thrd_success);
    tickets--;
    tell(letter_of(number));
    mtx_unlock(&own_mutex);
    return NULL;
}

static void conditions_of_c11_do_the_same(void)
{
    struct timespec when = {.tv_sec = HELD_DATE_S + 2};
    mtx_init(&own_mutex, mtx_timed);
    cnd_init(&own_condition);
    start_all(take_ticket_of_c);
    usleep(1000);
    tickets = 1;
    assert_int_equal(cnd_signal(&own_condition), thrd_success);
    usleep(1000);
    assert_string_equal(told, "a");
    tickets = 4;
    assert_int_equal(cnd_broadcast(&own_condition), thrd_success);
    usleep(1000);
    assert_string_equal(told, "abcde");
    join_all();
    mtx_lock(&own_mutex);
    assert_int_equal(cnd_timedwait(&own_condition, &own_mutex, &when), thrd_timedout);
    assert_int_equal(passed_ns(), 2 * SECOND_NS);
    assert_int_equal(mtx_trylock(&own_mutex), thrd_busy);
    mtx_unlock(&own_mutex);
}

/* ---- Locks ---- */

static void *lock_for_a_while(void *number)
{
    assert_int_equal(pthread_mutex_lock(&mutex), 0);
    tell(letter_of(number));
    usleep(1000);
    tell(letter_of(number));
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void a_mutex_is_taken_in_turns(void)
{
    pthread_mutex_lock(&mutex);
    start_all(lock_for_a_while);
    usleep(1000);
    pthread_mutex_unlock(&mutex);
    join_all();
    assert_int_equal(told_size, 2 * THREADS);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(told[2 * i], told[2 * i + 1]);
    assert_int_equal(passed_ns(), 6 * MS_NS);
}

static void *unlock_later(void *of)
{
    pthread_mutex_lock(of);
    usleep(5000);
    pthread_mutex_unlock(of);
    return NULL;
}

static void assert_timed_lock(int kind, int robust, int64_t expected_ns)
{
    pthread_mutexattr_t how;
    pthread_mutex_t one;
    pthread_t other;
    pthread_mutexattr_init(&how);
    pthread_mutexattr_settype(&how, kind);
    pthread_mutexattr_setrobust(&how, robust);
    pthread_mutex_init(&one, &how);
    int64_t from_ns = passed_ns();
    assert_int_equal(pthread_create(&other, NULL, unlock_later, &one), 0);
    usleep(1500);
    struct timespec when;
    clock_gettime(CLOCK_MONOTONIC, &when);
    struct timespec soon = when;
    soon.tv_nsec += 2000000;
    when.tv_sec += 1;
    assert_int_equal(pthread_mutex_clocklock(&one, CLOCK_MONOTONIC, &soon), ETIMEDOUT);
    assert_true(passed_ns() - from_ns >= 3500 * US_NS && passed_ns() - from_ns < 5 * MS_NS);
    assert_int_equal(pthread_mutex_clocklock(&one, CLOCK_MONOTONIC, &when), 0);
    assert_int_equal(passed_ns() - from_ns, expected_ns);
    assert_int_equal(pthread_mutex_unlock(&one), 0);
    pthread_join(other, NULL);
}

static void a_timed_lock_gets_a_mutex_that_is_unlocked_before(void)
{
    assert_timed_lock(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, 5 * MS_NS);
    assert_timed_lock(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED, 5 * MS_NS);
    assert_timed_lock(PTHREAD_MUTEX_DEFAULT, PTHREAD_MUTEX_STALLED, 5 * MS_NS);
    // Checked every millisecond.
    assert_timed_lock(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, 5500 * US_NS);
}

static void mutexes_report_misuse_as_without_the_library(void)
{
    pthread_mutexattr_t how;
    pthread_mutex_t checked, again;
    pthread_mutexattr_init(&how);
    pthread_mutexattr_settype(&how, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checked, &how);
    assert_int_equal(pthread_cond_wait(&condition, &checked), EPERM);
    assert_int_equal(pthread_mutex_lock(&checked), 0);
    assert_int_equal(pthread_mutex_lock(&checked), EDEADLK);
    pthread_mutex_unlock(&checked);
    pthread_mutexattr_settype(&how, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&again, &how);
    assert_int_equal(pthread_mutex_lock(&again), 0);
    assert_int_equal(pthread_mutex_lock(&again), 0);
    pthread_mutex_unlock(&again);
    pthread_mutex_unlock(&again);
    assert_int_equal(pthread_mutex_unlock(&checked), EPERM);
}

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *read_and_write(void *number)
{
    bool is_reader = (intptr_t)number % 2 == 0;
    assert_int_equal(is_reader ? pthread_rwlock_rdlock(&lock) : pthread_rwlock_wrlock(&lock), 0);
    tell(letter_of(number));
    usleep(1000);
    assert_int_equal(pthread_rwlock_unlock(&lock), 0);
    return NULL;
}

static void locks_for_reading_and_writing_are_taken_in_turns(void)
{
    assert_int_equal(pthread_rwlock_wrlock(&lock), 0);
    assert_int_equal(pthread_rwlock_wrlock(&lock), EDEADLK);
    assert_int_equal(pthread_rwlock_rdlock(&lock), EDEADLK);
    start_all(read_and_write);
    usleep(1000);
    assert_int_equal(told_size, 0);
    assert_int_equal(pthread_rwlock_unlock(&lock), 0);
    join_all();
    // Readers share it.
    assert_string_equal(told, "acebd");
    assert_int_equal(passed_ns(), 4 * MS_NS);
}

static sem_t semaphore;

static void *take(void *number)
{
    assert_int_equal(sem_wait(&semaphore), 0);
    tell(letter_of(number));
    return NULL;
}

static void a_semaphore_is_taken_in_turns_or_ends_with_a_signal(void)
{
    int left;
    const struct timespec when = {.tv_sec = HELD_DATE_S + 5}, past = {.tv_sec = 1};
    sem_init(&semaphore, 0, 1);
    assert_int_equal(sem_wait(&semaphore), 0);
    start_all(take);
    usleep(1000);
    for (int i = 0; i < THREADS; i++)
        sem_post(&semaphore);
    join_all();
    assert_int_equal(told_size, THREADS);
    assert_int_equal(sem_timedwait(&semaphore, &past), -1);
    assert_int_equal(errno, ETIMEDOUT);
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_alarm}, NULL);
    alarm(1);
    assert_int_equal(sem_wait(&semaphore), -1);
    assert_int_equal(errno, EINTR);
    alarm(1);
    assert_int_equal(sem_timedwait(&semaphore, &when), -1);
    assert_int_equal(errno, EINTR);
    assert_int_equal(passed_ns(), 2001 * MS_NS);
    sem_post(&semaphore);
    errno = 77;
    assert_int_equal(sem_timedwait(&semaphore, &when), 0);
    assert_int_equal(errno, 77);
    assert_int_equal(sem_getvalue(&semaphore, &left), 0);
    assert_int_equal(left, 0);
}

static pthread_barrier_t barrier;

static void *meet(void *number)
{
    usleep(1000 * (unsigned)(THREADS - (intptr_t)number));
    int result = pthread_barrier_wait(&barrier);
    assert_true(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
    tell(letter_of(number));
    return NULL;
}

static void threads_leave_a_barrier_in_order(void)
{
    pthread_barrier_init(&barrier, NULL, THREADS);
    start_all(meet);
    join_all();
    assert_string_equal(told, "abcde");
    assert_int_equal(passed_ns(), 5 * MS_NS);
}

/* ---- Cancellation ---- */

static void unlock_mutex(void *of)
{
    (void)of;
    tell(pthread_mutex_trylock(&mutex) == EBUSY ? 'm' : '-');
    pthread_mutex_unlock(&mutex);
}

static void *wait_for_ever(void *number)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock_mutex, NULL);
    if (number)
        pthread_cond_wait(&condition, &mutex);
    else
        sem_wait(&semaphore);
    pthread_cleanup_pop(1);
    return NULL;
}

static void a_cancelled_wait_has_its_mutex_again(void)
{
    pthread_t other;
    void *result;
    sem_init(&semaphore, 0, 0);
    for (intptr_t i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&other, NULL, wait_for_ever, (void *)i), 0);
        usleep(1000);
        assert_int_equal(pthread_cancel(other), 0);
        assert_int_equal(pthread_join(other, &result), 0);
        assert_ptr_equal(result, PTHREAD_CANCELED);
    }
    assert_string_equal(told, "mm");
    assert_int_equal(pthread_mutex_trylock(&mutex), 0);
    assert_int_equal(passed_ns(), 2 * MS_NS);
}

/* ---- Futexes ---- */

static unsigned word = 5;

static long futex(int operation, unsigned value, const struct timespec *time)
{
    return syscall(SYS_futex, &word, operation, value, time, NULL, FUTEX_BITSET_MATCH_ANY);
}

static void *change_word(void *unused)
{
    usleep(1000);
    word = 6;
    assert_int_equal(futex(FUTEX_WAKE_PRIVATE, 1, NULL), 1);
    return unused;
}

static void futexes_end_at_their_time_or_when_they_are_woken(void)
{
    pthread_t other;
    const struct timespec span = {.tv_sec = 1, .tv_nsec = 5}, date = {.tv_sec = HELD_DATE_S + 2};
    const struct timespec moment = {.tv_sec = CLOCK_SHM_HELD_NS / SECOND_NS + 3};
    assert_int_equal(futex(FUTEX_WAIT_PRIVATE, 4, &span), -1);
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(passed_ns(), 0);
    assert_int_equal(futex(FUTEX_WAIT_PRIVATE, 5, &span), -1);
    assert_int_equal(errno, ETIMEDOUT);
    assert_int_equal(passed_ns(), SECOND_NS + 5);
    assert_int_equal(futex(FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, 5, &date), -1);
    assert_int_equal(errno, ETIMEDOUT);
    assert_int_equal(passed_ns(), 2 * SECOND_NS);
    assert_int_equal(futex(FUTEX_WAIT_BITSET_PRIVATE, 5, &moment), -1);
    assert_int_equal(errno, ETIMEDOUT);
    assert_int_equal(passed_ns(), 3 * SECOND_NS);
    assert_int_equal(pthread_create(&other, NULL, change_word, NULL), 0);
    assert_int_equal(futex(FUTEX_WAIT_PRIVATE, 5, &span), 0);
    assert_int_equal(passed_ns(), 3001 * MS_NS);
    pthread_join(other, NULL);
    word = 5;
    assert_int_equal(pthread_create(&other, NULL, change_word, NULL), 0);
    assert_int_equal(futex(FUTEX_WAIT_PRIVATE, 5, NULL), 0);
    pthread_join(other, NULL);
    assert_int_equal(passed_ns(), 3002 * MS_NS);
}

/* ---- A slow host ---- */

static void delay_by_7_ms(struct clock_shm *shm)
{
    shm->delay_min_us = shm->delay_max_us = 7000;
}

static void a_slow_host_continues_later(void)
{
    usleep(1000);
    assert_int_equal(passed_ns(), 8 * MS_NS);
    poll(NULL, 0, 1);
    assert_int_equal(passed_ns(), 16 * MS_NS);
    assert_int_equal(futex(FUTEX_WAIT_PRIVATE, 5, &(struct timespec){.tv_nsec = MS_NS}), -1);
    assert_int_equal(errno, ETIMEDOUT);
    assert_int_equal(passed_ns(), 24 * MS_NS);
}

static void delay_by_1_us(struct clock_shm *shm)
{
    shm->delay_min_us = shm->delay_max_us = 1;
}

static void the_shortest_delay_counts(void)
{
    usleep(1000);
    assert_int_equal(passed_ns(), 1001 * US_NS);
}

static void delay_by_1_to_3_us(struct clock_shm *shm)
{
    shm->delay_min_us = 1;
    shm->delay_max_us = 3;
    shm->delay_seed = 12345;
}

static void all_delays_of_the_range_occur(void)
{
    unsigned count[5] = {0};
    for (int i = 0; i < 60; i++) {
        int64_t from_ns = passed_ns();
        usleep(1000);
        int64_t late_us = (passed_ns() - from_ns) / US_NS - 1000;
        assert_in_range(late_us, 1, 3);
        count[late_us]++;
    }
    assert_true(count[1] >= 8 && count[2] >= 8 && count[3] >= 8);
}

/* ---- Sockets ---- */

static int connect_tcp(int ends[2])
{
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof own;
    int server = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(server, (struct sockaddr *)&own, sizeof own), 0);
    assert_int_equal(listen(server, 1), 0);
    assert_int_equal(getsockname(server, (struct sockaddr *)&own, &size), 0);
    ends[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);
    assert_int_equal(connect(ends[0], (struct sockaddr *)&own, size), 0);
    ends[1] = accept(server, NULL, NULL);
    assert_true(ends[1] >= 0);
    return server;
}

static int option_of(int fd, int level, int option)
{
    int value = -1;
    socklen_t size = sizeof value;
    assert_int_equal(getsockopt(fd, level, option, &value, &size), 0);
    return value;
}

static void tcp_sends_at_once(void)
{
    const int off = 0;
    int ends[2], server = connect_tcp(ends), six = socket(AF_INET6, SOCK_STREAM, 0);
    for (int i = 0; i < 2; i++) {
        assert_true(option_of(ends[i], IPPROTO_TCP, TCP_NODELAY) != 0);
        assert_int_equal(setsockopt(ends[i], IPPROTO_TCP, TCP_NODELAY, &off, sizeof off), 0);
        assert_true(option_of(ends[i], IPPROTO_TCP, TCP_NODELAY) != 0);
    }
    if (six >= 0)
        assert_true(option_of(six, IPPROTO_TCP, TCP_NODELAY) != 0);
    assert_int_equal(setsockopt(server, SOL_SOCKET, SO_KEEPALIVE, &(int){1}, sizeof off), 0);
    assert_true(option_of(server, SOL_SOCKET, SO_KEEPALIVE) != 0);
    assert_int_equal(setsockopt(server, SOL_SOCKET, SO_KEEPALIVE, &off, sizeof off), 0);
    assert_int_equal(option_of(server, SOL_SOCKET, SO_KEEPALIVE), 0);
    // One that this program has from another.
    int given = (int)syscall(SYS_socket, AF_INET, SOCK_STREAM, 0);
    assert_int_equal(option_of(given, IPPROTO_TCP, TCP_NODELAY), 0);
    assert_int_equal(setsockopt(given, IPPROTO_TCP, TCP_NODELAY, &off, sizeof off), 0);
    assert_true(option_of(given, IPPROTO_TCP, TCP_NODELAY) != 0);
    assert_int_equal(option_of(given, SOL_SOCKET, SO_BROADCAST), 0);
    errno = 77;
    assert_true(socket(AF_INET, SOCK_DGRAM, 0) >= 0 && socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
    assert_int_equal(errno, 77);
    assert_int_equal(socket(AF_INET, 12345, 0), -1);
    assert_int_equal(errno, EINVAL);
    close(0);
    assert_int_equal(socket(AF_INET, SOCK_STREAM, 0), 0);
    assert_true(option_of(0, IPPROTO_TCP, TCP_NODELAY) != 0);
}

static void check_connects(struct clock_shm *shm)
{
    assert_int_equal(shm->connects, 2);
    held_check_left(shm);
}

static void set_timeout(int fd, int option)
{
    const struct timeval wanted = {.tv_sec = 1, .tv_usec = 500};
    struct timeval found;
    socklen_t size = sizeof found;
    assert_int_equal(setsockopt(fd, SOL_SOCKET, option, &wanted, sizeof wanted), 0);
    assert_int_equal(getsockopt(fd, SOL_SOCKET, option, &found, &size), 0);
    // The kernel counts in ticks.
    assert_true(found.tv_sec == 1 && found.tv_usec < 20000);
}

static ssize_t by_recv(int fd)
{
    return recv(fd, &(char){0}, 1, 0);
}

static ssize_t by_recvfrom(int fd)
{
    return recvfrom(fd, &(char){0}, 1, 0, NULL, NULL);
}

static ssize_t by_recvmsg(int fd)
{
    struct iovec part = {&(char){0}, 1};
    return recvmsg(fd, &(struct msghdr){.msg_iov = &part, .msg_iovlen = 1}, 0);
}

static ssize_t by_read(int fd)
{
    return read(fd, &(char){0}, 1);
}

extern ssize_t __recv_chk(int fd, void *bytes, size_t size, size_t room, int flags);
extern ssize_t __read_chk(int fd, void *bytes, size_t size, size_t room);

static ssize_t by_recv_chk(int fd)
{
    return __recv_chk(fd, &(char){0}, 1, 1, 0);
}

static ssize_t by_read_chk(int fd)
{
    return __read_chk(fd, &(char){0}, 1, 1);
}

static ssize_t (*const receivers[])(int fd) = {by_recv, by_recvfrom, by_recvmsg,
                                               by_read, by_recv_chk, by_read_chk};
enum { RECEIVERS = sizeof receivers / sizeof receivers[0] };

static void the_timeout_of_a_socket_is_exact(void)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    set_timeout(ends[0], SO_RCVTIMEO);
    struct timeval wanted = {.tv_sec = 1, .tv_usec = 500000};
    assert_int_equal(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &wanted, sizeof wanted), 0);
    for (size_t i = 0; i < RECEIVERS; i++) {
        int64_t from_ns = passed_ns();
        assert_int_equal(receivers[i](ends[0]), -1);
        assert_int_equal(errno, EAGAIN);
        assert_int_equal(passed_ns() - from_ns, 1500 * MS_NS);
        assert_int_equal(recv(ends[0], &(char){0}, 1, MSG_DONTWAIT), -1);
        assert_int_equal(errno, EAGAIN);
        assert_int_equal(write(ends[1], "x", 1), 1);
        assert_int_equal(receivers[i](ends[0]), 1);
        assert_int_equal(passed_ns() - from_ns, 1500 * MS_NS);
    }
    int64_t from_ns = passed_ns();
    assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(recv(ends[0], &(char){0}, 1, 0), -1);
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(passed_ns(), from_ns);
}

static void a_timeout_of_whole_or_parts_of_seconds_is_exact(void)
{
    static const struct timeval times[] = {{2, 0}, {0, 500000}};
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &times[i], sizeof *times), 0);
        assert_int_equal(recv(ends[0], &(char){0}, 1, 0), -1);
        assert_int_equal(errno, EAGAIN);
        assert_int_equal(passed_ns(), i == 0 ? 2 * SECOND_NS : 2500 * MS_NS);
    }
}

/* The queue of the server is full. */
static void a_connection_by_tcp_times_out(void)
{
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof own;
    const struct timeval second = {.tv_sec = 1};
    int server = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(server, (struct sockaddr *)&own, sizeof own), 0);
    assert_int_equal(listen(server, 0), 0);
    assert_int_equal(getsockname(server, (struct sockaddr *)&own, &size), 0);
    for (int i = 0; i < 2; i++) {
        int host = socket(AF_INET, SOCK_STREAM, 0);
        assert_int_equal(setsockopt(host, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof second), 0);
        assert_int_equal(connect(host, (struct sockaddr *)&own, size), -i);
    }
    assert_int_equal(errno, EINPROGRESS);
    assert_int_equal(passed_ns(), SECOND_NS);
}

static int pair[2];

static void *receive(void *number)
{
    assert_int_equal(receivers[(intptr_t)number % RECEIVERS](pair[0]), 1);
    tell(letter_of(number));
    return NULL;
}

static void threads_that_share_a_socket_read_in_turns(void)
{
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    start_all(receive);
    usleep(1000);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(write(pair[1], "x", 1), 1);
        usleep(1000);
        assert_int_equal(told_size, i + 1);
    }
    assert_string_equal(told, "abcde");
    join_all();
}

static void *shut_later(void *unused)
{
    usleep(1000);
    close(pair[1]);
    return unused;
}

static void a_read_ends_with_a_signal_or_the_other_end(void)
{
    pthread_t other;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_alarm}, NULL);
    for (size_t i = 0; i < RECEIVERS; i++) {
        alarm(1);
        assert_int_equal(receivers[i](pair[0]), -1);
        assert_int_equal(errno, EINTR);
    }
    assert_int_equal(passed_ns(), (int64_t)RECEIVERS * SECOND_NS);
    pthread_create(&other, NULL, shut_later, NULL);
    for (size_t i = 0; i < RECEIVERS; i++)
        assert_int_equal(receivers[i](pair[0]), 0);
    assert_int_equal(passed_ns(), (int64_t)RECEIVERS * SECOND_NS + MS_NS);
    pthread_join(other, NULL);
}

static void *drain_later(void *unused)
{
    char bytes[4096];
    usleep(700000);
    while (recv(pair[1], bytes, sizeof bytes, MSG_DONTWAIT) > 0)
        ;
    return unused;
}

static void sending_goes_on_when_there_is_room(void)
{
    char bytes[4096] = {0};
    pthread_t other;
    struct timeval second = {.tv_sec = 1};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    assert_int_equal(setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &second, sizeof second), 0);
    while (send(pair[0], bytes, sizeof bytes, 0) > 0)
        ;
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(passed_ns(), SECOND_NS);
    assert_int_equal(send(pair[0], bytes, sizeof bytes, MSG_DONTWAIT), -1);
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(passed_ns(), SECOND_NS);
    pthread_create(&other, NULL, drain_later, NULL);
    assert_true(send(pair[0], bytes, sizeof bytes, 0) > 0);
    assert_int_equal(passed_ns(), 1700 * MS_NS);
    pthread_join(other, NULL);
}

static void *connect_later(void *address)
{
    usleep(2000);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, address, sizeof(struct sockaddr_in)), 0);
    return NULL;
}

static void accept_waits_for_a_connection(void)
{
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in peer = {0};
    socklen_t size = sizeof own;
    pthread_t other;
    struct timeval second = {.tv_sec = 1};
    int server = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(server, (struct sockaddr *)&own, sizeof own), 0);
    assert_int_equal(listen(server, 1), 0);
    assert_int_equal(getsockname(server, (struct sockaddr *)&own, &size), 0);
    pthread_create(&other, NULL, connect_later, &own);
    int fd = accept4(server, (struct sockaddr *)&peer, &size, SOCK_NONBLOCK);
    assert_true(fd >= 0);
    assert_int_equal(passed_ns(), 2 * MS_NS);
    assert_int_equal(peer.sin_family, AF_INET);
    assert_true((fcntl(fd, F_GETFL) & O_NONBLOCK) != 0);
    pthread_join(other, NULL);
    assert_int_equal(setsockopt(server, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second), 0);
    assert_int_equal(accept(server, NULL, NULL), -1);
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(accept4(server, NULL, NULL, 0), -1);
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(passed_ns(), 2002 * MS_NS);
}

/* ---- Terminals ---- */

static int robot, host;

static void open_terminal(cc_t least, cc_t tenths)
{
    struct termios mode;
    assert_int_equal(openpty(&robot, &host, NULL, NULL, NULL), 0);
    assert_int_equal(tcgetattr(host, &mode), 0);
    cfmakeraw(&mode);
    mode.c_cc[VMIN] = least;
    mode.c_cc[VTIME] = tenths;
    assert_int_equal(tcsetattr(host, TCSANOW, &mode), 0);
}

/* The kernel delivers a byte a little later. Until then this thread runs, so that time stands. */
static void *type(void *text)
{
    for (const char *at = text; *at; at++) {
        int there = 0;
        usleep(300000);
        assert_int_equal(write(robot, at, 1), 1);
        while (there == 0)
            syscall(SYS_ioctl, host, FIONREAD, &there);
    }
    return NULL;
}

/* Reads from a text whose bytes come 0.3 s after each other. */
static void assert_reads(cc_t least, cc_t tenths, size_t size, const char *expected,
                         int64_t expected_ms)
{
    char bytes[8], text[] = "abcd";
    pthread_t other;
    open_terminal(least, tenths);
    assert_int_equal(read(host, bytes, 0), 0);
    int64_t from_ns = passed_ns();
    pthread_create(&other, NULL, type, text);
    assert_int_equal(read(host, bytes, size), strlen(expected));
    assert_memory_equal(bytes, expected, strlen(expected));
    assert_int_equal(passed_ns() - from_ns, expected_ms * MS_NS);
    pthread_join(other, NULL);
    assert_int_equal(tcflush(host, TCIFLUSH), 0);
    close(host);
    close(robot);
}

static void a_terminal_is_read_as_termios_says(void)
{
    assert_reads(0, 2, 8, "", 200);
    assert_reads(0, 4, 8, "a", 300);
    assert_reads(1, 2, 8, "a", 300);
    assert_reads(3, 4, 8, "abc", 900);
    assert_reads(3, 2, 8, "a", 500);
    assert_reads(8, 4, 8, "abcd", 1600);
    assert_reads(8, 4, 2, "ab", 600);
}

static void *type_the_rest(void *unused)
{
    usleep(300000);
    assert_int_equal(write(robot, "c", 1), 1);
    return unused;
}

/* The program uses VTIME too, but for another terminal. */
static void a_read_without_vtime_waits_for_all_bytes(void)
{
    char bytes[8];
    pthread_t other;
    open_terminal(0, 1);
    open_terminal(3, 0);
    assert_int_equal(write(robot, "ab", 2), 2);
    pthread_create(&other, NULL, type_the_rest, NULL);
    assert_int_equal(read(host, bytes, sizeof bytes), 3);
    assert_memory_equal(bytes, "abc", 3);
    pthread_join(other, NULL);
}

static void *read_terminal(void *number)
{
    char byte;
    tell(read(host, &byte, 1) == 1 ? letter_of(number) : '-');
    return NULL;
}

/* Runs for a while of real time. A thread that did not wait for its turn would run meanwhile. */
static void compute(void)
{
    int64_t end_ns = warped_real_ns(CLOCK_MONOTONIC) + 20 * MS_NS;
    while (warped_real_ns(CLOCK_MONOTONIC) < end_ns)
        ;
}

static void who_reads_a_terminal_continues_in_its_turn(void)
{
    pthread_t other;
    open_terminal(1, 0);
    assert_int_equal(pthread_create(&other, NULL, read_terminal, NULL), 0);
    usleep(1000);
    assert_int_equal(write(robot, "x", 1), 1);
    compute();
    assert_string_equal(told, "");
    usleep(1000);
    assert_string_equal(told, "a");
    pthread_join(other, NULL);
}

/* A canonical terminal: the end of a file is a read of 0 bytes. */
static void who_reads_the_end_of_a_file_does_too(void)
{
    pthread_t other;
    struct termios mode;
    open_terminal(0, 0);
    assert_int_equal(tcgetattr(host, &mode), 0);
    mode.c_lflag |= ICANON;
    mode.c_cc[VEOF] = 4;
    assert_int_equal(tcsetattr(host, TCSANOW, &mode), 0);
    assert_int_equal(pthread_create(&other, NULL, read_terminal, NULL), 0);
    usleep(1000);
    assert_int_equal(write(robot, "\4", 1), 1);
    compute();
    assert_string_equal(told, "");
    usleep(1000);
    assert_string_equal(told, "-");
    pthread_join(other, NULL);
}

static struct clock_shm *map_shared(void)
{
    int file = open(getenv("PTYBOT_WARP_PAGE"), O_RDWR);
    struct clock_shm *shm = mmap(NULL, sizeof *shm, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert_ptr_not_equal(shm, MAP_FAILED);
    close(file);
    return shm;
}

/* Those of the kernel with a speed as a number are of 44 bytes (TCGETS2, TCSETS2). */
static void each_way_to_set_vtime_is_seen(void)
{
    static const unsigned long sets[] = {TCSETS,
                                         TCSETSW,
                                         TCSETSF,
                                         _IOW('T', 0x2B, char[44]),
                                         _IOW('T', 0x2C, char[44]),
                                         _IOW('T', 0x2D, char[44])};
    struct clock_shm *shm = map_shared();
    char mode[256], byte;
    struct termios *head = (struct termios *)(void *)mode;
    open_terminal(1, 0);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        shm->timed = 0;
        assert_int_equal(ioctl(host, i < 3 ? TCGETS : _IOR('T', 0x2A, char[44]), mode), 0);
        head->c_cc[VMIN] = 1;
        head->c_cc[VTIME] = 0;
        assert_int_equal(ioctl(host, sets[i], mode), 0);
        assert_int_equal(shm->timed, 0);
        head->c_cc[VMIN] = 0;
        head->c_cc[VTIME] = 1;
        assert_int_equal(ioctl(host, sets[i], mode), 0);
        assert_int_equal(shm->timed, CLOCK_TIMED_TERMINAL);
        int64_t from_ns = passed_ns();
        assert_int_equal(read(host, &byte, 1), 0);
        assert_int_equal(passed_ns() - from_ns, 100 * MS_NS);
    }
    close(host);
    close(robot);
}

static void a_signal_ends_a_read_with_vtime(void)
{
    char bytes[8], text[] = "a";
    pthread_t other;
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_alarm}, NULL);
    open_terminal(0, 50);
    alarm(1);
    assert_int_equal(read(host, bytes, sizeof bytes), -1);
    assert_int_equal(errno, EINTR);
    open_terminal(5, 50);
    alarm(1);
    pthread_create(&other, NULL, type, text);
    assert_int_equal(read(host, bytes, sizeof bytes), 1);
    assert_int_equal(passed_ns(), 2 * SECOND_NS);
    pthread_join(other, NULL);
}

/* ---- Processes ---- */

static void a_child_continues_in_its_turn(void)
{
    int ends[2], status;
    char byte;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        usleep(2000);
        _exit(write(ends[1], "x", 1) == 1 ? 0 : 1);
    }
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_int_equal(passed_ns(), 2 * MS_NS);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void *sleep_for_long(void *unused)
{
    sleep(100);
    return unused;
}

static void do_nothing_more(void) {}

static void a_program_forgets_the_waits_of_the_one_before(void)
{
    start_all(sleep_for_long);
    usleep(1000);
    execl("/proc/self/exe", "test", "do_nothing_more", NULL);
    fail();
}

static void wait_for_a_timer(void)
{
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    const struct itimerspec wanted = {.it_value.tv_sec = 10};
    assert_int_equal(timerfd_settime(timer, 0, &wanted, NULL), 0);
    assert_int_equal(poll(&(struct pollfd){.fd = timer, .events = POLLIN}, 1, -1), 1);
    assert_int_equal(alarm(0), getenv("HAS_ALARM") ? 10 : 0);
}

static void become_another_program(int number)
{
    (void)number;
    alarm(20);
    setenv("HAS_ALARM", "1", 1);
    execl("/proc/self/exe", "test", "wait_for_a_timer", NULL);
    _exit(1);
}

/* The wait of this thread would interrupt a later one, but its alarm stays. */
static void a_program_forgets_a_wait_that_a_handler_has_left(void)
{
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = become_another_program}, NULL);
    alarm(1);
    nanosleep(&(struct timespec){.tv_sec = 5}, NULL);
    fail();
}

static void *sleep_a_while(void *unused)
{
    usleep(1000);
    return unused;
}

/* The numbers of the threads that sleep, by one bit each. */
static unsigned sleeping_numbers(const struct clock_shm *shm)
{
    struct stat about;
    unsigned numbers = 0;
    assert_int_equal(stat("/proc/self/ns/pid", &about), 0);
    for (uint32_t i = 0; i < shm->slots_used; i++)
        if (shm->slots[i].state == CLOCK_SLOT_ARMED) {
            assert_int_equal(shm->slots[i].space, about.st_ino);
            numbers |= 1U << shm->slots[i].ordinal;
        }
    return numbers;
}

static void threads_and_processes_get_numbers(void)
{
    struct clock_shm *shm = map_shared();
    start_all(sleep_a_while);
    usleep(500);
    assert_int_equal(sleeping_numbers(shm), 0x7c); // the first thread has number 1
    join_all();
    pid_t child = fork();
    if (child == 0) {
        usleep(1000);
        _exit(0);
    }
    usleep(500);
    assert_int_equal(sleeping_numbers(shm), 0x80);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void check_numbers(struct clock_shm *shm)
{
    assert_int_equal(shm->ordinals, 1 + THREADS + 1);
    held_check_left(shm);
}

static int sleep_without_proc(void)
{
    int status = 1;
    if ((geteuid() != 0 && unshare(CLONE_NEWUSER) != 0) || chroot("/dev/shm") != 0)
        return 0; // not allowed
    pid_t child = fork();
    if (child == 0) {
        usleep(1000);
        _exit(passed_ns() == MS_NS ? 0 : 1);
    }
    return waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
}

static void a_process_without_proc_waits_too(void)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(sleep_without_proc());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void *do_nothing(void *unused)
{
    return unused;
}

static void threads_give_their_memory_back(void)
{
    size_t used = 0;
    for (int i = 0; i < 40; i++) {
        start_all(do_nothing);
        join_all();
        if (i == 9) // the C library keeps some of each of the first threads
            used = mallinfo2().uordblks;
    }
    assert_true(mallinfo2().uordblks < used + 1000);
}

/* ---- Many threads ---- */

enum { CROWD = 40 };
static int rang;

static void ring(int number)
{
    (void)number;
    rang++;
}

static void *sleep_long(void *unused)
{
    struct timespec rest = {0};
    int result = nanosleep(&(struct timespec){.tv_sec = 5}, &rest);
    if (result != 0)
        tell((char)('0' + rest.tv_sec));
    return unused;
}

static void a_thread_of_a_crowd_hears_its_signal_at_once(void)
{
    pthread_t crowd[CROWD];
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = ring}, NULL);
    for (int i = 0; i < CROWD; i++)
        assert_int_equal(pthread_create(&crowd[i], NULL, sleep_long, NULL), 0);
    usleep(2000000);
    assert_int_equal(pthread_kill(crowd[7], SIGUSR1), 0);
    assert_int_equal(pthread_join(crowd[7], NULL), 0);
    assert_int_equal(passed_ns(), 2 * SECOND_NS);
    assert_string_equal(told, "3");
    assert_int_equal(rang, 1);
    for (int i = 0; i < CROWD; i++)
        if (i != 7)
            assert_int_equal(pthread_join(crowd[i], NULL), 0);
    assert_int_equal(passed_ns(), 5 * SECOND_NS);
}

static void start_crowd(pthread_t crowd[CROWD], int number)
{
    sigaction(number, &(struct sigaction){.sa_handler = ring}, NULL);
    for (int i = 0; i < CROWD; i++)
        assert_int_equal(pthread_create(&crowd[i], NULL, sleep_long, NULL), 0);
    usleep(2000000);
}

static void each_thread_of_a_crowd_hears_its_signal(void)
{
    pthread_t crowd[CROWD];
    start_crowd(crowd, SIGUSR1);
    for (int i = 0; i < CROWD; i++)
        assert_int_equal(pthread_kill(crowd[i], SIGUSR1), 0);
    for (int i = 0; i < CROWD; i++)
        assert_int_equal(pthread_join(crowd[i], NULL), 0);
    assert_int_equal(rang, CROWD);
    assert_int_equal(told_size, CROWD);
    assert_int_equal(passed_ns(), 2 * SECOND_NS);
}

/* The first thread blocks it, so a thread of the crowd wakes for it, and its sleep ends. */
static void one_thread_of_a_crowd_takes_a_signal_for_the_process(void)
{
    pthread_t crowd[CROWD];
    sigset_t set, now;
    start_crowd(crowd, SIGHUP);
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    assert_int_equal(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
    assert_int_equal(kill(getpid(), SIGHUP), 0);
    usleep(1000);
    assert_string_equal(told, "3");
    assert_int_equal(rang, 1);
    for (int i = 0; i < CROWD; i++)
        assert_int_equal(pthread_join(crowd[i], NULL), 0);
    assert_int_equal(pthread_sigmask(SIG_BLOCK, NULL, &now), 0);
    assert_int_equal(sigismember(&now, SIGHUP), 1);
    assert_string_equal(told, "3");
    assert_int_equal(passed_ns(), 5 * SECOND_NS);
}

static void *wait_to_be_cancelled(void *unused)
{
    for (;;)
        sleep(1);
    return unused;
}

/* Whether many threads would be read from then on. */
static void assert_is_loud(struct clock_shm *shm, long result)
{
    assert_int_equal(result, 0);
    assert_int_equal(shm->is_loud, 1);
    shm->is_loud = 0;
}

static void signals_to_threads_are_announced(void)
{
    struct clock_shm *shm = map_shared();
    pthread_t own = pthread_self(), other;
    siginfo_t about = {.si_code = SI_QUEUE};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    assert_is_loud(shm, pthread_kill(own, 0));
    assert_is_loud(shm, pthread_sigqueue(own, SIGUSR1, (union sigval){0}));
    assert_is_loud(shm, tgkill(getpid(), gettid(), 0));
    assert_is_loud(shm, syscall(SYS_tgkill, getpid(), gettid(), 0));
    assert_is_loud(shm, syscall(SYS_tkill, gettid(), 0));
    assert_is_loud(shm, syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGUSR1, &about));
    assert_int_equal(pthread_create(&other, NULL, wait_to_be_cancelled, NULL), 0);
    assert_is_loud(shm, pthread_cancel(other));
    assert_int_equal(pthread_join(other, NULL), 0);
    usleep(1000); // ptybot sees that its wait is left
    assert_int_equal(syscall(SYS_getpid), getpid());
    assert_int_equal(kill(getpid(), 0), 0);
    assert_int_equal(shm->is_loud, 0);
}

/* ---- Limits ---- */

static void timers_of_the_kernel_are_reported(void)
{
    timer_t timer;
    const struct itimerspec wanted = {.it_value.tv_sec = 1000}, off = {0};
    assert_int_equal(timer_create(CLOCK_MONOTONIC, NULL, &timer), 0);
    assert_int_equal(timer_settime(timer, 0, &wanted, NULL), 0);
    assert_int_equal(timer_settime(timer, 0, &off, NULL), 0);
}

static void check_unseen(struct clock_shm *shm)
{
    assert_int_equal(shm->unseen, 2);
    assert_int_equal(shm->is_loud, 1); // they may be for one thread
}

static void as_many_timers_as_slots_are_held(void)
{
    const struct rlimit many = {CLOCK_SHM_SLOTS + 200, CLOCK_SHM_SLOTS + 200};
    const struct itimerspec soon = {.it_value.tv_sec = 1}, off = {0};
    static int timers[CLOCK_SHM_SLOTS];
    if (setrlimit(RLIMIT_NOFILE, &many) != 0)
        return;
    for (int i = 0; i < CLOCK_SHM_SLOTS; i++) {
        timers[i] = timerfd_create(CLOCK_MONOTONIC, 0);
        assert_int_equal(timerfd_settime(timers[i], 0, &soon, NULL), 0);
    }
    for (int i = 1; i < CLOCK_SHM_SLOTS; i++)
        assert_int_equal(timerfd_settime(timers[i], 0, &off, NULL), 0);
}

static void check_room(struct clock_shm *shm)
{
    assert_int_equal(shm->unseen, 0);
    assert_int_equal(shm->slots_used, CLOCK_SHM_SLOTS);
}

int main(int argc, char **argv)
{
    static const struct deed deeds[] = {
        DEED(threads_start_and_continue_in_the_order_of_their_creation),
        DEED(a_signal_wakes_one_thread_and_a_broadcast_all_in_order),
        DEED(a_handler_does_not_end_a_wait_for_a_condition),
        DEED(conditions_of_c11_do_the_same),
        DEED(a_mutex_is_taken_in_turns),
        DEED(a_timed_lock_gets_a_mutex_that_is_unlocked_before),
        DEED(mutexes_report_misuse_as_without_the_library),
        DEED(locks_for_reading_and_writing_are_taken_in_turns),
        DEED(a_semaphore_is_taken_in_turns_or_ends_with_a_signal),
        DEED(threads_leave_a_barrier_in_order),
        DEED(a_cancelled_wait_has_its_mutex_again),
        DEED(futexes_end_at_their_time_or_when_they_are_woken),
        {"a_slow_host_continues_later", a_slow_host_continues_later, delay_by_7_ms, NULL},
        {"the_shortest_delay_counts", the_shortest_delay_counts, delay_by_1_us, NULL},
        {"all_delays_of_the_range_occur", all_delays_of_the_range_occur, delay_by_1_to_3_us, NULL},
        {"tcp_sends_at_once", tcp_sends_at_once, NULL, check_connects},
        DEED(the_timeout_of_a_socket_is_exact),
        DEED(a_timeout_of_whole_or_parts_of_seconds_is_exact),
        DEED(a_connection_by_tcp_times_out),
        DEED(threads_that_share_a_socket_read_in_turns),
        DEED(a_read_ends_with_a_signal_or_the_other_end),
        DEED(sending_goes_on_when_there_is_room),
        DEED(accept_waits_for_a_connection),
        DEED(a_terminal_is_read_as_termios_says),
        DEED(a_read_without_vtime_waits_for_all_bytes),
        DEED(who_reads_a_terminal_continues_in_its_turn),
        DEED(who_reads_the_end_of_a_file_does_too),
        DEED(each_way_to_set_vtime_is_seen),
        DEED(a_signal_ends_a_read_with_vtime),
        DEED(a_child_continues_in_its_turn),
        DEED(a_program_forgets_the_waits_of_the_one_before),
        DEED(do_nothing_more),
        {"threads_and_processes_get_numbers", threads_and_processes_get_numbers, delay_by_1_to_3_us,
         check_numbers},
        DEED(a_process_without_proc_waits_too),
        DEED(threads_give_their_memory_back),
        DEED(wait_for_a_timer),
        DEED(a_program_forgets_a_wait_that_a_handler_has_left),
        DEED(a_thread_of_a_crowd_hears_its_signal_at_once),
        DEED(each_thread_of_a_crowd_hears_its_signal),
        DEED(one_thread_of_a_crowd_takes_a_signal_for_the_process),
        DEED(signals_to_threads_are_announced),
        {"timers_of_the_kernel_are_reported", timers_of_the_kernel_are_reported, NULL,
         check_unseen},
        {"as_many_timers_as_slots_are_held", as_many_timers_as_slots_are_held, NULL, check_room},
    };
    return held_main(argc, argv, deeds, sizeof deeds / sizeof *deeds);
}
