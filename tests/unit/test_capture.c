/* Recordings: a reader returns the blocks that were written, understands files of other programs,
 * and reports damage. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/record/capture_writer.h"
#include "tests/support/capture_memory.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"

static struct folder folder;

static int set_up(void **state)
{
    (void)state;
    folder_make(&folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    folder_remove(&folder);
    return 0;
}

/* ---- Written and read ---- */

static const struct capture_interface two[] = {
    {.name = "rosie.uart", .description = "kobuki uart", .baud = 115200},
    {.name = "rosie.wifi", .description = "", .baud = 0},
};

/* Blocks of all kinds; the number of bytes is the number of the block. */
static struct capture_block block_number(unsigned i)
{
    static uint8_t bytes[256];
    bool is_data = i % 3 != 0;
    for (unsigned k = 0; k < i; k++)
        bytes[k] = (uint8_t)(i + k);
    return (struct capture_block){
        .kind = i % 3 == 1   ? CAPTURE_TO_HOST
                : i % 3 == 2 ? CAPTURE_TO_ROBOT
                             : (enum capture_kind[]){CAPTURE_STATUS, CAPTURE_OVERFLOW}[i % 2],
        .interface = i % 2,
        .time_ns = INT64_C(4300000000) * i + i, // beyond 32 bits, and not whole microseconds
        .lines = i % 64,
        .baud = i % 6 == 0 ? 9600 * i : 0,
        .bytes = is_data ? bytes : NULL,
        .size = is_data ? i : 0,
        .comment = i % 4 == 0 ? "so much" : "",
    };
}

enum { BLOCKS = 40 };

static void write_all(const char *path)
{
    struct error error = {0};
    struct capture_writer *writer = capture_writer_open(path, "--capture", &error);
    assert_string_equal(error.text, "");
    assert_non_null(writer);
    assert_int_equal(capture_writer_interface(writer, &two[0]), 0);
    assert_int_equal(capture_writer_interface(writer, &two[1]), 1);
    for (unsigned i = 0; i < BLOCKS; i++) {
        struct capture_block block = block_number(i);
        capture_writer_add(writer, &block);
    }
    assert_true(capture_writer_close(writer, &error));
}

static void assert_same(const struct capture_block *got, const struct capture_block *put)
{
    assert_int_equal(got->kind, put->kind);
    assert_int_equal(got->interface, put->interface);
    assert_int_equal(got->time_ns, put->time_ns);
    assert_int_equal(got->lines, put->lines);
    assert_int_equal(got->baud, put->baud);
    assert_int_equal(got->size, put->size);
    assert_memory_equal(got->bytes, put->bytes ? put->bytes : (const uint8_t *)"", put->size);
    if (put->baud == 0)
        assert_string_equal(got->comment, put->comment);
    else if (*put->comment)
        assert_non_null(strstr(got->comment, put->comment));
}

static void what_was_written_is_read_again(void **state)
{
    (void)state;
    char path[FOLDER_PATH_MAX];
    struct error error = {0};
    struct capture_block block;
    write_all(folder_path(&folder, "a.pcapng", path));
    struct capture_reader *reader = capture_reader_open(path, &error);
    assert_non_null(reader);
    for (unsigned i = 0; i < BLOCKS; i++) {
        struct capture_block put = block_number(i);
        assert_true(capture_reader_next(reader, &block));
        assert_same(&block, &put);
    }
    assert_false(capture_reader_next(reader, &block));
    assert_string_equal(capture_reader_trouble(reader), "");
    assert_int_equal(capture_reader_skipped(reader), 0);
    assert_int_equal(capture_reader_interface_count(reader), 2);
    for (size_t i = 0; i < 2; i++) {
        const struct capture_interface *got = capture_reader_interface(reader, i);
        assert_string_equal(got->name, two[i].name);
        assert_string_equal(got->description, two[i].description);
        assert_int_equal(got->baud, two[i].baud);
    }
    capture_reader_close(reader);
}

static void long_data_becomes_blocks_that_a_reader_joins(void **state)
{
    (void)state;
    enum { SIZE = 3 * CAPTURE_DATA_MAX - 5 };
    static uint8_t bytes[SIZE];
    char path[FOLDER_PATH_MAX];
    struct error error = {0};
    struct capture_block block;
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (uint8_t)(i * 7 / 3);
    struct capture_writer *writer =
        capture_writer_open(folder_path(&folder, "long.pcapng", path), "--capture", &error);
    capture_writer_interface(writer, &two[0]);
    capture_writer_add(writer,
                       &(struct capture_block){
                           .kind = CAPTURE_TO_HOST, .bytes = bytes, .size = SIZE, .comment = ""});
    assert_true(capture_writer_close(writer, &error));
    struct capture_reader *reader = capture_reader_open(path, &error);
    size_t at = 0;
    while (capture_reader_next(reader, &block)) {
        assert_in_range(at + block.size, 1, SIZE);
        assert_memory_equal(block.bytes, bytes + at, block.size);
        at += block.size;
    }
    assert_int_equal(at, SIZE);
    capture_reader_close(reader);
}

