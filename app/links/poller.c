/* The event loop's wait: epoll, a timer with absolute deadlines, and signals that request the
 * end. */
#include "app/links/poller.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/array.h"

/* ---- Descriptors and deadlines ---- */

bool poller_open(struct poller *poller, struct error *error)
{
    poller->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    poller->epoll = epoll_create1(EPOLL_CLOEXEC);
    poller->set_ns = 0;
    if (poller->timer >= 0 && poller->epoll >= 0 &&
        poller_set(poller, poller->timer, EPOLLIN, POLLER_TIMER, 0))
        return true;
    error_set(error, "cannot set up the event loop: %s", strerror(errno));
    poller_close(poller);
    return false;
}

void poller_close(struct poller *poller)
{
    if (poller->timer >= 0)
        close(poller->timer);
    if (poller->epoll >= 0)
        close(poller->epoll);
    poller->timer = poller->epoll = -1;
}

bool poller_set(struct poller *poller, int fd, uint32_t events, enum poller_owner owner,
                size_t index)
{
    struct epoll_event event = {
        .events = events,
        .data.u64 = (uint64_t)owner << 32 | (uint32_t)index,
    };
    if (epoll_ctl(poller->epoll, EPOLL_CTL_MOD, fd, &event) == 0)
        return true;
    return errno == ENOENT && epoll_ctl(poller->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

void poller_drop(struct poller *poller, int fd)
{
    epoll_ctl(poller->epoll, EPOLL_CTL_DEL, fd, NULL);
}

void poller_follow(struct poller *poller, struct poller_set *set, const struct poller_set *wanted,
                   enum poller_owner owner, size_t index)
{
    bool is_same = wanted->count == set->count && wanted->version == set->version;
    for (size_t i = 0; is_same && i < set->count; i++)
        is_same =
            wanted->fds[i].fd == set->fds[i].fd && wanted->fds[i].events == set->fds[i].events;
    if (is_same)
        return;
    for (size_t i = 0; i < set->count; i++)
        poller_drop(poller, set->fds[i].fd);
    for (size_t i = 0; i < wanted->count; i++)
        poller_set(poller, wanted->fds[i].fd, (uint32_t)wanted->fds[i].events, owner, index);
    *set = *wanted;
}

int64_t poller_clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t poller_now_ns(void)
{
    return poller_clock_ns(CLOCK_MONOTONIC);
}

size_t poller_wait(struct poller *poller, int64_t until_ns, struct poller_ready *ready)
{
    struct epoll_event events[POLLER_READY_MAX];
    int timeout_ms = 0;
    if (until_ns > poller_now_ns()) {
        const struct itimerspec until = {.it_value = {.tv_sec = (time_t)(until_ns / 1000000000),
                                                      .tv_nsec = (long)(until_ns % 1000000000)}};
        timeout_ms = -1;
        if (until_ns != poller->set_ns)
            timerfd_settime(poller->timer, TFD_TIMER_ABSTIME, &until, NULL);
        poller->set_ns = until_ns;
    }
    int count = epoll_wait(poller->epoll, events, POLLER_READY_MAX, timeout_ms);
    for (int i = 0; i < count; i++)
        ready[i] = (struct poller_ready){
            .owner = (enum poller_owner)(events[i].data.u64 >> 32),
            .index = (size_t)(events[i].data.u64 & UINT32_MAX),
            .events = events[i].events,
        };
    return count > 0 ? (size_t)count : 0;
}

/* ---- The end ---- */

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = COUNT(signals) };

/* One for the whole process, because signals are per process. */
static volatile sig_atomic_t is_wanted; /* the number of the signal */
static volatile sig_atomic_t is_staying, is_urgent;
static int64_t wanted_ns;
static int wake_fd = -1, parent_fd = -1;

/* Chosen: far longer than an orderly end takes. */
#define TIMEOUT_NS INT64_C(1000000000)

static bool is_time_up(void)
{
    return poller_now_ns() - wanted_ns >= TIMEOUT_NS;
}

/* The handlers never interrupt each other: each blocks the other signals. */
static void on_signal(int number)
{
    int kept = errno;
    const uint64_t one = 1;
    if (is_wanted && is_time_up() && is_staying) {
        is_urgent = 1;
    } else if (is_wanted && is_time_up()) {
        signal(number, SIG_DFL);
        raise(number); // takes effect when this returns
    } else if (!is_wanted) {
        wanted_ns = poller_now_ns();
        is_wanted = number;
    }
    // A failed write is harmless: the loop checks at the next visit at the latest.
    if (write(wake_fd, &one, sizeof one) < 0)
        errno = kept;
    errno = kept;
}

bool stop_catch(struct poller *poller, struct error *error)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < SIGNALS; i++)
        sigaddset(&action.sa_mask, signals[i]);
    wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (wake_fd < 0 || !poller_set(poller, wake_fd, EPOLLIN, POLLER_STOP, 0))
        return error_set(error, "cannot set up the signal handlers: %s", strerror(errno));
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction before;
        // nohup requires that a hang-up is ignored. A shell script ignores SIGINT for its
        // background jobs, too, but there `kill -INT` is meant for ptybot.
        sigaction(signals[i], NULL, &before);
        if (signals[i] != SIGHUP || before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
    return true;
}

bool stop_is_wanted(void)
{
    return is_wanted != 0;
}

int stop_number(void)
{
    return is_wanted;
}

void stop_ask(void)
{
    if (!is_wanted)
        wanted_ns = poller_now_ns();
    is_wanted = SIGTERM;
}

void stop_with_parent(struct poller *poller)
{
    pid_t parent = getppid();
    parent_fd = parent > 0 ? pidfd_open(parent, 0) : -1;
    if (parent_fd < 0 || !poller_set(poller, parent_fd, EPOLLIN, POLLER_GONE, 0))
        prctl(PR_SET_PDEATHSIG, SIGTERM);
    // The parent may have ended before the watch began.
    if (getppid() != parent)
        stop_ask();
}

void stop_with_input(struct poller *poller)
{
    struct stat input;
    if (fstat(STDIN_FILENO, &input) == 0 && (S_ISFIFO(input.st_mode) || S_ISSOCK(input.st_mode)))
        poller_set(poller, STDIN_FILENO, EPOLLRDHUP, POLLER_GONE, 0);
}

void stop_stay(void)
{
    is_staying = 1;
}

bool stop_is_urgent(void)
{
    return is_urgent != 0;
}

void stop_release(void)
{
    if (wake_fd >= 0)
        close(wake_fd);
    if (parent_fd >= 0)
        close(parent_fd);
    wake_fd = parent_fd = -1;
}
