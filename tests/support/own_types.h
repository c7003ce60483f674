/* The built-in robots as robots of one's own: the machine of each, printed as a body file and read
 * again. */
#ifndef PTYBOT_TESTS_SUPPORT_OWN_TYPES_H
#define PTYBOT_TESTS_SUPPORT_OWN_TYPES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "protocols/registry.h"
#include "sim/scene/own_robot.h"

/* Prints and reads the machine of TYPE under OPTIONS; own_robot_free frees it. Its file is named
 * like the type. */
static inline struct own_robot *own_of(const struct robot_type *type, const void *options)
{
    struct error error = {0};
    char file[64];
    snprintf(file, sizeof file, "%s.yaml", type->name);
    char *text = own_robot_print(type, options, &error);
    if (!text) {
        fail_msg("%s: %s", type->name, error.text);
        return NULL;
    }
    struct own_robot *own = own_robot_parse(text, strlen(text), file, &error);
    if (!own)
        fail_msg("%s:\n%s", error.text, text);
    free(text);
    return own;
}

/* One of each, with the default options, in the order of the registry. */
static inline struct own_robot *own_of_all(void)
{
    struct own_robot *list = NULL;
    size_t count;
    const struct robot_type *const *types = registry_types(&count);
    while (count-- > 0) {
        _Alignas(16) uint8_t options[ROBOT_OPTIONS_MAX] = {0};
        option_defaults(types[count]->options, types[count]->option_count, options);
        struct own_robot *own = own_of(types[count], options);
        snprintf(own->word, sizeof own->word, "./%s.yaml", types[count]->name);
        own->next = list;
        list = own;
    }
    return list;
}

#endif
