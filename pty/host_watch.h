/* Tells the opens and closes of a pty's slave by inotify: a hung-up master can neither be slept on
 * nor tell that a host left and another came between two looks. Many watches share one instance of
 * inotify, as Linux gives a user but few (128). */
#ifndef PTYBOT_PTY_HOST_WATCH_H
#define PTYBOT_PTY_HOST_WATCH_H

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
    struct host_watch *next;  /* in the same bucket of those */
    int wd;                   /* -1: nothing is watched */
    struct host_watch_tally untaken;
    bool has_news; /* was told, and nobody has read it yet */
    /* How many opens we believe in. Only a belief: the kernel merges equal events in a row into
     * one. */
    unsigned opens;
    bool is_untold;        /* a host is open whose IN_OPEN is still to come */
    bool is_closing;       /* the belief fell to 0, but the master is not hung up (yet) */
    int64_t closing_at_ms; /* since when, 0: not yet dated */
};

/* An instance to share. NULL with errno where the system refuses it. It lives until it was dropped
 * and all its watches are closed. All calls for it and its watches come from one thread. */
struct host_watches *host_watches_create(void);
void host_watches_drop(struct host_watches *all);
/* The descriptor, non-blocking, that is readable when something happened to any of the watches. */
int host_watches_fd(const struct host_watches *all);
/* Takes what it tells, and leaves it with the watches that it is for. */
void host_watches_take(struct host_watches *all);

/* A watch in ALL; NULL: in an instance of its own. False with errno where that is refused. The
 * watch stays where it is until it is closed. */
bool host_watch_open(struct host_watch *watch, struct host_watches *all);
/* Does nothing on a closed watch. */
void host_watch_close(struct host_watch *watch);

/* Whether something was taken for it that was not read yet. */
bool host_watch_has_news(const struct host_watch *watch);

/* Watches the slave at `node` from here on; what was told before and not read is forgotten. */
bool host_watch_start(struct host_watch *watch, const char *node);
/* Stops it, so that our own opens and closes are not taken for a host's. */
void host_watch_stop(struct host_watch *watch);

/* Stops it for a moment in which a host stays open: `resume` goes on with the same belief. */
bool host_watch_resume(struct host_watch *watch, const char *node);

/* Adds what was told since the last call to the tally. Returns whether there was anything. */
bool host_watch_read(struct host_watch *watch, struct host_watch_tally *tally);

/* Brings the belief in line with the truth: whether a host has the slave open now. */
void host_watch_settle(struct host_watch *watch, bool is_present, int64_t now_ms);

#endif
