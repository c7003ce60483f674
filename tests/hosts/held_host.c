/* A Kobuki driver that waits in one of many ways: held_host WAY PORT, a path or HOST:PORT. It
 * drives for three seconds of its clock. Its commands depend on their time and on all bytes
 * received so far, so that the smallest difference in time changes its bytes. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "tests/hosts/kobuki_client.h"

#define MS INT64_C(1000000)

static struct host {
    int port;
    int64_t heard;  /* a sum of the bytes and their positions */
    uint64_t count; /* number of bytes */
    pthread_mutex_t mutex;
    pthread_cond_t is_new;
    sem_t news;
    int pipe, timer, epoll;
    volatile uint64_t seen; /* of another thread's count, without a lock */
    atomic_uint computed;   /* how often another thread has computed */
} host = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static struct timespec timespec_of(int64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / 1000000000),
                             .tv_nsec = (long)(ns % 1000000000)};
}

static void hear(const uint8_t *bytes, ssize_t size)
{
    for (ssize_t i = 0; i < size; i++)
        host.heard = (host.heard * 31 + bytes[i] + (int64_t)++host.count) % 1000003;
}

/* Reads once. */
static ssize_t take(int fd)
{
    uint8_t bytes[256];
    ssize_t size = read(fd, bytes, sizeof bytes);
    hear(bytes, size);
    return size;
}

static void set_blocking(bool is_blocking)
{
    fcntl(host.port, F_SETFL, is_blocking ? 0 : O_NONBLOCK);
}

/* ---- Ways to wait for bytes until a given time ---- */

static void by_poll(int64_t until_ns)
{
    struct pollfd port = {.fd = host.port, .events = POLLIN};
    int64_t left_ns = until_ns - now_ns();
    if (left_ns > 0 && ppoll(&port, 1, &(struct timespec){.tv_nsec = (long)left_ns}, NULL) > 0)
        take(host.port);
}

static void by_select(int64_t until_ns)
{
    fd_set in;
    int64_t left_ns = until_ns - now_ns();
    struct timeval span = {.tv_usec = left_ns > 0 ? (suseconds_t)(left_ns / 1000) : 0};
    FD_ZERO(&in);
    FD_SET(host.port, &in);
    if (select(host.port + 1, &in, NULL, NULL, &span) > 0)
        take(host.port);
}

static void start_timer(void)
{
    const struct itimerspec each = {.it_value.tv_nsec = 7 * MS, .it_interval.tv_nsec = 7 * MS};
    host.timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    host.epoll = epoll_create1(0);
    epoll_ctl(host.epoll, EPOLL_CTL_ADD, host.timer,
              &(struct epoll_event){.events = EPOLLIN, .data.fd = host.timer});
    epoll_ctl(host.epoll, EPOLL_CTL_ADD, host.port,
              &(struct epoll_event){.events = EPOLLIN, .data.fd = host.port});
    timerfd_settime(host.timer, 0, &each, NULL);
}

static void by_timerfd(int64_t until_ns)
{
    struct epoll_event event;
    (void)until_ns; /* the timer wakes often enough */
    if (epoll_wait(host.epoll, &event, 1, -1) == 1)
        take(event.data.fd);
}

/* Never waits. */
static void by_asking(int64_t until_ns)
{
    while (take(host.port) < 0 && now_ns() < until_ns)
        ;
}

/* The same, where a read without data is not an error. */
static void set_no_vmin(void)
{
    struct termios mode;
    tcgetattr(host.port, &mode);
    mode.c_cc[VMIN] = 0;
    mode.c_cc[VTIME] = 0;
    tcsetattr(host.port, TCSANOW, &mode);
}

static void by_asking_in_vain(int64_t until_ns)
{
    while (take(host.port) == 0 && now_ns() < until_ns)
        ;
}

/* Uses calls that do not wait, in turn, without reading the clock. */
static void by_asking_first(int64_t until_ns)
{
    static unsigned turns;
    struct pollfd port = {.fd = host.port, .events = POLLIN};
    unsigned turn = turns++ % 5;
    (void)until_ns;
    for (int there = 0; there == 0;) {
        const struct timespec span = {0};
        struct timeval coarse = {0};
        fd_set in;
        FD_ZERO(&in);
        FD_SET(host.port, &in);
        if (turn == 0)
            there = poll(&port, 1, 0);
        else if (turn == 1)
            there = ppoll(&port, 1, &span, NULL);
        else if (turn == 2)
            there = select(host.port + 1, &in, NULL, NULL, &coarse);
        else if (turn == 3)
            there = pselect(host.port + 1, &in, NULL, NULL, &span, NULL);
        else
            ioctl(host.port, FIONREAD, &there);
    }
    take(host.port);
}

