/* Reads recordings block by block: the buffer, the two file formats, and the contents of their
 * packets. */
#include "app/lab/recording/capture_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/lab/recording/text_log.h"
#include "app/lab/recording/usb_serial.h"
#include "app/record/pcapng.h"
#include "base/text.h"

enum {
    /* Chosen: four times the largest packet of a usual recording (262 144 bytes). Larger blocks are
     * skipped. */
    BUFFER_MAX = CAPTURE_RUN_MAX,
    PCAP_HEADER = 24,
    PCAP_RECORD = 16,
    BLOCK_FRAME = 12, /* type, size, and again size at the end */
};

/* An interface as numbered in the file. */
struct file_interface {
    unsigned linktype;
    uint64_t per_second; /* resolution of its timestamps */
    int64_t offset_s;
    size_t index; /* in `interfaces`; SIZE_MAX: none. With USB each adapter has its own */
};

/* The input buffer of the file. */
struct input {
    int fd;
    int reason;      /* errno of a failed read, 0: no failure */
    uint8_t *buffer; /* BUFFER_MAX bytes */
    size_t at, size;
    uint64_t place; /* position of byte AT in the file */
};

struct capture_reader {
    struct input input;
    bool is_pcapng, is_big_endian;
    struct file_interface file[CAPTURE_INTERFACES_MAX];
    size_t file_count;
    struct capture_interface interfaces[CAPTURE_INTERFACES_MAX];
    size_t count;
    struct usb_serial *usb; /* NULL: not needed so far */
    struct text_log *log;   /* the reader of raw bytes, or NULL */
    uint64_t skipped;
    char comment[CAPTURE_COMMENT_MAX];
    char trouble[160];
};

/* ---- Input ---- */

/* Returns the next SIZE bytes (at most BUFFER_MAX) without consuming them. NULL: there are
 * fewer. */
static const uint8_t *input_see(struct input *input, size_t size)
{
    while (input->size - input->at < size) {
        if (input->at > 0)
            memmove(input->buffer, input->buffer + input->at, input->size - input->at);
        input->size -= input->at;
        input->at = 0;
        ssize_t got = read(input->fd, input->buffer + input->size, BUFFER_MAX - input->size);
        if (got > 0)
            input->size += (size_t)got;
        else if (got == 0 || errno != EINTR) {
            input->reason = got < 0 ? errno : 0;
            break;
        }
    }
    return input->size - input->at < size ? NULL : input->buffer + input->at;
}

static void input_take(struct input *input, size_t size)
{
    input->at += size;
    input->place += size;
}

/* Consumes SIZE bytes, which may be any number. False: there are fewer. */
static bool input_pass(struct input *input, uint64_t size)
{
    while (size > 0) {
        size_t part = size < BUFFER_MAX ? (size_t)size : BUFFER_MAX;
        if (!input_see(input, part))
            return false;
        input_take(input, part);
        size -= part;
    }
    return true;
}

static uint64_t number(const struct capture_reader *reader, const uint8_t *bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value = value << 8 | bytes[reader->is_big_endian ? i : size - 1 - i];
    return value;
}

/* Most numbers are of this type, so this function has no loop. */
static uint32_t u32(const struct capture_reader *reader, const uint8_t *bytes)
{
    if (reader->is_big_endian)
        return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
               bytes[3];
    return (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];
}

/* Ends the reading with a REASON. Returns false. */
static bool stop(struct capture_reader *reader, const char *reason)
{
    snprintf(reader->trouble, sizeof reader->trouble, "%s at byte %" PRIu64, reason,
             reader->input.place);
    return false;
}

/* Ends the reading at the end of the file, which may be in the middle of a block. */
static bool stop_at_end(struct capture_reader *reader)
{
    if (reader->input.reason)
        return stop(reader, strerror(reader->input.reason));
    return reader->input.at == reader->input.size
               ? false
               : stop(reader, "cut off in the middle of a block");
}

/* ---- Interfaces ---- */

