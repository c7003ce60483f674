/* `ptybot decode`: a recording as frames in words, or as JSON, and what the lines were like. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/capture/capture_reader.h"
#include "app/capture/decoder.h"
#include "app/capture/line_report.h"
#include "app/capture/text_log.h"
#include "app/cli/terminal.h"
#include "app/verbs/verbs.h"
#include "base/array.h"
#include "base/text.h"
#include "protocols/describe.h"
#include "protocols/registry.h"
#include "sim/record/journal.h"

/* Chosen: the text of a camera's picture, 19 200 pixels of 20 characters as JSON, and more. */
enum { TEXT_MAX = 1 << 20, WORDS_MAX = 4096 };

struct decode_options {
    bool is_json, is_summary, is_raw;
    char robot[64], channel[64];
    int64_t direction;
};

static const char *const directions[] = {"to-host", "to-robot", NULL};

#define OPTION(member) offsetof(struct decode_options, member)
static const struct flag_row flags[] = {
    {.option = {.key = "json",
                .type = OPTION_BOOL,
                .offset = OPTION(is_json),
                .fallback = "false",
                .note = "an object a line, for programs"}},
    {.option = {.key = "summary",
                .type = OPTION_BOOL,
                .offset = OPTION(is_summary),
                .fallback = "false",
                .note = "only what there was of each packet: rates, gaps, jitter, bad frames"}},
    {.value = "TYPE",
     .option = {.key = "robot",
                .type = OPTION_TEXT,
                .offset = OPTION(robot),
                .size = sizeof((struct decode_options *)0)->robot,
                .fallback = "",
                .note = "of lines that do not say theirs; needed with --raw"}},
    {.value = "NAME",
     .otherwise = "the first of TYPE",
     .option = {.key = "channel",
                .type = OPTION_TEXT,
                .offset = OPTION(channel),
                .size = sizeof((struct decode_options *)0)->channel,
                .fallback = "",
                .note = "the channel of TYPE"}},
    {.option = {.key = "raw",
                .type = OPTION_BOOL,
                .offset = OPTION(is_raw),
                .fallback = "false",
                .note = "the file is bare bytes, or a text log: `socat -x`, or `time hex` lines"}},
    {.value = "WAY",
     .option = {.key = "direction",
                .type = OPTION_CHOICE,
                .offset = OPTION(direction),
                .choices = directions,
                .fallback = "to-host",
                .note = "of raw bytes that do not tell theirs"}},
};

/* A recording on its way to stdout. */
struct decode {
    const struct decode_options *options;
    struct decoder *decoder;
    struct line_report *report;
    struct capture_reader *reader; /* one of these two */
    struct text_log *log;
    struct capture_interface raw; /* of a log */
    bool has_color;
    char text[TEXT_MAX];
};

static const struct capture_interface *interface_of(const struct decode *decode, size_t index)
{
    return decode->reader ? capture_reader_interface(decode->reader, index) : &decode->raw;
}

/* ---- In words ---- */

/* Recordings are long: these two do what printf and fputs do, without their cost. */
static void print(const char *text, size_t size)
{
    fwrite(text, 1, size, stdout);
}

/* NUMBER, not below 0, with a point in front of the last PLACES digits, in WIDTH at least. */
static void print_decimal(int64_t number, int places, int width)
{
    char text[32];
    int at = (int)sizeof text;
    for (int i = 0; i <= places || number > 0; i++, number /= 10) {
        if (i == places && places > 0)
            text[--at] = '.';
        text[--at] = (char)('0' + number % 10);
    }
    while ((int)sizeof text - at < width)
        text[--at] = ' ';
    print(text + at, sizeof text - (size_t)at);
}

static void print_time(int64_t time_ns)
{
    if (time_ns >= 0)
        print_decimal(time_ns / 1000, 6, 14);
    else
        printf("%14.6f", (double)time_ns * 1e-9);
    print(" ", 1);
}

/* Bytes in hexadecimal, the first of many. */
static void describe_bytes(struct decode *decode, const uint8_t *bytes, size_t size)
{
    enum { SHOWN = 64 }; // chosen: a line or two
    size_t used = 0, shown = size < SHOWN ? size : SHOWN;
    for (size_t i = 0; i < shown; i++)
        used += (size_t)snprintf(decode->text + used, 8, "%02x ", bytes[i]);
    if (shown < size)
        snprintf(decode->text + used, 64, "... (%zu bytes)", size);
    else if (used > 0)
        decode->text[used - 1] = '\0';
}

