/* The methods of the control socket. */
#include "sim/app/methods.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/app/listing.h"

enum { STEP_MS_MAX = 86400000 }; /* a day */

static const struct methods_scope *scope_of(const struct rpc_call *call)
{
    return call->context;
}

static double time_s(const struct methods_scope *scope)
{
    return (double)sim_now_us(scope->sim) * 1e-6;
}

static enum rpc_outcome done(struct rpc_call *call, json_t *result)
{
    call->result = result;
    return result ? RPC_DONE : rpc_fail(call, RPC_INTERNAL_ERROR, "not enough memory");
}

static enum rpc_outcome done_at(struct rpc_call *call)
{
    return done(call, json_pack("{s:o}", "time_s", rpc_number(time_s(scope_of(call)))));
}

/* ---- get ---- */

static json_t *signal_json(struct sim *sim, size_t index)
{
    const struct sim_signal *info = sim_signal_info(sim, index);
    double value = sim_signal_value(sim, index);
    json_t *one = json_pack("{s:s, s:o, s:s}", "name", info->name, "value", rpc_number(value),
                            "unit", info->unit);
    if (one && info->names && value >= 0) {
        size_t word = 0;
        while (info->names[word] && (double)word != value)
            word++;
        if (info->names[word])
            json_object_set_new(one, "text", json_string(info->names[word]));
    }
    return one;
}

static bool add_matches(struct sim *sim, const char *pattern, json_t *list)
{
    bool is_any = false;
    for (size_t i = 0; i < sim_signal_count(sim); i++) {
        if (fnmatch(pattern, sim_signal_info(sim, i)->name, 0) != 0)
            continue;
        json_array_append_new(list, signal_json(sim, i));
        is_any = true;
    }
    return is_any;
}

static enum rpc_outcome unknown_signal(struct rpc_call *call, const char *name)
{
    struct sim *sim = scope_of(call)->sim;
    size_t count = sim_signal_count(sim);
    const char **names = calloc(count + 1, sizeof *names);
    for (size_t i = 0; names && i < count; i++)
        names[i] = sim_signal_info(sim, i)->name;
    const char *near = names ? option_nearest_word(names, name) : NULL;
    rpc_fail(call, RPC_UNKNOWN, "there is no signal '%.96s'%s%s; see `ptybot ctl list signals`",
             name, near ? "; did you mean " : "", near ? near : "");
    free(names);
    return RPC_FAILED;
}

static enum rpc_outcome get(struct rpc_call *call)
{
    struct sim *sim = scope_of(call)->sim;
    json_t *wanted = json_object_get(call->params, "signals");
    json_t *list = json_array();
    json_t *one;
    size_t i;
    if (!json_is_array(wanted) || json_array_size(wanted) == 0) {
        json_decref(list);
        return rpc_fail(call, RPC_INVALID_PARAMS, "signals: give a list of names or globs");
    }
    json_array_foreach(wanted, i, one)
    {
        const char *name = json_string_value(one);
        size_t index = name ? sim_signal_find(sim, name) : SIZE_MAX;
        if (!name) {
            json_decref(list);
            return rpc_fail(call, RPC_INVALID_PARAMS, "signals: each must be a string");
        }
        if (index != SIZE_MAX) {
            json_array_append_new(list, signal_json(sim, index));
        } else if (!add_matches(sim, name, list)) {
            json_decref(list);
            return unknown_signal(call, name);
        }
    }
    return done(call, json_pack("{s:o, s:o}", "time_s", rpc_number(time_s(scope_of(call))),
                                "signals", list));
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
    if (is_vain(sim_pace(scope_of(call)->sim), text, &error))
        return rpc_fail(call, RPC_REFUSED, "%s", error.text);
    if (!sim_do(scope_of(call)->sim, text, &error))
        return rpc_fail(call, RPC_REFUSED, "%s", error.text);
    return done_at(call);
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

/* ---- step ---- */

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
    return json_pack("{s:o, s:o, s:o}", "time_s", rpc_number(time_s(scope)), "written", written,
                     "received", received);
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
        if (links_find(scope_of(call)->links, name) == SIZE_MAX) {
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

static enum rpc_outcome step(struct rpc_call *call)
{
    const json_t *ms = json_object_get(call->params, "ms");
    json_t *fence = json_object_get(call->params, "received");
    if (!json_is_integer(ms) || json_integer_value(ms) < 0 || json_integer_value(ms) > STEP_MS_MAX)
        return rpc_fail(call, RPC_INVALID_PARAMS, "ms: must be a whole number from 0 to %d",
                        STEP_MS_MAX);
    if (fence && !check_fence(call, fence))
        return RPC_FAILED;
    if (!sim_pace(scope_of(call)->sim)->is_paused)
        return rpc_fail(call, RPC_NOT_HELD,
                        "time is running: pause it first, or start with --lockstep");
    call->later_steps = json_integer_value(ms) * 1000 / SIM_STEP_US;
    call->later_fence = fence;
    return RPC_LATER;
}

/* ---- list ---- */

static enum rpc_outcome list(struct rpc_call *call)
{
    static const char *const words[] = {"robots", "signals", "commands", "options", "links", NULL};
    const char *what = json_string_value(json_object_get(call->params, "what"));
    struct sim *sim = scope_of(call)->sim;
    if (!what)
        return rpc_fail(call, RPC_INVALID_PARAMS,
                        "what: give robots, signals, commands, options or links");
    if (strcmp(what, words[0]) == 0)
        return done(call, listing_robots(sim));
    if (strcmp(what, words[1]) == 0)
        return done(call, listing_signals(sim));
    if (strcmp(what, words[2]) == 0)
        return done(call, listing_commands(sim));
    if (strcmp(what, words[3]) == 0)
        return done(call, listing_options(sim));
    if (strcmp(what, words[4]) == 0)
        return done(call, listing_links(scope_of(call)->links));
    const char *near = option_nearest_word(words, what);
    return rpc_fail(call, RPC_UNKNOWN,
                    "what: '%.64s' cannot be listed%s%s; there are robots, signals, commands, "
                    "options and links",
                    what, near ? "; did you mean " : "", near ? near : "");
}

static const char *const get_params[] = {"signals", NULL};
static const char *const do_params[] = {"command", NULL};
static const char *const step_params[] = {"ms", "received", NULL};
static const char *const pause_params[] = {"paused", NULL};
static const char *const speed_params[] = {"factor", NULL};
static const char *const list_params[] = {"what", NULL};

const struct rpc_method methods[] = {
    {"get", get_params, get},
    {"do", do_params, do_command},
    {"step", step_params, step},
    {"pause", pause_params, set_pause},
    {"speed", speed_params, set_speed},
    {"list", list_params, list},
    {NULL, NULL, NULL},
};
