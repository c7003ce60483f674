/* The control socket: listens, serves its clients, and orders the steps that they ask for. */
#include "sim/app/control.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "sim/app/control_client.h"
#include "sim/app/exit_code.h"

enum { LINES_AT_ONCE = 32 }; /* chosen: so that one client does not hold up the robots */

struct control {
    struct methods_scope scope;
    struct poller *poller;
    int listener;
    bool is_listening; /* in the poller: there is a free place */
    struct sockaddr_un address;
    uint64_t next_ticket;
    struct control_client clients[CONTROL_CLIENTS_MAX];
};

/* ---- Opening ---- */

/* Sees to it that nothing is in the way of a new socket. */
static bool clear_place(const struct control *control, struct error *error)
{
    const char *path = control->address.sun_path;
    struct stat found;
    if (lstat(path, &found) != 0)
        return errno == ENOENT || error_set(error, "%s: %s", path, strerror(errno));
    if (!S_ISSOCK(found.st_mode))
        return error_set(error,
                         "%s is there already and is not a socket, so it stays: choose another "
                         "path for --control, or remove it",
                         path);
    int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (probe < 0)
        return error_set(error, "%s: %s", path, strerror(errno));
    int result =
        connect(probe, (const struct sockaddr *)&control->address, sizeof control->address);
    bool is_dead = result != 0 && errno == ECONNREFUSED;
    close(probe);
    if (!is_dead)
        return error_set(
            error, "%s is in use by another program: choose another path for --control", path);
    unlink(path);
    return true;
}

static bool listen_at(struct control *control, struct error *error)
{
    const struct sockaddr *address = (const struct sockaddr *)&control->address;
    control->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    // The mode must be right from the first moment.
    mode_t before = umask(0177);
    bool is_bound =
        control->listener >= 0 && bind(control->listener, address, sizeof control->address) == 0;
    int reason = errno;
    umask(before);
    if (!is_bound)
        return error_set(error, "%s: cannot make the control socket: %s", control->address.sun_path,
                         strerror(reason));
    if (listen(control->listener, CONTROL_CLIENTS_MAX) == 0 &&
        poller_set(control->poller, control->listener, EPOLLIN, POLLER_LISTENER, 0))
        return true;
    unlink(control->address.sun_path);
    return error_set(error, "%s: cannot listen: %s", control->address.sun_path, strerror(errno));
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
    control->listener = -1;
    control->is_listening = true;
    control->address.sun_family = AF_UNIX;
    for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
        control_client_init(&control->clients[i], -1);
    if (strlen(path) >= sizeof control->address.sun_path || !*path) {
        *code = EXIT_CODE_USAGE;
        error_set(error, "%s: the path of a control socket has 1 to %zu bytes", path,
                  sizeof control->address.sun_path - 1);
    } else {
        memcpy(control->address.sun_path, path, strlen(path) + 1);
        if (clear_place(control, error) && listen_at(control, error))
            return control;
    }
    if (control->listener >= 0)
        close(control->listener);
    free(control);
    return NULL;
}

void control_close(struct control *control)
{
    if (!control)
        return;
    for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
        control_client_close(&control->clients[i]);
    unlink(control->address.sun_path);
    close(control->listener);
    free(control);
}

/* ---- Clients ---- */

static void resume_listening(struct control *control)
{
    control->is_listening =
        poller_set(control->poller, control->listener, EPOLLIN, POLLER_LISTENER, 0);
}

/* Brings the poller in line with what a client waits for; closes it when it is done. */
static void settle(struct control *control, struct control_client *client)
{
    size_t index = (size_t)(client - control->clients);
    if (control_client_is_done(client)) {
        control_client_close(client);
        if (!control->is_listening)
            resume_listening(control);
        return;
    }
    uint32_t events = control_client_events(client);
    if (events == client->events)
        return;
    client->events = events;
    if (!poller_set(control->poller, client->fd, events, POLLER_CLIENT, index))
        control_client_close(client);
}

void control_listener_ready(struct control *control)
{
    for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
        struct control_client *client = &control->clients[i];
        if (client->fd >= 0)
            continue;
        int fd = accept4(control->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0 && (errno == EAGAIN || errno == ECONNABORTED || errno == EINTR))
            return;
        if (fd < 0)
            break; // no descriptors left: whoever waits is served when a client goes
        control_client_init(client, fd);
        settle(control, client);
    }
    poller_drop(control->poller, control->listener);
    control->is_listening = false;
}