static bool is_good(const struct decoded *decoded)
{
    return decoded->piece.kind == WIRE_PIECE_FRAME;
}

static void print_frame(struct decode *decode, const struct decoded *decoded)
{
    const struct wire_piece *piece = &decoded->piece;
    bool is_known = decoded->type && is_good(decoded);
    const char *name = interface_of(decode, decoded->interface)->name;
    size_t size = 0;
    if (is_known)
        size = describe_frame(decoded->type, decoded->channel, decoded->direction, piece->promised,
                              piece->bytes, piece->size, decode->text, WORDS_MAX);
    else
        describe_bytes(decode, piece->bytes, piece->size);
    const char *color = !is_good(decoded)                    ? "\033[31m"
                        : decoded->direction == WIRE_TO_HOST ? ""
                                                             : "\033[36m";
    print_time(piece->time_ns);
    print(name, strlen(name));
    print(decoded->direction == WIRE_TO_HOST ? " <- " : " -> ", 4);
    if (decode->has_color)
        fputs(color, stdout);
    if (!is_good(decoded))
        printf("%s: ", wire_piece_name(piece->kind));
    print(decode->text, is_known ? size : strlen(decode->text));
    fputs(decode->has_color && *color ? "\033[0m\n" : "\n", stdout);
}

static const struct {
    enum modem_line line;
    const char *name;
} lines[] = {{MODEM_DTR, "DTR"}, {MODEM_RTS, "RTS"}, {MODEM_CTS, "CTS"},
             {MODEM_DSR, "DSR"}, {MODEM_DCD, "DCD"}, {MODEM_RI, "RI"}};

static void print_event(struct decode *decode, const struct capture_block *block)
{
    const char *color = block->kind == CAPTURE_STATUS ? "\033[33m" : "\033[31m";
    print_time(block->time_ns);
    printf("%s -- %s%s", interface_of(decode, block->interface)->name,
           decode->has_color ? color : "", capture_kind_name(block->kind));
    if (*block->comment)
        printf(" (%s)", block->comment);
    printf(": lines");
    for (size_t i = 0; i < COUNT(lines); i++)
        if (block->lines & lines[i].line)
            printf(" %s", lines[i].name);
    fputs(block->lines ? "" : " all off", stdout);
    fputs(decode->has_color ? "\033[0m\n" : "\n", stdout);
}

/* ---- As JSON ---- */

/* Foreign text: what JSON does not take as it is becomes `?`. */
static void print_json_text(const char *key, const char *text)
{
    char plain[CAPTURE_COMMENT_MAX + CAPTURE_NAME_MAX];
    size_t size = 0;
    for (; *text && size < sizeof plain; text++) {
        bool is_bad = (unsigned char)*text < ' ' || *text == '"' || *text == '\\' || *text & 0x80;
        plain[size++] = (char)(is_bad ? '?' : *text);
    }
    print(",\"", 2);
    print(key, strlen(key));
    print("\":\"", 3);
    print(plain, size);
    print("\"", 1);
}

static void print_json_head(struct decode *decode, int64_t time_ns, size_t interface)
{
    print("{\"t\":", 5);
    if (time_ns >= 0)
        print_decimal(time_ns, 9, 0);
    else
        printf("%.9f", (double)time_ns * 1e-9);
    print_json_text("line", interface_of(decode, interface)->name);
}

static void print_json_frame(struct decode *decode, const struct decoded *decoded)
{
    const struct wire_piece *piece = &decoded->piece;
    size_t used = 0;
    if (decoded->type && is_good(decoded))
        used =
            describe_frame_json(decoded->type, decoded->channel, decoded->direction,
                                piece->promised, piece->bytes, piece->size, decode->text, TEXT_MAX);
    print_json_head(decode, piece->time_ns, decoded->interface);
    fputs(decoded->direction == WIRE_TO_HOST ? ",\"to\":\"host\",\"size\":"
                                             : ",\"to\":\"robot\",\"size\":",
          stdout);
    print_decimal((int64_t)piece->size, 0, 0);
    if (!is_good(decoded))
        print_json_text("bad", wire_piece_name(piece->kind));
    if (used > 0 && used < TEXT_MAX - 1) {
        print(",\"parts\":", 9);
        print(decode->text, used);
        print("}\n", 2);
        return;
    }
    fputs(",\"bytes\":\"", stdout);
    for (size_t i = 0; i < piece->size; i++)
        printf("%02x", piece->bytes[i]);
    puts("\"}");
}

