/* A byte link carries the bytes of one robot channel to and from its host. link_kinds.h opens one
 * of each kind; byte_link_kind.h is for the kinds themselves. It knows no protocol, no pacing and
 * no simulated time. */
#ifndef PTYBOT_PTY_BYTE_LINK_H
#define PTYBOT_PTY_BYTE_LINK_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/modem_lines.h"
#include "base/serial_settings.h"

struct byte_link;

enum {
    BYTE_LINK_FDS_MAX = 2, /* descriptors to poll of one link, at most */
    BYTE_LINK_FRAME_MAX =
        65536, /* bytes; chosen: holds the largest robot frame, a camera image of 38 400 bytes */
};

enum byte_link_event_kind {
    BYTE_LINK_HOST_CAME,        /* a host opened the link */
    BYTE_LINK_HOST_LEFT,        /* the last host closed it, died, or was unplugged */
    BYTE_LINK_SETTINGS_CHANGED, /* the host set another baud or mode */
    BYTE_LINK_LINES_CHANGED,    /* the host set DTR or RTS */
};

struct byte_link_event {
    enum byte_link_event_kind kind;
    struct serial_settings settings; /* in force from here on; baud 0: unknown or no host */
    unsigned lines;                  /* MODEM_HOST_LINES in force from here on, 0 without a host */
};

/* All counts since the link was opened. */
struct byte_link_stats {
    uint64_t bytes_in;       /* from hosts, as read by the caller */
    uint64_t bytes_out;      /* taken by the kernel for hosts */
    uint64_t frames_written; /* accepted whole; a tail may still be on its way */
    uint64_t frames_dropped; /* refused whole, because the host does not read; or accepted, and the
                                host left before all of it could be sent */
    uint64_t frames_unheard; /* not written, because no host was there; not a fault */
    uint64_t hosts_seen;     /* hosts that came */
    uint64_t hosts_refused;  /* hosts turned away, because another was there */
    uint64_t bad_requests;   /* of hosts, which nobody understands (RFC 2217) */
    uint64_t relinks; /* times that the path was pointed at a new device after a host had locked the
                         old one */
};

/* Looks at the outside world: reads bytes, notices hosts that come, leave or set a baud, and sends
 * what is left of a frame. Call it when one of the link's descriptors is ready and at least every
 * 100 ms. Never blocks. After it, take bytes and events in the order in which they happened:
 *
 *     byte_link_update(link);
 *     do {
 *         while ((size = byte_link_read(link, bytes, sizeof bytes)) > 0) ...
 *         more = byte_link_next_event(link, &event);
 *         if (more) ...
 *     } while (more);
 */
void byte_link_update(struct byte_link *self);

/* The same where bytes have come and nothing else may have happened: costs less, and leaves what
 * has time to the next update. */
void byte_link_hear(struct byte_link *self);

/* Takes up to `cap` bytes that the host sent before the next event. Returns how many; 0: none, or
 * an event comes first. A host's bytes come after its HOST_CAME and before its HOST_LEFT. */
size_t byte_link_read(struct byte_link *self, void *bytes, size_t cap);

/* Takes the next event. Returns false when there is none, or when bytes must be read first. */
bool byte_link_next_event(struct byte_link *self, struct byte_link_event *out);

/* Sends one frame of 1..BYTE_LINK_FRAME_MAX bytes, all of it or nothing: a host never sees half a
 * frame followed by another. Returns true when the frame was accepted. False: no host
 * (frames_unheard) or no room (frames_dropped). */
bool byte_link_write(struct byte_link *self, const void *bytes, size_t size);

/* Returns when what was written can be read by the host, which is one of these processes: the
 * kernel may take its time otherwise. Does nothing where it cannot tell. */
void byte_link_deliver(struct byte_link *self, const pid_t *hosts, size_t count);

/* Whether a frame is still being sent; it stays so while the host does not read. */
bool byte_link_is_busy(const struct byte_link *self);

/* How many of the bytes that were accepted for the present host it has not read yet. Of a pty this
 * is exact up to 4095 bytes, and the most that it can be beyond; of tcp only what the host's kernel
 * has not taken. False: nobody can tell (a real uart; a pty that its host has locked by TIOCEXCL,
 * unless we are root). Costs some system calls. */
bool byte_link_unread(struct byte_link *self, uint64_t *bytes);

/* Whether the link keeps frames for which the kernel has no room, up to BYTE_LINK_FRAME_MAX bytes,
 * instead of dropping them. While it is busy, its caller writes only what belongs together. */
void byte_link_set_unread_kept(struct byte_link *self, bool keeps_unread);

/* Whether a host has the link open, as of the last update. */
bool byte_link_host_present(const struct byte_link *self);

/* What the host has set, as of the last update; baud 0: unknown, or no host. */
struct serial_settings byte_link_host_settings(const struct byte_link *self);

/* Lines that the host has set, as of the last update: MODEM_HOST_LINES that are on. */
unsigned byte_link_host_lines(const struct byte_link *self);

/* Sets the lines that the host sees: those of MODEM_ROBOT_LINES that are on. A kind without such
 * lines ignores it. */
void byte_link_set_lines(struct byte_link *self, unsigned lines);

/* The host's receiver has found these wrong, enum serial_error. Only a host of RFC 2217 that has
 * asked for them is told; other kinds ignore it. */
void byte_link_report_errors(struct byte_link *self, unsigned errors);

/* Whether an update is due for something that no descriptor signals. Cheap enough for every step.
 */
bool byte_link_has_news(const struct byte_link *self);

/* Takes the link's latest notice for people since the last call: a warning, a host turned away, a
 * device lost or found. Returns false when there is none. */
bool byte_link_take_notice(struct byte_link *self, char *out, size_t cap);

/* Fills `out` with the descriptors to poll, with `events` set and `revents` cleared; returns how
 * many. Ask again before each poll: one that would always be ready (a pty without a host) is left
 * out, and unplugging changes all of them. */
size_t byte_link_fds(const struct byte_link *self, struct pollfd out[static BYTE_LINK_FDS_MAX]);

/* Changes whenever a descriptor was replaced by another, which may have the same number. */
unsigned byte_link_fds_version(const struct byte_link *self);

/* Pulls the plug: the path disappears first, then the host sees a hang-up. Bytes that have already
 * come can still be read, then HOST_LEFT follows. Does nothing on an unplugged link. */
void byte_link_unplug(struct byte_link *self);

/* Plugs in again under the same path. Returns false with `error` filled when the machine refuses
 * (the link stays unplugged; try again later). True at once on a link that is plugged in. */
bool byte_link_replug(struct byte_link *self, struct error *error);

bool byte_link_is_plugged(const struct byte_link *self);

/* The address for people and hosts: an absolute path, or "HOST:PORT". Lives as long as the link. */
const char *byte_link_name(const struct byte_link *self);

const struct byte_link_stats *byte_link_stats(const struct byte_link *self);

/* Removes the path, hangs up and frees the link. NULL is allowed. */
void byte_link_close(struct byte_link *self);

#endif
