/* Who may come in: what a request says of itself, and whether that is enough; and how long its
 * connection may take. No network but a shutdown. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { GATE_TOKEN_SIZE = 32 }; /* hexadecimal digits: 128 random bits */

struct gate {
    const char *token; /* GATE_TOKEN_SIZE digits */
    const char *host;  /* a further name that the page may be asked for by, or NULL */
    bool is_remote;    /* other machines may ask: for numeric addresses, too */
    bool is_writable;  /* commands are taken */
};

/* As a request has them; NULL: not there. */
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

/* Whether a request may be answered. OPEN: NAME becomes what follows the token in its path ("" for
 * the page itself); else WHY becomes a sentence for the one who asks. */
enum gate_answer gate_ask(const struct gate *gate, const struct gate_request *request,
                          const char **name, const char **why);

/* ---- Connections until their request has come: how long each may take, and how many strangers
 * there may be, who have not shown the token ---- */

enum {
    DOORS_MAX = 64,        /* connections; chosen: a page needs some six */
    STRANGERS_MAX = 32,    /* chosen: half of them are kept for clients with the token */
    DOOR_LIMIT_MS = 10000, /* chosen: for a whole request, from the end of the last one on */
};

struct door {
    int fd;           /* -1: no connection */
    int64_t since_ms; /* the wait for its request began */
    bool is_known;    /* it has shown the token */
    bool is_asked;    /* its request has come and is being answered */
    bool is_shut;
};

struct doors {
    struct door all[DOORS_MAX];
};

void doors_init(struct doors *doors);

/* A new connection; NULL: all places are taken. If there are too many strangers, the longest wait
 * ends: that connection is shut. */
struct door *doors_enter(struct doors *doors, int fd, int64_t now_ms);

/* Its request was answered: the wait for the next one begins. */
void door_wait(struct door *door, int64_t now_ms);
void door_leave(struct door *door);

/* Shuts those whose request has not come in time. */
void doors_shut_late(struct doors *doors, int64_t now_ms);
