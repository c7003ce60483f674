/* Fills plain structs from trees. */
#include "sim/yaml/scene_yaml.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sim/yaml/scene_tree.h"

enum { FILL_KEYS_MAX = 64 }; /* bits of the set of keys that were found */

struct scene_yaml {
    struct scene_tree tree;
    const char *file;
    struct error *error;
    struct scene_kept **kept;
    void *root; /* the struct that the whole file fills */
};

/* ---- Places ---- */

static const struct scene_node *yaml_node(const struct scene_yaml *yaml, int node)
{
    return scene_tree_node(&yaml->tree, node);
}

static struct scene_place yaml_place(struct scene_yaml *yaml, int node)
{
    return yaml_node(yaml, node)->place;
}

struct scene_place scene_yaml_place(struct scene_yaml *yaml, const struct scene_at *at)
{
    return yaml_place(yaml, at->node != 0 ? at->node : at->parent->node);
}

/* ---- Messages ---- */

/* Appends `world.boxes[2].size` to PATH; nothing for the root. */
static void yaml_path(const struct scene_at *at, char path[TEXT_ADVICE_SIZE])
{
    if (!at->parent)
        return;
    yaml_path(at->parent, path);
    if (at->key)
        text_add(path, TEXT_ADVICE_SIZE, ".", "%s", TEXT_QUOTE(at->key));
    else
        text_add(path, TEXT_ADVICE_SIZE, "", "[%zu]", at->item);
}

bool scene_yaml_fail(struct scene_yaml *yaml, const struct scene_at *at, const char *format, ...)
{
    char path[TEXT_ADVICE_SIZE] = "";
    char sentence[sizeof yaml->error->text];
    yaml_path(at, path);
    struct scene_place place = scene_yaml_place(yaml, at);

    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return error_set(yaml->error, "%s:%u:%u: %s%s%s", yaml->file, place.line, place.column, path,
                     *path ? ": " : "", sentence);
}

/* Puts the same text in front of an error that begins with a key of this mapping; the line is that
 * of PLACE_NODE. Returns false. */
static bool yaml_prefix(struct scene_yaml *yaml, const struct scene_at *at, int place_node)
{
    char path[TEXT_ADVICE_SIZE] = "";
    yaml_path(at, path);
    struct scene_place place = yaml_place(yaml, place_node);
    return error_prefix(yaml->error, "%s:%u:%u: %s%s", yaml->file, place.line, place.column, path,
                        *path ? "." : "");
}

/* ---- Kinds of nodes ---- */

static bool yaml_is_nothing(const struct scene_node *node)
{
    return node->kind == SCENE_NODE_TEXT && node->is_plain &&
           (node->text[0] == '\0' || strcmp(node->text, "~") == 0 ||
            strcmp(node->text, "null") == 0);
}

static bool yaml_wrong_kind(struct scene_yaml *yaml, const struct scene_at *at, const char *allowed)
{
    char quote[TEXT_QUOTE_SIZE];
    const struct scene_node *node = yaml_node(yaml, at->node);
    const char *found = "nothing";
    if (node->kind == SCENE_NODE_MAPPING) {
        found = "a mapping";
    } else if (node->kind == SCENE_NODE_LIST) {
        found = "a list";
    } else if (!yaml_is_nothing(node)) {
        text_quote(node->text, quote, sizeof quote);
        return scene_yaml_fail(yaml, at, "found '%s'; allowed: %s", quote, allowed);
    }
    return scene_yaml_fail(yaml, at, "found %s; allowed: %s", found, allowed);
}

static bool yaml_mapping(struct scene_yaml *yaml, const struct scene_at *at, const char *allowed,
                         size_t *count)
{
    const struct scene_node *node = yaml_node(yaml, at->node);
    if (node->kind != SCENE_NODE_MAPPING)
        return yaml_wrong_kind(yaml, at, allowed);
    *count = node->count / 2;
    return true;
}

bool scene_yaml_list(struct scene_yaml *yaml, const struct scene_at *at, const char *allowed,
                     size_t *count)
{
    const struct scene_node *node = yaml_node(yaml, at->node);
    if (node->kind != SCENE_NODE_LIST)
        return yaml_wrong_kind(yaml, at, allowed);
    *count = node->count;
    return true;
}

bool scene_yaml_text(struct scene_yaml *yaml, const struct scene_at *at, const char *allowed,
                     const char **text)
{
    const struct scene_node *node = yaml_node(yaml, at->node);
    if (node->kind != SCENE_NODE_TEXT || yaml_is_nothing(node))
        return yaml_wrong_kind(yaml, at, allowed);
    *text = node->text;
    long control = text_control(*text, node->size);
    if (control >= 0)
        return scene_yaml_fail(yaml, at, "has the control character U+%04lX; allowed: %s", control,
                               allowed);
    return true;
}

