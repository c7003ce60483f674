/* The common part of all byte links: calls of the operations, order of bytes and events, complete
 * frames. */
#include "pty/byte_link.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "pty/byte_link_kind.h"

void *byte_link_create(size_t size, const struct byte_link_ops *ops, const char *name,
                       size_t rx_capacity, struct error *error)
{
    struct byte_link *self = calloc(1, size);

    /* One allocation for both buffers: most of their pages are rarely touched and then cost no
     * memory. */
    if (self == NULL || !byte_ring_create(&self->rx, rx_capacity + BYTE_LINK_TAIL_MAX)) {
        error_environment(error, "%s: out of memory for the link", name);
        free(self);
        return NULL;
    }
    self->ops = ops;
    self->name = name;
    self->is_plugged = true;
    self->rx.capacity = rx_capacity;
    self->tail = self->rx.bytes + rx_capacity;
    return self;
}

int64_t byte_link_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void byte_link_notice(struct byte_link *self, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(self->notice, sizeof self->notice, format, args);
    va_end(args);
}

/* ---- For users ---- */

void byte_link_update(struct byte_link *self)
{
    if (self->ops->update != NULL)
        self->ops->update(self);
}

void byte_link_hear(struct byte_link *self, bool has_bytes)
{
    if (self->ops->hear == NULL || !self->ops->hear(self, has_bytes))
        byte_link_update(self);
}

size_t byte_link_read(struct byte_link *self, void *bytes, size_t cap)
{
    if (self->event_count > 0) {
        uint64_t before_event = self->events[self->event_head].at - self->rx_popped;

        if (before_event < cap)
            cap = (size_t)before_event;
    }
    size_t size = byte_ring_pop(&self->rx, bytes, cap);
    self->rx_popped += size;
    self->stats.bytes_in += size;
    return size;
}

bool byte_link_next_event(struct byte_link *self, struct byte_link_event *out)
{
    if (self->event_count == 0 || self->events[self->event_head].at > self->rx_popped)
        return false;
    *out = self->events[self->event_head].event;
    self->event_head = (self->event_head + 1) % BYTE_LINK_EVENTS_MAX;
    self->event_count--;
    return true;
}

bool byte_link_write(struct byte_link *self, const void *bytes, size_t size)
{
    assert(size > 0 && size <= BYTE_LINK_FRAME_MAX);
    if (self->ops->find_host != NULL)
        self->ops->find_host(self);
    if (self->is_present)
        return self->ops->write(self, bytes, size);
    self->stats.frames_unheard++;
    return false;
}

bool byte_link_is_busy(const struct byte_link *self)
{
    return self->tail_size > 0;
}

bool byte_link_unread(struct byte_link *self, uint64_t *bytes)
{
    *bytes = 0;
    if (!self->is_present)
        return true;
    if (self->ops->unread == NULL || !self->ops->unread(self, bytes))
        return false;
    *bytes += self->tail_size;
    return true;
}

void byte_link_set_unread_kept(struct byte_link *self, bool keeps_unread)
{
    self->keeps_unread = keeps_unread;
}

bool byte_link_host_present(const struct byte_link *self)
{
    return self->is_present;
}

struct serial_settings byte_link_host_settings(const struct byte_link *self)
{
    return self->settings;
}

void byte_link_set_lines(struct byte_link *self, unsigned lines)
{
    if (self->ops->set_lines != NULL)
        self->ops->set_lines(self, lines & MODEM_ROBOT_LINES);
}

void byte_link_report_errors(struct byte_link *self, unsigned errors)
{
    if (errors != 0 && self->ops->report_errors != NULL)
        self->ops->report_errors(self, errors);
}

/* Called when the host is gone before it received a complete accepted frame: the frame counts as
 * dropped. */
static void drop_tail(struct byte_link *self)
{
    if (self->frame_rest > 0) {
        self->stats.frames_written--;
        self->stats.frames_dropped++;
    }
    self->tail_size = self->frame_rest = 0;
}

bool byte_link_has_news(const struct byte_link *self)
{
    return self->ops->has_news != NULL && self->ops->has_news(self);
}

bool byte_link_take_notice(struct byte_link *self, char *out, size_t cap)
{
    if (self->notice[0] == '\0')
        return false;
    snprintf(out, cap, "%s", self->notice);
    self->notice[0] = '\0';
    return true;
}

size_t byte_link_fds(const struct byte_link *self, struct pollfd out[static BYTE_LINK_FDS_MAX])
{
    return self->ops->fds != NULL ? self->ops->fds(self, out) : 0;
}

unsigned byte_link_fds_version(const struct byte_link *self)
{
    return self->fds_version;
}

void byte_link_deliver(struct byte_link *self, const pid_t *hosts, size_t count)
{
    if (self->ops->deliver && self->is_present)
        self->ops->deliver(self, hosts, count);
}

void byte_link_unplug(struct byte_link *self)
{
    if (!self->is_plugged)
        return;
    self->ops->unplug(self);
    self->is_plugged = false;
    drop_tail(self);
    if (self->is_present)
        byte_link_host_left(self, self->rx_pushed);
}

bool byte_link_replug(struct byte_link *self, struct error *error)
{
    if (!self->is_plugged)
        self->is_plugged = self->ops->replug == NULL || self->ops->replug(self, error);
    return self->is_plugged;
}

bool byte_link_is_plugged(const struct byte_link *self)
{
    return self->is_plugged;
}

const char *byte_link_name(const struct byte_link *self)
{
    return self->name;
}

