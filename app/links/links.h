/* All links of a run, one for each channel that the scene connects. The loop of a run calls them;
 * links_view.h is for everybody else.
 *
 *     driver                                                              simulation
 *       | write                                                               ^
 *       v                                                                     | sim_host_bytes
 *     kernel --> poller --> links_ready --.                                   |
 *                 links_visit(_all) ------+--> byte_link_update --> byte_link_read, _next_event
 *
 *     simulation                                                            driver
 *       | sim_output                                                          ^
 *       v                                                                     | read
 *     links_after_step --> byte_link_write --> kernel -- (links_deliver) -----'
 *
 * In real time the loop calls links_ready for each descriptor that is ready, links_visit every
 * LINKS_VISIT_NS for changes that no descriptor shows, and links_after_step after each step.
 *
 * If time waits for drivers, the loop takes in their changes only while all of them wait:
 * links_ready and links_visit_all. If links_traffic has changed after a step, a driver may have
 * something to do: links_deliver, and time waits again. links_note_readings belongs to the same
 * moments. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "app/links/live.h"
#include "app/links/poller.h"
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

/* Descriptor INDEX of POLLER_LINK is ready: EVENTS of epoll. */
void links_ready(struct links *links, size_t index, uint32_t events, int64_t now_ns);

/* Serves a tenth of the links. */
#define LINKS_VISIT_NS INT64_C(10000000) /* chosen: all are served ten times a second */
void links_visit(struct links *links, int64_t now_ns);
/* All links at once, for callers that must know what a host did last. */
void links_visit_all(struct links *links, int64_t now_ns);
/* One link for such a caller. HAS_BYTES: its bytes that count have come. */
void links_look(struct links *links, size_t index, bool has_bytes, int64_t now_ns);

/* After each step: bytes for hosts, plugs that were pulled or put in, modem lines; then bytes from
 * hosts for which there is room again. */
void links_after_step(struct links *links, int64_t now_ns);

/* ---- Where time waits for drivers ---- */

/* Counts everything that went to and from hosts. A driver that has received nothing since the last
 * call has nothing new to do. */
uint64_t links_traffic(const struct links *links);

/* Waits until what was written can be read by its hosts, which are some of these processes. */
void links_deliver(struct links *links, const pid_t *hosts, size_t count);

/* Notes how well all hosts read, ten times a simulated second; a visit does so otherwise. */
void links_note_readings(struct links *links);
