/* Reads YAML into plain structs, as tables say: option rows for values, parts for what is nested.
 * A YAML file that uses more than a scene needs (several documents, anchors, aliases, tags, deep
 * nesting) is refused. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"
#include "base/error.h"
#include "base/option.h"
#include "sim/scene/custom_robot.h"
#include "sim/scene/scene.h"

/* ---- Tables ---- */

struct scene_yaml; /* a file that is being read */
struct scene_at;
struct scene_spec;

enum scene_part_kind {
    PART_MAPPING, /* fills the member at OFFSET */
    PART_LIST,    /* of mappings: an array on the heap, its pointer at OFFSET */
    PART_ARRAY,   /* of mappings: an array of MAX items at OFFSET */
    PART_TEXT,    /* a const char * at OFFSET, kept with scene_yaml_keep */
    PART_WORDS, /* a list of texts: a const char *const * at OFFSET, kept, with a NULL at the end */
    PART_LINES, /* one text or a list of them, none empty: an array at OFFSET; SPEC has the row. Or
                   a mapping, where MAPPING is given, which fills the same struct */
    PART_OWN,   /* a known key that the finish function reads itself */
};

/* A key of a mapping that is not a plain value. */
struct scene_part {
    const char *key;
    const struct scene_spec *spec; /* of the mapping, or of each item */
    const struct scene_spec *mapping;
    size_t offset;
    size_t count_offset, item_size; /* of lists: of a size_t; bytes */
    size_t min, max;                /* of lists: items; max 0: any number */
    enum scene_part_kind kind;
    bool is_required;
};

/* What a mapping may hold. Rows without a fallback are required. */
struct scene_spec {
    const struct option_row *rows;
    size_t row_count;
    const struct scene_part *parts;
    size_t part_count;
    size_t place_offset; /* of a struct scene_place that gets the mapping's place; 0: none */
    /* Called last, when everything else was good; or NULL. OUT is the struct, AT the mapping. */
    bool (*finish)(struct scene_yaml *yaml, const struct scene_at *at, void *out);
    bool is_partial;   /* other keys may stand there and are not looked at */
    const char *least; /* of a whole file: what it has at least, and where to read of it */
};

/* Initialise the members of a scene_spec from arrays. */
#define SCENE_ROWS(table)  .rows = (table), .row_count = COUNT(table)
#define SCENE_PARTS(table) .parts = (table), .part_count = COUNT(table)

/* Parts in short: NAME is read by the table OF into MEMBER of a struct TAG. The last argument of a
 * list is the most items that it may have; behind it may stand .min and .is_required. */
#define SCENE_MAPPING(name, of, tag, member, required)                                             \
    {                                                                                              \
        .key = name, .spec = &of, .offset = offsetof(struct tag, member), .kind = PART_MAPPING,    \
        .is_required = required                                                                    \
    }
#define SCENE_LIST(name, of, tag, member, count, ...)                                              \
    {                                                                                              \
        .key = name, .kind = PART_LIST, .spec = &of, .offset = offsetof(struct tag, member),       \
        .count_offset = offsetof(struct tag, count),                                               \
        .item_size = sizeof *((struct tag *)0)->member, .max = __VA_ARGS__                         \
    }
#define SCENE_ARRAY(name, of, tag, member, count)                                                  \
    {                                                                                              \
        .key = name, .kind = PART_ARRAY, .spec = &of, .offset = offsetof(struct tag, member),      \
        .count_offset = offsetof(struct tag, count),                                               \
        .item_size = sizeof *((struct tag *)0)->member, .max = COUNT(((struct tag *)0)->member)    \
    }

/* Fills OUT, which must be zeroed, from the bytes of a file: defaults, then what the file says.
 * FILE stands in messages. On failure lists read so far stay in OUT, whole or zeroed, for whoever
 * owns OUT to free. */
bool scene_yaml_read(const char *bytes, size_t size, const char *file,
                     const struct scene_spec *spec, void *out, struct error *error);

/* The same for tables with texts and words, which go to the list KEPT. */
bool scene_yaml_read_kept(const char *bytes, size_t size, const char *file,
                          const struct scene_spec *spec, void *out, struct scene_kept **kept,
                          struct error *error);

/* ---- For finish functions ---- */

/* A place in the tree: a node, and the keys that lead to it. Lives on the stack. */
struct scene_at {
    const struct scene_at *parent; /* NULL: the root */
    const char *key;               /* NULL: item number ITEM of a list */
    size_t item;
    int node; /* of the tree, from 1; 0: the mapping has no such key */
};

/* A key of a mapping; an item of a list, counted from 0. AT must outlive them. */
struct scene_at scene_yaml_child(struct scene_yaml *yaml, const struct scene_at *at,
                                 const char *key);
struct scene_at scene_yaml_item(struct scene_yaml *yaml, const struct scene_at *at, size_t item);

bool scene_yaml_has(struct scene_yaml *yaml, const struct scene_at *at, const char *key);
bool scene_yaml_is_mapping(struct scene_yaml *yaml, const struct scene_at *at);

/* Where a node is; for a missing key, where its mapping is. */
struct scene_place scene_yaml_place(struct scene_yaml *yaml, const struct scene_at *at);

/* Writes `file:line:column: path.to.key: ` and the sentence. Returns false. */
bool scene_yaml_fail(struct scene_yaml *yaml, const struct scene_at *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The number of items of a list, the text of a value. Each fails, saying that ALLOWED belongs here,
 * where the node is something else. A text is UTF-8 without control characters; it lives until
 * scene_yaml_read returns. */
bool scene_yaml_list(struct scene_yaml *yaml, const struct scene_at *at, const char *allowed,
                     size_t *count);
bool scene_yaml_text(struct scene_yaml *yaml, const struct scene_at *at, const char *allowed,
                     const char **text);

/* The struct that the whole file fills. */
void *scene_yaml_root(struct scene_yaml *yaml);

/* Fills OUT, which must be zeroed, from a mapping, as scene_yaml_read does from a file. */
bool scene_yaml_fill(struct scene_yaml *yaml, const struct scene_at *at,
                     const struct scene_spec *spec, void *out);