/* ---- Children ---- */

/* The value of a key in a mapping, or 0. */
static int yaml_find(struct scene_yaml *yaml, int mapping, const char *key)
{
    const struct scene_node *node = yaml_node(yaml, mapping);
    for (size_t i = 0; i < node->count; i += 2) {
        const struct scene_node *name = yaml_node(yaml, node->children[i]);
        if (name->kind == SCENE_NODE_TEXT && strcmp(name->text, key) == 0)
            return node->children[i + 1];
    }
    return 0;
}

struct scene_at scene_yaml_child(struct scene_yaml *yaml, const struct scene_at *at,
                                 const char *key)
{
    return (struct scene_at){.parent = at, .key = key, .node = yaml_find(yaml, at->node, key)};
}

struct scene_at scene_yaml_item(struct scene_yaml *yaml, const struct scene_at *at, size_t item)
{
    int node = yaml_node(yaml, at->node)->children[item];
    return (struct scene_at){.parent = at, .item = item, .node = node};
}

bool scene_yaml_has(struct scene_yaml *yaml, const struct scene_at *at, const char *key)
{
    return yaml_find(yaml, at->node, key) != 0;
}

bool scene_yaml_is_mapping(struct scene_yaml *yaml, const struct scene_at *at)
{
    return yaml_node(yaml, at->node)->kind == SCENE_NODE_MAPPING;
}

void *scene_yaml_root(struct scene_yaml *yaml)
{
    return yaml->root;
}

/* ---- Texts with the lifetime of KEPT ---- */

/* Allocates SIZE zeroed bytes that are freed with the texts. NULL, with the error set: out of
 * memory. */
static void *scene_yaml_keep(struct scene_yaml *yaml, const struct scene_at *at, size_t size)
{
    assert(yaml->kept);
    struct scene_kept *kept = calloc(1, sizeof *kept + size);
    if (!kept)
        return error_null(scene_yaml_fail(yaml, at, "out of memory for %zu bytes", size));
    kept->next = *yaml->kept;
    *yaml->kept = kept;
    return kept->bytes;
}

/* ---- From the tree to structs ---- */

/* All keys that a mapping may have, as a list of words. */
static const char *const *fill_keys(const struct scene_spec *spec,
                                    const char *keys[static FILL_KEYS_MAX + 1])
{
    size_t count = 0;
    assert(spec->row_count + spec->part_count <= FILL_KEYS_MAX);
    for (size_t i = 0; i < spec->row_count; i++)
        keys[count++] = spec->rows[i].key;
    for (size_t i = 0; i < spec->part_count; i++)
        keys[count++] = spec->parts[i].key;
    keys[count] = NULL;
    return keys;
}

/* "a mapping of x, y, heading", or a list of such mappings. */
static void fill_allowed(const struct scene_spec *spec, bool is_list, char *text, size_t size)
{
    const char *keys[FILL_KEYS_MAX + 1];
    fill_keys(spec, keys);
    snprintf(text, size, "a %s of ", is_list ? "list of mappings" : "mapping");
    for (size_t i = 0; keys[i]; i++)
        text_add(text, size, i ? ", " : "", "%s", keys[i]);
}

static bool fill_unknown(struct scene_yaml *yaml, const struct scene_at *child,
                         const struct scene_spec *spec)
{
    const char *keys[FILL_KEYS_MAX + 1];
    char advice[TEXT_ADVICE_SIZE];
    if (strcmp(child->key, "<<") == 0)
        return scene_yaml_fail(yaml, child, "a merge key; scenes have none: write the keys out");
    fill_keys(spec, keys);
    if (!keys[0])
        return scene_yaml_fail(yaml, child, "no such key; no keys are allowed here");
    text_advice(keys, child->key, advice);
    return scene_yaml_fail(yaml, child, "no such key; %s", advice);
}

static bool fill_value(struct scene_yaml *yaml, const struct scene_at *at,
                       const struct scene_at *child, const struct option_row *row, void *out)
{
    char allowed[TEXT_ADVICE_SIZE];
    const char *text = "";
    option_allowed(row, allowed, sizeof allowed);
    if (!scene_yaml_text(yaml, child, allowed, &text))
        return false;
    return option_set(row, text, out, yaml->error) || yaml_prefix(yaml, at, child->node);
}

