/* Watches who opens and closes a pty's slave, by inotify: poll cannot wait on a hung-up master, and
 * the master cannot tell that one host left and another came between two looks. Many watches share
 * one inotify instance, since Linux allows a user only 128. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What happened between two looks. */
struct host_watch_tally {
    unsigned came;               /* hosts that came while none was there */
    bool is_written_before_last; /* bytes were written before the last of them came */
    bool is_written_by_last;     /* bytes were written since then */
};

struct host_watches; /* an instance and all watches in it */

struct host_watch {
    struct host_watches *all; /* NULL: closed */
    struct host_watch *next;  /* in the same bucket */
    int wd;                   /* -1: nothing is watched */
    struct host_watch_tally untaken;
    bool has_moves;     /* something happened that nobody has read yet, and not only a write */
    bool is_heard;      /* what was written by then has been read, if it was there at once */
    int64_t written_ms; /* when it was last known to be written */
    /* How many opens are believed to stand: the kernel merges equal events in a row. */
    unsigned opens;
    bool is_unreported;             /* a host is there whose IN_OPEN is still to come */
    bool is_closing;                /* the belief fell to 0, but the master is not hung up (yet) */
    int64_t closing_at_ms;          /* since when; 0: not yet known */
    bool is_own_open, is_own_close; /* the next of these events is our own */
};

/* An instance to share. NULL with errno where the system refuses it. It lives until it is dropped
 * and all its watches are closed. It and its watches belong to one thread. */
struct host_watches *host_watches_create(void);
void host_watches_drop(struct host_watches *all);
/* The non-blocking descriptor that is readable when any of the watches has news. */
int host_watches_fd(const struct host_watches *all);
/* Reads its events and hands them to their watches. */
void host_watches_take(struct host_watches *all);

/* Opens a watch in ALL, or with NULL in an instance of its own. False with errno where that is
 * refused. The struct must not move until it is closed. */
bool host_watch_open(struct host_watch *watch, struct host_watches *all);
/* Does nothing on a closed watch. */
void host_watch_close(struct host_watch *watch);

/* Whether host_watches_take got for it that a host came or left, which was not read yet. */
bool host_watch_has_moves(const struct host_watch *watch);

/* The bytes of the host that has been there all the time were read, as far as they had come. What
 * it has written long ago says nothing of bytes that come later. */
void host_watch_heard(struct host_watch *watch);

/* Watches the slave at `node` from now on; earlier news that was not read is forgotten. */
bool host_watch_start(struct host_watch *watch, const char *node);
/* Stops it, so that our own opens and closes do not count as a host's. */
void host_watch_stop(struct host_watch *watch);

/* Around an open for reading and its close by ourselves, which then do not count as a host's. */
void host_watch_begin_own(struct host_watch *watch);
void host_watch_end_own(struct host_watch *watch);

/* Goes on after a stop during which a host stayed: keeps the belief. */
bool host_watch_resume(struct host_watch *watch, const char *node);

/* Adds what happened since the last call to the tally. Returns whether a host came or left. */
bool host_watch_read(struct host_watch *watch, struct host_watch_tally *tally);

/* Corrects the belief by the truth: whether a host has the slave open now. */
void host_watch_settle(struct host_watch *watch, bool is_present, int64_t now_ms);