void control_client_ready(struct control *control, size_t index, uint32_t events)
{
    struct control_client *client = &control->clients[index];
    if (index >= CONTROL_CLIENTS_MAX || client->fd < 0)
        return;
    if (events & EPOLLOUT)
        control_client_flush(client);
    if (events & EPOLLIN)
        control_client_read(client);
    if (events & (EPOLLHUP | EPOLLERR)) {
        // Nobody reads replies any more, but what was asked before still counts.
        if (!client->is_ended)
            control_client_read(client);
        client->is_ended = true;
        client->is_hung_up = true;
        client->out_size = 0;
        if (control_client_waits(client))
            client->is_gone = true;
    }
    settle(control, client);
}

static void run_lines(struct control *control, struct control_client *client)
{
    const char *line;
    size_t size;
    for (int i = 0; i < LINES_AT_ONCE && control_client_line(client, &line, &size); i++) {
        size_t blanks = 0;
        while (blanks < size && strchr(" \t\r", line[blanks]))
            blanks++;
        if (blanks == size)
            continue;
        char *reply = rpc_answer(methods, &control->scope, line, size, &client->later);
        if (client->is_hung_up) {
            free(reply);
            rpc_later_drop(&client->later);
            continue;
        }
        control_client_send(client, reply);
        if (control_client_waits(client)) {
            client->is_started = false;
            client->ticket = control->next_ticket++;
        }
    }
}

/* ---- Steps ---- */

static void end_step(struct control *control, struct control_client *client)
{
    json_t *totals = methods_totals(&control->scope);
    control_client_send(
        client, rpc_answer_later(&client->later, totals, RPC_INTERNAL_ERROR, "not enough memory"));
}

static void fail_step(struct control_client *client, int code, const char *message)
{
    control_client_send(client, rpc_answer_later(&client->later, NULL, code, message));
}

/* Lets time run for as long as is missing. */
static void let_run(struct control *control, const struct control_client *client)
{
    char text[64];
    struct error ignored;
    int64_t missing_us = client->target_us - sim_now_us(control->scope.sim);
    if (missing_us <= 0)
        return;
    snprintf(text, sizeof text, "world.step ms=%lld", (long long)(missing_us / 1000));
    sim_do(control->scope.sim, text, &ignored);
}

/* Ends the step that is under way if its time has come. Returns whether one goes on. */
static bool is_stepping(struct control *control)
{
    const struct sim_pace *pace = sim_pace(control->scope.sim);
    bool is_any = false;
    for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
        struct control_client *client = &control->clients[i];
        if (client->fd < 0 || !control_client_waits(client) || !client->is_started)
            continue;
        if (sim_now_us(control->scope.sim) >= client->target_us) {
            end_step(control, client);
            continue;
        }
        // Somebody has stopped time, maybe after having let it run for a while.
        if (pace->is_paused && pace->steps_wanted == 0)
            fail_step(client, RPC_NOT_HELD, "time was paused before this step was done");
        else
            is_any = true;
    }
    return is_any;
}

/* The client whose step comes next: the first in order of arrival whose bytes have come. */
static struct control_client *next_step(struct control *control)
{
    struct control_client *best = NULL;
    for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
        struct control_client *client = &control->clients[i];
        struct error error = {0};
        if (client->fd < 0 || !control_client_waits(client) || client->is_started)
            continue;
        if (!sim_pace(control->scope.sim)->is_paused) {
            fail_step(client, RPC_NOT_HELD, "time was let run while this step waited");
            continue;
        }
        enum methods_fence fence = methods_fence(&control->scope, client->later.fence, &error);
        if (fence == METHODS_FENCE_STUCK)
            fail_step(client, RPC_UNREACHABLE, error.text);
        else if (fence == METHODS_FENCE_OPEN && (!best || client->ticket < best->ticket))
            best = client;
    }
    return best;
}

static bool begin_step(struct control *control)
{
    struct control_client *client = next_step(control);
    if (!client)
        return false;
    const struct sim *sim = control->scope.sim;
    client->is_started = true;
    client->target_us = sim_now_us(sim) + client->later.steps * SIM_STEP_US;
    let_run(control, client);
    return true;
}

/* One step at a time: ends those that are done and begins the next. */
static void order_steps(struct control *control)
{
    while (!is_stepping(control) && begin_step(control))
        continue;
}

bool control_advance(struct control *control)
{
    bool is_more = false, is_any = false;
    order_steps(control);
    for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
        if (control->clients[i].fd >= 0)
            run_lines(control, &control->clients[i]);
    order_steps(control);
    for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
        struct control_client *client = &control->clients[i];
        if (client->fd >= 0)
            settle(control, client);
        is_any = is_any || client->fd >= 0;
        is_more = is_more || (client->fd >= 0 && control_client_has_line(client));
    }
    // Without descriptors for the first client, there was none whose end could make room.
    if (!control->is_listening && !is_any)
        resume_listening(control);
    return is_more;
}
