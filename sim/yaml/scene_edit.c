#include "sim/yaml/scene_edit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "base/number.h"

/* ---- The tree ---- */

static bool has_text(yaml_document_t *tree, int node, const char *text)
{
    const yaml_node_t *at = yaml_document_get_node(tree, node);
    return at && at->type == YAML_SCALAR_NODE && at->data.scalar.length == strlen(text) &&
           memcmp(at->data.scalar.value, text, strlen(text)) == 0;
}

/* The value of a key of a mapping; 0: no such key. */
static int value_of(yaml_document_t *tree, int mapping, const char *key)
{
    const yaml_node_t *node = yaml_document_get_node(tree, mapping);
    if (!node || node->type != YAML_MAPPING_NODE)
        return 0;
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top; pair++)
        if (has_text(tree, pair->key, key))
            return pair->value;
    return 0;
}

static void remove_key(yaml_document_t *tree, int mapping, const char *key)
{
    yaml_node_t *node = yaml_document_get_node(tree, mapping);
    yaml_node_pair_t *pair = node->data.mapping.pairs.start;
    while (pair < node->data.mapping.pairs.top && !has_text(tree, pair->key, key))
        pair++;
    if (pair == node->data.mapping.pairs.top)
        return;
    memmove(pair, pair + 1, (size_t)(node->data.mapping.pairs.top - pair - 1) * sizeof *pair);
    node->data.mapping.pairs.top--;
}

static int add_text(yaml_document_t *tree, const char *text)
{
    return yaml_document_add_scalar(tree, NULL, (const yaml_char_t *)text, (int)strlen(text),
                                    YAML_PLAIN_SCALAR_STYLE);
}

/* Sets the value of a key, which may be new. */
static bool put(yaml_document_t *tree, int mapping, const char *key, int value)
{
    remove_key(tree, mapping, key);
    int name = add_text(tree, key);
    return name && value && yaml_document_append_mapping_pair(tree, mapping, name, value);
}

/* The mapping or list under a key; creates it if it is missing. */
static int child(yaml_document_t *tree, int mapping, const char *key, bool is_list)
{
    int node = value_of(tree, mapping, key);
    if (node)
        return node;
    node = is_list ? yaml_document_add_sequence(tree, NULL, YAML_BLOCK_SEQUENCE_STYLE)
                   : yaml_document_add_mapping(tree, NULL, YAML_FLOW_MAPPING_STYLE);
    return put(tree, mapping, key, node) ? node : 0;
}

/* ---- Changes ---- */

static int robot_of(yaml_document_t *tree, const char *name)
{
    const yaml_node_t *list = yaml_document_get_node(tree, value_of(tree, 1, "robots"));
    if (!list || list->type != YAML_SEQUENCE_NODE)
        return 0;
    for (const yaml_node_item_t *item = list->data.sequence.items.start;
         item < list->data.sequence.items.top; item++)
        if (has_text(tree, value_of(tree, *item, "name"), name))
            return *item;
    return 0;
}

static bool edit_pose(yaml_document_t *tree, int robot, const char *text)
{
    char x[32], y[32], heading[32];
    if (sscanf(text, "%31[^,],%31[^,],%31s", x, y, heading) != 3)
        return false;
    int pose = yaml_document_add_mapping(tree, NULL, YAML_FLOW_MAPPING_STYLE);
    return pose && put(tree, pose, "x", add_text(tree, x)) &&
           put(tree, pose, "y", add_text(tree, y)) &&
           put(tree, pose, "heading", add_text(tree, heading)) && put(tree, robot, "pose", pose);
}

static bool edit_robot(yaml_document_t *tree, const char *set)
{
    char name[64], key[64];
    const char *equals = strchr(set, '=');
    if (sscanf(set, "%63[^.].%63[^=]", name, key) != 2)
        return false;
    int robot = robot_of(tree, name);
    if (!robot || strcmp(key, "pose") == 0)
        return robot && edit_pose(tree, robot, equals + 1);
    int options = child(tree, robot, "options", false);
    return options && put(tree, options, key, add_text(tree, equals + 1));
}

/* "do=COMMAND", "at=SECONDS do=COMMAND", "at=SECONDS signal=NAME" */
static bool edit_action(yaml_document_t *tree, const char *set)
{
    char seconds[32] = "0";
    sscanf(set, "at=%31[^ ]", seconds);
    const char *what = *set == 'a' ? set + strcspn(set, " ") : set;
    what += strspn(what, " ");
    const char *key = *what == 'd' ? "do" : "signal", *equals = strchr(what, '=');
    int list = child(tree, 1, "timeline", true);
    int item = yaml_document_add_mapping(tree, NULL, YAML_FLOW_MAPPING_STYLE);
    return equals && list && item && put(tree, item, "at", add_text(tree, seconds)) &&
           put(tree, item, key, add_text(tree, equals + 1)) &&
           yaml_document_append_sequence_item(tree, list, item);
}

