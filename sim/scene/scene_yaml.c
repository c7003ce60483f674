/* The tree of a YAML file with places. How the bytes become a tree is in scene_yaml_open.c. */
#include "sim/scene/scene_yaml.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static yaml_node_t *yaml_node(struct scene_yaml *yaml, int node)
{
    return yaml_document_get_node(&yaml->document, node);
}

struct scene_at scene_yaml_root(void)
{
    return (struct scene_at){.node = 1}; /* libyaml: the first node is the root */
}

struct scene_place scene_yaml_place(struct scene_yaml *yaml, int node)
{
    yaml_mark_t mark = yaml_node(yaml, node)->start_mark;
    return (struct scene_place){.line = (unsigned)mark.line + 1,
                                .column = (unsigned)mark.column + 1};
}

/* ---- Messages ---- */

/* Appends `world.boxes[2].size`; nothing for the root. Returns the bytes used. */
static size_t yaml_path(const struct scene_at *at, char *text, size_t size)
{
    if (!at->parent) {
        text[0] = '\0';
        return 0;
    }
    size_t used = yaml_path(at->parent, text, size);
    if (at->key) {
        char quote[TEXT_QUOTE_SIZE];
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "." : "",
                                 text_quote(at->key, quote, sizeof quote));
    } else {
        used += (size_t)snprintf(text + used, size - used, "[%zu]", at->item);
    }
    return used < size ? used : size - 1;
}

bool scene_yaml_fail(struct scene_yaml *yaml, const struct scene_at *at, const char *format, ...)
{
    char path[TEXT_ADVICE_SIZE];
    char sentence[sizeof yaml->error->text];
    size_t used = yaml_path(at, path, sizeof path);
    struct scene_place place = scene_yaml_place(yaml, at->node);

    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return error_set(yaml->error, "%s:%u:%u: %s%s%s", yaml->file, place.line, place.column, path,
                     used ? ": " : "", sentence);
}

bool scene_yaml_prefix(struct scene_yaml *yaml, const struct scene_at *at, int place_node)
{
    char path[TEXT_ADVICE_SIZE];
    size_t used = yaml_path(at, path, sizeof path);
    struct scene_place place = scene_yaml_place(yaml, place_node);
    return error_prefix(yaml->error, "%s:%u:%u: %s%s", yaml->file, place.line, place.column, path,
                        used ? "." : "");
}

/* ---- Kinds of nodes ---- */

static bool yaml_is_nothing(const yaml_node_t *node)
{
    if (node->type != YAML_SCALAR_NODE || node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
        return false;
    const char *text = (const char *)node->data.scalar.value;
    return text[0] == '\0' || strcmp(text, "~") == 0 || strcmp(text, "null") == 0;
}

static bool yaml_wrong_kind(struct scene_yaml *yaml, const struct scene_at *at, const char *allowed)
{
    char quote[TEXT_QUOTE_SIZE];
    const yaml_node_t *node = yaml_node(yaml, at->node);
    const char *found = "nothing";
    if (node->type == YAML_MAPPING_NODE) {
        found = "a mapping";
    } else if (node->type == YAML_SEQUENCE_NODE) {
        found = "a list";
    } else if (!yaml_is_nothing(node)) {
        text_quote((const char *)node->data.scalar.value, quote, sizeof quote);
        return scene_yaml_fail(yaml, at, "found '%s'; allowed: %s", quote, allowed);
    }
    return scene_yaml_fail(yaml, at, "found %s; allowed: %s", found, allowed);
}

bool scene_yaml_mapping(struct scene_yaml *yaml, const struct scene_at *at, const char *allowed,
                        size_t *count)
{
    const yaml_node_t *node = yaml_node(yaml, at->node);
    if (node->type != YAML_MAPPING_NODE)
        return yaml_wrong_kind(yaml, at, allowed);
    *count = (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start);
    return true;
}

bool scene_yaml_list(struct scene_yaml *yaml, const struct scene_at *at, const char *allowed,
                     size_t *count)
{
    const yaml_node_t *node = yaml_node(yaml, at->node);
    if (node->type != YAML_SEQUENCE_NODE)
        return yaml_wrong_kind(yaml, at, allowed);
    *count = (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
    return true;
}

bool scene_yaml_text(struct scene_yaml *yaml, const struct scene_at *at, const char *allowed,
                     const char **text)
{
    const yaml_node_t *node = yaml_node(yaml, at->node);
    if (node->type != YAML_SCALAR_NODE || yaml_is_nothing(node))
        return yaml_wrong_kind(yaml, at, allowed);
    *text = (const char *)node->data.scalar.value;
    long control = text_control(*text, node->data.scalar.length);
    if (control >= 0) {
        return scene_yaml_fail(yaml, at, "has the control character U+%04lX; allowed: %s", control,
                               allowed);
    }
    return true;
}

/* ---- Children ---- */

int scene_yaml_key(struct scene_yaml *yaml, int mapping, size_t pair)
{
    return yaml_node(yaml, mapping)->data.mapping.pairs.start[pair].key;
}

int scene_yaml_value(struct scene_yaml *yaml, int mapping, size_t pair)
{
    return yaml_node(yaml, mapping)->data.mapping.pairs.start[pair].value;
}

int scene_yaml_item(struct scene_yaml *yaml, int list, size_t item)
{
    return yaml_node(yaml, list)->data.sequence.items.start[item];
}

int scene_yaml_find(struct scene_yaml *yaml, int mapping, const char *key)
{
    const yaml_node_t *node = yaml_node(yaml, mapping);
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *name = yaml_node(yaml, pair->key);
        if (name->type == YAML_SCALAR_NODE &&
            strcmp((const char *)name->data.scalar.value, key) == 0)
            return pair->value;
    }
    return 0;
}
