/* Tells the opens and closes of a pty's slave by inotify. */
#include "pty/host_watch.h"

#include <errno.h>
#include <stddef.h>
#include <sys/inotify.h>
#include <unistd.h>

/* Chosen: a close is told a few microseconds before the master hangs up; on a loaded machine, the
 * thread that closes may lose its processor in between. After this time it was a merged event
 * instead, and a host is still there. */
static const int64_t closing_max_ms = 20;

bool host_watch_open(struct host_watch *watch)
{
    *watch = (struct host_watch){.fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC), .wd = -1};
    return watch->fd >= 0;
}

void host_watch_close(struct host_watch *watch)
{
    if (watch->fd >= 0)
        close(watch->fd);
    *watch = (struct host_watch){.fd = -1, .wd = -1};
}

bool host_watch_resume(struct host_watch *watch, const char *node)
{
    /* Each start has a number of its own, so that old news in the queue is told apart. */
    watch->wd = inotify_add_watch(watch->fd, node, IN_OPEN | IN_CLOSE | IN_MODIFY);
    return watch->wd >= 0;
}

bool host_watch_start(struct host_watch *watch, const char *node)
{
    watch->opens = 0;
    watch->is_untold = false;
    watch->is_closing = false;
    return host_watch_resume(watch, node);
}

void host_watch_stop(struct host_watch *watch)
{
    if (watch->wd >= 0)
        inotify_rm_watch(watch->fd, watch->wd);
    watch->wd = -1;
}

static void take_open(struct host_watch *watch, struct host_watch_tally *tally)
{
    if (watch->is_untold) {
        watch->is_untold = false;
        return;
    }
    if (watch->opens == 0) {
        tally->came++;
        tally->is_written_before_last |= tally->is_written_by_last;
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

bool host_watch_read(struct host_watch *watch, struct host_watch_tally *tally)
{
    _Alignas(struct inotify_event) char buffer[4096];
    bool is_news = false;

    for (;;) {
        ssize_t size = read(watch->fd, buffer, sizeof buffer);

        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            return is_news;
        for (size_t at = 0; at < (size_t)size;) {
            const struct inotify_event *event = (const void *)(buffer + at);

            at += sizeof *event + event->len;
            if (event->wd != watch->wd)
                continue;
            is_news = true;
            if (event->mask & IN_OPEN)
                take_open(watch, tally);
            if (event->mask & IN_MODIFY)
                tally->is_written_by_last = true;
            if (event->mask & IN_CLOSE)
                take_close(watch);
        }
    }
}

void host_watch_settle(struct host_watch *watch, bool is_present, int64_t now_ms)
{
    if (!is_present) {
        watch->opens = 0;
        watch->is_untold = false;
        watch->is_closing = false;
    } else if (watch->opens == 0 && !watch->is_closing) {
        watch->opens = 1;
        watch->is_untold = true;
    } else if (watch->is_closing && watch->closing_at_ms == 0) {
        watch->closing_at_ms = now_ms;
    } else if (watch->is_closing && now_ms - watch->closing_at_ms > closing_max_ms) {
        watch->opens = 1;
        watch->is_closing = false;
    }
}
