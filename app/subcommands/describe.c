/* `ptybot describe`: prints the messages of each robot as a page for users, from the tables that
 * the virtual robots themselves use. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/terminal.h"
#include "app/files/fresh_file.h"
#include "app/files/scene_file.h"
#include "app/lab/recording/dissector.h"
#include "app/subcommands/subcommands.h"
#include "base/number.h"
#include "base/text.h"
#include "protocols/describe.h"
#include "protocols/registry.h"
#include "sim/body/body_file.h"

/* ---- A field ---- */

enum { DIGITS = 6 }; /* for numbers in a page */

static const struct {
    const char *name;
    double least, most;
} types[] = {
    [WIRE_U8] = {"u8", 0, UINT8_MAX},          [WIRE_I8] = {"i8", INT8_MIN, INT8_MAX},
    [WIRE_U16] = {"u16", 0, UINT16_MAX},       [WIRE_I16] = {"i16", INT16_MIN, INT16_MAX},
    [WIRE_U32] = {"u32", 0, UINT32_MAX},       [WIRE_I32] = {"i32", INT32_MIN, INT32_MAX},
    [WIRE_F32] = {"f32", -INFINITY, INFINITY}, [WIRE_CHAR] = {"char", 0, 0},
};

/* Prints "-20 to 20": the range of the bytes in the field's unit. */
static void print_range(FILE *page, const struct wire_field *field)
{
    char least[32], most[32];
    if (field->type == WIRE_CHAR) {
        fputs("text", page);
        return;
    }
    if (field->type == WIRE_F32) {
        fputs("any number", page);
        return;
    }
    int digits = field->scale == 1 ? 10 : DIGITS;
    double top = field->bit_count  ? wire_bits(field, UINT32_MAX)
                 : field->sign_bit ? (1u << field->sign_bit) - 1
                                   : types[field->type].most;
    double bottom = field->sign_bit ? -top : types[field->type].least;
    number_print(bottom * field->scale, digits, least, sizeof least);
    number_print(top * field->scale, digits, most, sizeof most);
    fprintf(page, "%s to %s", least, most);
}

static void print_field(FILE *page, const struct wire_field *field, size_t at)
{
    char scale[32], count[16] = "";
    number_print(field->scale, DIGITS, scale, sizeof scale);
    if (field->count > 1)
        snprintf(count, sizeof count, " x %u", (unsigned)field->count);
    fprintf(page, "| %zu | %s%s | %s | %s%s%s | ", at, types[field->type].name, count, field->name,
            field->scale == 1 ? "" : scale, field->scale == 1 || !*field->unit ? "" : " ",
            field->unit);
    print_range(page, field);
    fprintf(page, " | %s |\n", field->note);
}

/* ---- A message ---- */

static void print_fields(FILE *page, const struct wire_packet *packet)
{
    size_t at = 0;
    if (packet->field_count == 0)
        return;
    fputs("\n| at | type | field | one is | range | meaning |\n|--:|---|---|---|---|---|\n", page);
    for (size_t i = 0; i < packet->field_count; i++) {
        print_field(page, &packet->fields[i], at);
        at += wire_field_size(&packet->fields[i]);
    }
}

static void print_frame(FILE *page, const struct robot_type *type, unsigned channel,
                        const struct wire_packet *packet, const uint8_t *frame, size_t size)
{
    enum { WORDS_MAX = 4096, BYTES_A_LINE = 32 };
    char words[WORDS_MAX];
    bool is_cut = packet->repeat && packet->example_element_count == 0;
    fputs("\n```text\n", page);
    for (size_t i = 0; i < size; i++)
        fprintf(page, "%s%02x", i == 0 ? "" : i % BYTES_A_LINE == 0 ? "\n" : " ", frame[i]);
    fputs(is_cut ? " ...\n" : "\n", page);
    if (!is_cut) {
        const struct wire_framing *framing = robot_framing(type, channel, packet->direction);
        describe_frame(type, channel, packet->direction, wire_promised_as(framing, packet), frame,
                       size, words, sizeof words);
        fprintf(page, "%s\n", words);
    }
    fputs("```\n", page);
}

/* Whether a packet uses this channel, and no channel before it. It is then printed once. */
static bool carries(const struct robot_type *type, unsigned channel,
                    const struct wire_packet *packet)
{
    uint8_t frame[DESCRIBE_EXAMPLE_MAX];
    for (unsigned c = 0; c < channel; c++)
        if (describe_example(type, c, packet, frame) > 0)
            return false;
    return describe_example(type, channel, packet, frame) > 0;
}

