/* The methods of the control socket. */
#include "app/control/methods.h"

#include <assert.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "app/cli/program.h"
#include "app/links/poller.h"
#include "base/array.h"
#include "base/text.h"
#include "pty/shared_memory.h"

static const struct methods_scope *scope_of(const struct rpc_call *call)
{
    return call->context;
}

/* Whether the client can still receive a reply. If it has disconnected, methods that only reply do
 * nothing. */
static bool is_heard(const struct rpc_call *call)
{
    return scope_of(call)->watch != NULL;
}

double methods_time_s(const struct sim *sim)
{
    return (double)sim_now_us(sim) * 1e-6;
}

/* Takes over RESULT. NULL: out of memory. */
static enum rpc_outcome done(struct rpc_call *call, json_t *result)
{
    call->result = result;
    return result ? RPC_DONE : rpc_fail(call, RPC_INTERNAL_ERROR, "not enough memory");
}

/* ---- get, watch ---- */

enum {
    EVERY_MS = 100,          /* chosen: ten per second */
    EVERY_MS_MAX = 86400000, /* a day */
    PATTERNS_MAX = 1024,     /* chosen: more than a user or a test names */
    MATCHES_MAX = 1000000,   /* chosen: globs times signals; takes as long as `get *` in the
                                largest scene */
};

/* Indices of signals, in the requested order. */
struct picked {
    size_t *wanted; /* owned */
    size_t count, max;
};

static json_t *signal_json(struct sim *sim, size_t index)
{
    const struct sim_signal info = sim_signal_info(sim, index);
    double value = sim_signal_value(sim, index);
    json_t *one = json_pack("{s:s, s:o, s:s}", "name", info.name, "value", rpc_number(value),
                            "unit", info.unit);
    const char *word = sim_signal_word(&info, value);
    if (one && word)
        json_object_set_new(one, "text", json_string(word));
    return one;
}

/* Appends the signals that match a name or glob. If the list is full, COUNT still increases. False:
 * no signal matches. */
static bool pick(struct sim *sim, const char *pattern, struct picked *picked)
{
    assert(picked->wanted);
    size_t before = picked->count;
    size_t index = sim_signal_find(sim, pattern);
    for (size_t i = index == SIZE_MAX ? 0 : index; i < sim_signal_count(sim); i++) {
        bool is_meant = i == index || (index == SIZE_MAX &&
                                       fnmatch(pattern, sim_signal_info(sim, i).name, 0) == 0);
        if (is_meant && picked->count < picked->max)
            picked->wanted[picked->count] = i;
        picked->count += is_meant;
        if (i == index)
            break;
    }
    return picked->count > before;
}

static enum rpc_outcome unknown_signal(struct rpc_call *call, const char *name)
{
    const char *near = sim_signal_nearest(scope_of(call)->sim, name);
    return rpc_fail(call, RPC_UNKNOWN, "there is no signal '%.96s'%s", name,
                    TEXT_MEANT(near, "`ptybot ctl list signals` lists all signals"));
}

/* Number of texts that are not names of signals. */
static size_t count_globs(const struct sim *sim, const json_t *wanted)
{
    size_t i, count = 0;
    json_t *one;
    json_array_foreach((json_t *)wanted, i, one)
    {
        const char *name = json_string_value(one);
        count += name && sim_signal_find(sim, name) == SIZE_MAX;
    }
    return count;
}

/* Allocates room for all signals that a request may name: each signal once by globs, plus each
 * name. Limits the number of globs, because the robots wait while the request is served. */
static enum rpc_outcome make_room(struct rpc_call *call, const json_t *wanted,
                                  struct picked *picked)
{
    const struct sim *sim = scope_of(call)->sim;
    size_t signals = sim_signal_count(sim);
    size_t patterns = json_array_size(wanted);
    size_t globs_max = MATCHES_MAX / (signals + 1) + 1;
    *picked = (struct picked){.max = signals + patterns};
    if (patterns > PATTERNS_MAX)
        return rpc_fail(call, RPC_INVALID_PARAMS, "signals: at most %d names or globs",
                        PATTERNS_MAX);
    size_t globs = count_globs(sim, wanted);
    if (globs > globs_max)
        return rpc_fail(call, RPC_INVALID_PARAMS,
                        "signals: %zu globs; at most %zu in one request among %zu signals", globs,
                        globs_max, signals);
    picked->wanted = calloc(picked->max + 1, sizeof *picked->wanted);
    return picked->wanted ? RPC_DONE
                          : rpc_fail(call, RPC_INTERNAL_ERROR, "not enough memory for a list");
}

