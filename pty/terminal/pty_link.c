/* The byte link over a pseudo-terminal. Combines the device, the watch over its hosts, the claim to
 * its path and its modem lines. */
#include "pty/terminal/pty_link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/modem_lines.h"
#include "pty/byte_link_kind.h"
#include "pty/terminal/host_watch.h"
#include "pty/terminal/pty_barrier.h"
#include "pty/terminal/pty_device.h"
#include "pty/terminal/pty_modem.h"
#include "pty/terminal/pty_path.h"
#include "pty/terminal/tty_mode.h"

/* Bytes. More than Linux buffers for a master (64 KiB in tty buffers and 4 KiB in the line
 * discipline), so that at a hang-up everything that the host sent fits. */
enum { RX_CAPACITY = 131072 };

struct pty_link {
    struct byte_link base;
    struct pty_device device;
    struct host_watch watch;
    struct host_watches *shared; /* NULL: the watch has its own instance */
    struct pty_claim claim;
    char path[PTY_PATH_MAX]; /* as configured */
    struct pty_modem modem;
    struct pty_barrier barrier;
    unsigned robot_lines;
    int64_t path_poll_ms;      /* time of the next check of the path */
    bool has_reported_removed; /* the user was notified that the path was removed */
    bool is_delivered;         /* by pty_deliver: simulated time waits for the kernel */
    bool is_stale;             /* the device could not be reset and must be replaced */
    uint64_t read_out;         /* sent bytes that hosts have read or lost, as far as known */
    uint64_t delivered; /* sent bytes that had room in the reader's buffer and have arrived there */
    uint64_t settled, polled; /* bytes sent by the poll before the last one, and by the last one */
    int64_t polled_ms;        /* time of the last poll */
};

/* Chosen: interval of the check that the path still exists. */
enum { PATH_POLL_MS = 500 };

/* The user was notified that modem lines are missing. If the system refuses a page for one link, it
 * refuses it for all. */
static bool has_reported_no_lines;

static struct pty_link *pty_of(struct byte_link *self)
{
    return (struct pty_link *)self;
}

/* Makes a device, points the path at it and closes the present one, if any. */
static bool device_replace(struct pty_link *pty, struct error *error)
{
    struct pty_device fresh;
    struct pty_modem modem;
    struct error modem_error;

    if (!pty_device_open(&fresh, pty->device.baud, error))
        return false;
    /* Before the path: a host may look for the modem lines as soon as the path exists. */
    if (!pty_modem_open(&modem, fresh.node, pty->robot_lines, &modem_error) &&
        !has_reported_no_lines) {
        byte_link_notice(&pty->base, "%s", modem_error.text);
        has_reported_no_lines = true;
    }
    host_watch_stop(&pty->watch);
    if (!host_watch_start(&pty->watch, fresh.node)) {
        error_environment(error, "%s: cannot watch %s: %s; see sysctl fs.inotify.max_user_watches",
                          pty->claim.path, fresh.node, strerror(errno));
        pty_modem_close(&modem);
        pty_device_close(&fresh);
        return false;
    }
    if (!pty_claim_point(&pty->claim, fresh.node, error)) {
        host_watch_stop(&pty->watch);
        pty_modem_close(&modem);
        pty_device_close(&fresh);
        return false;
    }
    pty_modem_close(&pty->modem);
    pty_barrier_close(&pty->barrier);
    pty_device_close(&pty->device);
    pty->device = fresh;
    pty->modem = modem;
    pty->base.fds_version++;
    pty->read_out = pty->base.stats.bytes_out;
    pty->is_stale = false;
    return true;
}

/* Resets the device after the last host has left. */
static void renew(struct pty_link *pty)
{
    bool is_full = pty->base.rx.size == pty->base.rx.capacity;
    uint32_t count;
    const uint32_t *framing = pty_modem_framing(&pty->modem, &count);
    const struct serial_settings robot = {.baud = pty->device.baud};
    bool is_set = serial_settings_equal(tty_mode_settings(pty->device.master, framing), robot);

    pty->read_out = pty->base.stats.bytes_out;
    host_watch_stop(&pty->watch);
    pty->is_stale = !pty_device_renew(&pty->device, is_set, is_full);
    pty_modem_renew(&pty->modem);
    if (!pty->is_stale)
        pty->is_stale = !host_watch_start(&pty->watch, pty->device.node);
    else if (device_replace(pty, NULL))
        pty->base.stats.relinks++;
}

/* Drops bytes that the last host did not read, while the next host is already present. */
static void drop_unheard(struct pty_link *pty)
{
    host_watch_stop(&pty->watch);
    pty->read_out = pty->base.stats.bytes_out;
    pty_device_drop_unheard(&pty->device);
    if (!host_watch_resume(&pty->watch, pty->device.node))
        pty->is_stale = true;
}

