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

/* Initial value: all zero except the name. */
struct notices {
    char name[96];   /* robot.channel */
    int64_t said_ns; /* the room for messages up to this time is used */
    unsigned unsaid; /* messages omitted since the last one */
};

/* State that all links of a run share. */
struct link_run {
    struct sim *sim;
    struct live *live;
    struct poller *poller;
    const char *ports;            /* as in links_open */
    struct host_watches *watches; /* those of all ptys; NULL: each pty has its own */
    uint64_t traffic;             /* as in links_traffic */
    size_t awaited;               /* links without a host */
};

struct link {
    struct link_run *run;
    struct byte_link *byte_link;
    enum link_kind kind;
    size_t index, channel; /* in the run's links; in the simulation */
    struct notices notices;
    struct serial_check serial;
    bool is_serial_checked; /* false: the scene turns it off */
    uint32_t entered_baud;  /* the host's baud that the simulation has */
    bool is_replug_reported;
    bool keeps_unread;      /* the robot waits for a host that does not read */
    bool is_unread;         /* it waits for one now */
    struct reading reading; /* how its host reads */
    uint64_t received, written;
    bool is_awaited;     /* it has no host */
    int64_t heard_ns;    /* last iteration of the loop that read its bytes */
    unsigned lines;      /* those of the robot, as of the last step */
    bool is_full;        /* the simulation accepts no more bytes before the next step */
    bool is_undelivered; /* bytes were written since links_deliver */
    struct poller_set polled;
};

struct links {
    struct link_run run;
    size_t count, room; /* in the poller, index ROOM is the descriptor that all ptys share */
    size_t next_visit;
    bool is_watching;    /* the poller reports hosts that open a pty */
    int64_t readings_us; /* simulated time of the next note of readings */
    struct link items[];
};

/* Opens the link FROM of robot ROBOT_INDEX. The caller has set RUN and INDEX. False, with the place
 * in ERROR. */
bool link_open(struct link *link, const struct scene_robot *robot, size_t robot_index,
               const struct scene_link *from, struct error *error);
void link_close(struct link *link);

/* Both pass input to the simulation. link_serve passes everything that has happened; with
 * HAS_BYTES, everything except further bytes. link_hear passes only bytes, once per iteration of
 * the loop. */
void link_serve(struct link *link, bool has_bytes, int64_t now_ns);
void link_hear(struct link *link, int64_t now_ns);

/* Passes output of the simulation to the host. */
void link_after_step(struct link *link, int64_t now_ns);

/* Notes how well the host reads. Costs some system calls. */
void link_note_reading(struct link *link);
