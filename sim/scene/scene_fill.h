/* Fills plain structs from a YAML tree, as tables say: option rows for values, parts for what is
 * nested. Knows nothing of scenes but their messages. */
#ifndef PTYBOT_SIM_SCENE_SCENE_FILL_H
#define PTYBOT_SIM_SCENE_SCENE_FILL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/option.h"
#include "sim/scene/scene_yaml.h"

struct scene_spec;

enum scene_part_kind {
    PART_MAPPING, /* fills the member at OFFSET */
    PART_LIST,    /* of mappings: an array on the heap, its pointer at OFFSET */
    PART_OWN,     /* a known key that the finish function reads itself */
};

/* A key of a mapping that is not a plain value. */
struct scene_part {
    const char *key;
    const struct scene_spec *spec; /* of the mapping, or of each item */
    size_t offset;
    size_t count_offset, item_size; /* PART_LIST: of a size_t; bytes */
    size_t min, max;                /* PART_LIST: items; max 0: any number */
    enum scene_part_kind kind;
    bool is_required;
};

/* What a mapping may hold. Rows without a fallback are required. */
struct scene_spec {
    const struct option_row *rows;
    size_t row_count;
    const struct scene_part *parts;
    size_t part_count;
    /* Called last, where all else was good; or NULL. OUT is the struct, AT the mapping. */
    bool (*finish)(struct scene_yaml *yaml, const struct scene_at *at, void *out);
};

/* Fills OUT, which must be zeroed: defaults, then what the file says. On failure lists read so far
 * stay in OUT, whole or zeroed, for whoever owns OUT to free. */
bool scene_fill(struct scene_yaml *yaml, const struct scene_at *at, const struct scene_spec *spec,
                void *out);

#endif
