/* Any bytes as lines of a client of the control socket, answered by the real methods of a run with
 * two robots. Each line gets one JSON reply, or none if it requests none or is answered later. A
 * rejected request changes nothing. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/control/methods.h"
#include "app/links/links.h"
#include "sim/parse/scene_parse.h"
#include "sim/step/step.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINES_MAX = 16, RUNS_MAX = 1000 }; /* chosen: for one input; with one simulation */

static const char yaml[] = "world: {size: {x: 4, y: 4}}\n"
                           "robots:\n"
                           "- {name: kobuki, type: kobuki, pose: {x: 1, y: 1}, links: []}\n"
                           "- {name: lidar, type: ld06, pose: {x: 3, y: 3}, links: []}\n";

static struct run {
    struct scene *scene;
    struct live live;
    struct poller poller;
    struct links *links;
    struct control_watch watch;
    struct methods_scope scope;
    unsigned inputs;
} run;

static void open_run(void)
{
    struct error error = {0};
    int code;
    run.scene = scene_parse(yaml, sizeof yaml - 1, "control.yaml", &error);
    bool is_live = run.scene && live_open(&run.live, run.scene, &error);
    const struct run_rows rows = live_rows(&run.live);
    run.scope = (struct methods_scope){.pace = &run.live.pace, .watch = &run.watch};
    run.scope.sim = is_live ? sim_create(run.scene, NULL, &rows, &error) : NULL;
    bool is_polled = run.scope.sim && poller_open(&run.poller, &error);
    run.links = is_polled ? links_open(run.scene, run.scope.sim, &run.live, &run.poller, NULL,
                                       &code, &error)
                          : NULL;
    run.scope.links = run.links;
    assert(run.links);
}

static void close_run(void)
{
    control_watch_drop(&run.watch);
    links_close(run.links);
    poller_close(&run.poller);
    sim_destroy(run.scope.sim);
    live_close(&run.live);
    scene_destroy(run.scene);
    run = (struct run){0};
}

/* Whether the reply is an error. */
static bool check_reply(const char *reply)
{
    size_t size = strlen(reply);
    json_t *root = json_loadb(reply, size, JSON_REJECT_DUPLICATES, NULL);
    assert(root && memchr(reply, '\n', size) == reply + size - 1);
    const json_t *error = json_object_get(root, "error"), *result = json_object_get(root, "result");
    assert(strcmp(json_string_value(json_object_get(root, "jsonrpc")), "2.0") == 0);
    assert(json_object_get(root, "id") && !error != !result);
    assert(!error || (json_integer_value(json_object_get(error, "code")) < 0 &&
                      json_string_length(json_object_get(error, "message")) > 0));
    bool is_error = error != NULL;
    json_decref(root);
    return is_error;
}

static void say(const char *line, size_t size)
{
    struct rpc_later later = {0};
    uint64_t before = sim_hash(run.scope.sim);
    char *reply = rpc_answer(methods, &run.scope, line, size, &later);
    assert(!reply || later.kind == RPC_NOT_LATER);
    bool is_error = reply && check_reply(reply);
    assert(!is_error || sim_hash(run.scope.sim) == before);
    if (later.kind != RPC_NOT_LATER) {
        assert(later.steps >= 0);
        rpc_later_drop(&later);
    }
    free(reply);
    sim_step(run.scope.sim);
    if (control_watch_is_due(&run.watch, sim_now_us(run.scope.sim))) {
        char *told = control_watch_line(&run.watch, run.scope.sim);
        assert(told && told[strlen(told) - 1] == '\n');
        free(told);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!run.links)
        open_run();
    for (size_t at = 0, lines = 0; at < size && lines < LINES_MAX; lines++) {
        const uint8_t *newline = memchr(data + at, '\n', size - at);
        size_t length = newline ? (size_t)(newline - data) - at : size - at;
        say((const char *)data + at, length);
        at += length + 1;
    }
    // Added objects stay, so the run starts again from time to time.
    if (++run.inputs == RUNS_MAX)
        close_run();
    return 0;
}
