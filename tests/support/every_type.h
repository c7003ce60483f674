/* Checks of the robots' tables: a failure names the robot. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "protocols/registry.h"

/* Fails with the robot's name and a printf-style message about the defect. */
#define CHECK(type, condition, ...)                                                                \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            char what[896]; /* room for a struct error */                                          \
            snprintf(what, sizeof what, __VA_ARGS__);                                              \
            fail_msg("%s: %s: %s", (type)->name, what, #condition);                                \
        }                                                                                          \
    } while (0)

static inline void for_every_type(void (*check)(const struct robot_type *type))
{
    size_t count;
    const struct robot_type *const *types = registry_types(&count);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++)
        check(types[i]);
}

/* [a-z][a-z0-9_]*, like all names in scenes, signals and commands. */
static inline bool is_name(const char *name)
{
    return name && name[0] >= 'a' && name[0] <= 'z' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name);
}

static inline bool is_inside(size_t offset, size_t size, size_t whole)
{
    return offset <= whole && size <= whole - offset;
}