static void print_message(FILE *page, const struct robot_type *type, unsigned channel,
                          const struct wire_packet *packet)
{
    uint8_t frame[DESCRIBE_EXAMPLE_MAX];
    if (!carries(type, channel, packet))
        return;
    size_t size = describe_example(type, channel, packet, frame);
    fprintf(page, "\n### %s (%s, id 0x%02x)\n\n", packet->name,
            packet->direction == WIRE_TO_HOST ? "robot to driver" : "driver to robot", packet->id);
    const char *order = packet->order == WIRE_BIG_ENDIAN ? ", big-endian" : ", little-endian";
    fprintf(page, "%u byte%s of body%s%s: %s.\n", (unsigned)packet->size,
            packet->size == 1 ? "" : "s", packet->repeat ? ", then the repeated part" : "",
            packet->size > 1 || packet->repeat ? order : "", packet->note);
    print_fields(page, packet);
    if (packet->repeat) {
        fprintf(page, "\nRepeated, %u byte%s each: %s.\n", (unsigned)packet->repeat->size,
                packet->repeat->size == 1 ? "" : "s", packet->repeat->note);
        print_fields(page, packet->repeat);
    }
    print_frame(page, type, channel, packet, frame, size);
}

/* ---- A channel ---- */

/* Prints all messages of a direction, one per row. */
static void print_messages(FILE *page, const struct robot_type *type, unsigned channel,
                           enum wire_direction direction)
{
    fprintf(page, "\n| id | %s | bytes | when |\n|---|---|--:|---|\n",
            direction == WIRE_TO_HOST ? "robot to driver" : "driver to robot");
    for (size_t i = 0; type->packets[i]; i++) {
        const struct wire_packet *packet = type->packets[i];
        if (packet->direction == direction && carries(type, channel, packet))
            fprintf(page, "| 0x%02x | %s | %u%s | %s |\n", packet->id, packet->name,
                    (unsigned)packet->size, packet->repeat ? " and more" : "", packet->note);
    }
}

static void print_channel(FILE *page, const struct robot_type *type, unsigned channel)
{
    const struct channel_spec *spec = &type->channels[channel];
    if (spec->kind == CHANNEL_SERIAL && spec->baud == 0)
        fprintf(page, "\n## %s: a serial port, any baud, 8N1\n", spec->name);
    else if (spec->kind == CHANNEL_SERIAL)
        fprintf(page, "\n## %s: a serial port, %" PRIu32 " baud, 8N1\n", spec->name, spec->baud);
    else
        fprintf(page, "\n## %s: a TCP server, port %u\n", spec->name, (unsigned)spec->tcp_port);
    fprintf(page, "\nFrame: %s.\n", spec->framing);
    print_messages(page, type, channel, WIRE_TO_ROBOT);
    print_messages(page, type, channel, WIRE_TO_HOST);
    for (size_t i = 0; type->packets[i]; i++)
        print_message(page, type, channel, type->packets[i]);
}

static void print_page(FILE *page, const struct robot_type *type)
{
    fprintf(
        page,
        "# %s: the messages\n\n"
        "Written by `ptybot describe --markdown` from the tables of the virtual robot; do not "
        "edit.\n"
        "Sources of the messages: [the robot](../../protocols/%s/README.md). Connecting a driver: "
        "[hosts](../hosts/%s.md).\n"
        "Offsets count from the first byte of the body. Ranges are those that the encoding can "
        "represent.\n",
        type->title, type->folder ? type->folder : type->name,
        type->guide ? type->guide : type->name);
    for (unsigned c = 0; c < type->channel_count; c++)
        print_channel(page, type, c);
    if (!type->servo_packet)
        return;
    fprintf(page, "\n## Registers of a servo\n\n%s.\n", type->servo_packet->note);
    print_fields(page, type->servo_packet);
}

/* ---- The subcommand ---- */

struct describe_options {
    bool is_markdown, is_json, is_body;
    struct argument_texts sets;
    char out[PATH_MAX], wireshark[PATH_MAX];
};

static const struct flag_row flags[] = {
    FLAG_SWITCH("markdown", describe_options, is_markdown,
                "Write one page per robot, ROBOT.md, into the folder of --out"),
    FLAG_TEXT("out", "DIR", describe_options, out, "docs/protocols", "an existing folder"),
    FLAG_TEXT("wireshark", "DIR", describe_options, wireshark, "",
              "Write Wireshark dissectors of all robots, in Lua"),
    FLAG_SWITCH("json", describe_options, is_json,
                "Print channels, framing, packets and fields, one JSON object per line"),
    FLAG_SWITCH("body", describe_options, is_body,
                "Print the robot's body as a body file, as a template for a custom robot"),
    FLAG_REPEATED("set", "OPTION=VALUE", describe_options, sets,
                  "For --body: set an option of the robot; repeatable"),
};

/* Writes the page of a robot as a file. Returns the exit code. */
static int write_page(const char *folder, const struct robot_type *type)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s.md", folder, type->name);
    struct fresh_file page;
    struct error error = {0};
    bool is_open = fresh_file_open(&page, path, &error);
    if (is_open)
        print_page(page.out, type);
    if (!is_open || !fresh_file_close(&page, true, &error))
        return terminal_fail(EXIT_CODE_ENVIRONMENT,
                             "%s; name a folder that you can write to with --out", error.text);
    printf("%s\n", path);
    return EXIT_CODE_OK;
}

