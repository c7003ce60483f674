/* Commands that a view wants to have run, in their order. The view puts them in. Its owner (window,
 * page) takes them out, sends them to the run, and keeps `unanswered` up to date. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum {
    OUTBOX_MAX = 128,         /* chosen: one click makes at most half as many (heal all faults) */
    OUTBOX_COMMAND_MAX = 512, /* bytes of a command, with NUL; chosen: more than a person types */
};

/* All zero is an empty one. It owns the texts; nothing is allocated. */
struct outbox {
    char command[OUTBOX_MAX][OUTBOX_COMMAND_MAX];
    size_t first, count;
    size_t unanswered; /* commands that were sent and have no reply yet; set by the owner */
};

/* Adds a copy of a command; a longer one is cut. False: the outbox is full, since the owner took
 * nothing out; the command is dropped. */
bool outbox_put(struct outbox *outbox, const char *command);

/* Takes the oldest command out; NULL: there is none. The text is valid until the next put. */
const char *outbox_take(struct outbox *outbox);

/* Whether all commands were sent and answered. */
bool outbox_is_settled(const struct outbox *outbox);
