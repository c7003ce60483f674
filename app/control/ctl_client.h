/* The client's side of the control socket. */
#pragma once

#include <jansson.h>
#include <stddef.h>

#include "app/cli/arguments.h"
#include "base/error.h"

/* The row of --control for a subcommand. Its options are a struct TAG; MEMBER is a char[PATH_MAX]
 * in it, for a path or an address. */
#define CONTROL_FLAG_ROW(tag, member)                                                              \
    FLAG_TEXT("control", "PATH|HOST:PORT", tag, member, "",                                        \
              "Control socket (default: $PTYBOT_CONTROL, or the only run)")

/* Writes the address of the control socket: GIVEN if it is not "", else $PTYBOT_CONTROL, else that
 * of the only run of this user. Private runs count only if there are no others. Returns an exit
 * code; prints an error. */
int ctl_client_place(const char *given, char *place, size_t size);

/* A request and its addressee. */
struct ctl_request {
    const char *place; /* path of a Unix socket, or HOST:PORT */
    const char *method;
    json_t *params;   /* owned by the function that gets the request */
    double timeout_s; /* longest wall-clock time without a byte; 0: no limit */
};

/* Sends one request and waits for its reply. On success *RESULT is the result in the reply, which
 * the caller frees. Returns an exit code: usage if the simulation rejects the request, environment
 * if it cannot be reached. */
int ctl_client_ask(const struct ctl_request *request, json_t **result, struct error *error);

/* Like ctl_client_ask. Then calls NOTIFY with the params of each notification, until it returns
 * false or the simulation ends. Neither is an error. */
int ctl_client_watch(const struct ctl_request *request, json_t **result,
                     bool (*notify)(const json_t *params), struct error *error);
