/* Detects with inotify which hosts open and close a pty's slave. poll cannot wait on a hung-up
 * master, and the master does not show a change of the host between two checks. Many watches share
 * one inotify instance, because Linux limits a user to 128 instances. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Events between two checks. */
struct host_watch_tally {
    unsigned came;               /* hosts that came while no host was present */
    bool is_written_before_last; /* bytes were written before the last of these hosts came */
    bool is_written_by_last;     /* bytes were written after it came */
};

struct host_watches; /* an inotify instance with all its watches */

struct host_watch {
    struct host_watches *all; /* NULL: closed */
    struct host_watch *next;  /* in the same bucket */
    int wd;                   /* -1: nothing is watched */
    struct host_watch_tally untaken;
    bool has_moves;     /* an open or a close happened that host_watch_read has not returned
                         * yet */
    bool is_heard;      /* the caller has read all bytes that were readable since the last write
                         * event */
    int64_t written_ms; /* time of the last write event */
    /* Assumed number of opens of the slave. It can be wrong, because the kernel merges equal
     * consecutive events. */
    unsigned opens;
    bool is_unreported;             /* a host is present, but its IN_OPEN has not arrived yet */
    bool is_closing;                /* OPENS fell to 0, but the master is not hung up (yet) */
    int64_t closing_at_ms;          /* time when this was first checked; 0: not checked yet */
    bool is_own_open, is_own_close; /* the next event of this kind is from this process */
};

/* Creates an instance for sharing. NULL with errno if the system refuses it. It exists until it is
 * dropped and all its watches are closed. The instance and its watches belong to one thread. */
struct host_watches *host_watches_create(void);
void host_watches_drop(struct host_watches *all);
/* A non-blocking descriptor that is readable if any of the watches has news. */
int host_watches_fd(const struct host_watches *all);
/* Reads the events of the instance and assigns them to their watches. */
void host_watches_take(struct host_watches *all);

/* Opens a watch in ALL; NULL: in a new instance. False with errno if the system refuses it. The
 * struct must not move until it is closed. */
bool host_watch_open(struct host_watch *watch, struct host_watches *all);
/* Does nothing on a closed watch. */
void host_watch_close(struct host_watch *watch);

/* Whether host_watches_take has received an open or a close for this watch that host_watch_read has
 * not returned yet. */
bool host_watch_has_moves(const struct host_watch *watch);

/* To be called after reading all bytes that had arrived from the host that was present all the
 * time. Later bytes are then not attributed to its old writes. */
void host_watch_heard(struct host_watch *watch);

/* Starts to watch the slave at `node`. Drops earlier news that was not read. */
bool host_watch_start(struct host_watch *watch, const char *node);
/* Stops watching, so that opens and closes by this process do not count as a host's. */
void host_watch_stop(struct host_watch *watch);

/* Enclose an open for reading and its close by this process. These then do not count as a
 * host's. */
void host_watch_begin_own(struct host_watch *watch);
void host_watch_end_own(struct host_watch *watch);

/* Continues after a stop during which a host stayed: keeps the assumed number of opens. */
bool host_watch_resume(struct host_watch *watch, const char *node);

/* Adds the events since the last call to the tally. Returns whether a host came or left. */
bool host_watch_read(struct host_watch *watch, struct host_watch_tally *tally);

/* Corrects the assumed number of opens. IS_PRESENT: whether a host has the slave open now. */
void host_watch_settle(struct host_watch *watch, bool is_present, int64_t now_ms);
