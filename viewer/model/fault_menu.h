/* The menu of faults: a part of the selected robot, a kind of fault, and a form with the arguments
 * that the kind takes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/watch/snapshot.h"

enum { FAULT_MENU_KEYS = 12, FAULT_MENU_VALUE_MAX = 16, FAULT_MENU_STEPS = 1000 };

struct fault_menu {
    uint32_t part, kind;                               /* that are open; UINT32_MAX: none */
    char value[FAULT_MENU_KEYS][FAULT_MENU_VALUE_MAX]; /* "": not given by the user */
};

/* A name that arguments have, the same in all kinds. */
struct fault_key {
    const char *name;        /* "rate" */
    const char *unit;        /* "s"; "": none */
    double low, high, power; /* of its slider */
    const char *first;       /* value to begin with */
    const char *otherwise;   /* what leaving it out means: "until healed" */
    const char *words;       /* values to choose from, separated by blanks; "": any number */
};

/* An argument of a kind. */
struct fault_argument {
    const struct fault_key *key;
    uint32_t number;   /* of the key in the menu */
    const char *value; /* "": left out */
    bool is_number;    /* also other numbers than the words of the key */
    double part;       /* of the way from the least number to the most: 0..1 */
};

/* Opens nothing, and gives no value. */
void fault_menu_clear(struct fault_menu *menu);

/* Fills LIST with the arguments of a kind; returns how many, at most FAULT_MENU_KEYS. */
size_t fault_menu_arguments(const struct fault_menu *menu, const struct snapshot *snapshot,
                            uint32_t kind, struct fault_argument list[FAULT_MENU_KEYS]);

/* Gives a value, cut to its maximum; "" takes it back. */
void fault_menu_set(struct fault_menu *menu, uint32_t key, const char *text);
/* Gives the number at STEP of FAULT_MENU_STEPS between the least and the most, or word number STEP.
 */
void fault_menu_slide(struct fault_menu *menu, uint32_t number, uint32_t step);

/* The command that does what is open, and the one that ends it. False: nothing is open. */
bool fault_menu_command(const struct fault_menu *menu, const struct snapshot *snapshot,
                        const struct snapshot_robot *robot, char *command, char *inverse,
                        size_t size);
