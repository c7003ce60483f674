/* Protocols written down: as tables of Lua and as JSON. */
#include "app/lab/recording/dissector.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "app/files/fresh_file.h"
#include "app/lab/recording/ptybot_lua.h"
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

/* How many packets of a type have a field of that name. */
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

/* Names that each frame has, whatever its packets are. */
static bool is_own_name(const char *name)
{
    static const char *const own[] = {"direction", "frame_size",  "packet",     "checksum",
                                      "bytes",     "response_in", "response_to"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(own[i], name) == 0)
            return true;
    return false;
}

/* The name of a field in Wireshark: `kobuki.left_encoder`, or `kobuki.cliff.left` where several
 * packets have a field of that name. Returns OUT. */
static const char *dissector_filter(const struct robot_type *type, const struct wire_packet *packet,
                                    const struct wire_field *field, char out[DISSECTOR_FILTER_MAX])
{
    bool is_short = is_listed(type, packet) && count_fields(type, field->name) == 1 &&
                    !is_own_name(field->name);
    snprintf(out, DISSECTOR_FILTER_MAX, "%s.%s%s%s", type->name, is_short ? "" : packet->name,
             is_short ? "" : ".", field->name);
    return out;
}

/* ---- Text, quoted for Lua and JSON alike: ours has no controls ---- */

static void put_quoted(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putc('\\', out);
        putc(*text, out);
    }
    putc('"', out);
}

/* ---- Lua ---- */

static void put_lua_field(FILE *out, const struct robot_type *type,
                          const struct wire_packet *packet, const struct wire_field *field)
{
    char filter[DISSECTOR_FILTER_MAX];
    fprintf(out,
            "        { name = \"%s\", filter = \"%s\", type = \"%s\", count = %u, scale = %.17g, "
            "unit = ",
            field->name, dissector_filter(type, packet, field, filter), field_types[field->type],
            (unsigned)field->count, field->scale);
    put_quoted(out, field->unit ? field->unit : "");
    fputs(", note = ", out);
    put_quoted(out, field->note ? field->note : "");
    if (field->bit_count)
        fprintf(out, ", bit_from = %u, bit_count = %u, is_part = %s", field->bit_from,
                field->bit_count, field->is_part ? "true" : "false");
    fputs(" },\n", out);
}

/* Whether a packet of the type answers this one. */
static bool is_asked(const struct robot_type *type, const struct wire_packet *packet)
{
    for (const struct robot_answer *row = type->answers; row && row->packet; row++)
        if (strcmp(row->request, packet->name) == 0)
            return true;
    return false;
}

/* The request that a packet answers, by name; NULL: none. */
static const char *request_of(const struct robot_type *type, const struct wire_packet *packet)
{
    for (const struct robot_answer *row = type->answers; row && row->packet; row++)
        if (strcmp(row->packet, packet->name) == 0)
            return row->request;
    return NULL;
}

static void put_lua_packet(FILE *out, const struct robot_type *type,
                           const struct wire_packet *packet)
{
    fprintf(out, "    { name = \"%s\", id = %u, to = \"%s\", order = \"%s\",\n", packet->name,
            (unsigned)packet->id, way_names[packet->direction], order_names[packet->order]);
    if (packet->has_no_id)
        fputs("      has_no_id = true,\n", out);
    if (request_of(type, packet))
        fprintf(out, "      answers = \"%s\",\n", request_of(type, packet));
    if (is_asked(type, packet))
        fputs("      is_asked = true,\n", out);
    for (size_t i = 0; i < packet->field_count; i++)
        put_lua_field(out, type, packet, &packet->fields[i]);
    if (packet->repeat) {
        fputs("      element =\n", out);
        put_lua_packet(out, type, packet->repeat);
    }
    fputs("    },\n", out);
}

static void put_lua_promises(FILE *out, const struct wire_promise *row)
{
    if (!row)
        return;
    fputs(", promises = {", out);
    for (; row->ids_at > 0 || row->repeat != WIRE_ONCE; row++) {
        fprintf(out, "{ id = %u, ids_at = %u, id_count = %u", row->id, row->ids_at, row->id_count);
        if (row->repeat != WIRE_ONCE)
            fprintf(out, ", repeats = \"%s\"", repeat_names[row->repeat]);
        fputs(" }, ", out);
    }
    putc('}', out);
}