static void print_json_event(struct decode *decode, const struct capture_block *block)
{
    print_json_head(decode, block->time_ns, block->interface);
    print_json_text("event", capture_kind_name(block->kind));
    fputs(",\"lines\":[", stdout);
    const char *comma = "";
    for (size_t i = 0; i < COUNT(lines); i++) {
        if (!(block->lines & lines[i].line))
            continue;
        printf("%s\"%s\"", comma, lines[i].name);
        comma = ",";
    }
    putchar(']');
    if (block->baud)
        printf(",\"baud\":%u", (unsigned)block->baud);
    if (*block->comment)
        print_json_text("comment", block->comment);
    puts("}");
}

/* ---- All blocks ---- */

static void show(struct decode *decode, const struct decoded *decoded)
{
    line_report_frame(decode->report, decoded);
    if (decode->options->is_summary)
        return;
    if (decode->options->is_json)
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

static bool next_block(struct decode *decode, struct capture_block *block)
{
    return decode->reader ? capture_reader_next(decode->reader, block)
                          : text_log_next(decode->log, block);
}

static bool decode_all(struct decode *decode)
{
    struct capture_block block;
    struct decoded decoded;
    while (next_block(decode, &block)) {
        if (!capture_is_data(&block))
            show_event(decode, &block);
        if (!decoder_push(decode->decoder, &block, interface_of(decode, block.interface)))
            return false;
        while (decoder_next(decode->decoder, &decoded))
            show(decode, &decoded);
        // Who watches a run wants each line at once.
        if (decode->has_color)
            fflush(stdout);
    }
    while (decoder_rest(decode->decoder, &decoded))
        show(decode, &decoded);
    return true;
}

/* What is to be said of the file besides its frames. Returns the exit code. */
static int finish(struct decode *decode, const char *path)
{
    if (!decode->options->is_json || decode->options->is_summary)
        line_report_print(decode->report, decode->reader, &decode->raw, decode->options->is_json);
    terminal_flush();
    uint64_t skipped =
        decode->reader ? capture_reader_skipped(decode->reader) : text_log_skipped(decode->log);
    if (skipped > 0)
        terminal_say("%s: %" PRIu64 " %s", path, skipped,
                     decode->reader ? "packets are of no serial line, or not whole"
                                    : "lines are no bytes");
    const char *trouble = decode->reader ? capture_reader_trouble(decode->reader) : "";
    return *trouble
               ? terminal_fail(EXIT_CODE_FAILED, "%s: %s; all before it was decoded", path, trouble)
               : EXIT_CODE_OK;
}

/* ---- Journals: the run again, and what its wires carried ---- */

static bool is_journal(const char *path)
{
    char found[sizeof JOURNAL_MAGIC - 1];
    FILE *file = strcmp(path, "-") == 0 ? NULL : fopen(path, "rbe");
    bool is_one = file && fread(found, 1, sizeof found, file) == sizeof found &&
                  memcmp(found, JOURNAL_MAGIC, sizeof found) == 0;
    if (file)
        fclose(file);
    return is_one;
}

/* Replays in a process of its own into a file without a name. Returns its descriptor, or -1. */
static int replay_journal(const char *path, struct error *error)
{
    char name[] = "/tmp/ptybot-decode-XXXXXX", capture[64];
    const char *folder = getenv("TMPDIR");
    char place[PATH_MAX];
    int status = -1;
    snprintf(place, sizeof place, "%s%s", folder && *folder ? folder : "/tmp", name + 4);
    int fd = mkostemp(place, O_CLOEXEC);
    if (fd < 0) {
        error_environment(error, "%s: %s", place, strerror(errno));
        return -1;
    }
    unlink(place);
    snprintf(capture, sizeof capture, "/proc/self/fd/%d", fd);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        char *arguments[] = {(char *)(uintptr_t)path, "--capture", capture, NULL};
        int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(nowhere, STDOUT_FILENO);
        int code = replay_verb.run(3, arguments);
        fflush(stdout);
        _exit(code);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) <= EXIT_CODE_FAILED)
        return fd;
    close(fd);
    error_set(error, "%s: cannot be replayed, so its bytes are not known", path);
    return -1;
}

/* ---- Opening and closing ---- */