/* The index of the interface NAME, which is added if necessary. SIZE_MAX: there are too many
 * interfaces. */
static size_t find_interface(struct capture_reader *reader, const char *name)
{
    for (size_t i = 0; i < reader->count; i++)
        if (strcmp(reader->interfaces[i].name, name) == 0)
            return i;
    if (reader->count == CAPTURE_INTERFACES_MAX)
        return SIZE_MAX;
    struct capture_interface *made = &reader->interfaces[reader->count];
    *made = (struct capture_interface){0};
    snprintf(made->name, sizeof made->name, "%s", name);
    return reader->count++;
}

/* Copies text from a file: truncated, on one line, without control characters and characters that
 * JSON would have to escape. */
static void copy_text(char *out, size_t cap, const uint8_t *bytes, size_t size)
{
    size_t used = size < cap - 1 ? size : cap - 1;
    memcpy(out, bytes, used);
    out[used] = '\0';
    text_flatten(out);
    for (size_t i = 0; i < used; i++)
        if (out[i] == '"' || out[i] == '\\' || (out[i] & 0x80) != 0)
            out[i] = '?';
}

/* The option CODE in SIZE bytes of options, or NULL; LENGTH: its size. */
static const uint8_t *find_option(const struct capture_reader *reader, const uint8_t *bytes,
                                  size_t size, unsigned code, size_t *length)
{
    while (size >= 4) {
        unsigned found = (unsigned)number(reader, bytes, 2);
        size_t used = (size_t)number(reader, bytes + 2, 2);
        size_t padded = (used + 3) & ~(size_t)3;
        if (found == PCAPNG_OPTION_END || padded > size - 4)
            return NULL;
        if (found == code) {
            *length = used;
            return bytes + 4;
        }
        bytes += 4 + padded;
        size -= 4 + padded;
    }
    return NULL;
}

static uint64_t resolution(uint8_t code)
{
    unsigned power = code & 0x7F;
    uint64_t per_second = 1;
    if (code & 0x80)
        return power < 60 ? UINT64_C(1) << power : UINT64_C(1) << 60;
    while (power-- > 0 && per_second <= UINT64_C(100000000000000000))
        per_second *= 10;
    return per_second;
}

static void read_interface(struct capture_reader *reader, const uint8_t *body, size_t size)
{
    char name[CAPTURE_NAME_MAX] = "";
    size_t length;
    const uint8_t *option;
    if (size < 8 || reader->file_count == CAPTURE_INTERFACES_MAX) {
        reader->skipped++;
        return;
    }
    struct file_interface *made = &reader->file[reader->file_count++];
    *made = (struct file_interface){
        .linktype = (unsigned)number(reader, body, 2), .per_second = 1000000, .index = SIZE_MAX};
    const uint8_t *options = body + 8;
    size -= 8;
    option = find_option(reader, options, size, PCAPNG_INTERFACE_RESOLUTION, &length);
    if (option && length == 1)
        made->per_second = resolution(*option);
    option = find_option(reader, options, size, PCAPNG_INTERFACE_OFFSET, &length);
    if (option && length == 8)
        made->offset_s = (int64_t)number(reader, option, 8);
    if (made->linktype != CAPTURE_RTAC_LINKTYPE)
        return;
    option = find_option(reader, options, size, PCAPNG_INTERFACE_NAME, &length);
    if (option)
        copy_text(name, sizeof name, option, length);
    if (!*name)
        snprintf(name, sizeof name, "line%zu", reader->file_count - 1);
    made->index = find_interface(reader, name);
    if (made->index == SIZE_MAX)
        return;
    struct capture_interface *ours = &reader->interfaces[made->index];
    option = find_option(reader, options, size, PCAPNG_INTERFACE_DESCRIPTION, &length);
    if (option)
        copy_text(ours->description, sizeof ours->description, option, length);
    option = find_option(reader, options, size, PCAPNG_INTERFACE_SPEED, &length);
    if (option && length == 8)
        ours->baud = (uint32_t)number(reader, option, 8);
}

