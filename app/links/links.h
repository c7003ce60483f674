/* The byte links of a run, one for each channel that the scene wires: hands bytes, hosts and bauds
 * from outside to the simulation, and its frames to the hosts. */
#ifndef PTYBOT_APP_LINKS_LINKS_H
#define PTYBOT_APP_LINKS_LINKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "app/links/live.h"
#include "app/links/poller.h"
#include "app/links/reading.h"
#include "app/links/serial_check.h"
#include "sim/scene/scene.h"
#include "sim/sim.h"

struct links;

/* Opens all links of a scene; hosts can open them from then on. All or none: NULL, with the place
 * and the remedy in ERROR and the program's exit code in CODE. SIM, LIVE and POLLER outlive the
 * links. PORTS: a folder below the user's for the relative paths of a private run, whose default
 * TCP ports are free ones; NULL: a run that is not private. */
struct links *links_open(const struct scene *scene, struct sim *sim, struct live *live,
                         struct poller *poller, const char *ports, int *code, struct error *error);
/* Removes the paths and hangs up. */
void links_close(struct links *links);

/* A descriptor of link number INDEX is ready: EVENTS of epoll. */
void links_ready(struct links *links, size_t index, uint32_t events, int64_t now_ns);

/* Serves changes for which no descriptor becomes ready. Call it at least every LINKS_VISIT_NS. */
#define LINKS_VISIT_NS                                                                             \
    INT64_C(10000000) /* chosen: a tenth of the links each, so each ten a second */
void links_visit(struct links *links, int64_t now_ns);
/* All links at once, for callers that must know what a host did last. */
void links_visit_all(struct links *links, int64_t now_ns);

/* Notes how well all hosts read, which a visit does for some. */
void links_note_readings(struct links *links);

/* At the end of a run: judges the settings of hosts that are still there. */
void links_settle(struct links *links, int64_t now_ns);

/* Counts what went to and from hosts so far, in all: another number means that one may have felt
 * something, or done something. */
uint64_t links_traffic(const struct links *links);

/* Waits until what was written can be read by its hosts, which are some of these processes. */
void links_deliver(struct links *links, const pid_t *hosts, size_t count);

/* After each step: plugs that were pulled or put in, chunks that are due, bytes that now have
 * room. */
void links_after_step(struct links *links, int64_t now_ns);

/* One link as people and the control socket see it. */
struct links_view {
    char name[96]; /* robot.channel */
    size_t channel;
    const char *kind;  /* "pty" */
    const char *place; /* where to connect: an absolute path */
    bool is_plugged, is_host;
    uint32_t baud, host_baud; /* host_baud 0: unknown */
    uint64_t received;        /* bytes from hosts */
    uint64_t written;         /* bytes for hosts that the kernel took, in whole chunks */
    uint64_t taken;           /* such chunks */
    uint64_t dropped;         /* chunks that the kernel refused */
    uint64_t hosts;
    bool is_full;                      /* the simulation takes no more bytes until the next step */
    struct reading reading;            /* of its hosts, as of the last visit */
    const struct serial_check *serial; /* NULL: the scene turns it off */
};

size_t links_count(const struct links *links);
void links_view(const struct links *links, size_t index, struct links_view *view);
/* Index of the link of `robot.channel`, or SIZE_MAX. */
size_t links_find(const struct links *links, const char *name);

#endif
