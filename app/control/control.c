/* The control socket: listens, serves its clients, and orders the steps that they request. */
#include "app/control/control.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "app/cli/terminal.h"
#include "app/control/control_client.h"
#include "app/control/control_listener.h"
#include "app/links/links.h"

enum {
    LISTENERS = 2,         /* the Unix socket, and optionally a TCP port */
    REFUSALS_AT_ONCE = 64, /* chosen: so that clients do not delay the robots */
    READ_AT_ONCE = 65536,  /* chosen, for the same reason: bytes of a client */
    PENALTY_MAX = 1023, /* chosen: unsuccessful polling then takes less than 1/1000 of the time */
    WATCH_PART = 4,     /* chosen: watchers get a quarter of the time */
};
/* Requests are run for this long before the robots are simulated again (chosen: a step). */
#define REQUESTS_NS INT64_C(1000000)
/* Chosen: a client that slept requests the next step within SOON_NS, others within LOOK_NS. */
#define SOON_NS        INT64_C(200000)
#define LOOK_NS        INT64_C(100000)
#define WATCH_STORE_NS INT64_C(100000000) /* chosen: the lag that real time catches up */

struct control {
    struct methods_scope scope; /* without the watch of a client */
    struct poller *poller;
    struct control_listener listeners[LISTENERS];
    uint64_t next_ticket;
    size_t next_client; /* the client whose request comes next */
    int64_t watch_ns,
        watch_left_ns;       /* time when watches were last served, and the time left for them */
    int64_t idle_ns;         /* when the loop began to wait */
    bool is_soon;            /* the last step was requested soon after that */
    unsigned penalty, skips; /* steps without polling: after the last unsuccessful poll, and left */
    bool is_attentive;       /* some client watches signals or waits for a condition */
    size_t client_end;       /* clients[] is unused from here on */
    struct control_client clients[CONTROL_CLIENTS_MAX];
};

/* ---- Replies ---- */

/* The client compares these totals with its own, to decide whether its bytes will wake the run. */
static void note_totals(const struct control *control, struct ptybot_step_page *page)
{
    struct links_view view;
    for (size_t i = 0; links_view(control->scope.links, i, &view); i++) {
        page->links[i].written = view.written;
        __atomic_store_n(&page->links[i].received, view.received, __ATOMIC_SEQ_CST);
    }
}