static void by_sleeping(int64_t until_ns)
{
    struct timespec span = {.tv_nsec = 3 * MS};
    (void)until_ns;
    nanosleep(&span, NULL);
    take(host.port);
}

/* Reads rarely, and then until no data is left. */
static void by_draining(int64_t until_ns)
{
    struct timespec span = {.tv_nsec = 300 * MS};
    (void)until_ns;
    nanosleep(&span, NULL);
    while (take(host.port) > 0)
        ;
}

static void set_vtime(void)
{
    struct termios mode;
    tcgetattr(host.port, &mode);
    mode.c_cc[VMIN] = 0;
    mode.c_cc[VTIME] = 1;
    tcsetattr(host.port, TCSANOW, &mode);
    set_blocking(true);
}

static void by_reading(int64_t until_ns)
{
    (void)until_ns;
    take(host.port);
}

static void set_receive_timeout(void)
{
    const struct timeval span = {.tv_usec = 23000};
    setsockopt(host.port, SOL_SOCKET, SO_RCVTIMEO, &span, sizeof span);
    set_blocking(true);
}

static void on_alarm(int number)
{
    (void)number;
}

static void start_alarm(void)
{
    const struct itimerval each = {.it_value.tv_usec = 11000, .it_interval.tv_usec = 11000};
    struct sigaction action = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &each, NULL);
    set_blocking(true);
}

/* ---- With a second thread that reads ---- */

static void *read_all(void *unused)
{
    (void)unused;
    for (;;) {
        uint8_t bytes[64];
        ssize_t size = read(host.port, bytes, sizeof bytes);
        if (size <= 0)
            return NULL;
        pthread_mutex_lock(&host.mutex);
        hear(bytes, size);
        pthread_cond_signal(&host.is_new);
        pthread_mutex_unlock(&host.mutex);
        sem_post(&host.news);
        host.seen += (uint64_t)size;
    }
}

static void start_thread(void)
{
    pthread_condattr_t monotonic;
    pthread_t thread;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&host.is_new, &monotonic);
    sem_init(&host.news, 0, 0);
    set_blocking(true);
    pthread_create(&thread, NULL, read_all, NULL);
    pthread_detach(thread);
}

static void by_condition(int64_t until_ns)
{
    const struct timespec until = timespec_of(until_ns);
    pthread_mutex_lock(&host.mutex);
    pthread_cond_timedwait(&host.is_new, &host.mutex, &until);
    pthread_mutex_unlock(&host.mutex);
}

static void by_semaphore(int64_t until_ns)
{
    const struct timespec until = timespec_of(until_ns);
    sem_clockwait(&host.news, CLOCK_MONOTONIC, &until);
}

/* A mutex that another thread holds. Waiters get it by its release, or time out. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void *hold_turn(void *unused)
{
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&turn);
        usleep(13000);
        pthread_mutex_unlock(&turn);
        usleep(2000);
    }
    return NULL;
}

static void start_turns(void)
{
    pthread_t thread;
    start_thread();
    pthread_create(&thread, NULL, hold_turn, NULL);
    pthread_detach(thread);
    usleep(1000);
}

static void by_mutex(int64_t until_ns)
{
    const struct timespec until = timespec_of(until_ns);
    if (pthread_mutex_clocklock(&turn, CLOCK_MONOTONIC, &until) == 0) {
        usleep(500);
        pthread_mutex_unlock(&turn);
    }
}

/* Waits without the kernel, which cannot be distinguished from computing. */
static void by_spinning(int64_t until_ns)
{
    uint64_t before = host.seen;
    (void)until_ns;
    while (host.seen == before)
        ;
}

/* Computes on request, for a different time in each run. */
static void *compute(void *unused)
{
    unsigned rounds = (unsigned)getpid();
    (void)unused;
    for (;;) {
        sem_wait(&host.news);
        rounds = rounds * 1103515245U + 12345U; // any order of lengths
        for (volatile unsigned left = rounds >> 11; left > 0; left--)
            ;
        atomic_fetch_add(&host.computed, 1);
    }
    return NULL;
}

static void start_computer(void)
{
    pthread_t thread;
    sem_init(&host.news, 0, 0);
    pthread_create(&thread, NULL, compute, NULL);
    pthread_detach(thread);
}

/* Polls the clock until another thread is done. */
static void by_looking(int64_t until_ns)
{
    unsigned before = atomic_load(&host.computed);
    by_poll(until_ns);
    sem_post(&host.news);
    while (atomic_load(&host.computed) == before)
        now_ns();
    host.heard = (host.heard * 31 + now_ns() % 1000003) % 1000003;
}