static void put_lua_framing(FILE *out, const char *way, const struct wire_framing *framing)
{
    if (!framing)
        return;
    fprintf(out, "      %s = { head = {", way);
    for (size_t i = 0; i < framing->head_size; i++)
        fprintf(out, "%s0x%02X", i > 0 ? ", " : "", framing->head[i]);
    fprintf(out,
            "}, length_at = %u, length_min = %u, length_max = %u, length_extra = %u, size = %u,\n",
            framing->length_at, framing->length_min, framing->length_max, framing->length_extra,
            (unsigned)framing->size);
    fprintf(out,
            "        check = \"%s\", check_from = %u, id_at = %u, body_at = %u, parts = \"%s\"",
            check_names[framing->check], framing->check_from, framing->id_at, framing->body_at,
            parts_names[framing->parts]);
    if (framing->long_bit)
        fprintf(out, ", long_bit = %u", framing->long_bit);
    if (framing->has_wide_length)
        fputs(", has_wide_length = true", out);
    if (framing->stuffed_from)
        fprintf(out, ", stuffed_from = %u", framing->stuffed_from);
    if (framing->sizes) {
        fputs(", sizes = {", out);
        for (const struct wire_first_byte *row = framing->sizes; row->size > 0; row++)
            fprintf(out, "[0x%02X] = { %u, %u, %u }, ", row->byte, (unsigned)row->size,
                    row->count_at, row->each);
        putc('}', out);
    }
    put_lua_promises(out, framing->promises);
    if (framing->series)
        fprintf(out, ", series_name = \"%s\"", framing->series->name);
    if (framing->only)
        fprintf(out, ", only_name = \"%s\"", framing->only->name);
    if (framing->singles) {
        fprintf(out, ", single_name = \"%s\", singles = ", framing->single->name);
        put_quoted(out, framing->singles);
    }
    if (framing->text)
        fprintf(out, ", text_name = \"%s\"", framing->text->name);
    if (framing->line)
        fprintf(out, ", line_name = \"%s\"", framing->line->name);
    fputs(" },\n", out);
}