/* Replies to a step that a page requested. */
static void answer_page(const struct control *control, struct control_client *client, int code,
                        const char *text)
{
    struct ptybot_step_page *page = client->page;
    if (code == 0) // an error may come at the end, without links
        note_totals(control, page);
    page->time_us = sim_now_us(control->scope.sim);
    page->code = code;
    snprintf(page->text, sizeof page->text, "%s", text);
    rpc_later_drop(&client->later);
    __atomic_store_n(&page->answered, page->asked, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &page->answered, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Ends a step or a wait. HOLDS: its condition holds. */
static void finish(struct control *control, struct control_client *client, bool holds)
{
    const struct sim *sim = control->scope.sim;
    if (client->later.links) {
        answer_page(control, client, 0, "");
        return;
    }
    json_t *result = client->later.kind == RPC_LATER_STEP
                         ? methods_totals(&control->scope)
                         : json_pack("{s:o}", "time_s", rpc_number(methods_time_s(sim)));
    if (client->later.until)
        methods_add_condition(result, sim, &client->until, holds);
    control_client_send(
        client, rpc_answer_later(&client->later, result, RPC_INTERNAL_ERROR, "not enough memory"));
}

static void fail(const struct control *control, struct control_client *client, int code,
                 const char *message)
{
    if (client->later.links)
        answer_page(control, client, code, message);
    else
        control_client_send(client, rpc_answer_later(&client->later, NULL, code, message));
}

/* Accepts a request that a client has just made and that gets its reply later. */
static void take_later(struct control *control, struct control_client *client)
{
    const struct sim *sim = control->scope.sim;
    client->is_started = client->later.kind == RPC_LATER_WAIT;
    client->target_us = sim_now_us(sim) + client->later.steps * SIM_STEP_US;
    client->ticket = control->next_ticket++;
    if (client->later.until) {
        bool is_good = condition_parse(sim, client->later.until, &client->until, NULL);
        assert(is_good && "the method has already checked the condition");
        (void)is_good;
    }
}

/* Accepts the steps that pages request. */
static void take_pages(struct control *control)
{
    for (size_t i = 0; i < control->client_end; i++) {
        struct control_client *client = &control->clients[i];
        struct ptybot_step_page *page = client->fd >= 0 ? client->page : NULL;
        if (!page || control_client_waits(client))
            continue;
        note_totals(control, page);
        if (__atomic_load_n(&page->asked, __ATOMIC_SEQ_CST) == page->answered)
            continue;
        if (poller_now_ns() - control->idle_ns < SOON_NS) {
            control->is_soon = control->skips == 0;
            control->skips -= control->skips > 0;
        }
        client->later = (struct rpc_later){.kind = RPC_LATER_STEP,
                                           .links = page->links,
                                           .steps = (int64_t)page->ms * 1000 / SIM_STEP_US};
        take_later(control, client);
    }
}

/* Fails all requests that wait for a step or a condition, with the reason WHY. */
static void end_waits(struct control *control, int code, const char *why)
{
    for (size_t i = 0; i < control->client_end; i++) {
        struct control_client *client = &control->clients[i];
        if (client->fd >= 0 && control_client_waits(client))
            fail(control, client, code, why);
    }
}

void control_follow(struct control *control, struct sim *sim, struct pace *pace,
                    struct links *links)
{
    end_waits(control, RPC_NOT_HELD, "the replay jumped back before this request was done");
    control->scope.sim = sim;
    control->scope.pace = pace;
    control->scope.links = links;
    for (size_t i = 0; i < control->client_end; i++)
        control->clients[i].watch.next_us = sim_now_us(sim);
}

/* ---- Steps ---- */

/* Lets time run for the missing duration. */
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

/* Ends a step or wait whose time has come, or that cannot continue. Returns whether it is a step
 * that continues. */
static bool is_stepping(struct control *control, struct control_client *client)
{
    const struct pace *pace = control->scope.pace;
    if (sim_now_us(control->scope.sim) >= client->target_us) {
        finish(control, client, false);
        return false;
    }
    if (client->later.kind == RPC_LATER_WAIT)
        return false;
    // Time was paused, perhaps after it had been resumed for a while.
    if (pace->is_paused && pace->steps_wanted == 0) {
        fail(control, client, RPC_NOT_HELD, "time was paused before this step was done");
        return false;
    }
    return true;
}

static bool is_any_stepping(struct control *control)
{
    bool is_any = false;
    for (size_t i = 0; i < control->client_end; i++) {
        struct control_client *client = &control->clients[i];
        if (client->fd >= 0 && control_client_waits(client) && client->is_started)
            is_any = is_stepping(control, client) || is_any;
    }
    return is_any;
}

/* The client whose step comes next: the first in order of arrival whose bytes have arrived. */
static struct control_client *next_step(struct control *control)
{
    struct control_client *best = NULL;
    for (size_t i = 0; i < control->client_end; i++) {
        struct control_client *client = &control->clients[i];
        struct error error = {0};
        if (client->fd < 0 || !control_client_waits(client) || client->is_started)
            continue;
        if (!control->scope.pace->is_paused) {
            fail(control, client, RPC_NOT_HELD, "time was resumed while this step was waiting");
            continue;
        }
        enum methods_fence fence = methods_fence(&control->scope, &client->later, &error);
        if (fence == METHODS_FENCE_STUCK)
            fail(control, client, RPC_UNREACHABLE, error.text);
        else if (fence == METHODS_FENCE_OPEN && (!best || client->ticket < best->ticket))
            best = client;
    }
    return best;
}

/* Whether some client has requested a step that has not begun. */
static bool is_any_waiting(const struct control *control)
{
    for (size_t i = 0; i < control->client_end; i++) {
        const struct control_client *client = &control->clients[i];
        if (client->fd >= 0 && control_client_waits(client) && !client->is_started)
            return true;
    }
    return false;
}

/* Takes in the opens, closes and baud changes that hosts made before the step was requested. The
 * bytes that the step counts have arrived. A check for more bytes would wait for a worker of the
 * kernel. */
static void look_before(struct control *control, const struct control_client *client)
{
    struct links *links = control->scope.links;
    struct links_view view;
    for (size_t i = 0; links_view(links, i, &view); i++)
        links_look(links, i, methods_wanted(&client->later, i, view.name) > 0, poller_now_ns());
}

/* Writes to the pages whether ptybot is awake. Returns whether a page requests a step. */
static bool look_at_pages(struct control *control, bool is_awake)
{
    bool is_any = false;
    for (size_t i = 0; i < control->client_end; i++) {
        struct ptybot_step_page *page = control->clients[i].page;
        if (control->clients[i].fd < 0 || !page)
            continue;
        __atomic_store_n(&page->is_awake, is_awake, __ATOMIC_SEQ_CST);
        is_any |= __atomic_load_n(&page->asked, __ATOMIC_SEQ_CST) != page->answered;
    }
    return is_any;
}

bool control_stay_awake(struct control *control)
{
    bool is_asked = false;
    if (control->is_soon && control->scope.pace->steps_wanted == 0 && !is_any_waiting(control)) {
        int64_t now_ns = poller_now_ns(), end_ns = now_ns + LOOK_NS;
        while (!look_at_pages(control, true) && now_ns < end_ns)
            now_ns = poller_now_ns();
        // A client that saw is_awake set until now does not wake ptybot.
        is_asked = look_at_pages(control, false);
        control->is_soon = is_asked && now_ns < end_ns;
        control->penalty = control->is_soon ? control->penalty * 3 / 4 : control->penalty * 2 + 1;
        if (control->penalty > PENALTY_MAX)
            control->penalty = PENALTY_MAX;
        control->skips = control->is_soon ? 0 : control->penalty;
    }
    control->idle_ns = poller_now_ns();
    return is_asked;
}

static bool begin_step(struct control *control)
{
    if (!is_any_waiting(control))
        return false;
    struct control_client *client = next_step(control);
    if (client)
        look_before(control, client);
    else
        links_visit_all(control->scope.links, poller_now_ns());
    if (!client && !(client = next_step(control)))
        return false;
    const struct sim *sim = control->scope.sim;
    if (client->later.until && condition_holds(sim, &client->until)) {
        finish(control, client, true);
        return true;
    }
    client->is_started = true;
    client->target_us = sim_now_us(sim) + client->later.steps * SIM_STEP_US;
    let_run(control, client);
    return true;
}

/* Ends completed steps and begins the next step, one at a time. Ends waits whose time is over. */
static void order_steps(struct control *control)
{
    while (!is_any_stepping(control) && begin_step(control))
        continue;
    control->is_attentive = false;
    for (size_t i = 0; i < control->client_end; i++) {
        const struct control_client *client = &control->clients[i];
        bool is_waiting = control_client_waits(client) && client->later.until;
        if (client->fd >= 0 && (client->watch.wanted || is_waiting))
            control->is_attentive = true;
    }
}

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
    if (!control)
        return error_null(error_set(error, "not enough memory for the control socket"));
    control->scope = *scope;
    control->poller = poller;
    for (size_t i = 0; i < LISTENERS; i++)
        control->listeners[i].fd = -1;
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

char *control_about(const struct control *control)
{
    json_t *about = methods_about(&control->scope);
    const char *port = control_port(control);
    if (*port)
        json_object_set_new(about, "control_tcp", json_string(port));
    char *text = about ? json_dumps(about, JSON_COMPACT) : NULL;
    json_decref(about);
    return text;
}

const char *control_port(const struct control *control)
{
    return control->listeners[1].place;
}

void control_close(struct control *control)
{
    if (!control)
        return;
    end_waits(control, RPC_ENDED, "the run ended while this request was waiting");
    for (size_t i = 0; i < control->client_end; i++)
        control_client_close(&control->clients[i]);
    for (size_t i = 0; i < LISTENERS; i++)
        control_listener_close(&control->listeners[i]);
    free(control);
}

/* ---- Clients ---- */

/* Called when descriptors are available again. */
static void resume_all(struct control *control)
{
    for (size_t i = 0; i < LISTENERS; i++)
        if (control->listeners[i].is_resting)
            resume(control, i);
}

/* Sets the events that the poller waits for on a client. Closes the client when it is done. */
static void settle(struct control *control, struct control_client *client)
{
    size_t index = (size_t)(client - control->clients);
    if (control_client_is_done(client)) {
        control_client_close(client);
        resume_all(control);
        return;
    }
    uint32_t events = control_client_events(client);
    // Most waiting clients send nothing meanwhile and soon need EPOLLIN again, so it stays set.
    bool is_tolerated = control_client_waits(client) && !client->is_pressing;
    if (events == client->events || (is_tolerated && (events | EPOLLIN) == client->events))
        return;
    client->is_pressing = false;
    client->events = events;
    if (!poller_set(control->poller, client->fd, events, POLLER_CLIENT, index))
        control_client_close(client);
}

static struct control_client *free_place(struct control *control)
{
    for (size_t i = 0; i < control->client_end; i++)
        if (control->clients[i].fd < 0)
            return &control->clients[i];
    return control->client_end < CONTROL_CLIENTS_MAX ? &control->clients[control->client_end++]
                                                     : NULL;
}

/* Reports that all places for clients are taken, if the socket accepts the line immediately. */
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
            // No descriptors left: waiting clients are served when another client disconnects.
            poller_drop(control->poller, listener->fd);
            listener->is_resting = true;
            return;
        }
        struct control_client *client = free_place(control);
        if (client) {
            *client = (struct control_client){.fd = fd, .is_tcp = listener->is_tcp};
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
    if (index >= control->client_end || client->fd < 0)
        return;
    if (events & EPOLLOUT)
        control_client_flush(client);
    client->is_pressing = (events & EPOLLIN) && control_client_waits(client);
    if ((events & EPOLLIN) && !client->is_pressing)
        control_client_read(client, READ_AT_ONCE);
    if (events & (EPOLLHUP | EPOLLERR))
        control_client_hang_up(client);
    settle(control, client);
}

/* A web page can make a browser send an HTTP request to any port of the machine. A client whose
 * first line is not JSON is cut off before any line of it can be a command. */
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
        control_client_send(client, rpc_answer_error(RPC_PARSE_ERROR, "not a JSON-RPC request"));
        return;
    }
    struct methods_scope scope = control->scope;
    scope.client = client;
    scope.watch = client->is_hung_up ? NULL : &client->watch;
    control_client_send(client, rpc_answer(methods, &scope, line, size, &client->later));
    if (!control_client_waits(client))
        return;
    if (client->is_hung_up) {
        rpc_later_drop(&client->later);
        client->is_gone = true; // what it sent after a wait goes with the wait
    } else {
        take_later(control, client);
    }
}

