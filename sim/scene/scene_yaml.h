/* A thin reader over libyaml's document API: nodes with their line and column, and messages that
 * name file, place and key. Files that use more of YAML than a scene needs (several documents,
 * anchors, aliases, tags, deep nesting) are refused before a tree is built. */
#ifndef PTYBOT_SIM_SCENE_SCENE_YAML_H
#define PTYBOT_SIM_SCENE_SCENE_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

#include "base/error.h"
#include "sim/scene/scene.h"

struct scene_yaml {
    yaml_document_t document;
    const char *file;
    struct error *error;
};

/* Where in the tree: a node, and the keys that lead to it. Lives on the stack of whoever walks. */
struct scene_at {
    const struct scene_at *parent; /* NULL: the root */
    const char *key;               /* NULL: item number ITEM of a list */
    size_t item;
    int node; /* of libyaml's document; from 1 */
};

/* Reads BYTES, which need not outlive the call. FILE and ERROR are kept for messages. After success
 * the caller owns the document: scene_yaml_close. */
bool scene_yaml_open(struct scene_yaml *yaml, const char *bytes, size_t size, const char *file,
                     struct error *error);
void scene_yaml_close(struct scene_yaml *yaml);

struct scene_at scene_yaml_root(void);
struct scene_place scene_yaml_place(struct scene_yaml *yaml, int node);

/* Writes `file:line:column: path.to.key: ` and the sentence. Returns false. */
bool scene_yaml_fail(struct scene_yaml *yaml, const struct scene_at *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same place and path in front of a text that is in the error already and begins with a key of
 * this mapping. PLACE_NODE: whose line. Returns false. */
bool scene_yaml_prefix(struct scene_yaml *yaml, const struct scene_at *at, int place_node);

/* The pairs of a mapping, the items of a list, the text of a value. Each fails, saying that
 * ALLOWED belongs here, where the node is something else. A text is UTF-8 without control
 * characters; it lives as long as the document. */
bool scene_yaml_mapping(struct scene_yaml *yaml, const struct scene_at *at, const char *allowed,
                        size_t *count);
bool scene_yaml_list(struct scene_yaml *yaml, const struct scene_at *at, const char *allowed,
                     size_t *count);
bool scene_yaml_text(struct scene_yaml *yaml, const struct scene_at *at, const char *allowed,
                     const char **text);

/* Nodes of a mapping's pair and of a list's item, counted from 0. */
int scene_yaml_key(struct scene_yaml *yaml, int mapping, size_t pair);
int scene_yaml_value(struct scene_yaml *yaml, int mapping, size_t pair);
int scene_yaml_item(struct scene_yaml *yaml, int list, size_t item);

/* The value of a key in a mapping, or 0. */
int scene_yaml_find(struct scene_yaml *yaml, int mapping, const char *key);

#endif