/* Reads the parameter `signals`. The caller frees PICKED->wanted, also on failure. */
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
        if (!pick(scope_of(call)->sim, name, picked))
            return unknown_signal(call, name);
        if (picked->count > picked->max)
            return rpc_fail(call, RPC_INVALID_PARAMS,
                            "signals: at most %zu in one request; these globs match the same "
                            "signals repeatedly",
                            picked->max);
    }
    return RPC_DONE;
}

static enum rpc_outcome notify(struct rpc_call *call, const struct picked *picked)
{
    struct sim *sim = scope_of(call)->sim;
    json_t *list = json_array();
    for (size_t i = 0; i < picked->count; i++)
        json_array_append_new(list, signal_json(sim, picked->wanted[i]));
    return done(
        call, json_pack("{s:o, s:o}", "time_s", rpc_number(methods_time_s(sim)), "signals", list));
}

static enum rpc_outcome get_signals(struct rpc_call *call)
{
    struct picked picked;
    if (!is_heard(call))
        return RPC_DONE;
    enum rpc_outcome outcome = pick_all(call, &picked);
    if (outcome == RPC_DONE && picked.count == 0)
        outcome = rpc_fail(call, RPC_INVALID_PARAMS, "signals: give a list of names or globs");
    if (outcome == RPC_DONE)
        outcome = notify(call, &picked);
    free(picked.wanted);
    return outcome;
}

static enum rpc_outcome watch_signals(struct rpc_call *call)
{
    const struct methods_scope *scope = scope_of(call);
    const json_t *every = json_object_get(call->params, "every_ms");
    json_int_t every_ms = every ? json_integer_value(every) : EVERY_MS;
    struct picked picked;
    if (!is_heard(call))
        return RPC_DONE;
    if (every && (!json_is_integer(every) || every_ms < 1 || every_ms > EVERY_MS_MAX))
        return rpc_fail(call, RPC_INVALID_PARAMS, "every_ms: must be a whole number from 1 to %d",
                        EVERY_MS_MAX);
    enum rpc_outcome outcome = pick_all(call, &picked);
    if (outcome == RPC_DONE)
        outcome = notify(call, &picked);
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

/* ---- do, pause, speed: all through commands ---- */

/* Whether a command sets a speed that has no effect in this run. In a scene's timeline that is
 * allowed, since a scene is run in many ways. A user gets an error. */
static bool is_vain(const struct pace *pace, const char *text, struct error *error)
{
    static const char command[] = "world.speed";
    size_t size = sizeof command - 1;
    text += strspn(text, " ");
    if (strncmp(text, command, size) != 0 || (text[size] != ' ' && text[size] != '\0'))
        return false;
    if (pace->is_fast)
        return !error_set(error, "world.speed: this run goes as fast as possible, so a speed has "
                                 "no effect; start it with --speed X instead");
    if (pace->is_lockstep)
        return !error_set(error, "world.speed: this run is in lockstep, where time advances only "
                                 "by steps; start it with --speed X instead");
    return false;
}

static enum rpc_outcome run_command(struct rpc_call *call, const char *text)
{
    struct error error = {0};
    struct sim *sim = scope_of(call)->sim;
    if (is_vain(scope_of(call)->pace, text, &error) || !sim_do(sim, text, &error))
        return rpc_fail(call, RPC_REFUSED, "%s", error.text);
    return done(call, json_pack("{s:o}", "time_s", rpc_number(methods_time_s(sim))));
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

/* ---- step, wait ---- */

enum { STEP_MS_MAX = 86400000 };         /* a day */
static const double timeout_max_s = 1e6; /* chosen: eleven days */

uint64_t methods_wanted(const struct rpc_later *step, size_t index, const char *name)
{
    return step->links ? step->links[index].wanted
                       : (uint64_t)json_integer_value(json_object_get(step->fence, name));
}

enum methods_fence methods_fence(const struct methods_scope *scope, const struct rpc_later *step,
                                 struct error *error)
{
    struct links_view view;
    for (size_t i = 0; links_view(scope->links, i, &view); i++) {
        uint64_t wanted = methods_wanted(step, i, view.name);
        if (view.received >= wanted)
            continue;
        if (!view.is_full)
            return METHODS_FENCE_WAITS;
        error_set(error,
                  "%s: %llu bytes requested, but the channel accepts only %llu before the next "
                  "step; use several steps",
                  view.name, (unsigned long long)wanted, (unsigned long long)view.received);
        return METHODS_FENCE_STUCK;
    }
    return METHODS_FENCE_OPEN;
}

json_t *methods_totals(const struct methods_scope *scope)
{
    json_t *written = json_object();
    json_t *received = json_object();
    struct links_view view;
    for (size_t i = 0; links_view(scope->links, i, &view); i++) {
        json_object_set_new(written, view.name, json_integer((json_int_t)view.written));
        json_object_set_new(received, view.name, json_integer((json_int_t)view.received));
    }
    return json_pack("{s:o, s:o, s:o}", "time_s", rpc_number(methods_time_s(scope->sim)), "written",
                     written, "received", received);
}

/* Whether `received` consists of links of this run and totals. */
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

/* Whether the parameter `until` is a valid condition. Stores it for later. */
static bool take_until(struct rpc_call *call, struct condition *condition)
{
    const struct sim *sim = scope_of(call)->sim;
    const json_t *until = json_object_get(call->params, "until");
    call->code = RPC_INVALID_PARAMS;
    call->later.until = json_string_value(until);
    if (!call->later.until)
        return error_set(&call->error, "until: give a condition, like kobuki.x_m > 4");
    return (condition_parse(sim, call->later.until, condition, &call->error) &&
            // Steps with the same bytes must end at the same time.
            (!scope_of(call)->pace->is_lockstep ||
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

static enum rpc_outcome take_step(struct rpc_call *call)
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
    if (!scope_of(call)->pace->is_paused)
        return rpc_fail(call, RPC_NOT_HELD,
                        "time is running: pause it first, or start with --lockstep");
    call->later.kind = RPC_LATER_STEP;
    call->later.steps = json_integer_value(ms) * 1000 / SIM_STEP_US;
    call->later.fence = fence;
    return RPC_LATER;
}

static enum rpc_outcome take_wait(struct rpc_call *call)
{
    const struct sim *sim = scope_of(call)->sim;
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
        return done(call, result);
    }
    call->later.kind = RPC_LATER_WAIT;
    call->later.steps = (int64_t)ceil(timeout_s * 1e6 / SIM_STEP_US);
    return RPC_LATER;
}

/* ---- list ---- */

/* Each function adds objects to a list. */

static void list_robots(json_t *list, struct sim *sim)
{
    for (size_t i = 0; i < sim_robot_count(sim); i++) {
        const struct robot_type *type = sim_robot_type(sim, i);
        json_t *channels = json_array();
        for (size_t c = 0; c < type->channel_count; c++)
            json_array_append_new(channels, json_string(type->channels[c].name));
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o}", "name",
                                              sim_robot_name(sim, i), "type", type->name, "title",
                                              type->title, "channels", channels));
    }
}