/* Skipped items get no node at first, and are removed at the end, so that the numbers of the others
 * do not change. */
static bool edit_skip(yaml_document_t *tree, const char *text)
{
    int64_t number;
    yaml_node_t *list = yaml_document_get_node(tree, value_of(tree, 1, "timeline"));
    if (!list || list->type != YAML_SEQUENCE_NODE || !number_parse_integer(text, &number) ||
        number < 0 || number >= list->data.sequence.items.top - list->data.sequence.items.start)
        return false;
    list->data.sequence.items.start[number] = 0;
    return true;
}

static void remove_skipped(yaml_document_t *tree)
{
    yaml_node_t *list = yaml_document_get_node(tree, value_of(tree, 1, "timeline"));
    if (!list || list->type != YAML_SEQUENCE_NODE)
        return;
    yaml_node_item_t *kept = list->data.sequence.items.start;
    for (yaml_node_item_t *item = kept; item < list->data.sequence.items.top; item++)
        if (*item)
            *kept++ = *item;
    list->data.sequence.items.top = kept;
    if (kept == list->data.sequence.items.start)
        remove_key(tree, 1, "timeline");
}

static bool edit(yaml_document_t *tree, const char *set)
{
    if (strncmp(set, "do=", 3) == 0 || strncmp(set, "at=", 3) == 0)
        return edit_action(tree, set);
    if (strncmp(set, "skip=", 5) == 0)
        return edit_skip(tree, set + 5);
    return edit_robot(tree, set);
}

static bool edit_all(yaml_document_t *tree, const char *const *sets, size_t count, uint64_t seed,
                     struct error *error)
{
    char text[32];
    const yaml_node_t *root = yaml_document_get_root_node(tree);
    if (!root || root->type != YAML_MAPPING_NODE)
        return error_set(error, "the scene is not a mapping");
    for (size_t i = 0; i < count; i++)
        if (!edit(tree, sets[i]))
            return error_set(error, "%s: cannot be written into the scene", sets[i]);
    remove_skipped(tree);
    remove_key(tree, 1, "sweep");
    snprintf(text, sizeof text, "%" PRIu64, seed);
    return put(tree, 1, "seed", add_text(tree, text)) || error_set(error, "not enough memory");
}

/* ---- Bytes ---- */

struct sink {
    char *bytes;
    size_t size;
};

static int take(void *context, unsigned char *bytes, size_t size)
{
    struct sink *sink = context;
    char *grown = realloc(sink->bytes, sink->size + size + 1);
    if (!grown)
        return 0;
    sink->bytes = grown;
    memcpy(grown + sink->size, bytes, size);
    sink->size += size;
    grown[sink->size] = '\0';
    return 1;
}

/* Takes the ownership of the tree. */
static char *print(yaml_document_t *tree)
{
    yaml_emitter_t emitter;
    struct sink sink = {0};
    if (!yaml_emitter_initialize(&emitter)) {
        yaml_document_delete(tree);
        return NULL;
    }
    yaml_emitter_set_output(&emitter, take, &sink);
    yaml_emitter_set_unicode(&emitter, 1);
    yaml_emitter_set_width(&emitter, 120);
    tree->start_implicit = tree->end_implicit = 1;
    bool is_whole = yaml_emitter_open(&emitter) && yaml_emitter_dump(&emitter, tree) &&
                    yaml_emitter_close(&emitter);
    yaml_emitter_delete(&emitter);
    if (is_whole)
        return sink.bytes;
    free(sink.bytes);
    return NULL;
}

char *scene_edit(const char *bytes, size_t size, const char *const *sets, size_t count,
                 uint64_t seed, struct error *error)
{
    yaml_parser_t parser;
    yaml_document_t tree;
    if (!yaml_parser_initialize(&parser))
        return error_null(error_set(error, "not enough memory"));
    yaml_parser_set_input_string(&parser, (const unsigned char *)bytes, size);
    bool is_read = yaml_parser_load(&parser, &tree);
    yaml_parser_delete(&parser);
    if (!is_read)
        return error_null(error_set(error, "the scene cannot be read again"));
    if (!edit_all(&tree, sets, count, seed, error)) {
        yaml_document_delete(&tree);
        return NULL;
    }
    char *text = print(&tree);
    if (!text)
        error_set(error, "not enough memory");
    return text;
}
