/* Connections to the page's server until their request has come: how long each may take, and how
 * many strangers there may be, who have not shown the token. No network but a shutdown. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

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
