/* The content of a YAML file, as a tree of texts, lists and mappings with their places: the part of
 * YAML that scenes need. It can be packed into bytes, and read from them again without libyaml. */
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
    const char *text; /* with a NUL after its SIZE bytes; "" for lists and mappings */
    size_t size;
    /* The numbers of COUNT nodes: items of a list; alternating keys and values of a mapping. */
    const int *children;
    size_t count;
};

/* Nodes are numbered from 1, the root first and each before its children. */
struct scene_tree {
    struct scene_node *nodes;
    size_t node_count;
    int *children; /* children of all nodes */
    char *texts;
};

/* Reads a file: YAML, or the output of scene_tree_pack. FILE is its name for messages; LEAST (or
 * NULL) is used in the message for an empty file. If the file is neither, or uses YAML features
 * that a scene does not need, returns false with `file:line:column: ...` in ERROR; nothing has to
 * be freed. */
bool scene_tree_read(struct scene_tree *tree, const char *bytes, size_t size, const char *file,
                     const char *least, struct error *error);
void scene_tree_free(struct scene_tree *tree);

/* Node number NODE. */
static inline const struct scene_node *scene_tree_node(const struct scene_tree *tree, int node)
{
    return &tree->nodes[node - 1];
}

/* The tree as SIZE bytes, which the caller frees. NULL: out of memory. */
char *scene_tree_pack(const struct scene_tree *tree, size_t *size);

/* ---- For scene_tree_yaml.c ---- */

/* Allocates room for a number of nodes, children and bytes of texts (including NULs), all zero.
 * False: out of memory. */
bool scene_tree_allocate(struct scene_tree *tree, size_t nodes, size_t children, size_t texts);

/* scene_tree_is_packed: whether scene_tree_pack wrote these bytes. scene_tree_unpack: reads the
 * tree from them. */
bool scene_tree_is_packed(const char *bytes, size_t size);
bool scene_tree_unpack(struct scene_tree *tree, const char *bytes, size_t size, const char *file,
                       struct error *error);
