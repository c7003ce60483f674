/* `ptybot decode`: prints a recording as frames in words or JSON, and statistics of its lines. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/terminal.h"
#include "app/files/scene_file.h"
#include "app/lab/recording/capture_reader.h"
#include "app/lab/recording/decoder.h"
#include "app/lab/recording/line_report.h"
#include "app/subcommands/any_recording.h"
#include "app/subcommands/subcommands.h"
#include "base/array.h"
#include "base/text.h"
#include "protocols/describe.h"
#include "protocols/registry.h"

enum {
    /* Chosen: more than the JSON text of a camera's picture: 19 200 pixels of 20 characters. */
    TEXT_MAX = 1 << 20,
    WORDS_MAX = 4096,
    HELD_MAX = 1 << 16, /* chosen: characters per write */
    OTHERS_MAX = 4096,  /* the rest of a line, besides its frame: names and a comment, each below
                           300 */
};

struct decode_options {
    bool is_json, is_summary, is_raw;
    char robot[64], channel[64];
    int64_t direction;
};

static const char *const directions[] = {"to-host", "to-robot", NULL};

static const struct flag_row flags[] = {
    FLAG_SWITCH("json", decode_options, is_json, "Print one JSON object per line, for programs"),
    FLAG_SWITCH("summary", decode_options, is_summary,
                "Print only the statistics of each packet: rates, gaps, jitter, bad frames"),
    FLAG_TEXT("robot", "TYPE", decode_options, robot, "",
              "Channel of lines that do not name theirs; needed with --raw"),
    FLAG_TEXT("channel", "NAME", decode_options, channel, "", "Channel of TYPE",
              .otherwise = "the first of TYPE"),
    FLAG_SWITCH("raw", decode_options, is_raw,
                "Read bare bytes, or a text log: `socat -x`, or `time hex` lines"),
    FLAG_CHOICE("direction", "WAY", decode_options, direction, directions, "to-host",
                "Direction of the raw bytes, if the file does not contain it"),
};

/* State of printing a recording. */
struct decode {
    const struct decode_options *options;
    struct decoder *decoder;
    struct line_report *report;
    struct capture_reader *source;
    bool has_color, is_watched;
    struct writer out; /* text that has not been written; at most HELD_MAX between two lines */
    char text[HELD_MAX + TEXT_MAX + OTHERS_MAX];
};

static const struct capture_interface *interface_of(const struct decode *decode, size_t index)
{
    return capture_reader_interface(decode->source, index);
}

/* ---- Output: recordings are long, so stdio gets many lines at once ---- */

static void write_out(struct decode *decode)
{
    fwrite(decode->text, 1, decode->out.used, stdout);
    decode->out.used = 0;
}

/* Ends a line. */
static void end_line(struct decode *decode)
{
    writer_char(&decode->out, '\n');
    if (decode->out.used > HELD_MAX)
        write_out(decode);
}

/* Adds seconds with all decimal PLACES. */
static void add_seconds(struct writer *out, int64_t time_ns, unsigned places, unsigned width)
{
    char text[40];
    if (time_ns >= 0) {
        writer_fixed(out, (uint64_t)time_ns / (places == 9 ? 1 : 1000), places, width);
        return;
    }
    snprintf(text, sizeof text, "%*.*f", (int)width, (int)places, (double)time_ns * 1e-9);
    writer_text(out, text);
}

/* ---- A frame, whose parts are counted while they are printed ---- */

struct view {
    struct decode *decode;
    const struct decoded *decoded;
    struct writer text; /* appends to the text that has not been written */
};

static void view_part(void *user, const struct wire_packet *packet, uint8_t id, const uint8_t *body,
                      size_t size)
{
    struct view *view = user;
    const struct decode_options *options = view->decode->options;
    line_report_part(view->decode->report, view->decoded, packet, id);
    if (options->is_summary)
        return;
    if (options->is_json)
        describe_part_json(&view->text, packet, id, body, size);
    else
        describe_part(&view->text, packet, id, body, size);
}

/* Appends the parts of a frame to the text that has not been written, truncated at MOST characters.
 * Returns the number of characters; SIZE_MAX: the parts are unknown. */
static size_t view_parts(struct decode *decode, const struct decoded *decoded, size_t most)
{
    struct view view = {.decode = decode,
                        .decoded = decoded,
                        .text = writer_begin(decode->text + decode->out.used, most)};
    bool is_known = decoder_walk(decode->decoder, decoded, view_part, &view);
    return is_known ? view.text.used : SIZE_MAX;
}