static bool fill_text(struct scene_yaml *yaml, const struct scene_at *at, const char **out)
{
    const char *text = "";
    if (!scene_yaml_text(yaml, at, "a text", &text))
        return false;
    size_t size = strlen(text) + 1;
    char *kept = scene_yaml_keep(yaml, at, size);
    *out = kept;
    return kept && memcpy(kept, text, size);
}

/* The number of items of a list, if the part allows it. */
static bool fill_count(struct scene_yaml *yaml, const struct scene_at *at,
                       const struct scene_part *part, const char *allowed, size_t *count)
{
    if (!scene_yaml_list(yaml, at, allowed, count))
        return false;
    if (*count >= part->min && (part->max == 0 || *count <= part->max))
        return true;
    char most[32] = "";
    if (part->max != 0)
        snprintf(most, sizeof most, ", at most %zu", part->max);
    return scene_yaml_fail(yaml, at, "has %zu items; allowed: at least %zu%s", *count, part->min,
                           most);
}

static bool fill_words(struct scene_yaml *yaml, const struct scene_at *at,
                       const struct scene_part *part, void *out)
{
    size_t count = 0;
    if (!fill_count(yaml, at, part, "a list of words", &count))
        return false;
    const char **words = scene_yaml_keep(yaml, at, (count + 1) * sizeof *words);
    for (size_t i = 0; words && i < count; i++) {
        struct scene_at child = scene_yaml_item(yaml, at, i);
        if (!fill_text(yaml, &child, &words[i]))
            return false;
    }
    memcpy((char *)out + part->offset, &words, sizeof words);
    return words != NULL;
}

