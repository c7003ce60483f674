/* Tells the opens and closes of a pty's slave by inotify: a hung-up master can neither be slept on
 * nor tell that a host left and another came between two looks. */
#ifndef PTY_HOST_WATCH_H
#define PTY_HOST_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct host_watch {
    int fd; /* inotify, non-blocking; readable when something happened */
    int wd; /* -1: nothing is watched */
    /* How many opens we believe in. Only a belief: the kernel merges equal events in a row into
     * one. */
    unsigned opens;
    bool is_untold;        /* a host is open whose IN_OPEN is still to come */
    bool is_closing;       /* the belief fell to 0, but the master is not hung up (yet) */
    int64_t closing_at_ms; /* since when, 0: not yet dated */
};

/* What happened between two looks. */
struct host_watch_tally {
    unsigned came;               /* hosts that came while none was there */
    bool is_written_before_last; /* bytes were written before the last of them came */
    bool is_written_by_last;     /* bytes were written since then */
};

bool host_watch_open(struct host_watch *watch);
void host_watch_close(struct host_watch *watch);

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