/* ---- In words ---- */

/* Adds the first bytes in hexadecimal. IS_FRAME: the bytes are a complete frame, so more of them
 * are printed. */
static void add_first_bytes(struct writer *out, const uint8_t *bytes, size_t size, bool is_frame)
{
    size_t shown = is_frame ? WORDS_MAX / 3 : 64; // chosen: a line or two
    describe_bytes(out, bytes, size < shown ? size : shown);
    if (size <= shown)
        return;
    writer_text(out, " ... (");
    writer_decimal(out, (int64_t)size, 0);
    writer_text(out, " bytes)");
}

static void print_frame(struct decode *decode, const struct decoded *decoded)
{
    const struct wire_piece *piece = &decoded->piece;
    struct writer *out = &decode->out;
    bool is_good = piece->kind == WIRE_PIECE_FRAME, is_to_host = decoded->direction == WIRE_TO_HOST;
    const char *color = !decode->has_color ? ""
                        : !is_good         ? "\033[31m"
                        : is_to_host       ? ""
                                           : "\033[36m";
    add_seconds(out, piece->time_ns, 6, 14);
    writer_char(out, ' ');
    writer_text(out, interface_of(decode, decoded->interface)->name);
    writer_chars(out, is_to_host ? " <- " : " -> ", 4);
    writer_text(out, color);
    size_t size = view_parts(decode, decoded, WORDS_MAX);
    if (!is_good) {
        writer_text(out, wire_piece_name(piece->kind));
        writer_chars(out, ": ", 2);
    }
    if (size == SIZE_MAX)
        add_first_bytes(out, piece->bytes, piece->size, is_good && decoded->type);
    else
        out->used += size;
    writer_text(out, *color ? "\033[0m" : "");
    end_line(decode);
}

static const struct {
    enum modem_line line;
    const char *name;
} lines[] = {{MODEM_DTR, "DTR"}, {MODEM_RTS, "RTS"}, {MODEM_CTS, "CTS"},
             {MODEM_DSR, "DSR"}, {MODEM_DCD, "DCD"}, {MODEM_RI, "RI"}};

static void print_event(struct decode *decode, const struct capture_block *block)
{
    struct writer *out = &decode->out;
    const char *color = !decode->has_color              ? ""
                        : block->kind == CAPTURE_STATUS ? "\033[33m"
                                                        : "\033[31m";
    add_seconds(out, block->time_ns, 6, 14);
    writer_char(out, ' ');
    writer_text(out, interface_of(decode, block->interface)->name);
    writer_text(out, " -- ");
    writer_text(out, color);
    writer_text(out, capture_kind_name(block->kind));
    writer_text(out, *block->comment ? " (" : "");
    writer_text(out, block->comment);
    writer_text(out, *block->comment ? "): lines" : ": lines");
    for (size_t i = 0; i < COUNT(lines); i++) {
        if (!(block->lines & lines[i].line))
            continue;
        writer_char(out, ' ');
        writer_text(out, lines[i].name);
    }
    writer_text(out, block->lines ? "" : " all off");
    writer_text(out, *color ? "\033[0m" : "");
    end_line(decode);
}

/* ---- As JSON ---- */

/* Adds `,"KEY":"TEXT"`. TEXT comes from a file: characters that JSON would have to escape become
 * `?`. */
static void add_json_text(struct writer *out, const char *key, const char *text)
{
    writer_chars(out, ",\"", 2);
    writer_text(out, key);
    writer_chars(out, "\":\"", 3);
    for (; *text; text++) {
        bool is_bad = (unsigned char)*text < ' ' || *text == '"' || *text == '\\' || *text & 0x80;
        writer_char(out, (char)(is_bad ? '?' : *text));
    }
    writer_char(out, '"');
}

static void add_json_head(struct decode *decode, int64_t time_ns, size_t interface)
{
    writer_chars(&decode->out, "{\"t\":", 5);
    add_seconds(&decode->out, time_ns, 9, 0);
    add_json_text(&decode->out, "line", interface_of(decode, interface)->name);
}

/* If the format of a line is unknown, its bytes may be longer than HELD_MAX, so they are written in
 * parts. */