/* In the order of enum sim_signal_type. */
static const char *const type_words[] = {"bool", "integer", "number"};

/* A list of words, or NULL if WORDS is NULL. */
static json_t *words_json(const char *const *words)
{
    json_t *list = words ? json_array() : NULL;
    for (size_t i = 0; list && words[i]; i++)
        json_array_append_new(list, json_string(words[i]));
    return list;
}

static void list_signals(json_t *list, struct sim *sim)
{
    for (size_t i = 0; i < sim_signal_count(sim); i++) {
        const struct sim_signal info = sim_signal_info(sim, i);
        char meaning[256];
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s, s:o*, s:b, s:s}", "name", info.name,
                                        "type", type_words[info.type], "unit", info.unit, "names",
                                        words_json(info.names), "live", info.is_live, "note",
                                        sim_signal_meaning(&info, meaning, sizeof meaning)));
    }
}

/* In the order of enum option_type. */
static const char *const option_words[] = {"number", "angle", "integer", "bool",
                                           "choice", "text",  "color"};

/* A row for a value from a user: an option, or an argument of a command. */
static json_t *row_json(const char *key, const char *name, const struct option_row *row)
{
    char allowed[256];
    option_allowed(row, allowed, sizeof allowed);
    json_t *choices = row->type == OPTION_CHOICE ? words_json(row->choices) : NULL;
    return json_pack("{s:s, s:s, s:s, s:s, s:o*, s:s?, s:s}", key, name, "type",
                     option_words[row->type], "unit", row->unit ? row->unit : "", "allowed",
                     allowed, "choices", choices, "default", row->fallback, "note",
                     row->note ? row->note : "");
}

