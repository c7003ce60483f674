/* The event loop's wait: a thin layer over epoll that reports the owner of each ready descriptor,
 * and the signals that request the end of the program. */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <time.h>

#include "base/error.h"

enum poller_owner {
    POLLER_STOP,
    POLLER_TIMER,
    POLLER_LINK,
    POLLER_LISTENER,
    POLLER_CLIENT,
    POLLER_GONE, /* the parent process, or the other end of standard input, is gone */
};

struct poller_ready {
    enum poller_owner owner;
    size_t index;    /* in the owner's own list */
    uint32_t events; /* those of epoll: EPOLLIN ... */
};

enum { POLLER_READY_MAX = 64 };

struct poller {
    int epoll, timer;
    int64_t set_ns; /* deadline of the timer */
};

bool poller_open(struct poller *poller, struct error *error);
void poller_close(struct poller *poller);

/* Waits for EVENTS of a descriptor from now on; a second call replaces the events. False: the
 * kernel rejected it (errno). */
bool poller_set(struct poller *poller, int fd, uint32_t events, enum poller_owner owner,
                size_t index);
/* Stops waiting for a descriptor. Closing it has the same effect. */
void poller_drop(struct poller *poller, int fd);

/* The descriptors of one owner, whose number and events change. All zero: empty. */
enum { POLLER_SET_MAX = 2 };
struct poller_set {
    struct pollfd fds[POLLER_SET_MAX];
    size_t count;
    unsigned version; /* changes if a new descriptor got the number of an old one */
};

/* Waits for the descriptors in WANTED instead of those in SET, and copies WANTED to SET. Ignores
 * errors, because the owner also checks its descriptors at intervals. */
void poller_follow(struct poller *poller, struct poller_set *set, const struct poller_set *wanted,
                   enum poller_owner owner, size_t index);

/* Monotonic clock in nanoseconds. */
int64_t poller_now_ns(void);
/* Another clock in nanoseconds. */
int64_t poller_clock_ns(clockid_t clock);

/* Waits until a descriptor is ready or the monotonic clock reaches UNTIL. Returns at once if UNTIL
 * is past. Returns the number of ready descriptors. */
size_t poller_wait(struct poller *poller, int64_t until_ns, struct poller_ready *ready);

/* ---- The end, requested by a user or by the system ---- */

/* The first SIGINT, SIGTERM or SIGHUP requests an orderly end. A signal that arrives a second or
 * more later ends the process immediately. Signals in between have no effect: a closing terminal
 * may hang up twice, and a service manager may send two kinds. */

/* Catches the signals from now on. Each signal wakes the poller. */
bool stop_catch(struct poller *poller, struct error *error);
bool stop_is_wanted(void);
/* Requests the same end without a signal, for example because the window was closed. */
void stop_ask(void);
/* The poller reports POLLER_GONE when the parent of this process has ended, not only the thread
 * that started this process. If the kernel cannot report that (before Linux 5.3, or if the parent
 * is in another container), the end of that thread counts. */
void stop_with_parent(struct poller *poller);
/* The poller reports POLLER_GONE when no process can write to the standard input any more, if that
 * is a pipe or a socket. Reads nothing from it. */
void stop_with_input(struct poller *poller);
/* The signal that requested the end; 0: no request. */
int stop_number(void);
void stop_release(void);

/* For a process that must end its children: from now on a late signal does not kill the process,
 * but makes the end urgent. */
void stop_stay(void);
bool stop_is_urgent(void);