/* ---- Damage ---- */

static uint8_t *load(const char *path, size_t *size)
{
    struct stat found = {0};
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0 && fstat(fd, &found) == 0);
    *size = (size_t)found.st_size;
    uint8_t *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(read(fd, bytes, *size), *size);
    close(fd);
    return bytes;
}

/* Only blocks of data have bytes, even if the file contains bytes for an event. */
static void an_event_has_no_bytes_whatever_the_file_says(void **state)
{
    (void)state;
    char path[FOLDER_PATH_MAX];
    struct error error = {0};
    struct capture_block block;
    for (unsigned kind = 0; kind < CAPTURE_KINDS; kind++) {
        struct capture_writer *writer =
            capture_writer_open(folder_path(&folder, "event.pcapng", path), "--capture", &error);
        assert_non_null(writer);
        capture_writer_interface(writer, &two[0]);
        capture_writer_add(
            writer, &(struct capture_block){
                        .kind = kind, .bytes = (const uint8_t *)"four", .size = 4, .comment = ""});
        assert_true(capture_writer_close(writer, &error));
        struct capture_reader *reader = capture_reader_open(path, &error);
        assert_non_null(reader);
        assert_true(capture_reader_next(reader, &block));
        assert_int_equal(block.size, capture_is_data(&block) ? 4 : 0);
        assert_true(capture_is_data(&block) || !block.bytes);
        capture_reader_close(reader);
    }
}

/* A crash may cut the file anywhere. The reader returns all complete blocks before the cut and
 * reports the cut. */
static void a_file_cut_anywhere_gives_the_blocks_before_the_cut(void **state)
{
    (void)state;
    char path[FOLDER_PATH_MAX];
    size_t size;
    unsigned last = 0, proper_ends = 0;
    write_all(folder_path(&folder, "cut.pcapng", path));
    uint8_t *bytes = load(path, &size);
    for (size_t cut = 28; cut <= size; cut++) {
        struct error error = {0};
        struct capture_block block;
        uint8_t *part = malloc(cut); // exactly this size, so that a sanitizer detects an overrun
        memcpy(part, bytes, cut);
        struct capture_reader *reader = capture_reader_open_memory(part, cut, &error);
        assert_non_null(reader);
        unsigned count = 0;
        while (capture_reader_next(reader, &block)) {
            struct capture_block put = block_number(count++);
            assert_same(&block, &put);
        }
        assert_in_range(count, last, last + 1);
        last = count;
        proper_ends += *capture_reader_trouble(reader) == '\0';
        capture_reader_close(reader);
        free(part);
    }
    assert_int_equal(last, BLOCKS);
    assert_int_equal(proper_ends,
                     1 + 2 + BLOCKS); // after the section, each interface and each block
    free(bytes);
}

static void what_is_no_recording_is_refused_with_advice(void **state)
{
    (void)state;
    char path[FOLDER_PATH_MAX];
    struct error error = {0};
    folder_write(&folder, "text", "# a scene, and long enough for any header of a file\n");
    assert_null(capture_reader_open(folder_path(&folder, "text", path), &error));
    assert_non_null(strstr(error.text, "not a recording"));
    assert_non_null(strstr(error.text, "--raw"));
    // A wrong name is an invalid argument; a path that the machine refuses is an environment error.
    assert_null(capture_reader_open(folder_path(&folder, "none", path), &error));
    assert_false(error.is_environment);
    assert_null(capture_reader_open(folder_path(&folder, "text/none", path), &error));
    assert_true(error.is_environment);
    // The file is not overwritten.
    assert_null(capture_writer_open(folder_path(&folder, "text", path), "--capture", &error));
    assert_non_null(strstr(error.text, "exists and is not a pcapng file"));
    char *text = folder_read(&folder, "text");
    assert_memory_equal(text, "# a scene", 9);
    free(text);
}

/* ---- A full disk ---- */

static void a_full_disk_leaves_whole_blocks_and_is_said(void **state)
{
    (void)state;
    struct error error = {0};
    assert_null(capture_writer_open("/dev/full", "--capture", &error));
    assert_non_null(strstr(error.text, "No space left"));
}

/* ---- Files of other programs ---- */

struct bytes {
    size_t size;
    bool is_big;
    uint8_t at[4096];
};

