/* The methods of the control socket's JSON-RPC, and what they act on. */
#pragma once

#include "app/control/control_client.h"
#include "app/control/rpc.h"
#include "app/links/links_view.h"
#include "app/links/live.h"
#include "app/views/viewer.h"
#include "sim/sim.h"
#include "sim/verdict/condition.h"

/* The parts of a run that methods reach. Context of each call. */
struct methods_scope {
    struct sim *sim;
    struct pace *pace;
    struct links *links;
    struct publish *publish;     /* or NULL: no viewers */
    const char *name;            /* of the scene; or NULL */
    const char *folder;          /* of the run, absolute; or NULL */
    const char *control_path;    /* of the Unix socket, absolute; or NULL */
    const char *page;            /* address of the run's page; "" or NULL: none */
    struct control_watch *watch; /* of the calling client; NULL: it has left and hears no reply */
    struct control_client *client;
};

/* get, watch, do, step, wait, pause, speed, list, view, version; ends with a row without a name. */
extern const struct rpc_method methods[];

enum methods_fence { METHODS_FENCE_OPEN, METHODS_FENCE_WAITS, METHODS_FENCE_STUCK };

/* Whether the bytes that a step waits for have come. Stuck: the channel in ERROR takes no more
 * before the next step. */
enum methods_fence methods_fence(const struct methods_scope *scope, const struct rpc_later *step,
                                 struct error *error);
/* How many it waits for, of a link by its index and name. */
uint64_t methods_wanted(const struct rpc_later *step, size_t index, const char *name);

/* Simulated time, as in replies. */
double methods_time_s(const struct sim *sim);

/* Adds to a reply whether a condition holds, and its values now. */
void methods_add_condition(json_t *result, const struct sim *sim, const struct condition *condition,
                           bool holds);

/* What a client needs to begin: program, run, robots and where each can be reached. The caller's;
 * NULL where memory is short. */
json_t *methods_about(const struct methods_scope *scope);

/* One of the lists of the method `list` but `links`: robots, signals, commands or options. The
 * caller's; NULL: memory is short. */
json_t *methods_list(struct sim *sim, const char *what);

/* The reply to a step: time, and the bytes of each channel both ways. */
json_t *methods_totals(const struct methods_scope *scope);
