/* Creates trees from YAML with libyaml. A file is read twice: first to reject features that a scene
 * must not use (several documents, anchors, aliases, tags, deep nesting), because the tree does not
 * show them any more, then into the tree. */
#include "sim/yaml/scene_tree.h"

#include <string.h>

#ifdef PTYBOT_NO_YAML /* in a web page, which gets packed trees */

static bool read_yaml(struct scene_tree *tree, const char *bytes, size_t size, const char *file,
                      const char *least, struct error *error)
{
    (void)tree, (void)bytes, (void)size, (void)least;
    return error_set(error, "%s: YAML, which this build does not read", file);
}

#else
#include <yaml.h>

struct yaml_file {
    const char *file; /* for messages */
    struct error *error;
};

/* ---- Rejected features ---- */

static void yaml_start(yaml_parser_t *parser, const char *bytes, size_t size)
{
    const char *input = size > 0 ? bytes : ""; /* an empty file may come as NULL */
    yaml_parser_set_input_string(parser, (const unsigned char *)input, size);
    /* Otherwise a byte order mark could select UTF-16. */
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING);
}

static bool yaml_fail_at(const struct yaml_file *yaml, yaml_mark_t mark, const char *sentence)
{
    return error_set(yaml->error, "%s:%zu:%zu: %s", yaml->file, mark.line + 1, mark.column + 1,
                     sentence);
}

/* Line and column of a byte; columns count characters, as in libyaml's marks. */
static yaml_mark_t yaml_mark(const char *bytes, size_t size, size_t offset)
{
    yaml_mark_t mark = {0};
    for (size_t i = 0; i < offset && i < size; i++) {
        if (bytes[i] == '\n') {
            mark.line++;
            mark.column = 0;
        } else if (((unsigned char)bytes[i] & 0xc0) != 0x80) {
            mark.column++;
        }
    }
    return mark;
}

/* The first byte of a character, counted from 0; 0 if the file is shorter. */
static char yaml_character(const char *bytes, size_t size, size_t character)
{
    for (size_t i = 0; i < size; i++)
        if (((unsigned char)bytes[i] & 0xc0) != 0x80 && character-- == 0)
            return bytes[i];
    return '\0';
}

/* Reports the error of libyaml. */
static bool yaml_broken(const struct yaml_file *yaml, const yaml_parser_t *parser,
                        const char *bytes, size_t size)
{
    // If libyaml cannot copy a text, it sets no error.
    if (parser->error == YAML_MEMORY_ERROR || parser->error == YAML_NO_ERROR)
        return error_set(yaml->error, "%s: out of memory", yaml->file);
    if (parser->error == YAML_READER_ERROR) {
        yaml_mark_t mark = yaml_mark(bytes, size, parser->problem_offset);
        bool is_control = strstr(parser->problem, "control") != NULL;
        size_t at = parser->problem_offset;
        return error_set(yaml->error, "%s:%zu:%zu: %s (byte 0x%02x); %s", yaml->file, mark.line + 1,
                         mark.column + 1, is_control ? "a control character" : "not UTF-8",
                         at < size ? (unsigned char)bytes[at] : 0,
                         is_control ? "remove it" : "save the file as UTF-8");
    }
    yaml_mark_t mark = parser->problem_mark;
    bool is_tab = yaml_character(bytes, size, mark.index) == '\t';
    return error_set(yaml->error, "%s:%zu:%zu: not YAML: %s%s%s; %s", yaml->file, mark.line + 1,
                     mark.column + 1, parser->context ? parser->context : "",
                     parser->context ? ", " : "",
                     parser->problem ? parser->problem : "unknown problem",
                     is_tab ? "indent with spaces, not tabs"
                            : "look at indentation, quotes and brackets here and above");
}

/* Whether an event is part of plain YAML; if not, reports an error. */
static bool yaml_event_is_plain(const struct yaml_file *yaml, const yaml_event_t *event,
                                unsigned *depth, unsigned *documents)
{
    const yaml_char_t *anchor = NULL;
    const yaml_char_t *tag = NULL;
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (++*documents > 1)
            return yaml_fail_at(yaml, event->start_mark,
                                "a second document; a scene has only one: remove the line ---");
        return true;
    case YAML_ALIAS_EVENT:
        return yaml_fail_at(yaml, event->start_mark,
                            "an alias (*); scenes have none: write the value out");
    case YAML_SCALAR_EVENT:
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
        break;
    case YAML_SEQUENCE_START_EVENT:
        ++*depth;
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
        break;
    case YAML_MAPPING_START_EVENT:
        ++*depth;
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        --*depth;
        return true;
    default:
        return true;
    }
    if (anchor)
        return yaml_fail_at(yaml, event->start_mark,
                            "an anchor (&); scenes have none: remove it, or quote the text");
    if (tag)
        return yaml_fail_at(yaml, event->start_mark,
                            "a tag (!); scenes have none: remove it, or quote the text");
    if (*depth > SCENE_DEPTH_MAX)
        return error_set(yaml->error, "%s:%zu:%zu: nested deeper than %d; allowed: %d levels",
                         yaml->file, event->start_mark.line + 1, event->start_mark.column + 1,
                         SCENE_DEPTH_MAX, SCENE_DEPTH_MAX);
    return true;
}

