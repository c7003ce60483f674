/* JSON-RPC 2.0 with one message per line. Checks requests, calls methods of a table, and writes
 * replies. Independent of sockets. Rejects batches, since each line is one message. */
#pragma once

#include <jansson.h>
#include <stddef.h>

#include "base/error.h"
#include "include/ptybot/step_page.h"

enum rpc_code {
    RPC_PARSE_ERROR = -32700, /* the first five are those of the JSON-RPC 2.0 specification, 5.1 */
    RPC_INVALID_REQUEST = -32600,
    RPC_UNKNOWN_METHOD = -32601,
    RPC_INVALID_PARAMS = -32602,
    RPC_INTERNAL_ERROR = -32603,
    RPC_REFUSED = -32000,     /* a command was rejected; the message has the reason */
    RPC_UNKNOWN = -32001,     /* the named signal, link or list does not exist */
    RPC_NOT_HELD = -32002,    /* a step was requested while time runs, or a pause or a jump of the
                                 replay ended it */
    RPC_UNREACHABLE = -32003, /* the bytes of the step cannot arrive before the next step */
    RPC_TOO_MANY = -32004,    /* all places for clients are taken; the connection is closed */
    RPC_ENDED = -32005,       /* the run ended while the request was waiting */
};

enum rpc_outcome { RPC_DONE, RPC_FAILED, RPC_LATER };

enum rpc_later_kind {
    RPC_NOT_LATER,
    RPC_LATER_STEP, /* starts once the bytes of FENCE have arrived; then time runs for STEPS */
    RPC_LATER_WAIT, /* waits while time runs for STEPS, at most */
};

/* A request with a delayed reply. */
struct rpc_later {
    enum rpc_later_kind kind;
    json_t *id;                           /* NULL: a notification, which gets no reply */
    json_t *params;                       /* owned; FENCE and UNTIL point into it */
    json_t *fence;                        /* or NULL */
    const struct ptybot_step_link *links; /* of the page that requested it; NULL: not a page */
    const char *until;                    /* a condition that ends it earlier, or NULL */
    int64_t steps;
};

/* One call of a method. */
struct rpc_call {
    void *context;  /* state that the methods act on */
    json_t *params; /* an object, possibly empty */
    json_t *result; /* RPC_DONE: owned by the call from then on */
    int code;       /* RPC_FAILED */
    struct error error;
    struct rpc_later later; /* RPC_LATER: all but ID and PARAMS; pointers into PARAMS */
};

struct rpc_method {
    const char *name;
    const char *const *params; /* allowed parameter names, NULL-terminated */
    enum rpc_outcome (*run)(struct rpc_call *call);
};

/* Runs the request in one line. Returns the reply, a line with its newline, which the caller frees.
 * NULL: the line was a notification, or the reply comes later (*LATER has a kind then). */
char *rpc_answer(const struct rpc_method *methods, void *context, const char *line, size_t size,
                 struct rpc_later *later);

/* Replies to a request that had to wait, and frees it. Takes over RESULT; NULL: an error. Returns a
 * line that the caller frees, or NULL for a notification. */
char *rpc_answer_later(struct rpc_later *later, json_t *result, int code, const char *message);

/* A message that is not a reply, as a line that the caller frees. Takes over PARAMS. NULL: out of
 * memory. */
char *rpc_notification(const char *method, json_t *params);

/* Frees a waiting request. */
void rpc_later_drop(struct rpc_later *later);

/* The error reply to a line that is not a request. The caller frees it. */
char *rpc_answer_error(int code, const char *message);

/* Sets the error of a call. Returns RPC_FAILED. */
enum rpc_outcome rpc_fail(struct rpc_call *call, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes a message as a line with its newline. Takes over the message; the caller frees the line.
 * NULL: out of memory, or MESSAGE was NULL. */
char *rpc_line(json_t *message);

/* The string KEY of an object, or "". */
const char *rpc_text(const json_t *object, const char *key);

/* A number as JSON: whole numbers become integers, infinite values and NaN become null. */
json_t *rpc_number(double value);