static void add_commands(json_t *list, const char *target, const struct command_row *rows,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char name[160];
        json_t *arguments = json_array();
        for (size_t a = 0; a < rows[i].arg_count; a++)
            json_array_append_new(arguments,
                                  row_json("key", rows[i].args[a].key, &rows[i].args[a]));
        snprintf(name, sizeof name, "%s.%s", target, rows[i].name);
        json_array_append_new(list, json_pack("{s:s, s:o, s:s}", "name", name, "arguments",
                                              arguments, "note", rows[i].note));
    }
}

static void list_commands(json_t *list, struct sim *sim)
{
    size_t count;
    const struct run_rows run = live_rows(NULL);
    const struct command_row *rows = sim_world_commands(&count);
    add_commands(list, "world", run.commands, run.command_count);
    add_commands(list, "world", rows, count);
    for (size_t i = 0; i < sim_robot_count(sim); i++) {
        const struct robot_type *type = sim_robot_type(sim, i);
        rows = sim_robot_commands(&count);
        add_commands(list, sim_robot_name(sim, i), rows, count);
        add_commands(list, sim_robot_name(sim, i), type->commands, type->command_count);
    }
}

static void list_options(json_t *list, struct sim *sim)
{
    for (size_t i = 0; i < sim_robot_count(sim); i++) {
        const struct robot_type *type = sim_robot_type(sim, i);
        for (size_t o = 0; o < type->option_count; o++) {
            char name[160];
            snprintf(name, sizeof name, "%s.%s", sim_robot_name(sim, i), type->options[o].key);
            json_array_append_new(list, row_json("name", name, &type->options[o]));
        }
    }
}

static json_t *list_links(const struct links *links)
{
    json_t *list = json_array();
    struct links_view view;
    for (size_t i = 0; links_view(links, i, &view); i++)
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:s, s:b, s:b, s:I, s:I, s:I, s:I, s:I, s:I}", "name",
                            view.name, "kind", view.kind->name, "place", view.place, "plugged",
                            view.is_plugged, "host", view.is_host, "baud", (json_int_t)view.baud,
                            "host_baud", (json_int_t)view.host_baud, "received",
                            (json_int_t)view.received, "written", (json_int_t)view.written,
                            "dropped", (json_int_t)view.dropped, "hosts", (json_int_t)view.hosts));
    return list;
}

static const struct {
    const char *what;
    void (*add)(json_t *list, struct sim *sim);
} lists[] = {
    {"robots", list_robots},
    {"signals", list_signals},
    {"commands", list_commands},
    {"options", list_options},
};

json_t *methods_list(struct sim *sim, const char *what)
{
    json_t *list = json_array();
    for (size_t i = 0; i < COUNT(lists); i++)
        if (strcmp(lists[i].what, what) == 0)
            lists[i].add(list, sim);
    return list;
}

static enum rpc_outcome list(struct rpc_call *call)
{
    static const char all[] = "robots, signals, commands, options or links";
    const struct methods_scope *scope = scope_of(call);
    const char *what = json_string_value(json_object_get(call->params, "what"));
    const char *words[COUNT(lists) + 2] = {0};
    if (!is_heard(call))
        return RPC_DONE;
    if (!what)
        return rpc_fail(call, RPC_INVALID_PARAMS, "what: give %s", all);
    if (strcmp(what, "links") == 0)
        return done(call, list_links(scope->links));
    for (size_t i = 0; i < COUNT(lists); i++) {
        if (strcmp(lists[i].what, what) == 0)
            return done(call, methods_list(scope->sim, what));
        words[i] = lists[i].what;
    }
    words[COUNT(lists)] = "links";
    const char *near = text_nearest(words, what);
    return rpc_fail(call, RPC_UNKNOWN, "what: '%.64s' cannot be listed%s; allowed: %s", what,
                    TEXT_MEANT(near, NULL), all);
}

/* ---- version ---- */

/* The address of a link for hosts: a path, or address and port. */
static void add_place(json_t *channel, const struct links_view *view)
{
    const char *colon = strrchr(view->place, ':');
    bool is_path = view->place[0] == '/' || !colon;
    if (is_path) {
        json_object_set_new(channel, "path", json_string(view->place));
        return;
    }
    bool is_bracketed = view->place[0] == '[';
    size_t size = (size_t)(colon - view->place) - (is_bracketed ? 2 : 0);
    json_object_set_new(channel, "address", json_stringn(view->place + is_bracketed, size));
    json_object_set_new(channel, "port", json_integer(strtol(colon + 1, NULL, 10)));
}

