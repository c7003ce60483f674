/* The methods of the control socket's JSON-RPC, and the parts of a run that they use. */
#pragma once

#include "app/control/control_client.h"
#include "app/control/rpc.h"
#include "app/links/links_view.h"
#include "app/links/live.h"
#include "app/views/viewer.h"
#include "sim/sim.h"
#include "sim/verdict/condition.h"

/* The parts of a run that methods use. Context of each call. */
struct methods_scope {
    struct sim *sim;
    struct pace *pace;
    struct links *links;
    struct publish *publish;     /* or NULL: the run has no viewers */
    const char *name;            /* name of the scene; or NULL */
    const char *folder;          /* folder of the run, absolute; or NULL */
    const char *control_path;    /* path of the Unix socket, absolute; or NULL */
    const char *page;            /* address of the run's page; "" or NULL: the run has no page */
    struct control_watch *watch; /* of the calling client; NULL: it has disconnected and gets no
                                    reply */
    struct control_client *client;
};

/* get, watch, do, step, wait, pause, speed, list, view, version. The last row has no name. */
extern const struct rpc_method methods[];

enum methods_fence { METHODS_FENCE_OPEN, METHODS_FENCE_WAITS, METHODS_FENCE_STUCK };

/* Whether the bytes that a step waits for have arrived. METHODS_FENCE_STUCK: the channel named in
 * ERROR accepts no more bytes before the next step. */
enum methods_fence methods_fence(const struct methods_scope *scope, const struct rpc_later *step,
                                 struct error *error);
/* Total of received bytes that a step waits for on the link INDEX, which is called NAME. */
uint64_t methods_wanted(const struct rpc_later *step, size_t index, const char *name);

/* Simulated time, as in replies. */
double methods_time_s(const struct sim *sim);

/* Adds to a reply whether a condition holds, and its current values. */
void methods_add_condition(json_t *result, const struct sim *sim, const struct condition *condition,
                           bool holds);

/* The data that a client needs first: program, run, robots and the address of each channel. The
 * caller frees it. NULL: out of memory. */
json_t *methods_about(const struct methods_scope *scope);

/* The lists of the method `list`, except `links`: robots, signals, commands or options. The caller
 * frees the list. NULL: out of memory. */
json_t *methods_list(struct sim *sim, const char *what);

/* The reply to a step: time, and the total bytes of each channel in both directions. */
json_t *methods_totals(const struct methods_scope *scope);
