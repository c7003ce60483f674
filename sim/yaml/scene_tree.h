/* What a YAML file says, as a tree of texts, lists and mappings with their places: all that the
 * reader of scenes needs of YAML. It can be packed into bytes and read from them again where there
 * is no libyaml. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "sim/scene/scene.h"

enum scene_node_kind { SCENE_NODE_TEXT, SCENE_NODE_LIST, SCENE_NODE_MAPPING };

struct scene_node {
    enum scene_node_kind kind;
    struct scene_place place;
    bool is_plain;    /* a text without quotes */
    const char *text; /* with a NUL behind its SIZE bytes; of lists and mappings "" */
    size_t size;
    /* The numbers of COUNT nodes: items of a list; of a mapping keys and values by turns. */
    const int *children;
    size_t count;
};

/* Nodes are numbered from 1, the root first and each before its children. */
struct scene_tree {
    struct scene_node *nodes;
    size_t node_count;
    int *children; /* of all nodes */
    char *texts;
};

/* Reads a file: YAML, or what scene_tree_pack wrote. FILE stands in messages, LEAST (or NULL) in
 * that of an empty one. False, with `file:line:column: ...` in ERROR and nothing to free, where it
 * is neither, or uses more of YAML than a scene needs. */
bool scene_tree_read(struct scene_tree *tree, const char *bytes, size_t size, const char *file,
                     const char *least, struct error *error);
void scene_tree_free(struct scene_tree *tree);

/* Node number NODE. */
static inline const struct scene_node *scene_tree_node(const struct scene_tree *tree, int node)
{
    return &tree->nodes[node - 1];
}

/* The tree as SIZE bytes, which the caller frees. NULL: memory is short. */
char *scene_tree_pack(const struct scene_tree *tree, size_t *size);

/* ---- For scene_tree_yaml.c ---- */

/* Room for so many nodes, children and bytes of texts (NULs included), all zero. False: memory is
 * short. */
bool scene_tree_allocate(struct scene_tree *tree, size_t nodes, size_t children, size_t texts);

/* Whether scene_tree_pack wrote these bytes, and the tree that they hold. */
bool scene_tree_is_packed(const char *bytes, size_t size);
bool scene_tree_unpack(struct scene_tree *tree, const char *bytes, size_t size, const char *file,
                       struct error *error);
