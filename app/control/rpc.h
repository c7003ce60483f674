/* JSON-RPC 2.0, one message a line: requests checked and handed to a table of methods, replies
 * written. It knows no socket. Batches are refused: each line is a message. */
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
    RPC_REFUSED = -32000,     /* a command was refused; the message says why */
    RPC_UNKNOWN = -32001,     /* there is no such signal, link or thing to list */
    RPC_NOT_HELD = -32002,    /* a step was asked for while time runs, or was ended by a pause */
    RPC_UNREACHABLE = -32003, /* the bytes to wait for cannot come before the next step */
    RPC_TOO_MANY = -32004,    /* all places for clients are taken; the connection is closed */
    RPC_ENDED = -32005,       /* the run ended while the request waited */
};

enum rpc_outcome { RPC_DONE, RPC_FAILED, RPC_LATER };

enum rpc_later_kind {
    RPC_NOT_LATER,
    RPC_LATER_STEP, /* lets time run for STEPS once the bytes of FENCE have come */
    RPC_LATER_WAIT, /* waits while time runs for STEPS */
};

/* A request whose reply comes later. */
struct rpc_later {
    enum rpc_later_kind kind;
    json_t *id;                           /* NULL: a notification, no reply */
    json_t *params;                       /* keeps the two below alive */
    json_t *fence;                        /* or NULL */
    const struct ptybot_step_link *links; /* of the page that asked; NULL: a message did */
    const char *until;                    /* a condition that ends it sooner, or NULL */
    int64_t steps;
};

/* One call of a method. */
struct rpc_call {
    void *context;  /* what the methods act upon */
    json_t *params; /* an object, maybe empty */
    json_t *result; /* RPC_DONE: owned by the call from then on */
    int code;       /* RPC_FAILED */
    struct error error;
    struct rpc_later later; /* RPC_LATER: all but ID and PARAMS; pointers into PARAMS */
};

struct rpc_method {
    const char *name;
    const char *const *params; /* names that it takes, NULL-terminated */
    enum rpc_outcome (*run)(struct rpc_call *call);
};

/* Runs the request in one line. Returns the reply, a line with its newline that the caller frees,
 * or NULL: a notification, or it comes later (*LATER has a kind then). */
char *rpc_answer(const struct rpc_method *methods, void *context, const char *line, size_t size,
                 struct rpc_later *later);

/* Replies to a request that had to wait, and frees it. Takes RESULT over; NULL: an error.
 * Returns a line that the caller frees, or NULL for a notification. */
char *rpc_answer_later(struct rpc_later *later, json_t *result, int code, const char *message);

/* A message that no request asked for, as a line that the caller frees; takes PARAMS over. NULL
 * where memory is short. */
char *rpc_notification(const char *method, json_t *params);

/* Frees a request that waits. */
void rpc_later_drop(struct rpc_later *later);

/* An error for a line that is no request; the caller frees it. */
char *rpc_answer_error(int code, const char *message);

/* Fails a call: returns RPC_FAILED. */
enum rpc_outcome rpc_fail(struct rpc_call *call, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes a message as a line with its newline, which the caller frees. Takes the message over.
 * NULL: memory was short, for it too. */
char *rpc_line(json_t *message);

/* A text of an object, or "". */
const char *rpc_text(const json_t *object, const char *key);

/* A number for JSON, whole ones as integers; null for what is not finite. */
json_t *rpc_number(double value);
