/* One link of a run: moves bytes, hosts and serial settings between a byte link and a channel of
 * the simulation. Private to app/links: links.h has all links of a run, and the path of a byte. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/links/live.h"
#include "app/links/poller.h"
#include "app/links/reading.h"
#include "app/links/serial_check.h"
#include "base/link_kind.h"
#include "pty/byte_link.h"
#include "sim/scene/scene.h"
#include "sim/sim.h"

/* All zero but the name is the start. */
struct notices {
    char name[96];   /* robot.channel */
    int64_t said_ns; /* the messages up to this time are used up */
    unsigned unsaid; /* left out since the last message */
};

/* What all links of a run share. */
struct link_run {
    struct sim *sim;
    struct live *live;
    struct poller *poller;
    const char *ports;            /* as in links_open */
    struct host_watches *watches; /* of all ptys; NULL: each has its own */
    uint64_t traffic;             /* as in links_traffic */
    size_t awaited;               /* links without a host */
};

struct link {
    struct link_run *run;
    struct byte_link *byte_link;
    enum link_kind kind;
    size_t index, channel; /* of the run's links; of the simulation */
    struct notices notices;
    struct serial_check serial;
    bool is_serial_checked; /* the scene does not turn it off */
    uint32_t entered_baud;  /* the baud of the host that the simulation has */
    bool is_replug_reported;
    bool keeps_unread;      /* a host that does not read holds the robot up, */
    bool is_unread;         /* and does so now */
    struct reading reading; /* its host's */
    uint64_t received, written;
    bool is_awaited;     /* it has no host */
    int64_t heard_ns;    /* time of the last turn of the loop that heard it */
    unsigned lines;      /* of the robot, as of the last step */
    bool is_full;        /* the simulation takes no more bytes before the next step */
    bool is_undelivered; /* written since links_deliver */
    struct poller_set polled;
};

struct links {
    struct link_run run;
    size_t count, room; /* in the poller, index ROOM is what all ptys share */
    size_t next_visit;
    bool is_watching;    /* the poller reports hosts that come */
    int64_t readings_us; /* when to note readings next; simulated */
    struct link items[];
};

/* Opens link FROM of robot number ROBOT. RUN and INDEX of the link are set. False, with the place
 * in ERROR. */
bool link_open(struct link *link, const struct scene_robot *robot, size_t robot_index,
               const struct scene_link *from, struct error *error);
void link_close(struct link *link);

/* From outside to the simulation: all that has happened, with HAS_BYTES but for more bytes; or
 * bytes only, once in a turn. */
void link_serve(struct link *link, bool has_bytes, int64_t now_ns);
void link_hear(struct link *link, int64_t now_ns);

/* From the simulation to the outside. */
void link_after_step(struct link *link, int64_t now_ns);

/* Notes how well the host reads. Costs some system calls. */
void link_note_reading(struct link *link);
