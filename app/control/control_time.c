/* Clients of the control socket and simulated time: the order of the steps that they ask for, what
 * they wait for, what they watch. */
#include <assert.h>
#include <stdio.h>

#include "app/control/control_state.h"

enum { WATCH_PART = 4 };                  /* chosen: one part of four of the time */
#define WATCH_STORE_NS INT64_C(100000000) /* chosen: the lag that real time catches up */

/* ---- Replies ---- */

/* Ends a step or a wait; HOLDS: its condition does. */
static void finish(struct control *control, struct control_client *client, bool holds)
{
    const struct sim *sim = control->scope.sim;
    json_t *result = client->later.kind == RPC_LATER_STEP
                         ? methods_totals(&control->scope)
                         : json_pack("{s:o}", "time_s", rpc_number(methods_time_s(sim)));
    if (client->later.until)
        methods_add_condition(result, sim, &client->until, holds);
    control_client_send(
        client, rpc_answer_later(&client->later, result, RPC_INTERNAL_ERROR, "not enough memory"));
}

static void fail(struct control_client *client, int code, const char *message)
{
    control_client_send(client, rpc_answer_later(&client->later, NULL, code, message));
}

void control_time_take(struct control *control, struct control_client *client)
{
    const struct sim *sim = control->scope.sim;
    client->is_started = client->later.kind == RPC_LATER_WAIT;
    client->target_us = sim_now_us(sim) + client->later.steps * SIM_STEP_US;
    client->ticket = control->next_ticket++;
    if (client->later.until) {
        bool is_good = condition_parse(sim, client->later.until, &client->until, NULL);
        assert(is_good && "the method has looked at the condition");
        (void)is_good;
    }
}

void control_time_end(struct control *control)
{
    for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
        struct control_client *client = &control->clients[i];
        if (client->fd >= 0 && control_client_waits(client))
            fail(client, RPC_ENDED, "the run ended while this waited");
    }
}

/* ---- Steps ---- */

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

/* Ends a step or wait whose time has come, or that cannot go on. Returns whether it is a step that
 * goes on. */
static bool is_stepping(struct control *control, struct control_client *client)
{
    const struct sim_pace *pace = sim_pace(control->scope.sim);
    if (sim_now_us(control->scope.sim) >= client->target_us) {
        finish(control, client, false);
        return false;
    }
    if (client->later.kind == RPC_LATER_WAIT)
        return false;
    // Somebody has stopped time, maybe after having let it run for a while.
    if (pace->is_paused && pace->steps_wanted == 0) {
        fail(client, RPC_NOT_HELD, "time was paused before this step was done");
        return false;
    }
    return true;
}

static bool is_any_stepping(struct control *control)
{
    bool is_any = false;
    for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
        struct control_client *client = &control->clients[i];
        if (client->fd >= 0 && control_client_waits(client) && client->is_started)
            is_any = is_stepping(control, client) || is_any;
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
            fail(client, RPC_NOT_HELD, "time was let run while this step waited");
            continue;
        }
        enum methods_fence fence = methods_fence(&control->scope, client->later.fence, &error);
        if (fence == METHODS_FENCE_STUCK)
            fail(client, RPC_UNREACHABLE, error.text);
        else if (fence == METHODS_FENCE_OPEN && (!best || client->ticket < best->ticket))
            best = client;
    }
    return best;
}

/* Whether some client wants a step that has not begun. */
static bool is_any_waiting(const struct control *control)
{
    for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
        const struct control_client *client = &control->clients[i];
        if (client->fd >= 0 && control_client_waits(client) && !client->is_started)
            return true;
    }
    return false;
}

static bool begin_step(struct control *control)
{
    if (!is_any_waiting(control))
        return false;
    // What hosts did before the step was asked for is part of it: opens, closes, bauds.
    links_visit_all(control->scope.links, poller_now_ns());
    struct control_client *client = next_step(control);
    if (!client)
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

void control_time_order(struct control *control)
{
    while (!is_any_stepping(control) && begin_step(control))
        continue;
    control->is_attentive = false;
    for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
        const struct control_client *client = &control->clients[i];
        bool is_waiting = control_client_waits(client) && client->later.until;
        if (client->fd >= 0 && (client->watch.wanted || is_waiting))
            control->is_attentive = true;
    }
}

/* ---- After each step ---- */

/* Real time goes on while watchers are told: they get a part of it. What they did not use is kept
 * for a while, so that a few may want much at the same step. */
static void refill(struct control *control)
{
    int64_t now_ns = poller_now_ns();
    int64_t left_ns = control->watch_left_ns + (now_ns - control->watch_ns) / WATCH_PART;
    control->watch_left_ns = left_ns < WATCH_STORE_NS ? left_ns : WATCH_STORE_NS;
    control->watch_ns = now_ns;
}

static bool is_real_time(const struct control *control)
{
    const struct sim_pace *pace = sim_pace(control->scope.sim);
    return !pace->is_paused && !pace->is_fast;
}

static void tell(struct control *control, struct control_client *client)
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

static void look(struct control *control, struct control_client *client)
{
    if (!control_client_waits(client) || !client->later.until || !client->is_started ||
        !condition_holds(control->scope.sim, &client->until))
        return;
    // The rest of the step is not wanted any more.
    if (client->later.kind == RPC_LATER_STEP)
        sim_pace(control->scope.sim)->steps_wanted = 0;
    finish(control, client, true);
}

void control_after_step(struct control *control)
{
    if (!control->is_attentive)
        return;
    refill(control);
    // Each step begins with another client, so that none is always the one that is left out.
    size_t first = (size_t)(sim_now_us(control->scope.sim) / SIM_STEP_US);
    for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
        struct control_client *client = &control->clients[(first + i) % CONTROL_CLIENTS_MAX];
        if (client->fd < 0)
            continue;
        tell(control, client);
        look(control, client);
    }
}