/* Reads the whole file without building a tree. */
static bool yaml_scan(const struct yaml_file *yaml, const char *bytes, size_t size,
                      const char *least)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return error_set(yaml->error, "%s: out of memory", yaml->file);
    yaml_start(&parser, bytes, size);

    unsigned depth = 0;
    unsigned documents = 0;
    bool is_good = true;
    for (bool is_end = false; is_good && !is_end;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            is_good = yaml_broken(yaml, &parser, bytes, size);
            break;
        }
        is_end = event.type == YAML_STREAM_END_EVENT;
        is_good = yaml_event_is_plain(yaml, &event, &depth, &documents);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    if (is_good && documents == 0)
        return error_set(yaml->error, "%s:1:1: the file is empty; %s", yaml->file,
                         least ? least
                               : "a scene has at least the keys world and robots: see "
                                 "scenes/README.md");
    return is_good;
}

/* ---- The tree ---- */

static size_t yaml_node_children(const yaml_node_t *from)
{
    if (from->type == YAML_SEQUENCE_NODE)
        return (size_t)(from->data.sequence.items.top - from->data.sequence.items.start);
    if (from->type == YAML_MAPPING_NODE)
        return 2 * (size_t)(from->data.mapping.pairs.top - from->data.mapping.pairs.start);
    return 0;
}

/* CHILDREN and TEXT have enough room. */
static struct scene_node yaml_node_copy(const yaml_node_t *from, int *children, char *text)
{
    struct scene_node node = {
        .kind = from->type == YAML_SEQUENCE_NODE  ? SCENE_NODE_LIST
                : from->type == YAML_MAPPING_NODE ? SCENE_NODE_MAPPING
                                                  : SCENE_NODE_TEXT,
        .place = {(unsigned)from->start_mark.line + 1, (unsigned)from->start_mark.column + 1},
        .text = text,
        .children = children,
        .count = yaml_node_children(from),
    };
    if (node.kind == SCENE_NODE_TEXT) {
        node.is_plain = from->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
        node.size = from->data.scalar.length;
        memcpy(text, from->data.scalar.value, node.size);
    }
    for (size_t i = 0; i < node.count; i++) {
        if (node.kind == SCENE_NODE_LIST)
            children[i] = from->data.sequence.items.start[i];
        else
            children[i] = i % 2 == 0 ? from->data.mapping.pairs.start[i / 2].key
                                     : from->data.mapping.pairs.start[i / 2].value;
    }
    return node;
}

static bool yaml_copy(const yaml_document_t *document, struct scene_tree *tree)
{
    const yaml_node_t *first = document->nodes.start;
    size_t nodes = (size_t)(document->nodes.top - first), children = 0, texts = 0;
    for (size_t i = 0; i < nodes; i++) {
        children += yaml_node_children(&first[i]);
        texts += first[i].type == YAML_SCALAR_NODE ? first[i].data.scalar.length + 1 : 1;
    }
    if (!scene_tree_allocate(tree, nodes, children, texts))
        return false;
    int *child = tree->children;
    char *text = tree->texts;
    for (size_t i = 0; i < nodes; i++) {
        tree->nodes[i] = yaml_node_copy(&first[i], child, text);
        child += tree->nodes[i].count;
        text += tree->nodes[i].size + 1;
    }
    return true;
}

/* Reads a file that was checked by yaml_scan. */
static bool yaml_load(const struct yaml_file *yaml, const char *bytes, size_t size,
                      struct scene_tree *tree)
{
    yaml_parser_t parser;
    yaml_document_t document;
    if (!yaml_parser_initialize(&parser))
        return error_set(yaml->error, "%s: out of memory", yaml->file);
    yaml_start(&parser, bytes, size);
    bool is_loaded = yaml_parser_load(&parser, &document);
    if (!is_loaded)
        yaml_broken(yaml, &parser, bytes, size);
    yaml_parser_delete(&parser);
    if (!is_loaded)
        return false;
    bool is_copied = yaml_copy(&document, tree);
    yaml_document_delete(&document);
    return is_copied || error_set(yaml->error, "%s: out of memory", yaml->file);
}

static bool read_yaml(struct scene_tree *tree, const char *bytes, size_t size, const char *file,
                      const char *least, struct error *error)
{
    const struct yaml_file yaml = {.file = file, .error = error};
    /* libyaml skips a byte order mark only if it detects the encoding itself. */
    static const char bom[] = "\xef\xbb\xbf";
    if (size >= strlen(bom) && memcmp(bytes, bom, strlen(bom)) == 0) {
        bytes += strlen(bom);
        size -= strlen(bom);
    }
    return yaml_scan(&yaml, bytes, size, least) && yaml_load(&yaml, bytes, size, tree);
}

#endif

bool scene_tree_read(struct scene_tree *tree, const char *bytes, size_t size, const char *file,
                     const char *least, struct error *error)
{
    *tree = (struct scene_tree){0};
    if (size > SCENE_BYTES_MAX)
        return error_set(error, "%s:1:1: the file has %zu bytes; allowed: at most %d", file, size,
                         SCENE_BYTES_MAX);
    return scene_tree_is_packed(bytes, size) ? scene_tree_unpack(tree, bytes, size, file, error)
                                             : read_yaml(tree, bytes, size, file, least, error);
}
