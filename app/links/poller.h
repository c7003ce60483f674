/* What a loop waits for: a thin layer over epoll that says whose descriptor is ready; and the
 * signals that ask for the end. */
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
    POLLER_GONE, /* who this process works for has left */
};

struct poller_ready {
    enum poller_owner owner;
    size_t index;    /* of the owner's own list */
    uint32_t events; /* EPOLLIN ... */
};

enum { POLLER_READY_MAX = 64 };

struct poller {
    int epoll, timer;
    int64_t set_ns; /* what the timer is set to */
};

bool poller_open(struct poller *poller, struct error *error);
void poller_close(struct poller *poller);

/* Waits for EVENTS of a descriptor from now on; a second call changes them. False: the kernel
 * refused (errno). */
bool poller_set(struct poller *poller, int fd, uint32_t events, enum poller_owner owner,
                size_t index);
/* Stops waiting for a descriptor. Closing it has the same effect. */
void poller_drop(struct poller *poller, int fd);

/* The descriptors of one owner, which change. All zero: none. */
enum { POLLER_SET_MAX = 2 };
struct poller_set {
    struct pollfd fds[POLLER_SET_MAX];
    size_t count;
    unsigned version; /* changes when a descriptor was replaced by one of the same number */
};

/* Waits for WANTED from now on instead of SET, which becomes WANTED. A refusal is ignored: the
 * owner also looks at its descriptors at intervals. */
void poller_follow(struct poller *poller, struct poller_set *set, const struct poller_set *wanted,
                   enum poller_owner owner, size_t index);

/* Nanoseconds of the monotonic clock. */
int64_t poller_now_ns(void);
/* The same of another clock. */
int64_t poller_clock_ns(clockid_t clock);

/* Waits until something is ready or the clock reaches UNTIL; not at all if that is past. Returns
 * how many are ready. */
size_t poller_wait(struct poller *poller, int64_t until_ns, struct poller_ready *ready);

/* ---- The end that a person or a system asks for ---- */

/* The first SIGINT, SIGTERM or SIGHUP asks for an orderly end. One that comes a second or more
 * later ends the process at once; those in between change nothing, as when a closing terminal hangs
 * up twice or a service manager sends two kinds. */

/* Catches the signals from now on; each wakes the poller. */
bool stop_catch(struct poller *poller, struct error *error);
bool stop_is_wanted(void);
/* The same end without a signal: the window was closed. */
void stop_ask(void);
/* The poller reports (POLLER_GONE) when the parent of this process has ended: the process, not only
 * the thread that started this one. Where the kernel has no way for that (before Linux 5.3, or the
 * parent is in another container), the end of that thread counts. */
void stop_with_parent(struct poller *poller);
/* The same when nobody can write to the standard input any more, if that is a pipe or a socket;
 * nothing is read from it. */
void stop_with_input(struct poller *poller);
/* The signal that asked for it; 0: none did. */
int stop_number(void);
void stop_release(void);

/* For a process with children to end: from now on a late signal does not kill the process but makes
 * the end urgent. */
void stop_stay(void);
bool stop_is_urgent(void);
