/* A byte link carries the bytes of one robot channel to and from its host. link_kinds.h opens one
 * of each kind; byte_link_kind.h is for the kinds themselves. It contains no protocol, no pacing
 * and no simulated time. */
#pragma once

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
    BYTE_LINK_FDS_MAX = 2,       /* most descriptors of one link that the caller polls */
    BYTE_LINK_FRAME_MAX = 65536, /* bytes; chosen: enough for the largest frame of a robot, a camera
                                  * image of 38 400 bytes */
};

enum byte_link_event_kind {
    BYTE_LINK_HOST_CAME,        /* a host opened the link */
    BYTE_LINK_HOST_LEFT,        /* the last host closed it, died, or was unplugged */
    BYTE_LINK_SETTINGS_CHANGED, /* the host set another baud or mode */
    BYTE_LINK_LINES_CHANGED,    /* the host set DTR or RTS */
};

struct byte_link_event {
    enum byte_link_event_kind kind;
    struct serial_settings settings; /* valid from here on; baud 0: unknown, or no host */
    unsigned lines;                  /* MODEM_HOST_LINES that are on from here on; 0 without a
                                      * host */
};

/* All counts since the link was opened. */
struct byte_link_stats {
    uint64_t bytes_in;       /* from hosts, as read by the caller */
    uint64_t bytes_out;      /* taken by the kernel for hosts */
    uint64_t frames_written; /* accepted; the last bytes may not be sent yet */
    uint64_t frames_dropped; /* refused, because the host does not read; or accepted, but the host
                                disconnected before all bytes could be sent */
    uint64_t frames_unheard; /* not written, because no host was connected; not a fault */
    uint64_t hosts_seen;     /* hosts that connected */
    uint64_t hosts_refused;  /* hosts refused, because another was connected */
    uint64_t bad_requests;   /* requests of hosts that are invalid (RFC 2217) */
    uint64_t relinks; /* times that the path was moved to a new device after a host had locked the
                         old one */
};

/* Polls the host's side: reads bytes, detects hosts that connect, disconnect or set a baud, and
 * sends the rest of a frame. Call it when one of the link's descriptors is ready and at least every
 * 100 ms. Never blocks. After it, take bytes and events in the order of their occurrence:
 *
 *     byte_link_update(link);
 *     do {
 *         while ((size = byte_link_read(link, bytes, sizeof bytes)) > 0) ...
 *         more = byte_link_next_event(link, &event);
 *         if (more) ...
 *     } while (more);
 */
void byte_link_update(struct byte_link *self);

/* Like byte_link_update, for a call when bytes have arrived and nothing else can have happened. It
 * costs less, and leaves work that is not urgent to the next update. HAS_BYTES: the caller needs no
 * more bytes, only settings, lines, opens and closes. */
void byte_link_hear(struct byte_link *self, bool has_bytes);

/* Takes up to `cap` bytes that the host sent before the next event. Returns their number; 0: no
 * bytes, or an event comes first. A host's bytes come after its HOST_CAME and before its
 * HOST_LEFT. */
size_t byte_link_read(struct byte_link *self, void *bytes, size_t cap);

/* Takes the next event. Returns false when there is none, or when bytes must be read first. */
bool byte_link_next_event(struct byte_link *self, struct byte_link_event *out);

/* Sends one frame of 1..BYTE_LINK_FRAME_MAX bytes, all of it or nothing: a host never sees half a
 * frame followed by another. Returns true when the frame was accepted. False: no host
 * (frames_unheard) or no room (frames_dropped). */
bool byte_link_write(struct byte_link *self, const void *bytes, size_t size);

/* Waits until the host, which is one of these processes, can read the written bytes: the kernel
 * may deliver them later. Does nothing if it cannot detect that. */
void byte_link_deliver(struct byte_link *self, const pid_t *hosts, size_t count);

/* Whether a frame is still being sent; always true while the host does not read. */
bool byte_link_is_busy(const struct byte_link *self);

/* Number of accepted bytes that the present host has not read yet. For a pty it is exact up to 4095
 * bytes, and an upper limit above; for tcp it counts only bytes that the host's kernel has not
 * taken. False: unknown (a real uart; a pty that its host has locked by TIOCEXCL, unless ptybot
 * runs as root). Costs some system calls. */
bool byte_link_unread(struct byte_link *self, uint64_t *bytes);

/* Whether the link keeps frames, up to BYTE_LINK_FRAME_MAX bytes, instead of dropping them when the
 * kernel has no room. While it is busy, its caller writes only parts of one message. */
void byte_link_set_unread_kept(struct byte_link *self, bool keeps_unread);

/* Whether a host has the link open, as of the last update. */
bool byte_link_host_present(const struct byte_link *self);

/* Settings of the host as of the last update; baud 0: unknown, or no host. */
struct serial_settings byte_link_host_settings(const struct byte_link *self);

/* Sets the lines that the host sees: those of MODEM_ROBOT_LINES that are on. A kind without such
 * lines ignores it. */
void byte_link_set_lines(struct byte_link *self, unsigned lines);

/* Reports errors that the host's receiver would detect, enum serial_error, to a host of RFC 2217
 * that has requested them; other kinds ignore it. */
void byte_link_report_errors(struct byte_link *self, unsigned errors);

/* Whether an update is due for something that no descriptor signals. Cheap enough for every step.
 */
bool byte_link_has_news(const struct byte_link *self);

/* Takes the link's latest notice for the user since the last call: a warning, a refused host, a
 * device lost or found. Returns false if there is none. */
bool byte_link_take_notice(struct byte_link *self, char *out, size_t cap);

/* Fills `out` with the descriptors to poll, with `events` set and `revents` cleared; returns how
 * many. Call it before each poll: a descriptor that would always be ready (a pty without a host) is
 * left out, and unplugging changes all of them. */
size_t byte_link_fds(const struct byte_link *self, struct pollfd out[static BYTE_LINK_FDS_MAX]);

/* Changes when a descriptor was replaced by another, which may have the same number. */
unsigned byte_link_fds_version(const struct byte_link *self);

/* Unplugs: the path disappears first, then the host sees a hang-up. Bytes that have already
 * arrived can still be read, then HOST_LEFT follows. Does nothing on an unplugged link. */
void byte_link_unplug(struct byte_link *self);

/* Plugs in again under the same path. Returns false with `error` filled if the system refuses
 * (the link stays unplugged; try again later). True at once on a link that is plugged in. */
bool byte_link_replug(struct byte_link *self, struct error *error);

bool byte_link_is_plugged(const struct byte_link *self);

/* The address for users and hosts: an absolute path, or "HOST:PORT". Lives as long as the link. */
const char *byte_link_name(const struct byte_link *self);

const struct byte_link_stats *byte_link_stats(const struct byte_link *self);

/* Removes the path, hangs up and frees the link. NULL is allowed. */
void byte_link_close(struct byte_link *self);
