/* A run with one Kobuki behind the control socket: real sockets as clients, a real simulation and a
 * real pty. The test is the loop, so nothing here waits for a clock. Failures end the test. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "app/control/control.h"
#include "app/links/links.h"
#include "app/time/pacer.h"

#define TIMEOUT_NS INT64_C(20000000000) /* for a busy machine; never reached on success */

struct fixture {
    char folder[64], socket_path[96], pty_path[96];
    struct scene *scene;
    struct sim *sim;
    struct live live;
    struct poller poller;
    struct links *links;
    struct control *control;
    struct pacer pacer;
};

/* Open the run, paused at 0, and close it. Closing fails if something is left in its folder. */
int set_up(void **state);
/* Like set_up. CHANGE modifies the link at PTY_PATH, which is a pty before. */
int set_up_link(void **state, void (*change)(struct scene_link *link));
int tear_down(void **state);

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* One turn of the loop: ready descriptors, requests and the requested steps. */
void turn(struct fixture *f);

/* A new client; the caller closes it. */
int dial(struct fixture *f);
/* Sends bytes while the loop turns. False: the connection was closed. */
bool put(struct fixture *f, int fd, const char *bytes, size_t size);
/* Sends a line; this must succeed. */
void say(struct fixture *f, int fd, const char *line);
/* The next reply, or NULL if the connection was closed. The caller frees it. */
json_t *hear(struct fixture *f, int fd);
/* Sends one request and returns its reply. */
json_t *ask(struct fixture *f, int fd, const char *line);

/* The code of a reply that must be an error, and the time_s of a reply that must contain it. Both
 * free the reply. */
int code_of(json_t *reply);
double time_of(json_t *reply);

#define STEP(ms) "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"step\",\"params\":{\"ms\":" #ms "}}"
#define FENCE(n)                                                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"step\",\"params\":{\"ms\":10,\"received\":"        \
    "{\"kobuki.uart\":" #n "}}}"
#define GET(name)                                                                                  \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"get\",\"params\":{\"signals\":[\"" name "\"]}}"
#define DO(text)                                                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"do\",\"params\":{\"command\":\"" text "\"}}"

/* The value of the only signal that LINE requests. */
double signal_of(struct fixture *f, int fd, const char *line);
