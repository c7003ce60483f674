/* What the loop sleeps on: epoll, and a timer on absolute deadlines. */
#include "app/run/poller.h"

#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

bool poller_open(struct poller *poller, struct error *error)
{
    poller->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    poller->epoll = epoll_create1(EPOLL_CLOEXEC);
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

int64_t poller_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

size_t poller_wait(struct poller *poller, int64_t until_ns, struct poller_ready *ready)
{
    struct epoll_event events[POLLER_READY_MAX];
    int timeout_ms = 0;
    if (until_ns > poller_now_ns()) {
        const struct itimerspec until = {
            .it_value = {.tv_sec = until_ns / 1000000000, .tv_nsec = until_ns % 1000000000}};
        timeout_ms = -1;
        timerfd_settime(poller->timer, TFD_TIMER_ABSTIME, &until, NULL);
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