/* ---- Packets ---- */

static int64_t time_ns(const struct file_interface *of, uint64_t stamp)
{
    enum { BILLION = 1000000000 };
    // Files of ptybot: here the compiler knows the divisor.
    if (of->per_second == BILLION && of->offset_s == 0 && stamp / BILLION <= 8 * (uint64_t)BILLION)
        return (int64_t)stamp;
    uint64_t seconds = stamp / of->per_second, rest = stamp % of->per_second;
    // No recording is later than the year 2200. The limit keeps the sum in range.
    int64_t whole = seconds > 8000000000 ? 8000000000 : (int64_t)seconds;
    int64_t offset = of->offset_s;
    if (offset > 1000000000 || offset < -1000000000)
        offset = 0;
    // No recording is earlier than 1970, and the difference of two times must be in range.
    return (whole + offset < 0 ? 0 : whole + offset) * 1000000000 +
           (int64_t)((double)rest * 1e9 / (double)of->per_second + 0.5);
}

/* The baud in the comment of a status block; 0: none. */
static uint32_t baud_in(const char *comment)
{
    unsigned baud = 0;
    int end = 0;
    return sscanf(comment, CAPTURE_BAUD_COMMENT "%n", &baud, &end) == 1 && end > 0 ? baud : 0;
}

/* Reads one packet of a file. Returns whether it has produced a block. */
static bool read_packet(struct capture_reader *reader, const struct file_interface *of,
                        int64_t at_ns, const uint8_t *bytes, size_t size,
                        struct capture_block *block)
{
    *block = (struct capture_block){.time_ns = at_ns, .interface = of->index, .comment = ""};
    bool is_usb = of->linktype == USB_SERIAL_LINKTYPE || of->linktype == USB_SERIAL_LINKTYPE_MMAP;
    if (is_usb && !reader->usb)
        reader->usb = usb_serial_create();
    if (is_usb && reader->usb) {
        usb_serial_packet(reader->usb,
                          &(struct usb_serial_source){.linktype = of->linktype,
                                                      .is_big_endian = reader->is_big_endian,
                                                      .time_ns = at_ns},
                          bytes, size);
        return false; // its blocks are handed out one by one
    }
    if (of->linktype == CAPTURE_RTAC_LINKTYPE && of->index != SIZE_MAX &&
        capture_rtac_read(bytes, size, block))
        return true;
    reader->skipped++;
    return false;
}

/* The next block from a USB packet. */
static bool next_of_usb(struct capture_reader *reader, struct capture_block *block)
{
    char name[CAPTURE_NAME_MAX];
    const char *adapter;
    uint32_t baud;
    while (reader->usb && usb_serial_next(reader->usb, block, name, &adapter, &baud)) {
        block->interface = find_interface(reader, name);
        if (block->interface == SIZE_MAX) {
            reader->skipped++;
            continue;
        }
        struct capture_interface *of = &reader->interfaces[block->interface];
        snprintf(of->description, sizeof of->description, "%s", adapter);
        of->baud = baud;
        return true;
    }
    return false;
}

/* ---- pcapng ---- */

static void read_comment(struct capture_reader *reader, const uint8_t *options, size_t size,
                         struct capture_block *block)
{
    size_t length;
    const uint8_t *option = find_option(reader, options, size, PCAPNG_COMMENT, &length);
    if (!option)
        return;
    copy_text(reader->comment, sizeof reader->comment, option, length);
    block->comment = reader->comment;
    if (block->kind == CAPTURE_STATUS)
        block->baud = baud_in(reader->comment);
}

