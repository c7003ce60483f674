/* All links of a run, one for each channel that the scene connects. The loop of a run calls
 * these functions; all other code uses links_view.h.
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
 * LINKS_VISIT_NS for changes that no descriptor signals, and links_after_step after each step.
 *
 * If time waits for drivers, the loop takes in their changes only while all drivers wait: it then
 * calls links_ready, links_visit_all and links_note_readings. If links_traffic has changed after a
 * step, a driver may have something to do: the loop calls links_deliver, and time waits again. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "app/links/live.h"
#include "app/links/poller.h"
#include "sim/scene/scene.h"
#include "sim/sim.h"

struct links;

/* Opens all links of a scene; hosts can open them from then on. Opens all or none: on failure
 * returns NULL, with the place and the remedy in ERROR and the program's exit code in CODE. SIM,
 * LIVE and POLLER must outlive the links. PORTS is set for a private run: relative paths are then
 * in this folder below the user's folder, and default TCP ports are replaced by free ports. NULL:
 * the run is not private. */
struct links *links_open(const struct scene *scene, struct sim *sim, struct live *live,
                         struct poller *poller, const char *ports, int *code, struct error *error);
/* Removes the paths and disconnects the hosts. */
void links_close(struct links *links);

/* Descriptor INDEX of POLLER_LINK is ready. EVENTS: those of epoll. */
void links_ready(struct links *links, size_t index, uint32_t events, int64_t now_ns);

/* Serves a tenth of the links. */
#define LINKS_VISIT_NS INT64_C(10000000) /* chosen: all are served ten times a second */
void links_visit(struct links *links, int64_t now_ns);
/* Serves all links, for callers that need the latest state of all hosts. */
void links_visit_all(struct links *links, int64_t now_ns);
/* Serves one link for such a caller. HAS_BYTES: the bytes that the caller counts have arrived, so
 * no more bytes are read. */
void links_look(struct links *links, size_t index, bool has_bytes, int64_t now_ns);

/* After each step: passes on bytes for hosts, plugs that were pulled or inserted, and modem lines.
 * Then takes bytes from hosts, if there is room for them again. */
void links_after_step(struct links *links, int64_t now_ns);

/* ---- If time waits for drivers ---- */

/* Counts everything that was sent to and received from hosts. A driver that has received nothing
 * since the last call has nothing new to do. */
uint64_t links_traffic(const struct links *links);

/* Waits until the hosts, which are some of these processes, can read the written bytes. */
void links_deliver(struct links *links, const pid_t *hosts, size_t count);

/* Notes how well all hosts read, ten times per simulated second. links_visit does the same in real
 * time. */
void links_note_readings(struct links *links);