static int write_dissectors(const char *folder)
{
    struct error error = {0};
    if (!dissector_write_all(folder, &error))
        return terminal_fail(EXIT_CODE_ENVIRONMENT, "--wireshark %s", error.text);
    printf("%s: dissectors of all robots; Wireshark looks for them in "
           "~/.local/lib/wireshark/plugins\n",
           folder);
    return EXIT_CODE_OK;
}

/* Sets one option of a type. */
static bool choose(const struct robot_type *type, const char *assignment, void *chosen,
                   struct error *error)
{
    char key[64];
    const char *equals = strchr(assignment, '=');
    snprintf(key, sizeof key, "%.*s", equals ? (int)(equals - assignment) : 0, assignment);
    const struct option_row *row = option_find(type->options, type->option_count, key);
    if (row)
        return option_set(row, equals + 1, chosen, error);
    const char *near = option_nearest(type->options, type->option_count, key);
    return error_set(error, "--set %s: a %s has no such option%s`ptybot list options %s` lists all",
                     assignment, type->name, TEXT_MEANT(near, ""), type->name);
}

/* Prints the body of a robot with the given options. Returns the exit code. */
static int print_body(const struct robot_type *type, const struct argument_texts *sets)
{
    _Alignas(16) uint8_t chosen[ROBOT_OPTIONS_MAX] = {0};
    struct error error;
    option_defaults(type->options, type->option_count, chosen);
    for (size_t i = 0; i < sets->count; i++)
        if (!choose(type, sets->texts[i], chosen, &error))
            return terminal_fail(EXIT_CODE_USAGE, "%s", error.text);
    char *text = custom_robot_print(type, chosen, &error);
    if (!text)
        return terminal_fail(EXIT_CODE_ENVIRONMENT, "%s: %s", type->name, error.text);
    fputs(text, stdout);
    free(text);
    return EXIT_CODE_OK;
}

/* The reason why the flags cannot be combined; NULL: they can. */
static const char *wrong_flags(const struct arguments *arguments,
                               const struct describe_options *options)
{
    bool is_wireshark = arguments_has(arguments, "wireshark");
    if (arguments_has(arguments, "out") && !options->is_markdown)
        return "--out goes with --markdown";
    if (options->is_markdown + options->is_json + options->is_body + is_wireshark > 1)
        return "--markdown, --json, --wireshark and --body exclude each other";
    if (options->sets.count > 0 && !options->is_body)
        return "--set goes with --body";
    if (options->is_body && arguments->word_count == 0)
        return "--body prints the body of one robot: give its type";
    if (is_wireshark && arguments->word_count > 0)
        return "--wireshark writes the dissectors of all robots: leave the type out";
    return NULL;
}

static int describe(struct arguments *arguments, void *memory)
{
    struct describe_options *options = memory;
    const struct robot_type *only = NULL;
    struct scene *own = NULL;
    struct error error = {0};
    size_t count = 1;
    if (arguments->word_count == 1 &&
        !(only = scene_file_type(arguments->words[0], &own, &error))) {
        scene_destroy(own);
        return *error.text ? terminal_fail(EXIT_CODE_USAGE, "%s", error.text)
                           : subcommand_no_robot(&describe_subcommand, arguments->words[0]);
    }
    const struct robot_type *const *all = only ? &only : registry_types(&count);
    const char *wrong = wrong_flags(arguments, options);
    if (wrong)
        return subcommand_misused(&describe_subcommand, wrong);
    if (arguments_has(arguments, "wireshark"))
        return write_dissectors(options->wireshark);
    int code = EXIT_CODE_OK;
    for (size_t i = 0; i < count && code == EXIT_CODE_OK; i++)
        if (options->is_body)
            code = print_body(all[i], &options->sets);
        else if (options->is_json)
            dissector_print_json(all[i], stdout);
        else if (options->is_markdown)
            code = write_page(options->out, all[i]);
        else
            print_page(stdout, all[i]);
    scene_destroy(own);
    return code;
}

const struct subcommand describe_subcommand = {
    .name = "describe",
    .usage = "[ROBOT|BODY] [FLAGS]",
    .summary = "describe the messages of a robot: fields, units, frames",
    .details = "Without a robot type, ptybot describes all robots. The pages are Markdown: the "
               "frame format,\nand for each message its ID, layout, units, ranges and an example "
               "frame. --markdown writes\nthem as files. The dissectors of --wireshark decode "
               "files of `--capture`, and identify each\nline by its name.\n\n  ptybot describe "
               "kobuki\n  ptybot describe --wireshark ~/.local/lib/wireshark/plugins\n  ptybot "
               "describe --json kobuki\n  ptybot describe kobuki --body > my_robot.yaml\n  ptybot "
               "describe diff_board --body --set model=hades",
    SUBCOMMAND_FLAGS(flags, describe_options),
    .words = {0, 1, "give one robot type or body file, or none for all"},
    .run = describe,
};
