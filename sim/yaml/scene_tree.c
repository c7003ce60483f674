/* Trees, and trees as bytes: with decimal numbers, so that they are the same on every machine.
 *
 *     ptybot-tree 1
 *     NODES CHILDREN TEXTS
 *     KIND LINE COLUMN IS_PLAIN SIZE COUNT CHILD ... TEXT
 *
 * with a blank after each number, and a line break after each text. */
#include "sim/yaml/scene_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define MAGIC "ptybot-tree 1\n"

bool scene_tree_allocate(struct scene_tree *tree, size_t nodes, size_t children, size_t texts)
{
    *tree = (struct scene_tree){
        .nodes = calloc(nodes + 1, sizeof *tree->nodes),
        .node_count = nodes,
        .children = calloc(children + 1, sizeof *tree->children),
        .texts = calloc(texts + 1, 1),
    };
    if (tree->nodes && tree->children && tree->texts)
        return true;
    scene_tree_free(tree);
    return false;
}

void scene_tree_free(struct scene_tree *tree)
{
    free(tree->nodes);
    free(tree->children);
    free(tree->texts);
    *tree = (struct scene_tree){0};
}

/* ---- To bytes ---- */

/* Writes at most SIZE bytes; returns the number of bytes that the whole text needs. */
static size_t write_node(const struct scene_node *node, char *out, size_t size)
{
    size_t used =
        (size_t)snprintf(out, size, "%d %u %u %d %zu %zu ", (int)node->kind, node->place.line,
                         node->place.column, node->is_plain, node->size, node->count);
    for (size_t i = 0; i < node->count; i++)
        used += (size_t)snprintf(out + (used < size ? used : size), used < size ? size - used : 0,
                                 "%d ", node->children[i]);
    if (used + node->size < size) {
        memcpy(out + used, node->text, node->size);
        out[used + node->size] = '\n';
    }
    return used + node->size + 1;
}

char *scene_tree_pack(const struct scene_tree *tree, size_t *size)
{
    char head[128];
    size_t children = 0, texts = 0;
    *size = 0;
    for (size_t i = 0; i < tree->node_count; i++) {
        children += tree->nodes[i].count;
        texts += tree->nodes[i].size + 1;
        *size += write_node(&tree->nodes[i], head, 0);
    }
    size_t used = (size_t)snprintf(head, sizeof head, MAGIC "%zu %zu %zu ", tree->node_count,
                                   children, texts);
    *size += used;
    char *bytes = malloc(*size + 1);
    if (!bytes)
        return NULL;
    memcpy(bytes, head, used);
    for (size_t i = 0; i < tree->node_count; i++)
        used += write_node(&tree->nodes[i], bytes + used, *size + 1 - used);
    return bytes;
}

/* ---- From bytes, which are untrusted ---- */

struct input {
    const char *bytes;
    size_t size, at;
};

/* Reads a number of at most MOST, and the blank after it. */
static bool read_number(struct input *input, size_t most, size_t *value)
{
    size_t start = input->at;
    *value = 0;
    for (; input->at < input->size && input->bytes[input->at] >= '0' &&
           input->bytes[input->at] <= '9' && *value <= most;
         input->at++)
        *value = *value * 10 + (size_t)(input->bytes[input->at] - '0');
    return input->at > start && *value <= most && input->at < input->size &&
           input->bytes[input->at++] == ' ';
}

/* Memory that is not assigned to nodes yet. */
struct room {
    int *children;
    char *texts;
    size_t child_count, text_size;
};

static bool read_children(struct input *input, struct scene_tree *tree, size_t self,
                          struct room *room)
{
    struct scene_node *node = &tree->nodes[self];
    size_t child;
    if (node->count > room->child_count || (node->kind == SCENE_NODE_TEXT && node->count > 0) ||
        (node->kind == SCENE_NODE_MAPPING && node->count % 2 != 0))
        return false;
    node->children = room->children;
    for (size_t i = 0; i < node->count; i++) {
        // Only larger numbers, so that the tree has no cycles. Nodes are counted from 1 here.
        if (!read_number(input, tree->node_count, &child) || child <= self + 1)
            return false;
        *room->children++ = (int)child;
    }
    room->child_count -= node->count;
    return true;
}

/* The same check as in libyaml, which provides only UTF-8. */
static bool is_utf8(const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t bytes = text[at] ? text_character(text + at) : 1;
        if (bytes == 0)
            return false;
        at += bytes;
    }
    return true;
}

static bool read_node(struct input *input, struct scene_tree *tree, size_t self, struct room *room)
{
    struct scene_node *node = &tree->nodes[self];
    size_t kind, line, column, is_plain;
    if (!read_number(input, SCENE_NODE_MAPPING, &kind) ||
        !read_number(input, SCENE_BYTES_MAX, &line) ||
        !read_number(input, SCENE_BYTES_MAX, &column) || !read_number(input, 1, &is_plain) ||
        !read_number(input, SCENE_BYTES_MAX, &node->size) ||
        !read_number(input, SCENE_BYTES_MAX, &node->count))
        return false;
    node->kind = (enum scene_node_kind)kind;
    node->place = (struct scene_place){(unsigned)line, (unsigned)column};
    node->is_plain = is_plain;
    if (!read_children(input, tree, self, room) || node->size >= room->text_size ||
        node->size >= input->size - input->at)
        return false;
    node->text = room->texts;
    memcpy(room->texts, input->bytes + input->at, node->size);
    room->texts += node->size + 1;
    room->text_size -= node->size + 1;
    input->at += node->size;
    return is_utf8(node->text, node->size) && input->bytes[input->at++] == '\n';
}

static bool read_packed(struct scene_tree *tree, struct input *input)
{
    size_t nodes, children, texts;
    // A node, a child and a letter of a text need at least a byte each. The file size therefore
    // limits the memory.
    if (!read_number(input, input->size, &nodes) || !read_number(input, input->size, &children) ||
        !read_number(input, input->size, &texts) || nodes == 0 ||
        !scene_tree_allocate(tree, nodes, children, texts))
        return false;
    struct room room = {tree->children, tree->texts, children, texts};
    for (size_t i = 0; i < nodes; i++)
        if (!read_node(input, tree, i, &room)) {
            scene_tree_free(tree);
            return false;
        }
    return true;
}

bool scene_tree_is_packed(const char *bytes, size_t size)
{
    return size >= strlen(MAGIC) && memcmp(bytes, MAGIC, strlen(MAGIC)) == 0;
}

bool scene_tree_unpack(struct scene_tree *tree, const char *bytes, size_t size, const char *file,
                       struct error *error)
{
    struct input input = {bytes, size, strlen(MAGIC)};
    return read_packed(tree, &input) ||
           error_set(error, "%s:1:1: the packed tree is damaged, or there is not enough memory",
                     file);
}