/* Runs one line of each client in turn, until no line is left or the time is up. */
static void run_lines(struct control *control)
{
    int64_t end_ns = poller_now_ns() + REQUESTS_NS;
    size_t idle = 0;
    // A request after a seek refers to the time that the seek jumps to, so it waits for the jump.
    while (idle < control->client_end && !control->scope.pace->is_seeking) {
        struct control_client *client = &control->clients[control->next_client];
        const char *line;
        size_t size;
        control->next_client = (control->next_client + 1) % control->client_end;
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
    take_pages(control);
    order_steps(control);
    run_lines(control);
    order_steps(control);
    for (size_t i = 0; i < control->client_end; i++) {
        struct control_client *client = &control->clients[i];
        if (client->fd >= 0)
            settle(control, client);
        is_any = is_any || client->fd >= 0;
        is_more = is_more || (client->fd >= 0 && control_client_has_line(client));
    }
    // If no descriptor was left even for a first client, no client can make room by disconnecting.
    if (!is_any)
        resume_all(control);
    return is_more;
}

uint64_t control_traffic(const struct control *control)
{
    uint64_t traffic = 0;
    for (size_t i = 0; i < control->client_end; i++)
        if (control->clients[i].fd >= 0)
            traffic += 1 + control->clients[i].traffic;
    return traffic;
}

/* ---- After each step ---- */

/* In real time, watches get a part of the time. Unused time is kept for a while, so that several
 * watches may be served at the same step. */
static void refill(struct control *control)
{
    int64_t now_ns = poller_now_ns();
    int64_t left_ns = control->watch_left_ns + (now_ns - control->watch_ns) / WATCH_PART;
    control->watch_left_ns = left_ns < WATCH_STORE_NS ? left_ns : WATCH_STORE_NS;
    control->watch_ns = now_ns;
}

static bool is_real_time(const struct control *control)
{
    const struct pace *pace = control->scope.pace;
    return !pace->is_paused && !pace->is_fast && !pace->is_waiting;
}

static void notify(struct control *control, struct control_client *client)
{
    const struct sim *sim = control->scope.sim;
    if (!control_watch_is_due(&client->watch, sim_now_us(sim)))
        return;
    bool is_timed = is_real_time(control);
    if (client->out_size >= CONTROL_REPLIES_PAUSE || (is_timed && control->watch_left_ns <= 0)) {
        client->watch.dropped++;
        return;
    }
    int64_t start_ns = poller_now_ns();
    control_client_send(client, control_watch_line(&client->watch, sim));
    if (is_timed)
        control->watch_left_ns -= poller_now_ns() - start_ns;
}

static void check_until(struct control *control, struct control_client *client)
{
    if (!control_client_waits(client) || !client->later.until || !client->is_started ||
        !condition_holds(control->scope.sim, &client->until))
        return;
    // The rest of the step is no longer wanted.
    if (client->later.kind == RPC_LATER_STEP)
        control->scope.pace->steps_wanted = 0;
    finish(control, client, true);
}

void control_after_step(struct control *control)
{
    if (!control->is_attentive)
        return;
    refill(control);
    // Each step starts with another client, so that it is not always the same client that is
    // omitted.
    size_t first = (size_t)(sim_now_us(control->scope.sim) / SIM_STEP_US);
    for (size_t i = 0; i < control->client_end; i++) {
        struct control_client *client = &control->clients[(first + i) % control->client_end];
        if (client->fd < 0)
            continue;
        notify(control, client);
        check_until(control, client);
    }
}
