/* The menu of faults: a part of the selected robot, a kind of fault, and a value for each argument
 * that the kind takes, chosen from a few or typed. */
#ifndef PTYBOT_VIEWER_MODEL_FAULT_MENU_H
#define PTYBOT_VIEWER_MODEL_FAULT_MENU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/watch/snapshot.h"

enum { FAULT_MENU_KEYS = 11, FAULT_MENU_VALUE_MAX = 16 };

struct fault_menu {
    uint32_t part, kind; /* that are open; UINT32_MAX: none */
    uint8_t choice[FAULT_MENU_KEYS];
    char typed[FAULT_MENU_KEYS][FAULT_MENU_VALUE_MAX]; /* "": as chosen */
};

/* An argument of a kind. */
struct fault_argument {
    uint32_t key;      /* number of its choice */
    const char *name;  /* "rate" */
    const char *value; /* as chosen; "": not given */
    char shown[24];    /* the value as a person reads it */
    char choices[64];  /* further values, separated by blanks */
};

/* Opens nothing, and chooses the first value of each argument. */
void fault_menu_clear(struct fault_menu *menu);

/* Fills LIST with the arguments of a kind; returns how many, at most FAULT_MENU_KEYS. */
size_t fault_menu_arguments(const struct fault_menu *menu, const struct snapshot *snapshot,
                            uint32_t kind, struct fault_argument list[FAULT_MENU_KEYS]);

/* Chooses the next value of an argument. */
void fault_menu_next(struct fault_menu *menu, uint32_t key);
/* Takes a value that was typed, cut to its maximum. */
void fault_menu_type(struct fault_menu *menu, uint32_t key, const char *text);

/* The command that does what is open, and the one that ends it. False: nothing is open. */
bool fault_menu_command(const struct fault_menu *menu, const struct snapshot *snapshot,
                        const struct snapshot_robot *robot, char *command, char *inverse,
                        size_t size);

#endif
