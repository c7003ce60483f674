/* From bytes to a tree: refuses what a scene must not use, and says where libyaml gave up. The
 * file is read twice: the tree no longer knows of anchors and of further documents. */
#include <string.h>

#include "sim/scene/scene_yaml.h"

static void yaml_start(yaml_parser_t *parser, const char *bytes, size_t size)
{
    const char *input = size > 0 ? bytes : ""; /* an empty file may come as NULL */
    yaml_parser_set_input_string(parser, (const unsigned char *)input, size);
    /* Otherwise a byte order mark would choose UTF-16. */
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING);
}

static bool yaml_fail_at(const struct scene_yaml *yaml, yaml_mark_t mark, const char *sentence)
{
    return error_set(yaml->error, "%s:%zu:%zu: %s", yaml->file, mark.line + 1, mark.column + 1,
                     sentence);
}

/* Line and column of a byte; columns count characters, as libyaml's marks do. */
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

/* The first byte of a character, counted from 0; 0 where the file is shorter. */
static char yaml_character(const char *bytes, size_t size, size_t character)
{
    for (size_t i = 0; i < size; i++)
        if (((unsigned char)bytes[i] & 0xc0) != 0x80 && character-- == 0)
            return bytes[i];
    return '\0';
}

/* What stopped libyaml, as a sentence. */
static bool yaml_broken(const struct scene_yaml *yaml, const yaml_parser_t *parser,
                        const char *bytes, size_t size)
{
    if (parser->error == YAML_MEMORY_ERROR)
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

/* Refuses one event, or returns true. */
static bool yaml_event_is_plain(const struct scene_yaml *yaml, const yaml_event_t *event,
                                unsigned *depth, unsigned *documents)
{
    const yaml_char_t *anchor = NULL;
    const yaml_char_t *tag = NULL;
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (++*documents > 1) {
            return yaml_fail_at(yaml, event->start_mark,
                                "a second document; a scene is one: remove the line ---");
        }
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
    if (anchor) {
        return yaml_fail_at(yaml, event->start_mark,
                            "an anchor (&); scenes have none: remove it, or quote the text");
    }
    if (tag) {
        return yaml_fail_at(yaml, event->start_mark,
                            "a tag (!); scenes have none: remove it, or quote the text");
    }
    if (*depth > SCENE_DEPTH_MAX) {
        return error_set(yaml->error, "%s:%zu:%zu: nested deeper than %d; allowed: %d levels",
                         yaml->file, event->start_mark.line + 1, event->start_mark.column + 1,
                         SCENE_DEPTH_MAX, SCENE_DEPTH_MAX);
    }
    return true;
}

/* Walks the whole file without building anything. */
static bool yaml_scan(const struct scene_yaml *yaml, const char *bytes, size_t size)
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
    if (is_good && documents == 0) {
        return error_set(yaml->error,
                         "%s:1:1: nothing in the file; a scene has at least the keys world and "
                         "robots: see scenes/README.md",
                         yaml->file);
    }
    return is_good;
}

bool scene_yaml_open(struct scene_yaml *yaml, const char *bytes, size_t size, const char *file,
                     struct error *error)
{
    *yaml = (struct scene_yaml){.file = file, .error = error};
    if (size > SCENE_BYTES_MAX) {
        return error_set(error, "%s:1:1: the file has %zu bytes; allowed: at most %d", file, size,
                         SCENE_BYTES_MAX);
    }
    /* libyaml skips a byte order mark only where it chooses the encoding itself. */
    static const char bom[] = "\xef\xbb\xbf";
    if (size >= strlen(bom) && memcmp(bytes, bom, strlen(bom)) == 0) {
        bytes += strlen(bom);
        size -= strlen(bom);
    }
    if (!yaml_scan(yaml, bytes, size))
        return false;
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return error_set(error, "%s: out of memory", file);
    yaml_start(&parser, bytes, size);
    bool is_loaded = yaml_parser_load(&parser, &yaml->document);
    if (!is_loaded)
        yaml_broken(yaml, &parser, bytes, size);
    yaml_parser_delete(&parser);
    return is_loaded;
}

void scene_yaml_close(struct scene_yaml *yaml)
{
    yaml_document_delete(&yaml->document);
}
