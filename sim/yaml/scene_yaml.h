/* Reads YAML into plain structs, according to tables: option rows for values, parts for nested
 * nodes. A YAML file with features that a scene does not need (several documents, anchors, aliases,
 * tags, deep nesting) is rejected. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"
#include "base/error.h"
#include "base/option.h"
#include "sim/scene/custom_robot.h"
#include "sim/scene/scene.h"

/* ---- Tables ---- */

struct scene_yaml; /* a file during reading */
struct scene_at;
struct scene_spec;

enum scene_part_kind {
    PART_MAPPING, /* fills the member at OFFSET */
    PART_LIST,    /* of mappings: an array on the heap, its pointer at OFFSET */
    PART_ARRAY,   /* of mappings: an array of MAX items at OFFSET */
    PART_TEXT,    /* a const char * at OFFSET, kept with scene_yaml_keep */
    PART_WORDS, /* a list of texts: a const char *const * at OFFSET, kept, with a NULL at the end */
    PART_LINES, /* one text or a list of them, none empty: an array at OFFSET; SPEC has the row. If
                   MAPPING is given, it may also be a mapping, which fills the same struct */
    PART_OWN,   /* a known key that the finish function reads */
};

/* A key of a mapping that is not a plain value. */
struct scene_part {
    const char *key;
    const struct scene_spec *spec; /* for the mapping, or for each item */
    const struct scene_spec *mapping;
    size_t offset;
    size_t count_offset, item_size; /* for lists: offset of a size_t; bytes */
    size_t min, max;                /* for lists: number of items; max 0: any number */
    enum scene_part_kind kind;
    bool is_required;
};

/* The keys that a mapping may contain. Rows without a fallback are required. */
struct scene_spec {
    const struct option_row *rows;
    size_t row_count;
    const struct scene_part *parts;
    size_t part_count;
    size_t place_offset; /* offset of a struct scene_place that gets the mapping's place; 0: none */
    /* Called last, if everything before was valid; may be NULL. OUT is the struct, AT the
     * mapping. */
    bool (*finish)(struct scene_yaml *yaml, const struct scene_at *at, void *out);
    bool is_partial;   /* other keys are allowed and ignored */
    const char *least; /* for a whole file: its minimum content, and where to read about it */
};

/* Initializers for the members of a scene_spec, from arrays. */
#define SCENE_ROWS(table)  .rows = (table), .row_count = COUNT(table)
#define SCENE_PARTS(table) .parts = (table), .part_count = COUNT(table)

/* Short forms of parts: NAME is read by the table OF into MEMBER of a struct TAG. The last argument
 * of a list is its largest number of items; .min and .is_required may follow. */
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

/* Fills OUT, which must be zero, from the bytes of a file: defaults, then the values of the file.
 * FILE is its name for messages. On failure the lists read so far stay in OUT, complete or zero,
 * and the owner of OUT must free them. */
bool scene_yaml_read(const char *bytes, size_t size, const char *file,
                     const struct scene_spec *spec, void *out, struct error *error);

/* The same for tables with texts and words, which are added to the list KEPT. */
bool scene_yaml_read_kept(const char *bytes, size_t size, const char *file,
                          const struct scene_spec *spec, void *out, struct scene_kept **kept,
                          struct error *error);

/* ---- For finish functions ---- */

/* A place in the tree: a node, and the keys on the path to it. On the stack. */
struct scene_at {
    const struct scene_at *parent; /* NULL: this is the root */
    const char *key;               /* NULL: item number ITEM of a list */
    size_t item;
    int node; /* in the tree, from 1; 0: the mapping has no such key */
};

/* A key of a mapping; an item of a list, counted from 0. AT must outlive the result. */
struct scene_at scene_yaml_child(struct scene_yaml *yaml, const struct scene_at *at,
                                 const char *key);
struct scene_at scene_yaml_item(struct scene_yaml *yaml, const struct scene_at *at, size_t item);

bool scene_yaml_has(struct scene_yaml *yaml, const struct scene_at *at, const char *key);
bool scene_yaml_is_mapping(struct scene_yaml *yaml, const struct scene_at *at);

/* The place of a node; for a missing key, the place of its mapping. */
struct scene_place scene_yaml_place(struct scene_yaml *yaml, const struct scene_at *at);

/* Writes `file:line:column: path.to.key: ` and the sentence. Returns false. */
bool scene_yaml_fail(struct scene_yaml *yaml, const struct scene_at *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The number of items of a list, and the text of a value. If the node is of another kind, they fail
 * with a message that ALLOWED is expected here. A text is UTF-8 without control characters; it is
 * valid until scene_yaml_read returns. */
bool scene_yaml_list(struct scene_yaml *yaml, const struct scene_at *at, const char *allowed,
                     size_t *count);
bool scene_yaml_text(struct scene_yaml *yaml, const struct scene_at *at, const char *allowed,
                     const char **text);

/* The struct that the whole file fills. */
void *scene_yaml_root(struct scene_yaml *yaml);

/* Fills OUT, which must be zero, from a mapping, as scene_yaml_read does from a file. */
bool scene_yaml_fill(struct scene_yaml *yaml, const struct scene_at *at,
                     const struct scene_spec *spec, void *out);