static void add_json_bytes(struct decode *decode, const uint8_t *bytes, size_t size)
{
    writer_text(&decode->out, ",\"bytes\":\"");
    for (size_t i = 0; i < size; i++) {
        writer_hex(&decode->out, bytes[i]);
        if (decode->out.used > HELD_MAX)
            write_out(decode);
    }
    writer_char(&decode->out, '"');
}

static void print_json_frame(struct decode *decode, const struct decoded *decoded)
{
    static const char parts[] = ",\"parts\":[";
    const struct wire_piece *piece = &decoded->piece;
    struct writer *out = &decode->out;
    add_json_head(decode, piece->time_ns, decoded->interface);
    writer_text(out, decoded->direction == WIRE_TO_HOST ? ",\"to\":\"host\",\"size\":"
                                                        : ",\"to\":\"robot\",\"size\":");
    writer_decimal(out, (int64_t)piece->size, 0);
    if (piece->kind != WIRE_PIECE_FRAME)
        add_json_text(out, "bad", wire_piece_name(piece->kind));
    size_t before = out->used;
    writer_chars(out, parts, sizeof parts - 1);
    size_t size = view_parts(decode, decoded, TEXT_MAX);
    if (size < TEXT_MAX - 1) {
        out->used += size;
        writer_char(out, ']');
    } else {
        out->used = before;
        add_json_bytes(decode, piece->bytes, piece->size);
    }
    writer_char(out, '}');
    end_line(decode);
}

static void print_json_event(struct decode *decode, const struct capture_block *block)
{
    struct writer *out = &decode->out;
    add_json_head(decode, block->time_ns, block->interface);
    add_json_text(out, "event", capture_kind_name(block->kind));
    writer_text(out, ",\"lines\":[");
    const char *before = "\"";
    for (size_t i = 0; i < COUNT(lines); i++) {
        if (!(block->lines & lines[i].line))
            continue;
        writer_text(out, before);
        writer_text(out, lines[i].name);
        writer_char(out, '"');
        before = ",\"";
    }
    writer_char(out, ']');
    if (block->baud) {
        writer_text(out, ",\"baud\":");
        writer_decimal(out, block->baud, 0);
    }
    if (*block->comment)
        add_json_text(out, "comment", block->comment);
    writer_char(out, '}');
    end_line(decode);
}

/* ---- All blocks ---- */

static void show(struct decode *decode, const struct decoded *decoded)
{
    line_report_frame(decode->report, decoded);
    if (decode->options->is_summary)
        view_parts(decode, decoded, 1);
    else if (decode->options->is_json)
        print_json_frame(decode, decoded);
    else
        print_frame(decode, decoded);
}

static void show_event(struct decode *decode, const struct capture_block *block)
{
    line_report_event(decode->report, block);
    if (decode->options->is_summary)
        return;
    if (decode->options->is_json)
        print_json_event(decode, block);
    else
        print_event(decode, block);
}

static bool decode_all(struct decode *decode)
{
    struct capture_block block;
    struct decoded decoded;
    while (!ferror(stdout) && capture_reader_next(decode->source, &block)) {
        if (!capture_is_data(&block))
            show_event(decode, &block);
        if (!decoder_push(decode->decoder, &block, interface_of(decode, block.interface)))
            return false;
        while (decoder_next(decode->decoder, &decoded))
            show(decode, &decoded);
        // A user who watches a run needs each line immediately.
        if (decode->is_watched) {
            write_out(decode);
            fflush(stdout);
        }
    }
    while (decoder_rest(decode->decoder, &decoded))
        show(decode, &decoded);
    write_out(decode);
    return true;
}

/* Prints the statistics and the problems of the recording. Returns the exit code. */
static int finish(struct decode *decode, const char *path)
{
    if (!decode->options->is_json || decode->options->is_summary)
        line_report_print(decode->report, decode->source, decode->options->is_json);
    terminal_flush();
    uint64_t skipped = capture_reader_skipped(decode->source);
    if (skipped > 0)
        terminal_say("%s: %" PRIu64 " %s", path, skipped,
                     decode->options->is_raw
                         ? "lines do not contain bytes"
                         : "packets belong to no serial line, or are incomplete");
    const char *trouble = capture_reader_trouble(decode->source);
    return *trouble
               ? terminal_fail(EXIT_CODE_FAILED, "%s: %s; everything before this place was decoded",
                               path, trouble)
               : EXIT_CODE_OK;
}

