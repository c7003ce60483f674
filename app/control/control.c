/* The control socket: listens and serves its clients. */
#include "app/control/control.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app/cli/exit_code.h"
#include "app/control/control_state.h"

enum {
    REFUSALS_AT_ONCE = 64, /* chosen: so that clients do not hold up the robots */
    READ_AT_ONCE = 65536,  /* chosen, for the same reason: bytes of a client */
};
/* Requests are run for this long before the robots have their turn (chosen: a step). */
#define REQUESTS_NS INT64_C(1000000)

/* ---- Opening ---- */

static bool resume(struct control *control, size_t index)
{
    struct control_listener *listener = &control->listeners[index];
    listener->is_resting =
        !poller_set(control->poller, listener->fd, EPOLLIN, POLLER_LISTENER, index);
    return !listener->is_resting;
}

struct control *control_open(const char *path, const struct methods_scope *scope,
                             struct poller *poller, int *code, struct error *error)
{
    struct control *control = calloc(1, sizeof *control);
    *code = EXIT_CODE_ENVIRONMENT;
    if (!control) {
        error_set(error, "not enough memory for the control socket");
        return NULL;
    }
    control->scope = *scope;
    control->poller = poller;
    for (size_t i = 0; i < CONTROL_LISTENERS; i++)
        control->listeners[i].fd = -1;
    for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
        control_client_init(&control->clients[i], -1);
    if (control_listener_unix(&control->listeners[0], path, code, error)) {
        if (resume(control, 0))
            return control;
        error_set(error, "%s: cannot wait for clients: %s", path, strerror(errno));
    }
    control_close(control);
    return NULL;
}

bool control_open_port(struct control *control, const char *address, bool is_remote, int *code,
                       struct error *error)
{
    struct control_listener *listener = &control->listeners[1];
    if (!control_listener_tcp(listener, address, is_remote, code, error))
        return false;
    return resume(control, 1) ||
           error_set(error, "%s: cannot wait for clients: %s", address, strerror(errno));
}

const char *control_port(const struct control *control)
{
    return control->listeners[1].place;
}

void control_close(struct control *control)
{
    if (!control)
        return;
    control_time_end(control);
    for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
        control_client_close(&control->clients[i]);
    for (size_t i = 0; i < CONTROL_LISTENERS; i++)
        control_listener_close(&control->listeners[i]);
    free(control);
}

/* ---- Clients ---- */

/* Once there are descriptors again. */
static void resume_all(struct control *control)
{
    for (size_t i = 0; i < CONTROL_LISTENERS; i++)
        if (control->listeners[i].is_resting)
            resume(control, i);
}

/* Brings the poller in line with what a client waits for; closes it when it is done. */
static void settle(struct control *control, struct control_client *client)
{
    size_t index = (size_t)(client - control->clients);
    if (control_client_is_done(client)) {
        control_client_close(client);
        resume_all(control);
        return;
    }
    uint32_t events = control_client_events(client);
    if (events == client->events)
        return;
    client->events = events;
    if (!poller_set(control->poller, client->fd, events, POLLER_CLIENT, index))
        control_client_close(client);
}

static struct control_client *free_place(struct control *control)
{
    for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
        if (control->clients[i].fd < 0)
            return &control->clients[i];
    return NULL;
}

/* Says that there is no place, as far as a socket takes it at once. */
static void turn_away(int fd)
{
    char *line = rpc_answer_error(RPC_TOO_MANY,
                                  "64 clients are connected already; close one and connect again");
    if (line && send(fd, line, strlen(line), MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
        shutdown(fd, SHUT_WR);
    free(line);
    close(fd);
}

void control_listener_ready(struct control *control, size_t index)
{
    struct control_listener *listener = &control->listeners[index];
    for (int refused = 0; refused < REFUSALS_AT_ONCE;) {
        int fd = control_listener_accept(listener);
        if (fd < 0 && (errno == EAGAIN || errno == ECONNABORTED || errno == EINTR))
            return;
        if (fd < 0) {
            // No descriptors left: whoever waits is served when a client goes.
            poller_drop(control->poller, listener->fd);
            listener->is_resting = true;
            return;
        }
        struct control_client *client = free_place(control);
        if (client) {
            control_client_init(client, fd);
            client->is_tcp = listener->is_tcp;
            settle(control, client);
        } else {
            turn_away(fd);
            refused++;
        }
    }
}

void control_client_ready(struct control *control, size_t index, uint32_t events)
{
    struct control_client *client = &control->clients[index];
    if (index >= CONTROL_CLIENTS_MAX || client->fd < 0)
        return;
    if (events & EPOLLOUT)
        control_client_flush(client);
    if (events & EPOLLIN)
        control_client_read(client, READ_AT_ONCE);
    if (events & (EPOLLHUP | EPOLLERR)) {
        // Nobody reads replies any more, but what was asked before still counts.
        if (!client->is_ended)
            control_client_read(client, SIZE_MAX);
        client->is_ended = true;
        client->is_hung_up = true;
        client->out_size = 0;
        control_watch_drop(&client->watch);
        if (control_client_waits(client))
            client->is_gone = true;
    }
    settle(control, client);
}

/* A web page can make a browser send a request of HTTP to any port of the machine. What does not
 * speak JSON from the first line on is cut off before a line of it can be a command. */
static bool is_stranger(const struct control_client *client, const char *line)
{
    return client->is_tcp && *line != '{' && *line != '[';
}

static void run_line(struct control *control, struct control_client *client, const char *line,
                     size_t size)
{
    size_t blanks = 0;
    while (blanks < size && strchr(" \t\r", line[blanks]))
        blanks++;
    if (blanks == size)
        return;
    if (is_stranger(client, line + blanks)) {
        client->in_size = 0;
        client->is_ended = client->is_doomed = true;
        control_client_send(client, rpc_answer_error(RPC_PARSE_ERROR, "this is no JSON-RPC"));
        return;
    }
    struct methods_scope scope = control->scope;
    scope.watch = &client->watch;
    char *reply = rpc_answer(methods, &scope, line, size, &client->later);
    if (client->is_hung_up) {
        free(reply);
        rpc_later_drop(&client->later);
        control_watch_drop(&client->watch);
        return;
    }
    control_client_send(client, reply);
    if (control_client_waits(client))
        control_time_take(control, client);
}

/* A line of each client in turn, until there is none or the time is up. */
static void run_lines(struct control *control)
{
    int64_t end_ns = poller_now_ns() + REQUESTS_NS;
    size_t idle = 0;
    while (idle < CONTROL_CLIENTS_MAX) {
        struct control_client *client = &control->clients[control->next_client];
        const char *line;
        size_t size;
        control->next_client = (control->next_client + 1) % CONTROL_CLIENTS_MAX;
        idle++;
        if (client->fd < 0 || !control_client_line(client, &line, &size))
            continue;
        idle = 0;
        run_line(control, client, line, size);
        if (poller_now_ns() >= end_ns)
            return;
    }
}

bool control_advance(struct control *control)
{
    bool is_more = false, is_any = false;
    control_time_order(control);
    run_lines(control);
    control_time_order(control);
    for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
        struct control_client *client = &control->clients[i];
        if (client->fd >= 0)
            settle(control, client);
        is_any = is_any || client->fd >= 0;
        is_more = is_more || (client->fd >= 0 && control_client_has_line(client));
    }
    // Without descriptors for the first client, there was none whose end could make room.
    if (!is_any)
        resume_all(control);
    return is_more;
}
