/* One connection of the control socket: incoming lines, outgoing replies, and the watched signals,
 * which are sent at a rate of simulated time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/control/rpc.h"
#include "sim/sim.h"
#include "sim/verdict/condition.h"

enum {
    CONTROL_LINE_MAX = 1 << 18, /* bytes of a request; a longer one is refused (chosen: more than
                                   any needs, and parsed in a few ms) */
    CONTROL_REPLIES_PAUSE = 1 << 20, /* with more unread bytes, ptybot takes no more requests and
                                        omits watched signals */
    CONTROL_REPLIES_MAX = 64 * (1 << 20), /* with more unread bytes, ptybot disconnects the
                                             client */
};

struct control_watch {
    size_t *wanted; /* indices of signals, owned; NULL: no watch */
    size_t count;
    int64_t every_us, next_us;
    uint64_t dropped; /* notifications dropped because the client did not read */
};

/* From now on watches COUNT signals, which replace those watched before. Takes over WANTED. */
void control_watch_set(struct control_watch *watch, size_t *wanted, size_t count, int64_t every_us,
                       int64_t now_us);
/* Ends the watch. */
void control_watch_drop(struct control_watch *watch);

/* Whether a notification is due. If so, sets the time of the next one. */
bool control_watch_is_due(struct control_watch *watch, int64_t now_us);

/* The notification as a line. The caller frees it. NULL: out of memory. */
char *control_watch_line(const struct control_watch *watch, const struct sim *sim);

struct control_client {
    int fd;          /* -1: the slot is free */
    uint32_t events; /* events that the poller waits for */
    char *in;        /* received bytes of requests that have not been run */
    size_t in_start, in_size, in_cap;
    size_t plain; /* number of its first bytes that are known to contain no newline */
    char *out;    /* bytes of replies that have not been sent */
    size_t out_start, out_size, out_cap;
    uint64_t traffic; /* bytes received and sent */
    bool is_tcp;
    bool is_ended;    /* the client sends no more */
    bool is_doomed;   /* to be closed as soon as its replies are sent */
    bool is_gone;     /* to be closed immediately */
    bool is_hung_up;  /* the client no longer reads replies */
    bool is_pressing; /* it sends more while a reply is due: the poller must not report that */

    struct rpc_later later; /* a step or wait whose reply is due, if its kind is set */
    bool is_started;        /* step: its bytes have arrived and time runs for it; wait: always */
    int64_t target_us;      /* end of the step or wait */
    uint64_t ticket;        /* order of arrival */
    struct condition until; /* if LATER has a condition */

    struct control_watch watch;
    struct ptybot_step_page *page; /* shared memory of this size, for step requests; or NULL */
    size_t page_size;
    int page_file;
};

/* Closes and frees. The slot is free afterwards. */
void control_client_close(struct control_client *client);

bool control_client_waits(const struct control_client *client);

/* Reads received bytes: at most a little more than a line, and not much more than MOST bytes. */
void control_client_read(struct control_client *client, size_t most);

/* The next complete line, without its newline. It stays valid until the next read. False: there is
 * no line, or the client must first read the replies that wait for it. */
bool control_client_line(struct control_client *client, const char **line, size_t *size);
/* Whether control_client_line would return a line. */
bool control_client_has_line(struct control_client *client);

/* Sends a line, and frees it. NULL: does nothing. */
void control_client_send(struct control_client *client, char *line);
/* Sends the rest of the replies, as far as the socket accepts them. */
void control_client_flush(struct control_client *client);

/* The client has disconnected and receives nothing more. Requests that it has sent are still run,
 * unless it waits for a step or condition: requests after a wait must not run before its end. */
void control_client_hang_up(struct control_client *client);

/* Events of epoll to wait for. */
uint32_t control_client_events(const struct control_client *client);
/* Whether the client can be closed: it has nothing left to do. */
bool control_client_is_done(const struct control_client *client);