/* ---- Opening and closing ---- */

static bool open_recording(struct decode *decode, const char *path, struct error *error)
{
    const struct block_format format = {decode->options->is_raw, decode->options->direction == 0
                                                                     ? CAPTURE_TO_HOST
                                                                     : CAPTURE_TO_ROBOT};
    char place[PATH_MAX];
    int fd;
    path = any_recording(path, place, &fd, error);
    decode->source = path ? capture_reader_open_format(path, &format, error) : NULL;
    if (fd >= 0)
        close(fd);
    return decode->source;
}

/* Sets TYPE and CHANNEL from the flags. TYPE is NULL without --robot. */
static bool find_robot(const struct decode_options *options, const struct robot_type **type,
                       unsigned *channel, struct scene **own, struct error *error)
{
    const char *names[ROBOT_CHANNELS_MAX + 1] = {0};
    *type = NULL;
    *channel = 0;
    if (!*options->robot)
        return !(options->is_raw || *options->channel) ||
               error_set(error, "--robot is missing: raw bytes do not name their robot");
    *type = scene_file_type(options->robot, own, error);
    if (!*type && *error->text)
        return error_prefix(error, "--robot ");
    if (!*type) {
        const char *type_names[TEXT_WORDS_MAX];
        registry_names(type_names);
        return error_set(error, "--robot %s: there is no such type; %s", options->robot,
                         TEXT_ADVICE(type_names, options->robot));
    }
    for (unsigned i = 0; i < (*type)->channel_count; i++) {
        names[i] = (*type)->channels[i].name;
        if (strcmp(names[i], options->channel) == 0)
            *channel = i;
    }
    const char *name = names[*channel];
    return !*options->channel || (name && strcmp(name, options->channel) == 0) ||
           error_set(error, "--channel %s: a %s has no such channel; %s", options->channel,
                     options->robot, TEXT_ADVICE(names, options->channel));
}

static int run(struct arguments *arguments, void *memory)
{
    static struct decode decode; // too large for a stack to like
    const struct decode_options *options = memory;
    const char *path = arguments->words[0];
    struct error error = {0};
    const struct robot_type *type;
    struct scene *own = NULL;
    unsigned channel;
    decode.options = options;
    decode.has_color = terminal_has_color(stdout);
    decode.is_watched = isatty(STDOUT_FILENO);
    decode.out = writer_begin(decode.text, sizeof decode.text);
    if (!find_robot(options, &type, &channel, &own, &error) ||
        !open_recording(&decode, path, &error)) {
        scene_destroy(own);
        return terminal_fail(error.is_environment ? EXIT_CODE_ENVIRONMENT : EXIT_CODE_USAGE, "%s",
                             error.text);
    }
    decode.decoder = decoder_create(type, channel);
    decode.report = line_report_create();
    int code = decode.decoder && decode.report && decode_all(&decode)
                   ? finish(&decode, path)
                   : terminal_fail(EXIT_CODE_ENVIRONMENT, "not enough memory");
    line_report_destroy(decode.report);
    decoder_destroy(decode.decoder);
    capture_reader_close(decode.source);
    scene_destroy(own);
    return code;
}

const struct subcommand decode_subcommand = {
    .name = "decode",
    .usage = "F|- [FLAGS]",
    .summary = "print a recording as text, frame by frame",
    .details = "F is a capture of ptybot (`--capture`), a recording of another program (pcapng or "
               "pcap with RTAC serial headers,\nusbmon of an FTDI or CP210x adapter), a journal, "
               "or with --raw the bytes of any logger.\n-> is to the robot, <- to the driver, -- "
               "an event. The end lists each kind of packet: count,\nrate, longest gap and jitter; "
               "and bad frames by cause.\nExit codes: 0 ok; 1 the recording is cut off or damaged, "
               "with the place; 2 invalid\narguments or not a recording; 3 environment.\n\n  "
               "ptybot run kobuki --capture run.pcapng --for 60\n  ptybot decode run.pcapng\n  "
               "tail -c +1 -f run.pcapng | ptybot decode -\n  socat -x PTY,link=/tmp/robot "
               "/dev/ttyUSB0,raw,b115200 2>log\n  ptybot decode --raw --robot kobuki log",
    SUBCOMMAND_FLAGS(flags, decode_options),
    .words = {1, 1, "give one recording, or - for stdin"},
    .run = run,
};
