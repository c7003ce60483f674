/* Methods of the control socket that let time run or wait for it: step and wait. */
#include <math.h>
#include <string.h>

#include "app/control/methods_parts.h"
#include "sim/verdict/condition.h"

enum { STEP_MS_MAX = 86400000 };         /* a day */
static const double timeout_max_s = 1e6; /* chosen: eleven days */

/* ---- What is waited for ---- */

enum methods_fence methods_fence(const struct methods_scope *scope, const json_t *fence,
                                 struct error *error)
{
    const char *name;
    json_t *total;
    json_object_foreach((json_t *)fence, name, total)
    {
        struct links_view view;
        links_view(scope->links, links_find(scope->links, name), &view);
        uint64_t wanted = (uint64_t)json_integer_value(total);
        if (view.received >= wanted)
            continue;
        if (!view.is_full)
            return METHODS_FENCE_WAITS;
        error_set(error,
                  "%s: %llu bytes were asked for, but after %llu it takes no more before the next "
                  "step; step with less",
                  name, (unsigned long long)wanted, (unsigned long long)view.received);
        return METHODS_FENCE_STUCK;
    }
    return METHODS_FENCE_OPEN;
}

json_t *methods_totals(const struct methods_scope *scope)
{
    json_t *written = json_object();
    json_t *received = json_object();
    for (size_t i = 0; i < links_count(scope->links); i++) {
        struct links_view view;
        links_view(scope->links, i, &view);
        json_object_set_new(written, view.name, json_integer((json_int_t)view.written));
        json_object_set_new(received, view.name, json_integer((json_int_t)view.received));
    }
    return json_pack("{s:o, s:o, s:o}", "time_s", rpc_number(methods_time_s(scope->sim)), "written",
                     written, "received", received);
}

/* Whether `received` names links of this run, and totals. */
static bool check_fence(struct rpc_call *call, json_t *fence)
{
    const char *name;
    json_t *total;
    call->code = RPC_INVALID_PARAMS;
    if (!json_is_object(fence))
        return error_set(&call->error, "received: must be an object of ROBOT.CHANNEL: total");
    json_object_foreach(fence, name, total)
    {
        if (links_find(methods_scope_of(call)->links, name) == SIZE_MAX) {
            call->code = RPC_UNKNOWN;
            return error_set(&call->error,
                             "received: there is no link '%.96s'; see `ptybot ctl list links`",
                             name);
        }
        if (!json_is_integer(total) || json_integer_value(total) < 0)
            return error_set(&call->error, "received: %.96s: must be a whole number from 0", name);
    }
    return true;
}

/* Whether a parameter `until` is a condition that can be judged; takes it over for later. */
static bool take_until(struct rpc_call *call, struct condition *condition)
{
    const struct sim *sim = methods_scope_of(call)->sim;
    const json_t *until = json_object_get(call->params, "until");
    call->code = RPC_INVALID_PARAMS;
    call->later.until = json_string_value(until);
    if (!call->later.until)
        return error_set(&call->error, "until: give a condition, SIGNAL OP NUMBER joined by and");
    return (condition_parse(sim, call->later.until, condition, &call->error) &&
            // Steps of the same bytes must end at the same time.
            (!sim_pace((struct sim *)methods_scope_of(call)->sim)->is_lockstep ||
             condition_refuse_live(sim, condition, &call->error))) ||
           error_prefix(&call->error, "until: ");
}

void methods_add_condition(json_t *result, const struct sim *sim, const struct condition *condition,
                           bool holds)
{
    char text[CONDITION_TEXT_MAX];
    json_object_set_new(result, "holds", json_boolean(holds));
    json_object_set_new(result, "found",
                        json_string(condition_describe(sim, condition, text, sizeof text)));
}

/* ---- The methods ---- */

enum rpc_outcome methods_step(struct rpc_call *call)
{
    const json_t *ms = json_object_get(call->params, "ms");
    json_t *fence = json_object_get(call->params, "received");
    struct condition condition;
    if (!json_is_integer(ms) || json_integer_value(ms) < 0 || json_integer_value(ms) > STEP_MS_MAX)
        return rpc_fail(call, RPC_INVALID_PARAMS, "ms: must be a whole number from 0 to %d",
                        STEP_MS_MAX);
    if (fence && !check_fence(call, fence))
        return RPC_FAILED;
    if (json_object_get(call->params, "until") && !take_until(call, &condition))
        return RPC_FAILED;
    if (!sim_pace(methods_scope_of(call)->sim)->is_paused)
        return rpc_fail(call, RPC_NOT_HELD,
                        "time is running: pause it first, or start with --lockstep");
    call->later.kind = RPC_LATER_STEP;
    call->later.steps = json_integer_value(ms) * 1000 / SIM_STEP_US;
    call->later.fence = fence;
    return RPC_LATER;
}

enum rpc_outcome methods_wait(struct rpc_call *call)
{
    const struct sim *sim = methods_scope_of(call)->sim;
    const json_t *timeout = json_object_get(call->params, "timeout_s");
    double timeout_s = json_number_value(timeout);
    struct condition condition;
    if (!json_is_number(timeout) || !(timeout_s >= 0 && timeout_s <= timeout_max_s))
        return rpc_fail(call, RPC_INVALID_PARAMS,
                        "timeout_s: must be a number from 0 to %g, in simulated seconds",
                        timeout_max_s);
    if (!take_until(call, &condition))
        return RPC_FAILED;
    bool holds = condition_holds(sim, &condition);
    if (holds || timeout_s == 0) {
        json_t *result = json_pack("{s:o}", "time_s", rpc_number(methods_time_s(sim)));
        methods_add_condition(result, sim, &condition, holds);
        return methods_done(call, result);
    }
    call->later.kind = RPC_LATER_WAIT;
    call->later.steps = (int64_t)ceil(timeout_s * 1e6 / SIM_STEP_US);
    return RPC_LATER;
}