/* The result of one check of the device. */
struct pty_news {
    struct host_watch_tally tally;
    uint64_t start; /* count of received bytes at its beginning */
    struct serial_settings settings;
    uint32_t
        settings_count; /* how often a host with the shim has set them since the last renewal */
    bool is_hung_up;
};

static void poll_settings(struct pty_link *pty, struct pty_news *news)
{
    const uint32_t *framing = pty_modem_framing(&pty->modem, &news->settings_count);
    news->settings = tty_mode_settings(pty->device.master, framing);
}

static void poll_pty(struct pty_link *pty, struct pty_news *news)
{
    *news = (struct pty_news){.start = pty->base.rx_pushed};
    byte_link_fill(&pty->base, pty->device.master);

    /* The events and the hang-up state match only if there was no news in between. */
    bool is_news = true;
    for (int tries = 0; is_news && tries < 8;
         tries++) { /* chosen: hosts may come and go without end */
        is_news = host_watch_read(&pty->watch, &news->tally);
        news->is_hung_up = pty_device_is_hung_up(&pty->device);
    }

    /* The rest of the bytes that a host sent before it left. */
    if (news->is_hung_up || news->tally.came > 0)
        byte_link_fill(&pty->base, pty->device.master);
    poll_settings(pty, news);
}

/* Reports DTR and RTS. A line that changed and changed back gives a pulse, even a very short
 * one. */
static void notify_lines(struct pty_link *pty, uint64_t at)
{
    unsigned pulsed;

    if (pty_modem_is_lost(&pty->modem)) {
        byte_link_notice(&pty->base,
                         "%s was truncated or overwritten by another program; drivers with the "
                         "shim have no modem lines until the port is plugged in again",
                         pty->modem.path);
        pty_modem_close(&pty->modem);
    }
    unsigned lines = pty_modem_take(&pty->modem, &pulsed);

    byte_link_lines_seen(&pty->base, at, lines ^ pulsed);
    byte_link_lines_seen(&pty->base, at, lines);
}

/* A host that restores the original settings has sent its bytes before. If a new host is known to
 * have done so, the settings during its transmission are unknown. */
static void notify_settings(struct pty_link *pty, const struct pty_news *news, uint64_t end,
                            uint64_t at)
{
    bool is_unset = (news->settings.mode & SERIAL_UNSET) != 0;

    if (!is_unset || news->settings_count == 0)
        byte_link_settings_seen(&pty->base, is_unset ? end : at, news->settings);
    else
        byte_link_settings_seen(&pty->base, at, (struct serial_settings){0});
}

/* Turns the result of a check into events, in the real order as far as it is known. Returns the
 * number of hosts that had the device open since the last news. */
static unsigned notify(struct pty_link *pty, const struct pty_news *news)
{
    struct byte_link *base = &pty->base;
    uint64_t at = news->start;
    unsigned hosts = news->tally.came + (base->is_present ? 1 : 0);

    if (hosts == 0 && (!news->is_hung_up || base->rx_pushed > news->start))
        hosts = 1;
    bool is_same = base->is_present && hosts == 1;
    if (hosts > 0 && !base->is_present)
        byte_link_host_came(base, at, 0);
    if (hosts > 1) {
        /* The bytes of two hosts cannot be distinguished. They are attributed to the earlier one,
         * unless only the later one wrote. */
        if (news->tally.is_written_before_last || !news->tally.is_written_by_last)
            at = base->rx_pushed;
        byte_link_host_left(base, at);
        byte_link_host_came(base, at, 0);
    }
    notify_lines(pty, at);
    notify_settings(pty, news, is_same ? base->rx_pushed : at, at);
    if (hosts > 0 && news->is_hung_up)
        byte_link_host_left(base, base->rx_pushed);
    return hosts;
}

/* Restores the path or its lock if another program has removed it. */
static void keep_path(struct pty_link *pty, int64_t now_ms)
{
    struct error error;

    if (now_ms < pty->path_poll_ms)
        return;
    pty->path_poll_ms = now_ms + PATH_POLL_MS;
    const char *removed = pty_claim_removed(&pty->claim);
    if (removed == NULL)
        return;
    bool is_back = pty_claim_restore(&pty->claim, &error);
    if (!pty->has_reported_removed)
        byte_link_notice(&pty->base, "%s was removed by another program; %s", removed,
                         is_back ? "ptybot has restored it" : error.text);
    pty->has_reported_removed = true;
}