static void put_lua(FILE *out, const struct robot_type *type)
{
    fprintf(out,
            "-- The protocol `%s` as tables, for ptybot.lua. Written by `ptybot describe "
            "--wireshark`.\n",
            type->name);
    fputs("local ptybot = package.loaded.ptybot\n"
          "    or dofile((debug.getinfo(1, \"S\").source:match(\"^@(.*[/\\\\])\") or \"\") .. "
          "\"ptybot.lua\")\n"
          "ptybot.protocol({\n",
          out);
    fprintf(out, "  name = \"%s\", first = \"%s\", title = ", type->name, type->channels[0].name);
    put_quoted(out, type->title);
    fputs(",\n  channels = {\n", out);
    for (size_t i = 0; i < type->channel_count; i++) {
        fprintf(out, "    [\"%s\"] = {\n", type->channels[i].name);
        for (int way = 0; way < 2; way++)
            put_lua_framing(out, way_names[way], type->channels[i].frames[way]);
        fputs("    },\n", out);
    }
    fputs("  },\n  packets = {\n", out);
    for (size_t i = 0; type->packets[i]; i++)
        put_lua_packet(out, type, type->packets[i]);
    fputs("  },\n})\n", out);
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

/* ---- JSON ---- */

static void put_json_packet(FILE *out, const struct robot_type *type,
                            const struct wire_packet *packet)
{
    fprintf(out,
            "{\"name\":\"%s\",\"id\":%u,\"to\":\"%s\",\"order\":\"%s\",\"note\":", packet->name,
            (unsigned)packet->id, way_names[packet->direction], order_names[packet->order]);
    put_quoted(out, packet->note ? packet->note : "");
    if (request_of(type, packet))
        fprintf(out, ",\"answers\":\"%s\"", request_of(type, packet));
    fputs(",\"fields\":[", out);
    for (size_t i = 0; i < packet->field_count; i++) {
        const struct wire_field *field = &packet->fields[i];
        char filter[DISSECTOR_FILTER_MAX];
        fprintf(out,
                "%s{\"name\":\"%s\",\"filter\":\"%s\",\"type\":\"%s\",\"count\":%u,"
                "\"scale\":%.17g,\"unit\":",
                i > 0 ? "," : "", field->name, dissector_filter(type, packet, field, filter),
                field_types[field->type], (unsigned)field->count, field->scale);
        put_quoted(out, field->unit ? field->unit : "");
        fputs(",\"note\":", out);
        put_quoted(out, field->note ? field->note : "");
        if (field->bit_count)
            fprintf(out, ",\"bit_from\":%u,\"bit_count\":%u,\"is_part\":%s", field->bit_from,
                    field->bit_count, field->is_part ? "true" : "false");
        putc('}', out);
    }
    putc(']', out);
    if (packet->repeat) {
        fputs(",\"element\":", out);
        put_json_packet(out, type, packet->repeat);
    }
    putc('}', out);
}

static void put_json_framing(FILE *out, const char *way, const struct wire_framing *framing)
{
    fprintf(out, ",\"to_%s\":", way);
    if (!framing) {
        fputs("null", out);
        return;
    }
    fprintf(out, "{\"head\":\"");
    for (size_t i = 0; i < framing->head_size; i++)
        fprintf(out, "%02x", framing->head[i]);
    fprintf(out,
            "\",\"length_at\":%u,\"length_min\":%u,\"length_max\":%u,\"length_extra\":%u,"
            "\"size\":%u,\"check\":\"%s\",\"check_from\":%u,\"id_at\":%u,\"body_at\":%u,"
            "\"parts\":\"%s\",\"long_bit\":%u,\"is_text\":%s",
            framing->length_at, framing->length_min, framing->length_max, framing->length_extra,
            (unsigned)framing->size, check_names[framing->check], framing->check_from,
            framing->id_at, framing->body_at, parts_names[framing->parts], framing->long_bit,
            framing->line ? "true" : "false");
    if (framing->has_wide_length)
        fputs(",\"has_wide_length\":true", out);
    if (framing->stuffed_from)
        fprintf(out, ",\"stuffed_from\":%u", framing->stuffed_from);
    if (framing->text)
        fprintf(out, ",\"text\":\"%s\"", framing->text->name);
    if (framing->series)
        fprintf(out, ",\"series\":\"%s\"", framing->series->name);
    if (framing->singles)
        fprintf(out, ",\"singles\":\"%s\"", framing->singles);
    fputs(",\"sizes\":{", out);
    for (size_t i = 0; framing->sizes && framing->sizes[i].size > 0; i++)
        fprintf(out, "%s\"%u\":{\"size\":%u,\"count_at\":%u,\"each\":%u}", i > 0 ? "," : "",
                framing->sizes[i].byte, (unsigned)framing->sizes[i].size,
                framing->sizes[i].count_at, framing->sizes[i].each);
    fputs("}}", out);
}

void dissector_print_json(const struct robot_type *type, FILE *out)
{
    fprintf(out, "{\"name\":\"%s\",\"title\":", type->name);
    put_quoted(out, type->title);
    fputs(",\"channels\":[", out);
    for (size_t i = 0; i < type->channel_count; i++) {
        const struct channel_spec *channel = &type->channels[i];
        fprintf(out, "%s{\"name\":\"%s\",\"kind\":\"%s\",\"baud\":%u,\"tcp_port\":%u",
                i > 0 ? "," : "", channel->name,
                channel->kind == CHANNEL_SERIAL ? "serial" : "tcp_server", (unsigned)channel->baud,
                channel->tcp_port);
        for (int way = 0; way < 2; way++)
            put_json_framing(out, way_names[way], channel->frames[way]);
        putc('}', out);
    }
    fputs("],\"packets\":[", out);
    for (size_t i = 0; type->packets[i]; i++) {
        if (i > 0)
            putc(',', out);
        put_json_packet(out, type, type->packets[i]);
    }
    fputs("]}\n", out);
}
