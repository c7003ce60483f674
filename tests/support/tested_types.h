/* All types that must keep the contract: the built-in types, the same types made from body files,
 * and a type whose firmware is a process. */
#pragma once

#include "tests/support/own_types.h"

/* COUNT of them; they live as long as the test. */
static inline const struct robot_type *const *tested_types(size_t *count)
{
    enum { TESTED_MAX = 64 };
    static const struct robot_type *tested[TESTED_MAX];
    static size_t tested_count;
    size_t built_in;
    const struct robot_type *const *types = registry_types(&built_in);
    if (tested_count == 0) {
        static struct custom_robot *own;
        own = own_of_all();
        for (size_t i = 0; i < built_in; i++)
            tested[tested_count++] = types[i];
        for (const struct custom_robot *at = own; at; at = at->next)
            tested[tested_count++] = &at->type;
        assert_int_equal(tested_count, 2 * built_in + 1);
    }
    *count = tested_count;
    return tested;
}

static inline void for_every_tested(void (*check)(const struct robot_type *type))
{
    size_t count;
    const struct robot_type *const *types = tested_types(&count);
    for (size_t i = 0; i < count; i++)
        check(types[i]);
}