static bool open_recording(struct decode *decode, const char *path, struct error *error)
{
    char place[PATH_MAX];
    if (decode->options->is_raw) {
        bool is_to_host = decode->options->direction == 0;
        decode->log = text_log_open(path, is_to_host ? CAPTURE_TO_HOST : CAPTURE_TO_ROBOT, error);
        snprintf(decode->raw.name, sizeof decode->raw.name, "raw");
        return decode->log;
    }
    if (!is_journal(path)) {
        decode->reader = capture_reader_open(path, error);
        return decode->reader;
    }
    int fd = replay_journal(path, error);
    if (fd < 0)
        return false;
    snprintf(place, sizeof place, "/proc/self/fd/%d", fd);
    decode->reader = capture_reader_open(place, error);
    close(fd);
    return decode->reader;
}

/* Sets TYPE and CHANNEL to what the flags name; NULL where they name nothing. */
static bool find_robot(const struct decode_options *options, const struct robot_type **type,
                       unsigned *channel, struct error *error)
{
    const char *names[ROBOT_CHANNELS_MAX + 1] = {0};
    char advice[TEXT_ADVICE_SIZE];
    size_t count;
    *type = NULL;
    *channel = 0;
    if (!*options->robot)
        return !(options->is_raw || *options->channel) ||
               error_set(error, "--robot is missing: raw bytes do not say what they are of");
    *type = registry_find(options->robot);
    if (!*type) {
        const struct robot_type *const *types = registry_types(&count);
        const char *type_names[TEXT_WORDS_MAX] = {0};
        for (size_t i = 0; i < count; i++)
            type_names[i] = types[i]->name;
        return error_set(error, "--robot %s: there is no such type; %s", options->robot,
                         text_advice(type_names, options->robot, advice));
    }
    for (unsigned i = 0; i < (*type)->channel_count; i++) {
        names[i] = (*type)->channels[i].name;
        if (strcmp(names[i], options->channel) == 0)
            *channel = i;
    }
    const char *name = names[*channel];
    return !*options->channel || (name && strcmp(name, options->channel) == 0) ||
           error_set(error, "--channel %s: a %s has no such channel; %s", options->channel,
                     options->robot, text_advice(names, options->channel, advice));
}

static int decode_file(const char *path, const struct decode_options *options)
{
    static struct decode decode; // too large for a stack to like
    struct error error = {0};
    const struct robot_type *type;
    unsigned channel;
    decode = (struct decode){.options = options, .has_color = terminal_has_color(stdout)};
    if (!find_robot(options, &type, &channel, &error))
        return terminal_fail(EXIT_CODE_USAGE, "%s", error.text);
    if (!open_recording(&decode, path, &error))
        return terminal_fail(error.is_environment ? EXIT_CODE_ENVIRONMENT : EXIT_CODE_USAGE, "%s",
                             error.text);
    decode.decoder = decoder_create(type, channel);
    decode.report = line_report_create();
    int code = decode.decoder && decode.report && decode_all(&decode)
                   ? finish(&decode, path)
                   : terminal_fail(EXIT_CODE_ENVIRONMENT, "not enough memory");
    line_report_destroy(decode.report);
    decoder_destroy(decode.decoder);
    capture_reader_close(decode.reader);
    text_log_close(decode.log);
    return code;
}

static int run(int argc, char **argv)
{
    static struct decode_options options;
    struct arguments arguments;
    if (!verb_parse(&decode_verb, &arguments, argc, argv, &options))
        return EXIT_CODE_USAGE;
    if (arguments.word_count != 1)
        return verb_misused(&decode_verb, "give one recording, or - for stdin");
    return decode_file(arguments.words[0], &options);
}

const struct verb decode_verb = {
    .name = "decode",
    .usage = "F|- [FLAGS]",
    .summary = "show a recording of serial lines, frame by frame, in words",
    .details =
        "F is what `--capture` wrote, a recording of others (pcapng or pcap with RTAC serial "
        "headers,\n"
        "usbmon of an FTDI or CP210x adapter), a journal, or with --raw the bytes of any logger.\n"
        "-> is to the robot, <- to the host, -- an event. At the end stands what there was of "
        "each\n"
        "packet: how many, how often, the longest gap, the jitter; and bad frames by cause.\n"
        "Exit codes: 0 ok; 1 the recording is cut off or damaged, and where; 2 bad usage or no\n"
        "recording; 3 environment.\n\n"
        "  ptybot run kobuki --capture run.pcapng --for 60\n"
        "  ptybot decode run.pcapng\n"
        "  tail -c +1 -f run.pcapng | ptybot decode -\n"
        "  socat -x PTY,link=/tmp/robot /dev/ttyUSB0,raw,b115200 2>log\n"
        "  ptybot decode --raw --robot kobuki log",
    .flags = flags,
    .flag_count = COUNT(flags),
    .run = run,
};
