/* A scene of one robot of every type, in a row in an empty room, each named like its type. */
#pragma once

#include <stdio.h>
#include <string.h>

#include "protocols/registry.h"
#include "sim/parse/scene_parse.h"
#include "sim/scene/scene.h"

/* NULL: it was not made; ERROR says why. The caller destroys it. */
static inline struct scene *scene_of_all_types(struct error *error)
{
    size_t count;
    const struct robot_type *const *types = registry_types(&count);
    char text[4096];
    int used = snprintf(text, sizeof text, "world: {size: {x: %zu, y: 3}}\nrobots:\n", count + 1);
    for (size_t i = 0; i < count && used < (int)sizeof text; i++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "- {name: %s, type: %s, pose: {x: %zu, y: 1}}\n", types[i]->name,
                         types[i]->name, i + 1);
    return scene_parse(text, strlen(text), "all_types.yaml", error);
}
