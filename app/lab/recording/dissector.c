/* Writes protocols as JSON, and the same data as Lua tables. */
#include "app/lab/recording/dissector.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "app/control/rpc.h"
#include "app/files/fresh_file.h"
#include "app/lab/recording/ptybot_lua.h"
#include "base/text.h"
#include "protocols/registry.h"

static const char *const field_types[] = {
    [WIRE_U8] = "u8",   [WIRE_I8] = "i8",   [WIRE_U16] = "u16", [WIRE_I16] = "i16",
    [WIRE_U32] = "u32", [WIRE_I32] = "i32", [WIRE_F32] = "f32", [WIRE_CHAR] = "char",
};
static const char *const check_names[] = {
    [WIRE_CHECK_NONE] = "none",   [WIRE_CHECK_SUM_ZERO] = "sum_zero",   [WIRE_CHECK_XOR] = "xor",
    [WIRE_CHECK_CRC16] = "crc16", [WIRE_CHECK_SUM_NOT] = "sum_not",     [WIRE_CHECK_SUM] = "sum",
    [WIRE_CHECK_CRC8] = "crc8",   [WIRE_CHECK_SUM_TWICE] = "sum_twice",
};
static const char *const parts_names[] = {
    [WIRE_PARTS_NONE] = "none", [WIRE_PARTS_SIZED] = "sized", [WIRE_PARTS_KNOWN] = "known"};
static const char *const repeat_names[] = {[WIRE_NODES] = "nodes", [WIRE_CAPSULES] = "capsules"};
static const char *const way_names[] = {[WIRE_TO_HOST] = "host", [WIRE_TO_ROBOT] = "robot"};
static const char *const order_names[] = {
    [WIRE_LITTLE_ENDIAN] = "little", [WIRE_BIG_ENDIAN] = "big"};

/* ---- Names of fields ---- */

/* Number of packets of a type that have a field NAME. */
static unsigned count_fields(const struct robot_type *type, const char *name)
{
    unsigned count = 0;
    for (size_t i = 0; type->packets[i]; i++)
        for (size_t k = 0; k < type->packets[i]->field_count; k++)
            count += strcmp(type->packets[i]->fields[k].name, name) == 0;
    return count;
}

static bool is_listed(const struct robot_type *type, const struct wire_packet *packet)
{
    for (size_t i = 0; type->packets[i]; i++)
        if (type->packets[i] == packet)
            return true;
    return false;
}

/* Names of fields that each frame has, for any packet. */
static bool is_own_name(const char *name)
{
    static const char *const own[] = {"direction", "frame_size",  "packet",     "checksum",
                                      "bytes",     "response_in", "response_to"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(own[i], name) == 0)
            return true;
    return false;
}

/* The name of a field in Wireshark: `kobuki.left_encoder`, or `kobuki.cliff.left` if several
 * packets have a field of this name. Returns OUT. */
static const char *dissector_filter(const struct robot_type *type, const struct wire_packet *packet,
                                    const struct wire_field *field, char out[DISSECTOR_FILTER_MAX])
{
    bool is_short = is_listed(type, packet) && count_fields(type, field->name) == 1 &&
                    !is_own_name(field->name);
    snprintf(out, DISSECTOR_FILTER_MAX, "%s.%s%s%s", type->name, is_short ? "" : packet->name,
             is_short ? "" : ".", field->name);
    return out;
}

/* ---- A protocol as JSON ---- */

/* The name of the request to which a packet is the reply; NULL: none. */
static const char *request_of(const struct robot_type *type, const struct wire_packet *packet)
{
    for (const struct robot_answer *row = type->answers; row && row->packet; row++)
        if (strcmp(row->packet, packet->name) == 0)
            return row->request;
    return NULL;
}

static json_t *field_json(const struct robot_type *type, const struct wire_packet *packet,
                          const struct wire_field *field)
{
    char filter[DISSECTOR_FILTER_MAX];
    json_t *json =
        json_pack("{s:s, s:s, s:s, s:i, s:o, s:s, s:s}", "name", field->name, "filter",
                  dissector_filter(type, packet, field, filter), "type", field_types[field->type],
                  "count", (int)field->count, "scale", rpc_number(field->scale), "unit",
                  field->unit ? field->unit : "", "note", field->note ? field->note : "");
    if (field->bit_count)
        json_object_update_new(json,
                               json_pack("{s:i, s:i, s:b}", "bit_from", field->bit_from,
                                         "bit_count", field->bit_count, "is_part", field->is_part));
    return json;
}

static json_t *packet_json(const struct robot_type *type, const struct wire_packet *packet)
{
    json_t *fields = json_array();
    for (size_t i = 0; i < packet->field_count; i++)
        json_array_append_new(fields, field_json(type, packet, &packet->fields[i]));
    return json_pack("{s:s, s:i, s:o*, s:s, s:s, s:s, s:s*, s:o, s:o*}", "name", packet->name, "id",
                     packet->id, "has_no_id", packet->has_no_id ? json_true() : NULL, "to",
                     way_names[packet->direction], "order", order_names[packet->order], "note",
                     packet->note ? packet->note : "", "answers", request_of(type, packet),
                     "fields", fields, "element",
                     packet->repeat ? packet_json(type, packet->repeat) : NULL);
}

static json_t *promises_json(const struct wire_promise *row)
{
    json_t *list = row ? json_array() : NULL;
    for (; row && (row->ids_at > 0 || row->repeat != WIRE_ONCE); row++)
        json_array_append_new(
            list, json_pack("{s:i, s:i, s:i, s:s*}", "id", row->id, "ids_at", row->ids_at,
                            "id_count", row->id_count, "repeats",
                            row->repeat != WIRE_ONCE ? repeat_names[row->repeat] : NULL));
    return list;
}

