/* Fills plain structs from a YAML tree. */
#include "sim/scene/scene_fill.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { FILL_KEYS_MAX = 64 }; /* bits of the set of seen keys */

/* All keys of a mapping, as a list of words. */
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

/* "a mapping of x, y, heading", or a list of such. */
static void fill_allowed(const struct scene_spec *spec, bool is_list, char *text, size_t size)
{
    const char *keys[FILL_KEYS_MAX + 1];
    fill_keys(spec, keys);
    size_t used =
        (size_t)snprintf(text, size, "a %s of ", is_list ? "list of mappings" : "mapping");
    for (size_t i = 0; keys[i] && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", keys[i]);
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
        return scene_yaml_fail(yaml, child, "no such key; there are none here");
    text_advice(keys, child->key, advice);
    return scene_yaml_fail(yaml, child, "no such key; %s", advice);
}

static bool fill_value(struct scene_yaml *yaml, const struct scene_at *at,
                       const struct scene_at *child, const struct option_row *row, void *out)
{
    char allowed[TEXT_ADVICE_SIZE];
    const char *text;
    option_allowed(row, allowed, sizeof allowed);
    if (!scene_yaml_text(yaml, child, allowed, &text))
        return false;
    return option_set(row, text, out, yaml->error) || scene_yaml_prefix(yaml, at, child->node);
}

static bool fill_list(struct scene_yaml *yaml, const struct scene_at *at,
                      const struct scene_part *part, void *out)
{
    char allowed[TEXT_ADVICE_SIZE];
    size_t count;
    fill_allowed(part->spec, true, allowed, sizeof allowed);
    if (!scene_yaml_list(yaml, at, allowed, &count))
        return false;
    if (count < part->min || (part->max != 0 && count > part->max)) {
        char most[32] = "";
        if (part->max != 0)
            snprintf(most, sizeof most, ", at most %zu", part->max);
        return scene_yaml_fail(yaml, at, "has %zu items; allowed: at least %zu%s", count, part->min,
                               most);
    }
    if (count == 0)
        return true;
    char *items = calloc(count, part->item_size);
    if (!items)
        return scene_yaml_fail(yaml, at, "out of memory for %zu", count);
    memcpy((char *)out + part->offset, &items, sizeof items);
    memcpy((char *)out + part->count_offset, &count, sizeof count);
    for (size_t i = 0; i < count; i++) {
        struct scene_at child = {
            .parent = at, .item = i, .node = scene_yaml_item(yaml, at->node, i)};
        if (!scene_fill(yaml, &child, part->spec, items + i * part->item_size))
            return false;
    }
    return true;
}

static bool fill_part(struct scene_yaml *yaml, const struct scene_at *at,
                      const struct scene_part *part, void *out)
{
    struct scene_at child = {
        .parent = at, .key = part->key, .node = scene_yaml_find(yaml, at->node, part->key)};
    if (child.node == 0) {
        if (part->is_required) {
            char allowed[TEXT_ADVICE_SIZE];
            fill_allowed(part->spec, part->kind == PART_LIST, allowed, sizeof allowed);
            child.node = at->node;
            return scene_yaml_fail(yaml, &child, "missing; allowed: %s", allowed);
        }
        return true;
    }
    switch (part->kind) {
    case PART_MAPPING:
        return scene_fill(yaml, &child, part->spec, (char *)out + part->offset);
    case PART_LIST:
        return fill_list(yaml, &child, part, out);
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

/* One pair: a value is stored, a nested key only marked as seen. */
static bool fill_pair(struct scene_yaml *yaml, const struct scene_at *at, size_t pair,
                      const struct scene_spec *spec, uint64_t *seen, void *out)
{
    struct scene_at child = {
        .parent = at, .key = "(key)", .node = scene_yaml_key(yaml, at->node, pair)};
    const char *key;
    if (!scene_yaml_text(yaml, &child, "a word before the colon", &key))
        return false;
    child.key = key;
    size_t position = fill_position(spec, key);
    if (position == SIZE_MAX)
        return fill_unknown(yaml, &child, spec);
    if (*seen & UINT64_C(1) << position) {
        int first = scene_yaml_find(yaml, at->node, key);
        return scene_yaml_fail(yaml, &child, "given twice, first on line %u; keep one",
                               scene_yaml_place(yaml, first).line);
    }
    *seen |= UINT64_C(1) << position;
    if (position >= spec->row_count)
        return true;
    child.node = scene_yaml_value(yaml, at->node, pair);
    return fill_value(yaml, at, &child, &spec->rows[position], out);
}

bool scene_fill(struct scene_yaml *yaml, const struct scene_at *at, const struct scene_spec *spec,
                void *out)
{
    char allowed[TEXT_ADVICE_SIZE];
    size_t count;
    fill_allowed(spec, false, allowed, sizeof allowed);
    if (!scene_yaml_mapping(yaml, at, allowed, &count))
        return false;
    /* Values first, so that the order of keys in the file does not matter to the parts. */
    option_defaults(spec->rows, spec->row_count, out);
    uint64_t seen = 0;
    for (size_t i = 0; i < count; i++)
        if (!fill_pair(yaml, at, i, spec, &seen, out))
            return false;
    for (size_t i = 0; i < spec->row_count; i++) {
        if (!spec->rows[i].fallback && !(seen & UINT64_C(1) << i)) {
            struct scene_at child = {.parent = at, .key = spec->rows[i].key, .node = at->node};
            option_allowed(&spec->rows[i], allowed, sizeof allowed);
            return scene_yaml_fail(yaml, &child, "missing; allowed: %s", allowed);
        }
    }
    for (size_t i = 0; i < spec->part_count; i++)
        if (!fill_part(yaml, at, &spec->parts[i], out))
            return false;
    return !spec->finish || spec->finish(yaml, at, out);
}
