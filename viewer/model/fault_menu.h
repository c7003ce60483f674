/* The menu of faults: a part of the selected robot, a kind of fault, and a form with the arguments
 * of the kind. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/watch/snapshot.h"

enum { FAULT_MENU_KEYS = 12, FAULT_MENU_VALUE_MAX = 16, FAULT_MENU_STEPS = 1000 };

struct fault_menu {
    uint32_t part, kind;                               /* the open ones; UINT32_MAX: none */
    char value[FAULT_MENU_KEYS][FAULT_MENU_VALUE_MAX]; /* "": not given by the user */
};

/* A name of arguments, with the same meaning in all kinds. */
struct fault_key {
    const char *name;        /* "rate" */
    const char *unit;        /* "s"; "": none */
    double low, high, power; /* of its slider */
    const char *first;       /* initial value */
    const char *otherwise;   /* meaning if it is left out: "until healed" */
    const char *words;       /* values to choose from, separated by blanks; "": any number */
};

/* An argument of a kind. */
struct fault_argument {
    const struct fault_key *key;
    uint32_t number;   /* number of the key in the menu */
    const char *value; /* "": left out */
    bool is_number;    /* accepts also numbers that are not words of the key */
    double part;       /* position between minimum and maximum, 0 to 1 */
};

/* Closes part and kind, and clears all values. */
void fault_menu_clear(struct fault_menu *menu);

/* Fills LIST with the arguments of a kind; returns their number, at most FAULT_MENU_KEYS. */
size_t fault_menu_arguments(const struct fault_menu *menu, const struct snapshot *snapshot,
                            uint32_t kind, struct fault_argument list[FAULT_MENU_KEYS]);

/* Sets a value, limited to its maximum; "" clears it. */
void fault_menu_set(struct fault_menu *menu, uint32_t key, const char *text);
/* Sets the number at STEP of FAULT_MENU_STEPS between minimum and maximum, or word number STEP. */
void fault_menu_slide(struct fault_menu *menu, uint32_t number, uint32_t step);

/* The command for the present choice, and the command that undoes it. False: no choice is open. */
bool fault_menu_command(const struct fault_menu *menu, const struct snapshot *snapshot,
                        const struct snapshot_robot *robot, char *command, char *inverse,
                        size_t size);