static void add(struct bytes *to, size_t size, uint64_t value)
{
    for (size_t i = 0; i < size; i++)
        to->at[to->size++] = (uint8_t)(value >> 8 * (to->is_big ? size - 1 - i : i));
}

static void add_bytes(struct bytes *to, const void *bytes, size_t size)
{
    memcpy(to->at + to->size, bytes, size);
    to->size += size;
}

static void add_pcap_header(struct bytes *to, uint32_t magic, unsigned linktype)
{
    add(to, 4, magic);
    add(to, 2, 2);
    add(to, 2, 4);
    add(to, 8, 0);
    add(to, 4, 65535);
    add(to, 4, linktype);
}

static struct capture_block only_block(const struct bytes *file, struct capture_reader **reader)
{
    struct error error = {0};
    struct capture_block block, none;
    *reader = capture_reader_open_memory(file->at, file->size, &error);
    assert_non_null(*reader);
    assert_true(capture_reader_next(*reader, &block));
    assert_false(capture_reader_next(*reader, &none));
    assert_string_equal(capture_reader_trouble(*reader), "");
    return block;
}

/* The RTAC itself writes such files: a pcap file, with data at the end of a transmission. */
static void a_pcap_file_of_either_byte_order_and_resolution_is_read(void **state)
{
    (void)state;
    static const uint8_t rtac[] = {0, 0, 0, 5, 0, 0, 0, 7, 0x03, 0x19, 0, 0, 'h', 'i'};
    for (int kind = 0; kind < 4; kind++) {
        struct bytes file = {.is_big = kind & 1};
        struct capture_reader *reader;
        add_pcap_header(&file, kind & 2 ? 0xA1B23C4D : 0xA1B2C3D4, 250);
        add(&file, 4, 5);
        add(&file, 4, 7);
        add(&file, 4, sizeof rtac);
        add(&file, 4, sizeof rtac);
        add_bytes(&file, rtac, sizeof rtac);
        struct capture_block block = only_block(&file, &reader);
        assert_int_equal(block.kind, CAPTURE_TO_ROBOT);
        assert_int_equal(block.time_ns, kind & 2 ? 5000000007 : 5000007000);
        assert_int_equal(block.lines, MODEM_CTS | MODEM_RTS | MODEM_DTR);
        assert_int_equal(block.size, 2);
        assert_memory_equal(block.bytes, "hi", 2);
        assert_string_equal(capture_reader_interface(reader, 0)->name, "line0");
        capture_reader_close(reader);
    }
}

/* ---- USB ---- */

enum { BUS = 3, DEVICE = 9, OUT = 0x00, IN = 0x80 };

static void add_usb(struct bytes *to, char type, unsigned transfer, unsigned endpoint,
                    const char setup[8], const void *bytes, size_t size)
{
    static uint32_t second;
    add(to, 4, ++second);
    add(to, 4, 0);
    add(to, 4, 64 + size);
    add(to, 4, 64 + size);
    add(to, 8, 0x1234);
    add(to, 1, (uint8_t)type);
    add(to, 1, transfer);
    add(to, 1, endpoint);
    add(to, 1, DEVICE);
    add(to, 2, BUS);
    add(to, 1, setup ? 0 : '-');
    add(to, 1, size ? 0 : '<');
    add(to, 8, 0);
    add(to, 4, 0);
    add(to, 4, 0);
    add(to, 4, size);
    add(to, 4, size);
    add_bytes(to, setup ? setup : "\0\0\0\0\0\0\0", 8);
    add(to, 8, 0);
    add(to, 8, 0);
    add_bytes(to, bytes, size);
}

static void expect(struct capture_reader *reader, enum capture_kind kind, unsigned lines,
                   uint32_t baud, const char *text)
{
    struct capture_block block;
    assert_true(capture_reader_next(reader, &block));
    assert_int_equal(block.kind, kind);
    assert_int_equal(block.lines, lines);
    assert_int_equal(block.baud, baud);
    assert_int_equal(block.size, strlen(text));
    assert_memory_equal(block.bytes ? block.bytes : (const uint8_t *)"", text, strlen(text));
}

static void add_ftdi(struct bytes *file)
{
    char in[80];
    // 115200 baud: 3 MHz / 26; then DTR and RTS on.
    add_usb(file, 'S', 2, OUT, "\x40\x03\x1a\x00\x00\x00\x00\x00", "", 0);
    add_usb(file, 'S', 2, OUT, "\x40\x01\x03\x03\x00\x00\x00\x00", "", 0);
    add_usb(file, 'S', 3, OUT | 2, NULL, "to robot", 8);
    add_usb(file, 'C', 3, OUT | 2, NULL, "", 0); // its answer contains no new information
    add_usb(file, 'S', 3, IN | 1, NULL, "", 0);
    // A full packet and a short one, each with its status; the second with CTS and a framing error.
    memset(in, 'x', sizeof in);
    in[0] = 0x01;
    in[1] = 0x60;
    in[64] = 0x11;
    in[65] = 0x68;
    add_usb(file, 'C', 3, IN | 1, NULL, in, 70);
    add_usb(file, 'C', 3, IN | 1, NULL, "\x11\x60", 2); // the latency timer expired: no data
}

