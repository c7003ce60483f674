/* The methods of the control socket. */
#include "app/control/methods.h"

#include <stdio.h>
#include <string.h>

#include "app/cli/listing.h"
#include "app/control/methods_parts.h"
#include "base/text.h"

const struct methods_scope *methods_scope_of(const struct rpc_call *call)
{
    return call->context;
}

double methods_time_s(const struct sim *sim)
{
    return (double)sim_now_us(sim) * 1e-6;
}

enum rpc_outcome methods_done(struct rpc_call *call, json_t *result)
{
    call->result = result;
    return result ? RPC_DONE : rpc_fail(call, RPC_INTERNAL_ERROR, "not enough memory");
}

/* ---- do, pause, speed: all through commands ---- */

/* Whether a command is for a speed that nobody would obey. A scene's timeline may ask for one, as
 * it is run in many ways; a person is told. */
static bool is_vain(const struct sim_pace *pace, const char *text, struct error *error)
{
    static const char command[] = "world.speed";
    size_t size = sizeof command - 1;
    text += strspn(text, " ");
    if (strncmp(text, command, size) != 0 || (text[size] != ' ' && text[size] != '\0'))
        return false;
    if (pace->is_fast)
        return !error_set(error, "world.speed: this run never waits (--fast), so a speed has no "
                                 "effect; start it with --speed X instead");
    if (pace->is_lockstep)
        return !error_set(error, "world.speed: this run is in lockstep, where time goes on by "
                                 "steps only; start it with --speed X instead");
    return false;
}

static enum rpc_outcome run_command(struct rpc_call *call, const char *text)
{
    struct error error = {0};
    struct sim *sim = methods_scope_of(call)->sim;
    if (is_vain(sim_pace(sim), text, &error) || !sim_do(sim, text, &error))
        return rpc_fail(call, RPC_REFUSED, "%s", error.text);
    return methods_done(call, json_pack("{s:o}", "time_s", rpc_number(methods_time_s(sim))));
}

static enum rpc_outcome do_command(struct rpc_call *call)
{
    const char *text = json_string_value(json_object_get(call->params, "command"));
    if (!text)
        return rpc_fail(call, RPC_INVALID_PARAMS,
                        "command: give a string, TARGET.COMMAND key=value ...");
    return run_command(call, text);
}

static enum rpc_outcome set_pause(struct rpc_call *call)
{
    const json_t *paused = json_object_get(call->params, "paused");
    if (paused && !json_is_boolean(paused))
        return rpc_fail(call, RPC_INVALID_PARAMS, "paused: must be true or false");
    bool is_paused = !paused || json_is_true(paused);
    return run_command(call, is_paused ? "world.pause paused=true" : "world.pause paused=false");
}

static enum rpc_outcome set_speed(struct rpc_call *call)
{
    const json_t *factor = json_object_get(call->params, "factor");
    char text[64];
    if (!json_is_number(factor))
        return rpc_fail(call, RPC_INVALID_PARAMS, "factor: must be a number");
    snprintf(text, sizeof text, "world.speed x=%.15g", json_number_value(factor));
    return run_command(call, text);
}

/* ---- list ---- */

static const struct {
    const char *what;
    json_t *(*list)(struct sim *sim, struct links *links);
} lists[] = {
    {"robots", listing_robots},   {"signals", listing_signals}, {"commands", listing_commands},
    {"options", listing_options}, {"links", listing_links},
};
enum { LISTS = sizeof lists / sizeof lists[0] };

static enum rpc_outcome list(struct rpc_call *call)
{
    static const char all[] = "robots, signals, commands, options or links";
    const struct methods_scope *scope = methods_scope_of(call);
    const char *what = json_string_value(json_object_get(call->params, "what"));
    const char *words[LISTS + 1] = {0};
    if (!what)
        return rpc_fail(call, RPC_INVALID_PARAMS, "what: give %s", all);
    for (size_t i = 0; i < LISTS; i++) {
        if (strcmp(lists[i].what, what) == 0)
            return methods_done(call, lists[i].list(scope->sim, scope->links));
        words[i] = lists[i].what;
    }
    const char *near = text_nearest(words, what);
    return rpc_fail(call, RPC_UNKNOWN, "what: '%.64s' cannot be listed%s%s; give %s", what,
                    near ? "; did you mean " : "", near ? near : "", all);
}

/* ---- view ---- */

static enum rpc_outcome view(struct rpc_call *call)
{
    const struct methods_scope *scope = methods_scope_of(call);
    struct error error = {0};
    if (!scope->publish || !scope->control_path)
        return rpc_fail(call, RPC_REFUSED, "this run has nothing to be viewed");
    const char *path = publish_path(scope->publish, &error);
    if (!path)
        return rpc_fail(call, RPC_REFUSED, "%s", error.text);
    return methods_done(call,
                        json_pack("{s:s, s:s}", "snapshot", path, "control", scope->control_path));
}

static const char *const view_params[] = {NULL};
static const char *const get_params[] = {"signals", NULL};
static const char *const watch_params[] = {"signals", "every_ms", NULL};
static const char *const do_params[] = {"command", NULL};
static const char *const step_params[] = {"ms", "received", "until", NULL};
static const char *const wait_params[] = {"until", "timeout_s", NULL};
static const char *const pause_params[] = {"paused", NULL};
static const char *const speed_params[] = {"factor", NULL};
static const char *const list_params[] = {"what", NULL};

const struct rpc_method methods[] = {
    {"get", get_params, methods_get},    {"watch", watch_params, methods_watch},
    {"do", do_params, do_command},       {"step", step_params, methods_step},
    {"wait", wait_params, methods_wait}, {"pause", pause_params, set_pause},
    {"speed", speed_params, set_speed},  {"list", list_params, list},
    {"view", view_params, view},         {NULL, NULL, NULL},
};
