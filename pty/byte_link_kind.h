/* Common parts of the kinds of byte links: the table of a kind's operations, and the common part of
 * every link (received bytes and events in order, complete frames out). For the kinds only; users
 * of a link include pty/byte_link.h. NAME_link_open of pty/link_kinds.h opens a link of the kind
 * NAME. */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/ring.h"
#include "pty/byte_link.h"

struct byte_link_ops {
    void (*update)(struct byte_link *self); /* NULL: the link changes only by the caller's calls */
    bool (*hear)(struct byte_link *self, bool has_bytes); /* false: an update must do it; NULL:
                                                           * always an update */
    void (*find_host)(struct byte_link *self); /* called before a write; NULL: the result of the
                                                * last update is enough */
    bool (*write)(struct byte_link *self, const void *bytes,
                  size_t size); /* 1..BYTE_LINK_FRAME_MAX bytes for a present host */
    size_t (*fds)(const struct byte_link *self,
                  struct pollfd *out);                           /* room for BYTE_LINK_FDS_MAX */
    void (*unplug)(struct byte_link *self);                      /* of a plugged link */
    bool (*replug)(struct byte_link *self, struct error *error); /* of an unplugged link */
    void (*set_lines)(struct byte_link *self, unsigned lines);   /* NULL: the kind has no lines */
    void (*report_errors)(struct byte_link *self, unsigned errors); /* NULL: hosts cannot receive
                                                                     * errors */
    bool (*has_news)(const struct byte_link *self);                 /* NULL: never */
    bool (*unread)(struct byte_link *self, uint64_t *bytes); /* unread bytes in the kernel; NULL:
                                                              * unknown */
    void (*deliver)(struct byte_link *self, const pid_t *hosts,
                    size_t count);         /* NULL: a write delivers immediately */
    void (*close)(struct byte_link *self); /* releases the resources of the kind */
};

enum {
    BYTE_LINK_EVENTS_MAX = 32, /* chosen: one update produces at most 8; it produces no more
                                * until the caller takes them */
    BYTE_LINK_TAIL_MAX = 2 * BYTE_LINK_FRAME_MAX, /* bytes; RFC 2217 doubles some bytes */
};

/* The first member of each kind's struct. */
struct byte_link {
    const struct byte_link_ops *ops;
    const char *name; /* owned by the kind, which replaces the name from byte_link_create */
    struct byte_link_stats stats;
    bool is_plugged;
    bool is_present;
    bool is_socket;                  /* writes go to a socket and must not raise SIGPIPE */
    bool keeps_unread;               /* if there is no room, keep frames instead of dropping them */
    struct serial_settings settings; /* of the host; baud 0: unknown, or no host */
    unsigned lines;                  /* of the host */
    unsigned fds_version;
    char notice[256]; /* "": no notice */

    struct byte_ring rx;
    uint64_t rx_pushed, rx_popped; /* total bytes; the place of an event is a value of rx_pushed */
    struct {
        struct byte_link_event event;
        uint64_t at;
    } events[BYTE_LINK_EVENTS_MAX];
    size_t event_head, event_count;
    uint64_t last_event_at;

    uint8_t *tail; /* rest of a frame that the kernel has accepted only partly */
    size_t tail_start, tail_size;
    size_t frame_rest; /* of the tail, up to the end of its last frame: answers may follow */
};

/* Allocates SIZE bytes for a kind's struct and sets all except the common part to zero. The link is
 * plugged in. The caller ends it with byte_link_close. Returns NULL with `error` filled if memory
 * is short. */
void *byte_link_create(size_t size, const struct byte_link_ops *ops, const char *name,
                       size_t rx_capacity, struct error *error);

/* Whether the queue has room for the events of another update. */
bool byte_link_has_event_room(const struct byte_link *self);

/* Queue an event at a count of received bytes, and update presence, settings and hosts_seen. An
 * event is never placed before an earlier event. settings_seen and lines_seen do nothing without a
 * change. */
void byte_link_host_came(struct byte_link *self, uint64_t at, uint32_t baud);
void byte_link_host_left(struct byte_link *self, uint64_t at);
void byte_link_settings_seen(struct byte_link *self, uint64_t at, struct serial_settings settings);
void byte_link_lines_seen(struct byte_link *self, uint64_t at, unsigned lines);

/* CLOCK_MONOTONIC in milliseconds. */
int64_t byte_link_now_ms(void);

/* Sets the notice for the user, in the form of printf. */
void byte_link_notice(struct byte_link *self, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Reads once from a non-blocking descriptor. Returns the number of bytes. *is_gone: the other end
 * is gone, as for byte_link_fill. */
size_t byte_link_fill_piece(struct byte_link *self, int fd, bool *is_gone);

/* Reads from a non-blocking descriptor until it is empty or the ring is full. Returns false if the
 * other end is gone: end of file, or an error other than EAGAIN. */
bool byte_link_fill(struct byte_link *self, int fd);

/* Writes a frame to a non-blocking descriptor, under the rule of byte_link_write. */
bool byte_link_send(struct byte_link *self, int fd, const void *bytes, size_t size);

/* Appends bytes that are not part of a robot's frame to the tail. There is room for
 * BYTE_LINK_TAIL_MAX - tail_size bytes. */
void byte_link_append(struct byte_link *self, const void *bytes, size_t size);

/* Sends more of the tail. Returns true if the tail is empty. */
bool byte_link_send_tail(struct byte_link *self, int fd);