const struct byte_link_stats *byte_link_stats(const struct byte_link *self)
{
    return &self->stats;
}

void byte_link_close(struct byte_link *self)
{
    if (self == NULL)
        return;
    self->ops->close(self);
    byte_ring_destroy(&self->rx);
    free(self);
}

/* ---- For kinds ---- */

bool byte_link_has_event_room(const struct byte_link *self)
{
    /* An update produces at most 8 events, and an unplug one more. */
    return self->event_count + 9 <= BYTE_LINK_EVENTS_MAX;
}

static void push_event(struct byte_link *self, enum byte_link_event_kind kind, uint64_t at)
{
    size_t end = (self->event_head + self->event_count) % BYTE_LINK_EVENTS_MAX;

    assert(self->event_count < BYTE_LINK_EVENTS_MAX);
    if (at < self->last_event_at)
        at = self->last_event_at;
    if (at < self->rx_popped)
        at = self->rx_popped;
    self->last_event_at = at;
    self->events[end].event =
        (struct byte_link_event){.kind = kind, .settings = self->settings, .lines = self->lines};
    self->events[end].at = at;
    self->event_count++;
}

void byte_link_host_came(struct byte_link *self, uint64_t at, uint32_t baud)
{
    self->is_present = true;
    self->settings = (struct serial_settings){.baud = baud};
    self->lines = MODEM_HOST_LINES;
    self->stats.hosts_seen++;
    push_event(self, BYTE_LINK_HOST_CAME, at);
}

void byte_link_host_left(struct byte_link *self, uint64_t at)
{
    self->is_present = false;
    self->settings = (struct serial_settings){0};
    self->lines = 0;
    drop_tail(self);
    push_event(self, BYTE_LINK_HOST_LEFT, at);
}

void byte_link_settings_seen(struct byte_link *self, uint64_t at, struct serial_settings settings)
{
    if (!self->is_present || serial_settings_equal(settings, self->settings))
        return;
    self->settings = settings;
    push_event(self, BYTE_LINK_SETTINGS_CHANGED, at);
}

void byte_link_lines_seen(struct byte_link *self, uint64_t at, unsigned lines)
{
    if (!self->is_present || lines == self->lines)
        return;
    self->lines = lines;
    push_event(self, BYTE_LINK_LINES_CHANGED, at);
}

size_t byte_link_fill_piece(struct byte_link *self, int fd, bool *is_gone)
{
    size_t room;
    uint8_t *to = byte_ring_free_piece(&self->rx, &room);
    ssize_t size;

    *is_gone = false;
    if (room == 0)
        return 0;
    do
        size = read(fd, to, room);
    while (size < 0 && errno == EINTR);
    *is_gone = size == 0 || (size < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
    if (size <= 0)
        return 0;
    byte_ring_commit(&self->rx, (size_t)size);
    self->rx_pushed += (uint64_t)size;
    return (size_t)size;
}

bool byte_link_fill(struct byte_link *self, int fd)
{
    bool is_gone;

    while (byte_link_fill_piece(self, fd, &is_gone) > 0)
        ;
    return !is_gone;
}

/* Writes as many bytes as the kernel accepts now. *is_gone: it stopped because the other end is
 * gone. */
static size_t send_some(const struct byte_link *self, int fd, const uint8_t *bytes, size_t size,
                        bool *is_gone)
{
    size_t done = 0;

    while (done < size) {
        ssize_t taken = self->is_socket ? send(fd, bytes + done, size - done, MSG_NOSIGNAL)
                                        : write(fd, bytes + done, size - done);

        if (taken < 0 && errno == EINTR)
            continue;
        if (taken <= 0) {
            *is_gone = taken < 0 && errno != EAGAIN && errno != EWOULDBLOCK;
            break;
        }
        done += (size_t)taken;
    }
    return done;
}

bool byte_link_send_tail(struct byte_link *self, int fd)
{
    bool is_gone = false;

    if (self->tail_size > 0) {
        size_t taken =
            send_some(self, fd, self->tail + self->tail_start, self->tail_size, &is_gone);

        self->tail_start += taken;
        self->tail_size -= taken;
        self->frame_rest -= taken < self->frame_rest ? taken : self->frame_rest;
        self->stats.bytes_out += taken;
    }
    return self->tail_size == 0;
}

void byte_link_append(struct byte_link *self, const void *bytes, size_t size)
{
    assert(size <= BYTE_LINK_TAIL_MAX - self->tail_size);
    if (self->tail_start > 0)
        memmove(self->tail, self->tail + self->tail_start, self->tail_size);
    self->tail_start = 0;
    memcpy(self->tail + self->tail_size, bytes, size);
    self->tail_size += size;
}

bool byte_link_send(struct byte_link *self, int fd, const void *bytes, size_t size)
{
    bool is_gone = false;
    size_t taken = 0;

    bool is_free = byte_link_send_tail(self, fd);
    if (is_free)
        taken = send_some(self, fd, bytes, size, &is_gone);
    bool is_kept = self->keeps_unread && !is_gone && self->tail_size + size <= BYTE_LINK_FRAME_MAX;
    if (taken == 0 && !is_kept) {
        if (is_gone)
            self->stats.frames_unheard++;
        else
            self->stats.frames_dropped++;
        return false;
    }
    self->stats.bytes_out += taken;
    self->stats.frames_written++;
    byte_link_append(self, (const uint8_t *)bytes + taken, size - taken);
    self->frame_rest = self->tail_size;
    return true;
}