static void pty_update(struct byte_link *self)
{
    struct pty_link *pty = pty_of(self);
    bool is_again = true;

    /* While the port is unplugged, the lock alone keeps the path. */
    keep_path(pty, byte_link_now_ms());
    for (int looks = 0; is_again && looks < 2; looks++) {
        struct pty_news news;

        if (!self->is_plugged || !byte_link_has_event_room(self))
            return;
        if (self->is_present)
            byte_link_send_tail(self, pty->device.master);
        poll_pty(pty, &news);
        unsigned hosts = notify(pty, &news);

        is_again = news.is_hung_up && (hosts > 0 || pty->is_stale);
        if (is_again)
            renew(pty);
        else if (hosts > 1)
            drop_unheard(pty);
        host_watch_settle(&pty->watch, self->is_present, byte_link_now_ms());
        pty_modem_count(&pty->modem, self->stats.bytes_out, self->rx_pushed);

        /* The watch was off during the reset, so no event reports a host that came then. */
        is_again = is_again && !pty_device_is_hung_up(&pty->device);
    }
}

/* Whether the host of the last check is still the only one since then. The kernel reports its close
 * before the device is hung up. */
static bool is_same_host(struct pty_link *pty)
{
    host_watches_take(pty->watch.all);
    return pty->base.is_plugged && pty->base.is_present && !pty->is_stale &&
           !host_watch_has_moves(&pty->watch) && !pty->watch.is_closing &&
           !pty_modem_has_news(&pty->modem);
}

/* A check for bytes and their settings only. It reads once: a second read of an empty device would
 * wait for the kernel's worker, which may be waiting for a processor (Linux, drivers/tty/n_tty.c:
 * n_tty_read). */
static bool pty_hear(struct byte_link *self, bool has_bytes)
{
    struct pty_link *pty = pty_of(self);
    struct pty_news news = {.start = self->rx_pushed};
    bool is_gone = false;

    if (!is_same_host(pty) || !byte_link_has_event_room(self))
        return false;
    bool has_read = !has_bytes && byte_link_fill_piece(self, pty->device.master, &is_gone) > 0;
    if (has_read)
        host_watch_heard(&pty->watch);
    if (has_read || has_bytes) {
        poll_settings(pty, &news);
        notify(pty, &news);
        pty_modem_count(&pty->modem, self->stats.bytes_out, self->rx_pushed);
    }
    return !is_gone;
}

/* Called before a write: no frame may wait in the device for a later host. */
static void pty_find_host(struct byte_link *self)
{
    if (!is_same_host(pty_of(self)))
        pty_update(self);
}

static bool pty_write(struct byte_link *self, const void *bytes, size_t size)
{
    struct pty_link *pty = pty_of(self);

    pty_barrier_begin(&pty->barrier, self->stats.bytes_out);
    return byte_link_send(self, pty->device.master, bytes, size);
}

/* Chosen: longer than the kernel takes to deliver written bytes to the reader's buffer. */
enum { SETTLED_MS = 5 };

/* Number of bytes that were sent so long ago that they are now in the reader's buffer, if it has
 * room. */
static uint64_t settled(struct pty_link *pty, int64_t now_ms)
{
    if (now_ms - pty->polled_ms >= SETTLED_MS) {
        pty->settled = pty->polled;
        pty->polled = pty->base.stats.bytes_out;
        pty->polled_ms = now_ms;
    }
    return pty->settled;
}

static bool pty_unread(struct byte_link *self, uint64_t *bytes)
{
    /* Linux buffers 64 KiB before the line discipline (drivers/tty/tty_buffer.c:
     * TTYB_DEFAULT_MEM_LIMIT). */
    static const uint64_t most = 65536 + PTY_DEVICE_READ_BUFFER;
    struct pty_link *pty = pty_of(self);
    uint64_t sent = self->stats.bytes_out;
    size_t held;

    if (pty->read_out == sent)
        return true;
    uint64_t there = pty->is_delivered ? pty->delivered : settled(pty, byte_link_now_ms());
    host_watch_begin_own(&pty->watch);
    bool is_known = pty_device_unread(&pty->device, pty->is_delivered, &held);
    host_watch_end_own(&pty->watch);
    if (!is_known)
        return false;
    /* While the reader's buffer is full, the number of bytes in front of it is unknown. If it
     * was empty and simulated time waits for the kernel, the call above has moved these bytes
     * into it. */
    if (held == 0 && pty->is_delivered)
        pty->read_out = sent;
    else if (held < PTY_DEVICE_READ_BUFFER && there > held && there - held > pty->read_out)
        pty->read_out = there - held;
    if (sent - pty->read_out > most)
        pty->read_out = sent - most;
    *bytes = sent - pty->read_out;
    return true;
}

