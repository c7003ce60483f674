/* Detects with inotify which hosts open and close a pty's slave. */
#include "pty/terminal/host_watch.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "pty/byte_link_kind.h"

/* Chosen: the close event comes a few microseconds before the master hangs up. The delay is longer
 * if the closing thread loses its processor in between. After this time the event must have been a
 * merged one, and a host is still present. */
static const int64_t closing_max_ms = 20;

/* Chosen: longer than the kernel's worker takes to deliver written bytes to the master. */
static const int64_t arriving_max_ms = 20;

/* Chosen: about the number of links in a large run, so that each bucket has few. */
enum { BUCKETS = 256 };

struct host_watches {
    int fd;
    unsigned users; /* number of watches, plus the creator */
    struct host_watch *buckets[BUCKETS];
};

/* ---- The instance ---- */

struct host_watches *host_watches_create(void)
{
    struct host_watches *all = calloc(1, sizeof *all);

    if (all == NULL)
        return NULL;
    all->users = 1;
    all->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (all->fd >= 0)
        return all;
    free(all);
    return NULL;
}

void host_watches_drop(struct host_watches *all)
{
    if (all == NULL || --all->users > 0)
        return;
    close(all->fd);
    free(all);
}

int host_watches_fd(const struct host_watches *all)
{
    return all->fd;
}

static struct host_watch **bucket_of(struct host_watches *all, int wd)
{
    return &all->buckets[(unsigned)wd % BUCKETS];
}

static struct host_watch *find_watch(struct host_watches *all, int wd)
{
    struct host_watch *watch = *bucket_of(all, wd);

    while (watch != NULL && watch->wd != wd)
        watch = watch->next;
    return watch;
}

/* ---- One watch ---- */

bool host_watch_open(struct host_watch *watch, struct host_watches *all)
{
    *watch = (struct host_watch){.all = all, .wd = -1};
    if (all != NULL)
        all->users++;
    else
        watch->all = host_watches_create();
    return watch->all != NULL;
}

void host_watch_close(struct host_watch *watch)
{
    if (watch->all != NULL) {
        host_watch_stop(watch);
        host_watches_drop(watch->all);
    }
    *watch = (struct host_watch){.wd = -1};
}

bool host_watch_has_moves(const struct host_watch *watch)
{
    return watch->has_moves;
}

void host_watch_heard(struct host_watch *watch)
{
    watch->is_heard = true;
}

bool host_watch_resume(struct host_watch *watch, const char *node)
{
    /* The kernel gives each start a new number. Old events in the queue therefore match no
     * watch. */
    watch->wd = inotify_add_watch(watch->all->fd, node, IN_OPEN | IN_CLOSE | IN_MODIFY);
    if (watch->wd < 0)
        return false;
    struct host_watch **bucket = bucket_of(watch->all, watch->wd);
    watch->next = *bucket;
    *bucket = watch;
    return true;
}

bool host_watch_start(struct host_watch *watch, const char *node)
{
    watch->opens = 0;
    watch->is_unreported = false;
    watch->is_closing = false;
    watch->untaken = (struct host_watch_tally){0};
    watch->has_moves = false;
    return host_watch_resume(watch, node);
}

void host_watch_stop(struct host_watch *watch)
{
    if (watch->wd < 0)
        return;
    struct host_watch **at = bucket_of(watch->all, watch->wd);
    while (*at != watch)
        at = &(*at)->next;
    *at = watch->next;
    inotify_rm_watch(watch->all->fd, watch->wd);
    watch->wd = -1;
}

static void take_open(struct host_watch *watch, struct host_watch_tally *tally)
{
    if (watch->is_unreported) {
        watch->is_unreported = false;
        return;
    }
    if (watch->opens == 0) {
        bool is_past = watch->is_heard && byte_link_now_ms() - watch->written_ms > arriving_max_ms;
        tally->came++;
        tally->is_written_before_last |= tally->is_written_by_last && !is_past;
        tally->is_written_by_last = false;
    }
    watch->opens++;
    watch->is_closing = false;
}

static void take_close(struct host_watch *watch)
{
    if (watch->opens == 0)
        return;
    watch->opens--;
    if (watch->opens == 0) {
        watch->is_closing = true;
        watch->closing_at_ms = 0;
    }
}

static void take(struct host_watch *watch, uint32_t mask)
{
    if (((mask & IN_OPEN) && watch->is_own_open) ||
        ((mask & IN_CLOSE_NOWRITE) && watch->is_own_close)) {
        *(mask & IN_OPEN ? &watch->is_own_open : &watch->is_own_close) = false;
        return;
    }
    watch->has_moves |= (mask & (IN_OPEN | IN_CLOSE)) != 0;
    if (mask & IN_OPEN)
        take_open(watch, &watch->untaken);
    if (mask & IN_MODIFY) {
        watch->untaken.is_written_by_last = true;
        watch->is_heard = false;
        watch->written_ms = byte_link_now_ms();
    }
    if (mask & IN_CLOSE)
        take_close(watch);
}

void host_watches_take(struct host_watches *all)
{
    _Alignas(struct inotify_event) char buffer[4096];

    for (;;) {
        ssize_t size = read(all->fd, buffer, sizeof buffer);

        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            return;
        for (size_t at = 0; at < (size_t)size;) {
            const struct inotify_event *event = (const void *)(buffer + at);
            struct host_watch *watch = find_watch(all, event->wd);

            at += sizeof *event + event->len;
            if (watch != NULL) /* else of a watch that was stopped */
                take(watch, event->mask);
        }
        /* There was room for another event, so the queue is empty. */
        if ((size_t)size <= sizeof buffer - sizeof(struct inotify_event) - NAME_MAX - 1)
            return;
    }
}

void host_watch_begin_own(struct host_watch *watch)
{
    host_watches_take(watch->all);
    watch->is_own_open = watch->is_own_close = true;
}

void host_watch_end_own(struct host_watch *watch)
{
    host_watches_take(watch->all);
    /* If the kernel merged an event with a host's event, it does not arrive. */
    watch->is_own_open = watch->is_own_close = false;
}

bool host_watch_read(struct host_watch *watch, struct host_watch_tally *tally)
{
    const struct host_watch_tally *more = &watch->untaken;

    host_watches_take(watch->all);
    bool is_news = watch->has_moves;
    if (more->came > 0) {
        tally->came += more->came;
        tally->is_written_before_last |= tally->is_written_by_last || more->is_written_before_last;
        tally->is_written_by_last = more->is_written_by_last;
    } else {
        tally->is_written_by_last |= more->is_written_by_last;
    }
    watch->untaken = (struct host_watch_tally){0};
    watch->has_moves = false;
    return is_news;
}

void host_watch_settle(struct host_watch *watch, bool is_present, int64_t now_ms)
{
    if (!is_present) {
        watch->opens = 0;
        watch->is_unreported = false;
        watch->is_closing = false;
    } else if (watch->opens == 0 && !watch->is_closing) {
        watch->opens = 1;
        watch->is_unreported = true;
    } else if (watch->is_closing && watch->closing_at_ms == 0) {
        watch->closing_at_ms = now_ms;
    } else if (watch->is_closing && now_ms - watch->closing_at_ms > closing_max_ms) {
        watch->opens = 1;
        watch->is_closing = false;
    }
}