static void ftdi_status_bytes_become_lines_and_errors(void **state)
{
    (void)state;
    struct bytes file = {0};
    struct error error = {0};
    struct capture_block none;
    char data[67];
    memset(data, 'x', 66);
    data[66] = '\0';
    add_pcap_header(&file, 0xA1B2C3D4, 220);
    add_ftdi(&file);
    struct capture_reader *reader = capture_reader_open_memory(file.at, file.size, &error);
    expect(reader, CAPTURE_STATUS, 0, 115200, "");
    expect(reader, CAPTURE_STATUS, MODEM_DTR | MODEM_RTS, 115200, "");
    expect(reader, CAPTURE_TO_ROBOT, MODEM_DTR | MODEM_RTS, 0, "to robot");
    expect(reader, CAPTURE_STATUS, MODEM_DTR | MODEM_RTS | MODEM_CTS, 115200, "");
    expect(reader, CAPTURE_FRAMING_ERROR, MODEM_DTR | MODEM_RTS | MODEM_CTS, 0, "");
    expect(reader, CAPTURE_TO_HOST, MODEM_DTR | MODEM_RTS | MODEM_CTS, 0, data);
    assert_false(capture_reader_next(reader, &none));
    assert_string_equal(capture_reader_interface(reader, 0)->name, "usb3.9");
    assert_string_equal(capture_reader_interface(reader, 0)->description, "FTDI");
    assert_int_equal(capture_reader_interface(reader, 0)->baud, 115200);
    capture_reader_close(reader);
}

/* The recording began after the driver had opened the port: no request identifies the adapter. */
static void ftdi_is_known_by_its_status_bytes_alone(void **state)
{
    (void)state;
    struct bytes file = {0};
    struct capture_reader *reader;
    add_pcap_header(&file, 0xA1B2C3D4, 220);
    add_usb(&file, 'C', 3, IN | 1, NULL,
            "\x01\x60"
            "answer",
            8);
    struct capture_block block = only_block(&file, &reader);
    assert_int_equal(block.kind, CAPTURE_TO_HOST);
    assert_int_equal(block.size, 6);
    assert_memory_equal(block.bytes, "answer", 6);
    capture_reader_close(reader);
}

static void cp210x_requests_become_baud_and_lines(void **state)
{
    (void)state;
    struct bytes file = {0};
    struct error error = {0};
    struct capture_block none;
    add_pcap_header(&file, 0xA1B2C3D4, 220);
    add_usb(&file, 'S', 2, OUT, "\x41\x1e\x00\x00\x00\x00\x04\x00", "\x00\xe1\x00\x00", 4);
    add_usb(&file, 'S', 2, OUT, "\x41\x07\x01\x01\x00\x00\x00\x00", "", 0); // only DTR
    add_usb(&file, 'S', 3, OUT | 1, NULL, "to robot", 8);
    add_usb(&file, 'C', 3, IN | 1, NULL, "\x01\x60 no status", 12);
    struct capture_reader *reader = capture_reader_open_memory(file.at, file.size, &error);
    expect(reader, CAPTURE_STATUS, 0, 57600, "");
    expect(reader, CAPTURE_STATUS, MODEM_DTR, 57600, "");
    expect(reader, CAPTURE_TO_ROBOT, MODEM_DTR, 0, "to robot");
    expect(reader, CAPTURE_TO_HOST, MODEM_DTR, 0, "\x01\x60 no status");
    assert_false(capture_reader_next(reader, &none));
    assert_string_equal(capture_reader_interface(reader, 0)->description, "CP210x");
    capture_reader_close(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read_again),
        cmocka_unit_test(long_data_becomes_blocks_that_a_reader_joins),
        cmocka_unit_test(an_event_has_no_bytes_whatever_the_file_says),
        cmocka_unit_test(a_file_cut_anywhere_gives_the_blocks_before_the_cut),
        cmocka_unit_test(what_is_no_recording_is_refused_with_advice),
        cmocka_unit_test(a_full_disk_leaves_whole_blocks_and_is_said),
        cmocka_unit_test(a_pcap_file_of_either_byte_order_and_resolution_is_read),
        cmocka_unit_test(ftdi_status_bytes_become_lines_and_errors),
        cmocka_unit_test(ftdi_is_known_by_its_status_bytes_alone),
        cmocka_unit_test(cp210x_requests_become_baud_and_lines),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