/* A single text may be empty: the list is then empty. */
static bool fill_lines(struct scene_yaml *yaml, const struct scene_at *at,
                       const struct scene_at *texts, const struct scene_part *part, void *out)
{
    char *items = (char *)out + part->offset;
    const struct option_row *row = part->spec->rows;
    size_t count = 1;
    const char *lone;
    char allowed[TEXT_ADVICE_SIZE];
    bool is_list = yaml_node(yaml, texts->node)->kind == SCENE_NODE_LIST;
    snprintf(allowed, sizeof allowed, "%s, or a list of them", row->note);
    if (!is_list && !scene_yaml_text(yaml, texts, allowed, &lone))
        return false;
    if (is_list && !fill_count(yaml, texts, part, allowed, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct scene_at child = is_list ? scene_yaml_item(yaml, texts, i) : *texts;
        char *item = items + i * part->item_size;
        if (!fill_value(yaml, at, &child, row, item))
            return false;
        if (*item == '\0' && is_list)
            return scene_yaml_fail(yaml, &child, "is empty; allowed: %s", row->note);
    }
    if (*items == '\0')
        count = 0;
    memcpy((char *)out + part->count_offset, &count, sizeof count);
    return true;
}

/* Fills a PART_LIST or PART_ARRAY. */
static bool fill_list(struct scene_yaml *yaml, const struct scene_at *at,
                      const struct scene_part *part, void *out)
{
    char allowed[TEXT_ADVICE_SIZE];
    size_t count = 0;
    fill_allowed(part->spec, true, allowed, sizeof allowed);
    if (!fill_count(yaml, at, part, allowed, &count))
        return false;
    if (count == 0)
        return true;
    char *items = (char *)out + part->offset;
    if (part->kind == PART_LIST) {
        items = calloc(count, part->item_size);
        if (!items)
            return scene_yaml_fail(yaml, at, "out of memory for %zu", count);
        memcpy((char *)out + part->offset, &items, sizeof items);
    }
    memcpy((char *)out + part->count_offset, &count, sizeof count);
    for (size_t i = 0; i < count; i++) {
        struct scene_at child = scene_yaml_item(yaml, at, i);
        if (!scene_yaml_fill(yaml, &child, part->spec, items + i * part->item_size))
            return false;
    }
    return true;
}

static bool fill_part(struct scene_yaml *yaml, const struct scene_at *at,
                      const struct scene_part *part, void *out)
{
    struct scene_at child = scene_yaml_child(yaml, at, part->key);
    if (child.node == 0) {
        if (part->is_required) {
            char allowed[TEXT_ADVICE_SIZE] = "a text";
            if (part->spec)
                fill_allowed(part->spec, part->kind != PART_MAPPING, allowed, sizeof allowed);
            return scene_yaml_fail(yaml, &child, "missing; allowed: %s", allowed);
        }
        return true;
    }
    switch (part->kind) {
    case PART_MAPPING:
        return scene_yaml_fill(yaml, &child, part->spec, (char *)out + part->offset);
    case PART_LIST:
    case PART_ARRAY:
        return fill_list(yaml, &child, part, out);
    case PART_TEXT:
        return fill_text(yaml, &child, (const char **)(void *)((char *)out + part->offset));
    case PART_WORDS:
        return fill_words(yaml, &child, part, out);
    case PART_LINES:
        if (part->mapping && scene_yaml_is_mapping(yaml, &child))
            return scene_yaml_fill(yaml, &child, part->mapping, out);
        return fill_lines(yaml, at, &child, part, out);
    case PART_OWN:
        return true;
    }
    assert(false && "a part has no known kind");
    return false;
}

/* The position of a key among rows and parts, or SIZE_MAX. */
static size_t fill_position(const struct scene_spec *spec, const char *key)
{
    for (size_t i = 0; i < spec->row_count; i++)
        if (strcmp(spec->rows[i].key, key) == 0)
            return i;
    for (size_t i = 0; i < spec->part_count; i++)
        if (strcmp(spec->parts[i].key, key) == 0)
            return spec->row_count + i;
    return SIZE_MAX;
}

/* Stores the value of one pair; if it is nested, only marks the key as found. */
static bool fill_pair(struct scene_yaml *yaml, const struct scene_at *at, size_t pair,
                      const struct scene_spec *spec, uint64_t *seen, void *out)
{
    const int *nodes = &yaml_node(yaml, at->node)->children[2 * pair];
    struct scene_at child = {.parent = at, .key = "(key)", .node = nodes[0]};
    const char *key = "";
    if (!scene_yaml_text(yaml, &child, "a word before the colon", &key))
        return false;
    child.key = key;
    size_t position = fill_position(spec, key);
    if (position == SIZE_MAX && spec->is_partial)
        return true;
    if (position == SIZE_MAX)
        return fill_unknown(yaml, &child, spec);
    if (*seen & UINT64_C(1) << position) {
        int first = yaml_find(yaml, at->node, key);
        return scene_yaml_fail(yaml, &child, "given twice, first on line %u; remove one",
                               yaml_place(yaml, first).line);
    }
    *seen |= UINT64_C(1) << position;
    if (position >= spec->row_count)
        return true;
    child.node = nodes[1];
    return fill_value(yaml, at, &child, &spec->rows[position], out);
}

bool scene_yaml_fill(struct scene_yaml *yaml, const struct scene_at *at,
                     const struct scene_spec *spec, void *out)
{
    char allowed[TEXT_ADVICE_SIZE];
    size_t count = 0;
    fill_allowed(spec, false, allowed, sizeof allowed);
    if (!yaml_mapping(yaml, at, allowed, &count))
        return false;
    // Values come first, so that the parts do not depend on the order of keys in the file.
    option_defaults(spec->rows, spec->row_count, out);
    uint64_t seen = 0;
    for (size_t i = 0; i < count; i++)
        if (!fill_pair(yaml, at, i, spec, &seen, out))
            return false;
    for (size_t i = 0; i < spec->row_count; i++) {
        if (!spec->rows[i].fallback && !(seen & UINT64_C(1) << i)) {
            struct scene_at child = {.parent = at, .key = spec->rows[i].key};
            option_allowed(&spec->rows[i], allowed, sizeof allowed);
            return scene_yaml_fail(yaml, &child, "missing; allowed: %s", allowed);
        }
    }
    for (size_t i = 0; i < spec->part_count; i++)
        if (!fill_part(yaml, at, &spec->parts[i], out))
            return false;
    if (spec->place_offset != 0) {
        struct scene_place place = scene_yaml_place(yaml, at);
        memcpy((char *)out + spec->place_offset, &place, sizeof place);
    }
    return !spec->finish || spec->finish(yaml, at, out);
}

bool scene_yaml_read_kept(const char *bytes, size_t size, const char *file,
                          const struct scene_spec *spec, void *out, struct scene_kept **kept,
                          struct error *error)
{
    struct scene_yaml yaml = {.file = file, .error = error, .kept = kept, .root = out};
    if (!scene_tree_read(&yaml.tree, bytes, size, file, spec->least, error))
        return false;
    const struct scene_at root = {.node = 1};
    bool is_filled = scene_yaml_fill(&yaml, &root, spec, out);
    scene_tree_free(&yaml.tree);
    return is_filled;
}

bool scene_yaml_read(const char *bytes, size_t size, const char *file,
                     const struct scene_spec *spec, void *out, struct error *error)
{
    return scene_yaml_read_kept(bytes, size, file, spec, out, NULL, error);
}