static size_t pty_fds(const struct byte_link *self, struct pollfd *out)
{
    const struct pty_link *pty = (const struct pty_link *)self;
    size_t count = 0;

    if (!self->is_plugged)
        return 0;
    if (pty->shared == NULL)
        out[count++] = (struct pollfd){.fd = host_watches_fd(pty->watch.all), .events = POLLIN};
    /* Without a host the master is hung up, and poll would always return at once. */
    if (self->is_present) {
        short events = POLLIN;

        if (self->tail_size > 0)
            events |= POLLOUT;
        out[count++] = (struct pollfd){.fd = pty->device.master, .events = events};
    }
    return count;
}

static void pty_unplug(struct byte_link *self)
{
    struct pty_link *pty = pty_of(self);

    /* The path first: a host that sees the hang-up and retries immediately must not find this
     * device. */
    pty_claim_unpoint(&pty->claim);
    if (byte_link_has_event_room(self)) {
        struct pty_news news;

        poll_pty(pty, &news);
        notify(pty, &news);
    }
    host_watch_stop(&pty->watch);
    pty_modem_close(&pty->modem);
    pty_barrier_close(&pty->barrier);
    pty_device_close(&pty->device);
}

static void pty_set_lines(struct byte_link *self, unsigned lines)
{
    struct pty_link *pty = pty_of(self);

    if (lines == pty->robot_lines)
        return;
    pty->robot_lines = lines;
    pty_modem_set(&pty->modem, lines);
}

static bool pty_has_news(const struct byte_link *self)
{
    const struct pty_link *pty = (const struct pty_link *)self;

    return self->is_plugged &&
           (pty_modem_has_news(&pty->modem) || host_watch_has_moves(&pty->watch));
}

static void pty_deliver(struct byte_link *self, const pid_t *hosts, size_t count)
{
    struct pty_link *pty = pty_of(self);

    pty->is_delivered = true;
    if (pty_barrier(&pty->barrier, pty->device.node, self->stats.bytes_out, hosts, count))
        pty->delivered = self->stats.bytes_out;
}

static bool pty_replug(struct byte_link *self, struct error *error)
{
    return device_replace(pty_of(self), error);
}

static void pty_close(struct byte_link *self)
{
    struct pty_link *pty = pty_of(self);

    bool was_claimed = pty->claim.lock >= 0;
    pty_claim_close(&pty->claim);
    if (was_claimed)
        pty_path_release(pty->path, pty->claim.path);
    host_watch_close(&pty->watch);
    pty_modem_close(&pty->modem);
    pty_barrier_close(&pty->barrier);
    pty_device_close(&pty->device);
}

/* Retries, because a run that ends may remove the shared folder between its creation here and the
 * claim. */
static bool claim(struct pty_link *pty, const struct byte_link_config *config, struct error *error)
{
    char path[PTY_PATH_MAX];

    for (int tries = 0; tries < 3; tries++) {
        if (!pty_path_resolve(config->address, config->sub_folder, path, PTY_PATH_MAX, error))
            return false;
        if (pty_claim_open(&pty->claim, path, error))
            return true;
        *strrchr(path, '/') = '\0';
        if (config->address[0] == '/' || access(path, F_OK) == 0)
            return false;
    }
    return false;
}

static const struct byte_link_ops pty_ops = {
    .update = pty_update,
    .hear = pty_hear,
    .find_host = pty_find_host,
    .write = pty_write,
    .fds = pty_fds,
    .unplug = pty_unplug,
    .replug = pty_replug,
    .set_lines = pty_set_lines,
    .has_news = pty_has_news,
    .unread = pty_unread,
    .deliver = pty_deliver,
    .close = pty_close,
};

static bool watch(struct pty_link *pty, struct host_watches *watches, struct error *error)
{
    return host_watch_open(&pty->watch, watches) ||
           error_environment(error,
                             "%s: cannot use inotify: %s; it needs one of the instances that "
                             "sysctl fs.inotify.max_user_instances allows a user, and one of the "
                             "descriptors that ulimit -n allows a process",
                             pty->claim.path, strerror(errno));
}

struct byte_link *pty_link_open(const struct byte_link_config *config, struct error *error)
{
    struct pty_link *pty =
        byte_link_create(sizeof *pty, &pty_ops, config->address, RX_CAPACITY, error);

    if (pty == NULL)
        return NULL;
    pty->base.name = pty->claim.path;
    pty->device = (struct pty_device){.master = -1, .baud = config->baud};
    pty->watch.wd = -1;
    pty->shared = config->watches;
    pty->modem.file = -1;
    pty->robot_lines = MODEM_ROBOT_READY;
    pty->claim.lock = -1;
    snprintf(pty->path, sizeof pty->path, "%s", config->address);
    if (claim(pty, config, error) && watch(pty, config->watches, error) &&
        device_replace(pty, error))
        return &pty->base;
    byte_link_close(&pty->base);
    return NULL;
}