/* NULL if PACKET is NULL. */
static const char *name_of(const struct wire_packet *packet)
{
    return packet ? packet->name : NULL;
}

static json_t *framing_json(const struct wire_framing *framing)
{
    if (!framing)
        return json_null();
    char head[2 * sizeof framing->head + 1] = "";
    json_t *sizes = json_object();
    for (size_t i = 0; i < framing->head_size; i++)
        text_add(head, sizeof head, "", "%02x", framing->head[i]);
    for (const struct wire_first_byte *row = framing->sizes; row && row->size > 0; row++) {
        char byte[8];
        snprintf(byte, sizeof byte, "%u", row->byte);
        json_object_set_new(sizes, byte,
                            json_pack("{s:i, s:i, s:i}", "size", (int)row->size, "count_at",
                                      row->count_at, "each", row->each));
    }
    return json_pack(
        "{s:s, s:i, s:i, s:i, s:i, s:i, s:s, s:i, s:i, s:i, s:s, s:i, s:b, s:o*, s:o*, s:s*, s:s*,"
        " s:s*, s:s*, s:s*, s:s*, s:o*, s:o*, s:o}",
        "head", head, "length_at", framing->length_at, "length_min", framing->length_min,
        "length_max", framing->length_max, "length_extra", framing->length_extra, "size",
        (int)framing->size, "check", check_names[framing->check], "check_from", framing->check_from,
        "id_at", framing->id_at, "body_at", framing->body_at, "parts", parts_names[framing->parts],
        "long_bit", framing->long_bit, "is_text", framing->line != NULL, "has_wide_length",
        framing->has_wide_length ? json_true() : NULL, "stuffed_from",
        framing->stuffed_from ? json_integer(framing->stuffed_from) : NULL, "text",
        name_of(framing->text), "series", name_of(framing->series), "only", name_of(framing->only),
        "line", name_of(framing->line), "singles", framing->singles, "single",
        name_of(framing->single), "promises", promises_json(framing->promises), "has_first_bytes",
        framing->sizes ? json_true() : NULL, "sizes", sizes);
}

/* NULL: out of memory. */
static json_t *protocol_json(const struct robot_type *type)
{
    json_t *channels = json_array(), *packets = json_array();
    for (size_t i = 0; i < type->channel_count; i++) {
        const struct channel_spec *channel = &type->channels[i];
        json_array_append_new(
            channels, json_pack("{s:s, s:s, s:i, s:i, s:o, s:o}", "name", channel->name, "kind",
                                channel->kind == CHANNEL_SERIAL ? "serial" : "tcp_server", "baud",
                                (int)channel->baud, "tcp_port", channel->tcp_port, "to_host",
                                framing_json(channel->frames[WIRE_TO_HOST]), "to_robot",
                                framing_json(channel->frames[WIRE_TO_ROBOT])));
    }
    for (size_t i = 0; type->packets[i]; i++)
        json_array_append_new(packets, packet_json(type, type->packets[i]));
    return json_pack("{s:s, s:s, s:o, s:o}", "name", type->name, "title", type->title, "channels",
                     channels, "packets", packets);
}

void dissector_print_json(const struct robot_type *type, FILE *out)
{
    json_t *protocol = protocol_json(type);
    json_dumpf(protocol, out, JSON_COMPACT);
    fputc('\n', out);
    json_decref(protocol);
}

/* ---- Lua ---- */

/* Writes the same values in Lua syntax, which has no null. The texts contain no control characters,
 * and Lua quotes the other characters like JSON. */
static void put_lua_value(FILE *out, const json_t *value)
{
    const char *key;
    json_t *item;
    size_t i;
    if (!json_is_object(value) && !json_is_array(value)) {
        json_dumpf(value, out, JSON_ENCODE_ANY);
        return;
    }
    putc('{', out);
    json_array_foreach(value, i, item)
    {
        putc('\n', out);
        put_lua_value(out, item);
        putc(',', out);
    }
    json_object_foreach((json_t *)value, key, item)
    {
        if (json_is_null(item))
            continue;
        fprintf(out, "[\"%s\"] = ", key);
        put_lua_value(out, item);
        fputs(", ", out);
    }
    putc('}', out);
}

static void put_lua(FILE *out, const struct robot_type *type)
{
    json_t *protocol = protocol_json(type);
    fprintf(out,
            "-- The protocol `%s` as a table, for ptybot.lua. Written by `ptybot describe "
            "--wireshark`.\n",
            type->name);
    fputs("local ptybot = package.loaded.ptybot\n"
          "    or dofile((debug.getinfo(1, \"S\").source:match(\"^@(.*[/\\\\])\") or \"\") .. "
          "\"ptybot.lua\")\n"
          "ptybot.protocol(",
          out);
    put_lua_value(out, protocol);
    fputs(")\n", out);
    json_decref(protocol);
}

static bool open_file(const char *folder, const char *name, struct fresh_file *file,
                      struct error *error)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fresh_file_open(file, path, error);
}

bool dissector_write_all(const char *folder, struct error *error)
{
    size_t count;
    struct fresh_file file;
    const struct robot_type *const *types = registry_types(&count);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return error_environment(error, "%s: %s", folder, strerror(errno));
    if (!open_file(folder, "ptybot.lua", &file, error))
        return false;
    fwrite(ptybot_lua, 1, sizeof ptybot_lua, file.out);
    bool is_written = fresh_file_close(&file, true, error);
    for (size_t i = 0; is_written && i < count; i++) {
        char name[128];
        snprintf(name, sizeof name, "ptybot_%s.lua", types[i]->name);
        if (!open_file(folder, name, &file, error))
            return false;
        put_lua(file.out, types[i]);
        is_written = fresh_file_close(&file, true, error);
    }
    return is_written;
}
