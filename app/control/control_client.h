/* One connection of the control socket: its lines in, its replies out. */
#ifndef PTYBOT_APP_CONTROL_CONTROL_CLIENT_H
#define PTYBOT_APP_CONTROL_CONTROL_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/control/control_watch.h"
#include "app/control/rpc.h"
#include "sim/verdict/condition.h"

struct control_client {
    int fd;          /* -1: the place is free */
    uint32_t events; /* that the poller waits for */
    char *in;        /* bytes of requests that were not run yet */
    size_t in_start, in_size, in_cap;
    size_t plain; /* of them, from the first on, that are known to be no newline */
    char *out;    /* bytes of replies that were not sent yet */
    size_t out_start, out_size, out_cap;
    bool is_tcp;
    bool is_ended;   /* the client sends no more */
    bool is_doomed;  /* closed as soon as its replies are sent */
    bool is_gone;    /* to be closed at once */
    bool is_hung_up; /* nobody is there to read replies */

    struct rpc_later later; /* the step or wait whose reply is due, if it has a kind */
    bool is_started;        /* its bytes have come and time runs for it; a wait from the first */
    int64_t target_us;      /* when it is done */
    uint64_t ticket;        /* order of arrival */
    struct condition until; /* where LATER has one */

    struct control_watch watch;
};

void control_client_init(struct control_client *client, int fd);
/* Closes and frees; the place is free then. */
void control_client_close(struct control_client *client);

bool control_client_waits(const struct control_client *client);

/* Reads what came, up to a line and a bit, and not much more than MOST bytes. */
void control_client_read(struct control_client *client, size_t most);

/* The next whole line, without its newline; it stays valid until the next read. False: there is
 * none, or replies wait that the client should read first. */
bool control_client_line(struct control_client *client, const char **line, size_t *size);
/* Whether control_client_line would find one. */
bool control_client_has_line(struct control_client *client);

/* Sends a line (freed by this; NULL: nothing). */
void control_client_send(struct control_client *client, char *line);
/* Sends what was left. */
void control_client_flush(struct control_client *client);

/* What to wait for, in words of epoll. */
uint32_t control_client_events(const struct control_client *client);
/* Whether nothing more will come of it. */
bool control_client_is_done(const struct control_client *client);

#endif