/* ---- With a second process that reads ---- */

static pid_t child;

static void start_child(void)
{
    int ends[2];
    if (pipe(ends) != 0)
        exit(1);
    set_blocking(true);
    child = fork();
    if (child == 0) {
        uint8_t bytes[64];
        ssize_t size;
        close(ends[0]);
        while ((size = read(host.port, bytes, sizeof bytes)) > 0)
            if (write(ends[1], bytes, (size_t)size) != size)
                break;
        _exit(0);
    }
    close(ends[1]);
    host.pipe = ends[0];
}

static void by_pipe(int64_t until_ns)
{
    struct pollfd pipe_end = {.fd = host.pipe, .events = POLLIN};
    int64_t left_ns = until_ns - now_ns();
    if (poll(&pipe_end, 1, (int)((left_ns + MS - 1) / MS)) > 0)
        take(host.pipe);
}

/* ---- With processes that share a mutex; MIXED has the order of their turns ---- */

static struct shared {
    pthread_mutex_t mutex;
    int64_t mixed;
} * shared;

static void mix(int64_t number)
{
    pthread_mutex_lock(&shared->mutex);
    shared->mixed = (shared->mixed * 31 + number) % 1000003;
    usleep(700);
    pthread_mutex_unlock(&shared->mutex);
}

static void start_sharing(void)
{
    pthread_mutexattr_t attributes;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        exit(1);
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->mutex, &attributes);
    for (int number = 1; number <= 3; number++) {
        if (fork() != 0)
            continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;; usleep(100))
            mix(number);
    }
}

static void by_sharing(int64_t until_ns)
{
    while (now_ns() < until_ns)
        mix(0);
    host.heard = (host.heard * 31 + shared->mixed) % 1000003;
    take(host.port);
}

static void no_start(void) {}

static const struct way {
    const char *name;
    void (*start)(void);
    void (*wait)(int64_t until_ns);
} ways[] = {
    {"poll", no_start, by_poll},
    {"select", no_start, by_select},
    {"timerfd", start_timer, by_timerfd},
    {"asking", no_start, by_asking},
    {"no_vmin", set_no_vmin, by_asking_in_vain},
    {"asking_first", no_start, by_asking_first},
    {"sleeping", no_start, by_sleeping},
    {"draining", no_start, by_draining},
    {"vtime", set_vtime, by_reading},
    {"timeout", set_receive_timeout, by_reading},
    {"alarm", start_alarm, by_reading},
    {"condition", start_thread, by_condition},
    {"semaphore", start_thread, by_semaphore},
    {"mutex", start_turns, by_mutex},
    {"pipe", start_child, by_pipe},
    {"sharing", start_sharing, by_sharing},
    {"spinning", start_thread, by_spinning},
    {"looking", start_computer, by_looking},
};

/* ---- Driving ---- */

static void drive(int64_t start_ns)
{
    uint8_t packet[KOBUKI_COMMAND_MAX];
    pthread_mutex_lock(&host.mutex);
    int64_t at_us = (now_ns() - start_ns) / 1000;
    int16_t speed = (int16_t)(100 + (host.heard + at_us) % 97);
    pthread_mutex_unlock(&host.mutex);
    size_t size = kobuki_base_control(packet, speed, (int16_t)(at_us % 1009));
    if (write(host.port, packet, size) != (ssize_t)size)
        exit(1);
}

/* Opens a serial port, or HOST:PORT. Negative: it cannot be opened. */
static int open_port(char *place)
{
    struct kobuki_client client;
    struct addrinfo *found;
    char *colon = strrchr(place, ':');
    if (strchr(place, '/') || !colon)
        return kobuki_client_open(&client, place) == NULL ? client.descriptor : -1;
    *colon = '\0';
    if (getaddrinfo(place, colon + 1, &(struct addrinfo){.ai_socktype = SOCK_STREAM}, &found) != 0)
        return -1;
    int port = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool is_connected = connect(port, found->ai_addr, found->ai_addrlen) == 0;
    freeaddrinfo(found);
    return is_connected ? port : -1;
}

int main(int count, char **words)
{
    if (count != 3 || (host.port = open_port(words[2])) < 0)
        return 2;
    set_blocking(false);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (strcmp(ways[i].name, words[1]) != 0)
            continue;
        ways[i].start();
        int64_t start_ns = now_ns(), next_ns = start_ns + 50 * MS;
        while (now_ns() - start_ns < 3000 * MS) {
            ways[i].wait(next_ns);
            if (now_ns() >= next_ns) {
                drive(start_ns);
                next_ns += 50 * MS;
            }
        }
        if (child > 0)
            kill(child, SIGKILL);
        return 0;
    }
    return 2;
}