/* Reads an enhanced packet, or an (obsolete) packet block. */
static bool read_pcapng_packet(struct capture_reader *reader, uint32_t type, const uint8_t *body,
                               size_t size, struct capture_block *block)
{
    if (size < 20) {
        reader->skipped++;
        return false;
    }
    size_t interface = type == PCAPNG_PACKET ? u32(reader, body) : (size_t)number(reader, body, 2);
    size_t length = u32(reader, body + 12);
    if (interface >= reader->file_count || length > size - 20) {
        reader->skipped++;
        return false;
    }
    const struct file_interface *of = &reader->file[interface];
    uint64_t stamp = (uint64_t)u32(reader, body + 4) << 32 | u32(reader, body + 8);
    if (!read_packet(reader, of, time_ns(of, stamp), body + 20, length, block))
        return false;
    size_t padded = (length + 3) & ~(size_t)3;
    if (padded < size - 20)
        read_comment(reader, body + 20 + padded, size - 20 - padded, block);
    return true;
}

/* Reads the start of a section, which defines the byte order of all numbers, even of the size of
 * the section. */
static bool read_section(struct capture_reader *reader)
{
    const uint8_t *head = input_see(&reader->input, 16);
    if (!head)
        return stop_at_end(reader);
    reader->is_big_endian = false;
    if (u32(reader, head + 8) != PCAPNG_MAGIC) {
        reader->is_big_endian = true;
        if (u32(reader, head + 8) != PCAPNG_MAGIC)
            return stop(reader, "a section without its magic number");
    }
    if (number(reader, head + 12, 2) != 1)
        return stop(reader, "a section of an unknown version");
    reader->file_count = 0;
    return true;
}

/* Reads one block of the file. False: the reading ends. IS_BLOCK: the block is in BLOCK. */
static bool read_pcapng(struct capture_reader *reader, struct capture_block *block, bool *is_block)
{
    struct input *input = &reader->input;
    const uint8_t *head = input_see(input, 8);
    if (!head)
        return stop_at_end(reader);
    if (u32(reader, head) == PCAPNG_SECTION && !read_section(reader))
        return false;
    head = input_see(input, 8);
    uint32_t type = u32(reader, head), size = u32(reader, head + 4);
    if (size < BLOCK_FRAME || size % 4 != 0)
        return stop(reader, "a block of an impossible size");
    if (size > BUFFER_MAX) {
        reader->skipped++;
        return input_pass(input, size) || stop(reader, "cut off in the middle of a block");
    }
    const uint8_t *bytes = input_see(input, size);
    if (!bytes)
        return stop(reader, "cut off in the middle of a block");
    if (u32(reader, bytes + size - 4) != size)
        return stop(reader, "a block whose two sizes differ");
    if (type == PCAPNG_INTERFACE)
        read_interface(reader, bytes + 8, size - BLOCK_FRAME);
    else if (type == PCAPNG_PACKET || type == PCAPNG_OLD_PACKET)
        *is_block = read_pcapng_packet(reader, type, bytes + 8, size - BLOCK_FRAME, block);
    else if (type == PCAPNG_SIMPLE_PACKET)
        reader->skipped++; // it has no time
    input_take(input, size);
    return true;
}

/* ---- pcap ---- */

static bool read_pcap_header(struct capture_reader *reader, const uint8_t *head)
{
    for (int i = 0; i < 2; i++) {
        reader->is_big_endian = i == 1;
        uint32_t magic = u32(reader, head);
        if (magic != PCAP_MAGIC_MICRO && magic != PCAP_MAGIC_NANO)
            continue;
        reader->file[0] = (struct file_interface){
            .linktype = u32(reader, head + 20) & 0xFFFF, // above it: how frames end, on Ethernet
            .per_second = magic == PCAP_MAGIC_NANO ? 1000000000 : 1000000,
            .index = SIZE_MAX,
        };
        reader->file_count = 1;
        if (reader->file[0].linktype == CAPTURE_RTAC_LINKTYPE)
            reader->file[0].index = find_interface(reader, "line0");
        return true;
    }
    return false;
}

