/* A byte link carries the bytes of one robot channel to and from its host: one small interface over
 * several kinds (pty, memory, and others behind the same table). It knows no protocol, no pacing
 * and no simulated time. */
#ifndef PTYBOT_PTY_BYTE_LINK_H
#define PTYBOT_PTY_BYTE_LINK_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/modem_lines.h"

struct byte_link;

enum {
    BYTE_LINK_FDS_MAX = 2, /* descriptors that one link gives to the sleeping set at most */
    BYTE_LINK_FRAME_MAX =
        65536, /* bytes; chosen: holds the largest robot frame, a camera image of 38 400 bytes */
};

enum byte_link_event_kind {
    BYTE_LINK_HOST_CAME,     /* a host opened the link */
    BYTE_LINK_HOST_LEFT,     /* the last host closed it, died, or was unplugged */
    BYTE_LINK_BAUD_CHANGED,  /* the host set another baud */
    BYTE_LINK_LINES_CHANGED, /* the host set DTR or RTS */
};

struct byte_link_event {
    enum byte_link_event_kind kind;
    uint32_t baud;  /* the baud in force from here on, 0: unknown or no host */
    unsigned lines; /* MODEM_HOST_LINES in force from here on, 0 without a host */
};

/* All counts since the link was opened. */
struct byte_link_stats {
    uint64_t bytes_in;       /* from hosts, as read by the caller */
    uint64_t bytes_out;      /* taken by the kernel for hosts */
    uint64_t frames_written; /* taken whole, a tail possibly still on its way */
    uint64_t frames_dropped; /* refused whole, because the host does not read */
    uint64_t frames_unheard; /* not written, because no host was there; not a fault */
    uint64_t hosts_seen;     /* hosts that came */
    uint64_t hosts_refused;  /* hosts turned away, because another was there */
    uint64_t relinks; /* times that the path was pointed at a new device after a host had locked the
                         old one */
};

/* Looks at the outside world: takes bytes in, notices hosts that come, leave or set a baud, pushes
 * on what is still to be sent. Call it when one of the link's descriptors is ready and at least
 * every 100 ms. Never blocks. After it, take bytes and events in their true order:
 *
 *     byte_link_update(link);
 *     do {
 *         while ((size = byte_link_read(link, bytes, sizeof bytes)) > 0) ...
 *         more = byte_link_next_event(link, &event);
 *         if (more) ...
 *     } while (more);
 */
void byte_link_update(struct byte_link *self);

/* Takes up to `cap` bytes that came from the host before the next event. Returns how many; 0: none,
 * or an event comes first. All bytes of a host are read before its HOST_LEFT, and none before its
 * HOST_CAME. */
size_t byte_link_read(struct byte_link *self, void *bytes, size_t cap);

/* Takes the next event. Returns false when there is none, or when bytes must be read first. */
bool byte_link_next_event(struct byte_link *self, struct byte_link_event *out);

/* Sends one frame of 1..BYTE_LINK_FRAME_MAX bytes, all of it or nothing: a host never sees half a
 * frame followed by another. Returns true when the frame was taken. False: no host (frames_unheard)
 * or no room (frames_dropped). */
bool byte_link_write(struct byte_link *self, const void *bytes, size_t size);

/* Whether a frame is still being sent: a host that does not read leaves it so. */
bool byte_link_is_busy(const struct byte_link *self);

/* A patient link keeps frames for which the kernel has no room, instead of dropping them, up to
 * BYTE_LINK_FRAME_MAX bytes. Its caller gives no more than belongs together while it is busy. */
void byte_link_set_patient(struct byte_link *self, bool is_patient);

/* Whether a host has the link open, as of the last update. */
bool byte_link_host_present(const struct byte_link *self);

/* Baud that the host has set, as of the last update; 0: unknown, or no host. */
uint32_t byte_link_host_baud(const struct byte_link *self);

/* Lines that the host has set, as of the last update: MODEM_HOST_LINES that are on. */
unsigned byte_link_host_lines(const struct byte_link *self);

/* Sets the lines that the host sees: those of MODEM_ROBOT_LINES that are on. A kind without
 * such lines takes no notice. */
void byte_link_set_lines(struct byte_link *self, unsigned lines);

/* Whether the host did something that no descriptor tells of, so that an update is due. Cheap: made
 * to be asked at every step. */
bool byte_link_has_news(const struct byte_link *self);

/* Takes a sentence for people that the link has left since the last call: a warning, a host turned
 * away, a device lost or found. Returns false when there is none; a newer one replaces an older. */
bool byte_link_take_notice(struct byte_link *self, char *out, size_t cap);

/* Fills `out` with the descriptors to sleep on, up to `cap`, with `events` set and `revents`
 * cleared; returns how many (0..BYTE_LINK_FDS_MAX). Ask again before each sleep: a descriptor that
 * would spin (a pty without a host) is left out, and a plug may change all of them. */
size_t byte_link_fds(const struct byte_link *self, struct pollfd *out, size_t cap);

/* Changes whenever a descriptor was closed and another opened, which may have the same number. */
unsigned byte_link_fds_version(const struct byte_link *self);

/* Pulls the plug: the path disappears first, then the host sees a hang-up. Bytes that already came
 * can still be read, then HOST_LEFT follows. Nothing happens on an unplugged link. */
void byte_link_unplug(struct byte_link *self);

/* Plugs in again under the same path. Returns false with `error` filled when the machine refuses
 * (the link stays unplugged; try again later). True at once on a link that is plugged in. */
bool byte_link_replug(struct byte_link *self, struct error *error);

bool byte_link_is_plugged(const struct byte_link *self);

/* What to show to people and to hand to a host: an absolute path for a pty or a uart, "HOST:PORT"
 * for tcp. Lives as long as the link. */
const char *byte_link_name(const struct byte_link *self);

/* "pty", "tcp", "uart" or "memory". */
const char *byte_link_kind(const struct byte_link *self);

const struct byte_link_stats *byte_link_stats(const struct byte_link *self);

/* Removes the path, hangs up and frees the link. NULL is allowed. */
void byte_link_close(struct byte_link *self);

#endif