static json_t *channels_json(const struct methods_scope *scope, size_t robot)
{
    json_t *list = json_array();
    struct links_view view;
    for (size_t i = 0; links_view(scope->links, i, &view); i++) {
        unsigned channel;
        if (sim_channel_robot(scope->sim, view.channel, &channel) != robot)
            continue;
        const char *name = sim_robot_type(scope->sim, robot)->channels[channel].name;
        json_t *one = json_pack("{s:s, s:s}", "name", name, "link", view.kind->name);
        add_place(one, &view);
        if (view.baud > 0)
            json_object_set_new(one, "baud", json_integer(view.baud));
        json_array_append_new(list, one);
    }
    return list;
}

json_t *methods_about(const struct methods_scope *scope)
{
    json_t *robots = json_array();
    for (size_t i = 0; i < sim_robot_count(scope->sim); i++)
        json_array_append_new(robots,
                              json_pack("{s:s, s:s, s:o}", "name", sim_robot_name(scope->sim, i),
                                        "type", sim_robot_type(scope->sim, i)->name, "channels",
                                        channels_json(scope, i)));
    json_t *about =
        json_pack("{s:s?, s:s, s:s, s:I, s:s?, s:s?, s:b, s:o}", "name", scope->name, "version",
                  program_version(), "build", program_build(), "pid", (json_int_t)getpid(),
                  "folder", scope->folder, "control", scope->control_path, "lockstep",
                  scope->pace->is_lockstep, "robots", robots);
    if (about && scope->page && *scope->page)
        json_object_set_new(about, "page", json_string(scope->page));
    return about;
}

/* Shares a page with a client on this machine. NULL: it has a page already, or the system
 * refuses. */
static json_t *open_page(struct control_client *client, size_t links)
{
    char path[64];
    int file = client->page ? -1 : memfd_create("ptybot step", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    size_t size = sizeof *client->page + links * sizeof *client->page->links;
    struct ptybot_step_page *page = file >= 0 ? shared_memory_map(file, size) : NULL;
    if (!page) {
        if (file >= 0)
            close(file);
        return NULL;
    }
    fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    page->key = (uint64_t)poller_now_ns();
    client->page = page;
    client->page_size = size;
    client->page_file = file;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), file);
    return json_pack("{s:s, s:I, s:I}", "path", path, "size", (json_int_t)size, "key",
                     (json_int_t)page->key);
}

static enum rpc_outcome version(struct rpc_call *call)
{
    const struct methods_scope *scope = scope_of(call);
    if (!is_heard(call))
        return RPC_DONE;
    json_t *about = methods_about(scope);
    if (json_is_true(json_object_get(call->params, "step_page")) && !scope->client->is_tcp &&
        scope->pace->is_lockstep)
        json_object_set_new(about, "step_page",
                            open_page(scope->client, links_count(scope->links)));
    return done(call, about);
}

/* ---- view ---- */

static enum rpc_outcome view(struct rpc_call *call)
{
    const struct methods_scope *scope = scope_of(call);
    struct error error = {0};
    if (!is_heard(call))
        return RPC_DONE;
    if (!scope->publish || !scope->control_path)
        return rpc_fail(call, RPC_REFUSED, "this run has no shared memory for windows");
    const char *path = publish_path(scope->publish, &error);
    if (!path)
        return rpc_fail(call, RPC_REFUSED, "%s", error.text);
    return done(call, json_pack("{s:s, s:s}", "snapshot", path, "control", scope->control_path));
}

static const char *const no_params[] = {NULL};
static const char *const get_params[] = {"signals", NULL};
static const char *const watch_params[] = {"signals", "every_ms", NULL};
static const char *const do_params[] = {"command", NULL};
static const char *const step_params[] = {"ms", "received", "until", NULL};
static const char *const wait_params[] = {"until", "timeout_s", NULL};
static const char *const pause_params[] = {"paused", NULL};
static const char *const speed_params[] = {"factor", NULL};
static const char *const version_params[] = {"step_page", NULL};
static const char *const list_params[] = {"what", NULL};

const struct rpc_method methods[] = {
    {"get", get_params, get_signals},
    {"watch", watch_params, watch_signals},
    {"do", do_params, do_command},
    {"step", step_params, take_step},
    {"wait", wait_params, take_wait},
    {"pause", pause_params, set_pause},
    {"speed", speed_params, set_speed},
    {"list", list_params, list},
    {"view", no_params, view},
    {"version", version_params, version},
    {NULL, NULL, NULL},
};
