/* The client's side of the control socket. */
#pragma once

#include <jansson.h>
#include <stddef.h>

#include "app/cli/arguments.h"
#include "base/error.h"

/* --control, for a subcommand whose options, a struct TAG, have a path or address, char[PATH_MAX],
 * as MEMBER. */
#define CONTROL_FLAG_ROW(tag, member)                                                              \
    FLAG_TEXT("control", "PATH|HOST:PORT", tag, member, "",                                        \
              "Control socket (default: $PTYBOT_CONTROL, or the only run)")

/* Writes where the control socket is: what was GIVEN ("": nothing), else $PTYBOT_CONTROL, else that
 * of the only run of this user; private ones count where there is no other. Returns an exit code;
 * prints what is wrong. */
int ctl_client_place(const char *given, char *place, size_t size);

/* What to ask, and of whom. */
struct ctl_request {
    const char *place; /* path of a Unix socket, or HOST:PORT */
    const char *method;
    json_t *params;   /* the client's from then on */
    double timeout_s; /* of wall time without a byte; 0: no limit */
};

/* One request and its reply. On success *RESULT is the caller's, with what the reply holds. Returns
 * an exit code: usage if the simulation refuses, environment if it cannot be reached. */
int ctl_client_ask(const struct ctl_request *request, json_t **result, struct error *error);

/* The same, and then gives the params of each notification to TELL, until that returns false or the
 * simulation ends, which is no error. */
int ctl_client_watch(const struct ctl_request *request, json_t **result,
                     bool (*notify)(const json_t *params), struct error *error);