static bool read_pcap(struct capture_reader *reader, struct capture_block *block, bool *is_block)
{
    const uint8_t *head = input_see(&reader->input, PCAP_RECORD);
    if (!head)
        return stop_at_end(reader);
    const struct file_interface *of = &reader->file[0];
    uint64_t stamp = u32(reader, head) * of->per_second + u32(reader, head + 4);
    uint32_t size = u32(reader, head + 8);
    if (size > BUFFER_MAX - PCAP_RECORD)
        return stop(reader, "a packet of an impossible size");
    const uint8_t *bytes = input_see(&reader->input, PCAP_RECORD + size);
    if (!bytes)
        return stop(reader, "cut off in the middle of a packet");
    *is_block = read_packet(reader, of, time_ns(of, stamp), bytes + PCAP_RECORD, size, block);
    input_take(&reader->input, PCAP_RECORD + size);
    return true;
}

/* ---- Public functions ---- */

bool capture_reader_next(struct capture_reader *reader, struct capture_block *block)
{
    bool is_block = false, goes_on = true;
    if (reader->log)
        return text_log_next(reader->log, block);
    while (!is_block && goes_on) {
        if (next_of_usb(reader, block))
            return true;
        goes_on =
            *reader->trouble == '\0' && (reader->is_pcapng ? read_pcapng(reader, block, &is_block)
                                                           : read_pcap(reader, block, &is_block));
    }
    return is_block;
}

/* Detects the file format. */
static bool begin(struct capture_reader *reader)
{
    const uint8_t *head = input_see(&reader->input, 4);
    if (head && u32(reader, head) == PCAPNG_SECTION) {
        reader->is_pcapng = true;
        return true;
    }
    head = input_see(&reader->input, PCAP_HEADER);
    if (!head || !read_pcap_header(reader, head))
        return false;
    input_take(&reader->input, PCAP_HEADER);
    return true;
}

struct capture_reader *capture_reader_open(const char *path, struct error *error)
{
    bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "stdin" : path;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return error_null((errno == ENOENT ? error_set : error_environment)(error, "%s: %s", path,
                                                                            strerror(errno)));
    struct capture_reader *reader = calloc(1, sizeof *reader);
    if (reader)
        reader->input = (struct input){.fd = fd, .buffer = malloc(BUFFER_MAX)};
    if (!reader || !reader->input.buffer) {
        if (!is_stdin)
            close(fd);
        free(reader);
        return error_null(error_environment(error, "not enough memory to read %s", name));
    }
    if (begin(reader))
        return reader;
    if (reader->input.reason)
        error_environment(error, "%s: %s", name, strerror(reader->input.reason));
    else
        error_set(error,
                  "%s: not a recording: the file is neither pcapng nor pcap; `ptybot decode` reads "
                  "bare bytes and text logs with --raw and --robot",
                  name);
    capture_reader_close(reader);
    return NULL;
}

struct capture_reader *
capture_reader_open_format(const char *path, const struct block_format *format, struct error *error)
{
    if (!format->is_raw)
        return capture_reader_open(path, error);
    struct capture_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return error_null(error_environment(error, "not enough memory to read %s", path));
    find_interface(reader, "raw");
    reader->log = text_log_open(path, format->direction, error);
    if (reader->log)
        return reader;
    free(reader);
    return NULL;
}

size_t capture_reader_interface_count(const struct capture_reader *reader)
{
    return reader->count;
}

const struct capture_interface *capture_reader_interface(const struct capture_reader *reader,
                                                         size_t index)
{
    return &reader->interfaces[index];
}

const char *capture_reader_trouble(const struct capture_reader *reader)
{
    return reader->log ? text_log_trouble(reader->log) : reader->trouble;
}

uint64_t capture_reader_skipped(const struct capture_reader *reader)
{
    return reader->log ? text_log_skipped(reader->log) : reader->skipped;
}

void capture_reader_close(struct capture_reader *reader)
{
    if (!reader)
        return;
    if (reader->input.fd > STDIN_FILENO)
        close(reader->input.fd);
    usb_serial_destroy(reader->usb);
    text_log_close(reader->log);
    free(reader->input.buffer);
    free(reader);
}
