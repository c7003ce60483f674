/* One connection of the control socket: its lines in, its replies out, and the signals that it
 * watches, sent at a rate of simulated time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/control/rpc.h"
#include "sim/sim.h"
#include "sim/verdict/condition.h"

enum {
    CONTROL_LINE_MAX = 1 << 18,           /* bytes of a request; a longer one is refused (chosen:
                                           * more than any needs, and parsed in a few ms) */
    CONTROL_REPLIES_PAUSE = 1 << 20,      /* unread bytes at which no more requests are taken, and
                                           * what is watched is left out */
    CONTROL_REPLIES_MAX = 64 * (1 << 20), /* unread bytes at which a client is dropped */
};

struct control_watch {
    size_t *wanted; /* indices of signals, owned; NULL: nothing is watched */
    size_t count;
    int64_t every_us, next_us;
    uint64_t dropped; /* notifications dropped because the client did not read */
};

/* Watches COUNT signals from now on, instead of those before. Takes WANTED over. */
void control_watch_set(struct control_watch *watch, size_t *wanted, size_t count, int64_t every_us,
                       int64_t now_us);
/* Watches nothing. */
void control_watch_drop(struct control_watch *watch);

/* Whether a notification is due; moves the deadline on if so. */
bool control_watch_is_due(struct control_watch *watch, int64_t now_us);

/* The notification, a line that the caller frees; NULL where memory is short. */
char *control_watch_line(const struct control_watch *watch, const struct sim *sim);

struct control_client {
    int fd;          /* -1: the slot is free */
    uint32_t events; /* that the poller waits for */
    char *in;        /* bytes of requests that were not run yet */
    size_t in_start, in_size, in_cap;
    size_t plain; /* how many of them, from the first on, are known not to be a newline */
    char *out;    /* bytes of replies that were not sent yet */
    size_t out_start, out_size, out_cap;
    uint64_t traffic; /* bytes in and out */
    bool is_tcp;
    bool is_ended;    /* the client sends no more */
    bool is_doomed;   /* closed as soon as its replies are sent */
    bool is_gone;     /* to be closed at once */
    bool is_hung_up;  /* nobody is there to read replies */
    bool is_pressing; /* sends more although its reply is due: the poller is to be quiet about it */

    struct rpc_later later; /* the step or wait whose reply is due, if it has a kind */
    bool is_started;   /* its bytes have come and time runs for it; a wait: from the beginning */
    int64_t target_us; /* when it is done */
    uint64_t ticket;   /* order of arrival */
    struct condition until; /* where LATER has one */

    struct control_watch watch;
    struct ptybot_step_page *page; /* shared with it, of this size; or NULL */
    size_t page_size;
    int page_file;
};

void control_client_init(struct control_client *client, int fd);
/* Closes and frees; the slot is free then. */
void control_client_close(struct control_client *client);

bool control_client_waits(const struct control_client *client);

/* Reads what came: at most a little more than a line, and not much more than MOST bytes. */
void control_client_read(struct control_client *client, size_t most);

/* The next whole line, without its newline; it stays valid until the next read. False: there is
 * none, or replies wait that the client should read first. */
bool control_client_line(struct control_client *client, const char **line, size_t *size);
/* Whether control_client_line would find one. */
bool control_client_has_line(struct control_client *client);

/* Sends a line (freed by this; NULL: nothing). */
void control_client_send(struct control_client *client, char *line);
/* Sends what is left. */
void control_client_flush(struct control_client *client);

/* The client has left: it hears nothing more. What it has sent can still be taken, unless it waits,
 * since what comes after a wait would come too early. */
void control_client_hang_up(struct control_client *client);

/* What to wait for, as events of epoll. */
uint32_t control_client_events(const struct control_client *client);
/* Whether nothing is left to do for it. */
bool control_client_is_done(const struct control_client *client);
