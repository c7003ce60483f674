/* Methods of the control socket that tell signals: get and watch. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "app/control/methods_parts.h"

enum {
    EVERY_MS = 100,          /* chosen: ten a second */
    EVERY_MS_MAX = 86400000, /* a day */
    PATTERNS_MAX = 1024,     /* chosen: more than a person or a test names */
};

/* Indices of signals, in the order in which they were asked for. */
struct picked {
    size_t *wanted; /* owned */
    size_t count;
};

static json_t *signal_json(struct sim *sim, size_t index)
{
    const struct sim_signal *info = sim_signal_info(sim, index);
    double value = sim_signal_value(sim, index);
    json_t *one = json_pack("{s:s, s:o, s:s}", "name", info->name, "value", rpc_number(value),
                            "unit", info->unit);
    const char *word = sim_signal_word(info, value);
    if (one && word)
        json_object_set_new(one, "text", json_string(word));
    return one;
}

/* ---- Picking ---- */

/* Appends what a name or glob means. False: nothing. */
static bool pick(struct sim *sim, const char *pattern, struct picked *picked)
{
    size_t before = picked->count;
    size_t index = sim_signal_find(sim, pattern);
    if (index != SIZE_MAX) {
        picked->wanted[picked->count++] = index;
        return true;
    }
    for (size_t i = 0; i < sim_signal_count(sim); i++)
        if (fnmatch(pattern, sim_signal_info(sim, i)->name, 0) == 0)
            picked->wanted[picked->count++] = i;
    return picked->count > before;
}

static enum rpc_outcome unknown_signal(struct rpc_call *call, const char *name)
{
    const char *near = sim_signal_nearest(methods_scope_of(call)->sim, name);
    return rpc_fail(call, RPC_UNKNOWN,
                    "there is no signal '%.96s'%s%s; see `ptybot ctl list signals`", name,
                    near ? "; did you mean " : "", near ? near : "");
}

/* Makes room for what WANTED can pick at most. */
static enum rpc_outcome make_room(struct rpc_call *call, const json_t *wanted,
                                  struct picked *picked)
{
    size_t signals = sim_signal_count(methods_scope_of(call)->sim);
    size_t patterns = json_array_size(wanted);
    *picked = (struct picked){0};
    if (patterns > PATTERNS_MAX)
        return rpc_fail(call, RPC_INVALID_PARAMS, "signals: at most %d names or globs",
                        PATTERNS_MAX);
    picked->wanted = calloc(signals * patterns + 1, sizeof *picked->wanted);
    return picked->wanted ? RPC_DONE
                          : rpc_fail(call, RPC_INTERNAL_ERROR, "not enough memory for a list");
}

/* Reads the parameter `signals`. The caller frees what was picked, also on failure. */
static enum rpc_outcome pick_all(struct rpc_call *call, struct picked *picked)
{
    const json_t *wanted = json_object_get(call->params, "signals");
    size_t i;
    json_t *one;
    *picked = (struct picked){0};
    if (!json_is_array(wanted))
        return rpc_fail(call, RPC_INVALID_PARAMS, "signals: give a list of names or globs");
    if (make_room(call, wanted, picked) != RPC_DONE)
        return RPC_FAILED;
    json_array_foreach(wanted, i, one)
    {
        const char *name = json_string_value(one);
        if (!name)
            return rpc_fail(call, RPC_INVALID_PARAMS, "signals: each must be a string");
        if (!pick(methods_scope_of(call)->sim, name, picked))
            return unknown_signal(call, name);
    }
    return RPC_DONE;
}

static enum rpc_outcome tell(struct rpc_call *call, const struct picked *picked)
{
    struct sim *sim = methods_scope_of(call)->sim;
    json_t *list = json_array();
    for (size_t i = 0; i < picked->count; i++)
        json_array_append_new(list, signal_json(sim, picked->wanted[i]));
    return methods_done(
        call, json_pack("{s:o, s:o}", "time_s", rpc_number(methods_time_s(sim)), "signals", list));
}

/* ---- The methods ---- */

enum rpc_outcome methods_get(struct rpc_call *call)
{
    struct picked picked;
    enum rpc_outcome outcome = pick_all(call, &picked);
    if (outcome == RPC_DONE && picked.count == 0)
        outcome = rpc_fail(call, RPC_INVALID_PARAMS, "signals: give a list of names or globs");
    if (outcome == RPC_DONE)
        outcome = tell(call, &picked);
    free(picked.wanted);
    return outcome;
}

enum rpc_outcome methods_watch(struct rpc_call *call)
{
    const struct methods_scope *scope = methods_scope_of(call);
    const json_t *every = json_object_get(call->params, "every_ms");
    json_int_t every_ms = every ? json_integer_value(every) : EVERY_MS;
    struct picked picked;
    if (every && (!json_is_integer(every) || every_ms < 1 || every_ms > EVERY_MS_MAX))
        return rpc_fail(call, RPC_INVALID_PARAMS, "every_ms: must be a whole number from 1 to %d",
                        EVERY_MS_MAX);
    enum rpc_outcome outcome = pick_all(call, &picked);
    if (outcome == RPC_DONE)
        outcome = tell(call, &picked);
    if (outcome != RPC_DONE || picked.count == 0) {
        free(picked.wanted);
        if (outcome == RPC_DONE)
            control_watch_drop(scope->watch);
        return outcome;
    }
    control_watch_set(scope->watch, picked.wanted, picked.count, every_ms * 1000,
                      sim_now_us(scope->sim));
    return RPC_DONE;
}
