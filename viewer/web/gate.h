/* Access control: checks the headers of a request, and limits the time of its connection. Uses the
 * network only to shut connections down. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { GATE_TOKEN_SIZE = 32 }; /* hexadecimal digits: 128 random bits */

struct gate {
    const char *token; /* GATE_TOKEN_SIZE digits */
    const char *host;  /* a further host name of the page, or NULL */
    bool is_remote;    /* other machines may connect: numeric addresses are accepted too */
    bool is_writable;  /* commands are accepted */
};

/* Headers of a request; NULL: missing. */
struct gate_request {
    const char *method, *path;
    const char *host, *origin, *fetch_site, *content_type;
};

enum gate_answer {
    GATE_OPEN = 200,
    GATE_WRONG_TYPE = 415,
    GATE_FORBIDDEN = 403,
    GATE_NOT_FOUND = 404,
    GATE_WRONG_METHOD = 405,
};

/* Checks whether a request may be answered. OPEN: NAME becomes the text after the token in its path
 * ("" for the page itself). Otherwise WHY becomes a message for the client. */
enum gate_answer gate_ask(const struct gate *gate, const struct gate_request *request,
                          const char **name, const char **why);

/* ---- Connections that wait for a request: the time that each may take, and the number of
 * strangers, which have not sent the token ---- */

enum {
    DOORS_MAX = 64,        /* connections; chosen: a page needs about six */
    STRANGERS_MAX = 32,    /* chosen: half of them are reserved for clients with the token */
    DOOR_LIMIT_MS = 10000, /* chosen: for a whole request, from the end of the previous one */
};

struct door {
    int fd;           /* -1: no connection */
    int64_t since_ms; /* start of the wait for its request */
    bool is_known;    /* it has sent the token */
    bool is_asked;    /* its request was received and is being answered */
    bool is_shut;
};

struct doors {
    struct door all[DOORS_MAX];
};

void doors_init(struct doors *doors);

/* Adds a connection; NULL: all places are in use. If there are too many strangers, shuts down the
 * connection that has waited longest. */
struct door *doors_enter(struct doors *doors, int fd, int64_t now_ms);

/* Its request was answered: the wait for the next one starts. */
void door_wait(struct door *door, int64_t now_ms);
void door_leave(struct door *door);

/* Shuts down the connections whose request has not come in time. */
void doors_shut_late(struct doors *doors, int64_t now_ms);
