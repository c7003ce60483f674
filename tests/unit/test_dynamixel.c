/* Dynamixel 2.0: the packets of the e-manual and of the library of an OpenCR, byte for byte, the
 * behavior of the library's releases, and the control table of a device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "protocols/dynamixel2.h"
#include "tests/support/hex.h"

enum { BYTES_MAX = 2048 };

/* ---- A device and its table ---- */

struct table {
    uint16_t model;
    uint32_t information;
    uint8_t id;
    char gap7[3];
    int32_t left, right;
    uint16_t last;
};
static const struct wire_field fields[] = {
    WIRE_FIELD(table, model, 1, "", ""),       WIRE_FIELD(table, information, 1, "", ""),
    WIRE_FIELD(table, id, 1, "", ""),          WIRE_ARRAY(table, gap7, 1, "", ""),
    WIRE_FIELD(table, left, 0.229, "rpm", ""), WIRE_FIELD(table, right, 0.229, "rpm", ""),
    WIRE_FIELD(table, last, 1, "", ""),
};
enum { LEFT = 1, RIGHT };
static const struct control_row rows[] = {
    {.address = 0, .initial = 0x5000},
    {.address = 2, .is_read_only = true, .initial = 1},
    {.address = 6, .initial = 200, .most = 252},
    {.address = 10, .effect = LEFT, .initial = -7},
    {.address = 14, .effect = RIGHT},
};
static const struct control_table control = {
    .fields = fields, .field_count = COUNT(fields), .rows = rows, .row_count = COUNT(rows)};
static const struct wire_packet ping = {.name = "ping", .id = 1, .direction = WIRE_TO_ROBOT};
static const struct wire_framing framing = {DYNAMIXEL2_FRAMING(200)};

struct bench {
    struct table table;
    struct dynamixel2 slave;
    struct dynamixel2_device device;
    struct robot_stats stats;
    uint64_t effects;
};

static void start(struct bench *bench, enum dynamixel2_library library)
{
    memset(bench, 0, sizeof *bench);
    control_table_reset(&control, &bench->table);
    bench->device = (struct dynamixel2_device){.table = &control,
                                               .message = &bench->table,
                                               .id = &bench->table.id,
                                               .library = library,
                                               .identity = {0x00, 0x50, 5}};
}

static void say(struct bench *bench, const char *hex)
{
    uint8_t bytes[BYTES_MAX];
    size_t size = from_hex(hex, bytes);
    dynamixel2_push(&bench->slave, bench->device.library, bytes, size, 0, &bench->stats);
}

static size_t answer(struct bench *bench, uint8_t out[DYNAMIXEL2_FRAME_MAX])
{
    struct dynamixel2_request request;
    if (!dynamixel2_pop(&bench->slave, &request))
        return 0;
    return dynamixel2_obey(&bench->device, &request, &bench->effects, &bench->stats, out);
}

static void expect(struct bench *bench, const char *hex)
{
    uint8_t out[DYNAMIXEL2_FRAME_MAX], wanted[BYTES_MAX];
    size_t size = answer(bench, out), all = from_hex(hex, wanted);
    assert_int_equal(size, all);
    assert_memory_equal(out, wanted, size);
}

/* ---- The packets ---- */

/* All packets of the sheet: e-manual (d) and library (f). */
static const char *const packets[] = {
    "ff ff fd 00 01 03 00 01 19 4e",
    "ff ff fd 00 01 07 00 55 00 06 04 26 65 5d",
    "ff ff fd 00 fe 03 00 01 31 42",
    "ff ff fd 00 02 07 00 55 00 06 04 26 6f 6d",
    "ff ff fd 00 01 07 00 02 84 00 04 00 1d 15",
    "ff ff fd 00 01 08 00 55 00 a6 00 00 00 8c c0",
    "ff ff fd 00 01 09 00 03 74 00 00 02 00 00 ca 89",
    "ff ff fd 00 01 04 00 55 00 a1 0c",
    "ff ff fd 00 01 09 00 04 68 00 c8 00 00 00 ae 8e",
    "ff ff fd 00 01 03 00 05 02 ce",
    "ff ff fd 00 01 04 00 06 01 a1 e6",
    "ff ff fd 00 01 03 00 08 2f 4e",
    "ff ff fd 00 01 08 00 10 01 44 58 4c 22 b1 dc",
    "ff ff fd 00 fe 09 00 82 84 00 04 00 01 02 ce fa",
    "ff ff fd 00 02 08 00 55 00 1f 08 00 00 ba be",
    "ff ff fd 00 fe 11 00 83 74 00 04 00 01 96 00 00 00 02 aa 00 00 00 82 87",
    "ff ff fd 00 fe 0d 00 92 01 90 00 02 00 02 92 00 01 00 1a 05",
    "ff ff fd 00 fe 10 00 93 01 20 00 02 00 a0 00 02 1f 00 01 00 50 b7 68",
    "ff ff fd 00 fe 09 00 8a 84 00 04 00 01 02 4d 72",
    "ff ff fd 00 c8 0d 00 03 ae 00 28 00 00 00 28 00 00 00 8e 60",
    "ff ff fd 00 c8 07 00 02 0a 00 ac 00 b6 2f",
    "ff ff fd 00 c8 06 00 03 3b 00 01 17 a5",
    ("ff ff fd 00 c8 1d 00 03 96 00 0a 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 ce "
     "ff ff ff 64 8b"),
    "ff ff fd 00 c8 15 00 55 00 9c ff ff ff fd fd ff ff ff e8 03 00 00 d0 07 00 00 76 af",
    "ff ff fd 00 c8 15 00 55 00 9c ff ff ff fd fd fd fd fd fd fd fd fd fd fd fd fd eb fc",
};

static void documented_packets_are_good_frames_of_the_bystander(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(packets); i++) {
        uint8_t bytes[BYTES_MAX];
        size_t size = from_hex(packets[i], bytes);
        assert_int_equal(wire_frame_size(&framing, bytes, size), size);
        assert_true(wire_frame_is_good(&framing, bytes, size));
        for (size_t at = 4; at < size; at++) { // any change of the rest is detected
            bytes[at] ^= 0x10;
            assert_false(wire_frame_is_good(&framing, bytes, size));
            bytes[at] ^= 0x10;
        }
    }
    assert_int_equal(wire_crc16((const uint8_t *)"123456789", 9), 0xFEE8);
}

static void a_bystander_writes_and_reads_stuffed_bodies(void **state)
{
    (void)state;
    uint8_t body[BYTES_MAX], frame[BYTES_MAX], plain[BYTES_MAX], wanted[BYTES_MAX];
    const struct wire_packet status = {.name = "status", .id = DYNAMIXEL2_STATUS};
    size_t size = from_hex("00 9c ff ff ff fd ff ff ff e8 03 00 00 d0 07 00 00", body);
    size_t whole = wire_frame_wrap(&framing, &status, body, size, frame);
    assert_int_equal(whole, from_hex(packets[23], wanted));
    assert_memory_equal(frame, wanted, whole);
    assert_true(wire_is_stuffed(frame + 7, whole - 9));
    assert_int_equal(wire_unstuff(frame + 8, whole - 10, plain), size);
    assert_memory_equal(plain, body, size);
    whole = wire_frame_wrap(&framing, &ping, NULL, 0, frame);
    assert_int_equal(whole, from_hex("ff ff fd 00 c8 03 00 01 3b fa", wanted));
    assert_memory_equal(frame, wanted, whole);
    // Runs of FD keep one only where a head would stand.
    size = from_hex("ff ff fd fd ff ff fd", body);
    assert_int_equal(wire_stuff(body, size), size + 2);
    assert_int_equal(wire_unstuff(body, size + 2, plain), size);
}

/* ---- The device ---- */

static void it_answers_ping_read_and_write(void **state)
{
    (void)state;
    struct bench bench;
    start(&bench, DYNAMIXEL2_0_7_0);
    say(&bench, "ff ff fd 00 c8 03 00 01 3b fa");
    expect(&bench, "ff ff fd 00 c8 07 00 55 00 00 50 05 4c b7");
    say(&bench, "ff ff fd 00 c8 07 00 02 00 00 02 00 bf c3");
    expect(&bench, "ff ff fd 00 c8 06 00 55 00 00 50 b6 1f");
    say(&bench, "ff ff fd 00 c8 09 00 03 02 00 09 00 00 00 de c2"); // model information
    expect(&bench, "ff ff fd 00 c8 04 00 55 07 08 ad");
    assert_int_equal(bench.table.information, 1);
    say(&bench, "ff ff fd 00 c8 07 00 02 2c 01 04 00 a4 27"); // after the end of the table
    expect(&bench, "ff ff fd 00 c8 08 00 55 00 00 00 00 00 d0 a5");
    assert_int_equal(bench.stats.frames, 4);
    assert_int_equal(bench.stats.bad_frames + bench.stats.noise_bytes, 0);
}

static void everything_else_is_silence(void **state)
{
    (void)state;
    static const char *const silent[] = {
        "ff ff fd 00 fe 03 00 01 31 42",    // broadcast
        "ff ff fd 00 01 03 00 01 19 4e",    // another device
        "ff ff fd 00 c8 03 00 01 3b fb",    // CRC
        "ff ff fd 00 c8 04 00 55 00 19 2d", // a status
        "ff ff fd 00 c8 02 00 3b fa",       // impossible length
    };
    struct bench bench;
    start(&bench, DYNAMIXEL2_0_7_0);
    for (size_t i = 0; i < COUNT(silent); i++) {
        say(&bench, silent[i]);
        expect(&bench, "");
    }
    say(&bench, "ff ff fd 00 c8 03 00 01 3b fa");
    expect(&bench, "ff ff fd 00 c8 07 00 55 00 00 50 05 4c b7");
}

static void frames_are_found_however_they_come(void **state)
{
    (void)state;
    uint8_t bytes[BYTES_MAX], out[DYNAMIXEL2_FRAME_MAX];
    size_t size = from_hex("31 ff ff 00 ff ff ff ff fd 00 c8 03 00 01 3b fa ff ff fd fd "
                           "ff ff fd 00 c8 03 00 01 3b fa",
                           bytes);
    for (size_t step = 1; step <= size; step++) {
        struct bench bench;
        start(&bench, DYNAMIXEL2_0_6_1);
        for (size_t at = 0; at < size; at += step)
            dynamixel2_push(&bench.slave, DYNAMIXEL2_0_6_1, bytes + at,
                            size - at < step ? size - at : step, 0, &bench.stats);
        assert_int_equal(answer(&bench, out), 14);
        assert_int_equal(answer(&bench, out), 14);
        assert_int_equal(answer(&bench, out), 0);
        assert_int_equal(bench.stats.noise_bytes, 10);
    }
}

static void a_truncated_frame_eats_what_follows(void **state)
{
    (void)state;
    struct bench bench;
    uint8_t out[DYNAMIXEL2_FRAME_MAX];
    start(&bench, DYNAMIXEL2_0_7_0);
    say(&bench, "ff ff fd 00 c8 40 00 02"); // of 64 bytes; then silence
    for (int i = 0; i < 7; i++) {
        say(&bench, "ff ff fd 00 c8 03 00 01 3b fa");
        assert_int_equal(answer(&bench, out), 0);
    }
    for (int i = 0; i < 2; i++)
        say(&bench, "ff ff fd 00 c8 03 00 01 3b fa");
    assert_int_equal(answer(&bench, out), 14);
    assert_int_equal(bench.stats.bad_frames, 1);
}

/* The shortest frame has an instruction, followed by a checksum. */
static void a_frame_without_an_instruction_is_refused_at_its_length(void **state)
{
    (void)state;
    struct bench bench;
    uint8_t out[DYNAMIXEL2_FRAME_MAX], frame[9] = {0xff, 0xff, 0xfd, 0, 200, 2, 0};
    uint16_t check = wire_crc16(frame, 7);
    frame[7] = (uint8_t)check;
    frame[8] = (uint8_t)(check >> 8);
    start(&bench, DYNAMIXEL2_0_7_0);
    dynamixel2_push(&bench.slave, bench.device.library, frame, 7, 0, &bench.stats);
    assert_int_equal(bench.stats.bad_frames, 1);
    dynamixel2_push(&bench.slave, bench.device.library, frame + 7, 2, 0, &bench.stats);
    assert_int_equal(answer(&bench, out), 0);
    say(&bench, "ff ff fd 00 c8 03 00 01 3b fa");
    assert_int_equal(answer(&bench, out), 14);
    assert_int_equal(bench.stats.bad_frames, 1);
}

static void releases_differ_in_stuffing(void **state)
{
    (void)state;
    // A write to 10 of FF FF FD 00, stuffed, made by the library of release 0.7.0.
    uint8_t frame[64] = {0xff, 0xff, 0xfd, 0, 200, 10, 0, 3, 10, 0, 0xff, 0xff, 0xfd, 0xfd, 0};
    uint16_t check = wire_crc16(frame, 15);
    frame[15] = (uint8_t)check;
    frame[16] = (uint8_t)(check >> 8);
    for (int library = DYNAMIXEL2_0_6_1; library <= DYNAMIXEL2_0_7_0; library++) {
        struct bench bench;
        uint8_t out[DYNAMIXEL2_FRAME_MAX];
        start(&bench, (enum dynamixel2_library)library);
        dynamixel2_push(&bench.slave, bench.device.library, frame, 17, 0, &bench.stats);
        bool is_right = library == DYNAMIXEL2_0_7_0;
        assert_int_equal(answer(&bench, out), is_right ? 11 : 0);
        assert_int_equal(bench.table.left, is_right ? 0x00FDFFFF : -7);
        // The next frame loses its first byte, the one after it does not.
        say(&bench, "ff ff fd 00 c8 03 00 01 3b fa");
        assert_int_equal(answer(&bench, out), is_right ? 14 : 0);
        say(&bench, "ff ff fd 00 c8 03 00 01 3b fa");
        assert_int_equal(answer(&bench, out), 14);
    }
    static const char data[] = "9c ff ff ff fd ff ff ff e8 03 00 00 d0 07 00 00";
    uint8_t bytes[BYTES_MAX], out[DYNAMIXEL2_FRAME_MAX], wanted[BYTES_MAX];
    size_t size = from_hex(data, bytes);
    size_t whole = dynamixel2_status(DYNAMIXEL2_0_6_3, 200, 0, bytes, size, out);
    assert_int_equal(whole, from_hex(packets[23], wanted));
    assert_memory_equal(out, wanted, whole);
    whole = dynamixel2_status(DYNAMIXEL2_0_6_1, 200, 0, bytes, size, out);
    assert_int_equal(whole, from_hex(packets[24], wanted));
    assert_memory_equal(out, wanted, whole);
}

static void the_longest_read_fits_whatever_it_holds(void **state)
{
    (void)state;
    uint8_t data[DYNAMIXEL2_READ_MAX], out[DYNAMIXEL2_FRAME_MAX];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = i % 3 == 2 ? 0xFD : 0xFF;
    size_t size = dynamixel2_status(DYNAMIXEL2_0_7_0, 200, 0, data, sizeof data, out);
    assert_true(size <= DYNAMIXEL2_FRAME_MAX);
    assert_true(wire_frame_is_good(&framing, out, size));
    struct dynamixel2_request long_read = {
        .id = 200, .instruction = DYNAMIXEL2_READ, .size = 4, .bytes = {0, 0, 0xF6, 0x03}};
    struct bench bench;
    start(&bench, DYNAMIXEL2_0_7_0);
    assert_int_equal(dynamixel2_obey(&bench.device, &long_read, &bench.effects, &bench.stats, out),
                     0);
    assert_int_equal(bench.stats.bad_lengths, 1);
    long_read.bytes[2] = 0xF5;
    assert_int_equal(dynamixel2_obey(&bench.device, &long_read, &bench.effects, &bench.stats, out),
                     1024);
}

static void requests_beyond_the_buffer_are_counted(void **state)
{
    (void)state;
    struct bench bench;
    start(&bench, DYNAMIXEL2_0_7_0);
    for (int i = 0; i < DYNAMIXEL2_QUEUE / 12 + 3; i++)
        say(&bench, "ff ff fd 00 c8 03 00 01 3b fa");
    assert_int_equal(bench.stats.overruns, 3);
}

/* ---- The table ---- */

static void only_whole_fields_are_read_and_written(void **state)
{
    (void)state;
    struct table table;
    uint8_t out[16], bytes[16];
    uint64_t effects = 0;
    memset(&table, 0x5A, sizeof table);
    control_table_reset(&control, &table);
    assert_int_equal(table.model, 0x5000);
    assert_int_equal(table.left, -7);
    assert_int_equal(table.gap7[1], 0);
    control_table_read(&control, &table, 1, out,
                       10); // cuts off a part of the model and of the left field
    assert_memory_equal(out, "\0\1\0\0\0\xC8\0\0\0\0", 10);
    control_table_read(&control, &table, 10, out, 4);
    assert_memory_equal(out, "\xF9\xFF\xFF\xFF", 4);
    memset(bytes, 0x11, sizeof bytes);
    assert_int_equal(control_table_write(&control, &table, 11, bytes, 7, &effects), CONTROL_OK);
    assert_int_equal(table.left, -7);
    assert_int_equal(table.right, 0x11111111);
    assert_int_equal(effects, 1 << RIGHT);
    assert_int_equal(control_table_write(&control, &table, 7, bytes, 3, &effects), CONTROL_OK);
    assert_int_equal(table.gap7[1], 0);
    assert_int_equal(control_table_write(&control, &table, 18, bytes, 9, &effects), CONTROL_OK);
    assert_int_equal(table.last, 0x1111);
}

static void what_a_row_refuses_stays(void **state)
{
    (void)state;
    struct table table;
    uint64_t effects = 0;
    control_table_reset(&control, &table);
    const uint8_t id[] = {253}, good[] = {7};
    assert_int_equal(control_table_write(&control, &table, 6, id, 1, &effects), CONTROL_RANGE);
    assert_int_equal(table.id, 200);
    assert_int_equal(control_table_write(&control, &table, 6, good, 1, &effects), CONTROL_OK);
    assert_int_equal(table.id, 7);
    const uint8_t all[] = {1, 1, 1, 1, 1, 1, 8}; // the other fields are written
    assert_int_equal(control_table_write(&control, &table, 0, all, 7, &effects), CONTROL_ACCESS);
    assert_int_equal(table.information, 1);
    assert_int_equal(table.model, 0x0101);
    assert_int_equal(table.id, 8);
    assert_int_equal(effects, 0);
}

static void a_new_id_answers_at_once(void **state)
{
    (void)state;
    struct bench bench;
    uint8_t out[DYNAMIXEL2_FRAME_MAX];
    struct dynamixel2_request request = {
        .id = 200, .instruction = DYNAMIXEL2_WRITE, .size = 3, .bytes = {6, 0, 9}};
    start(&bench, DYNAMIXEL2_0_7_0);
    assert_int_equal(dynamixel2_obey(&bench.device, &request, &bench.effects, &bench.stats, out),
                     11);
    assert_int_equal(out[4], 9);
    assert_int_equal(dynamixel2_obey(&bench.device, &request, &bench.effects, &bench.stats, out),
                     0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documented_packets_are_good_frames_of_the_bystander),
        cmocka_unit_test(a_bystander_writes_and_reads_stuffed_bodies),
        cmocka_unit_test(it_answers_ping_read_and_write),
        cmocka_unit_test(everything_else_is_silence),
        cmocka_unit_test(frames_are_found_however_they_come),
        cmocka_unit_test(a_truncated_frame_eats_what_follows),
        cmocka_unit_test(a_frame_without_an_instruction_is_refused_at_its_length),
        cmocka_unit_test(releases_differ_in_stuffing),
        cmocka_unit_test(the_longest_read_fits_whatever_it_holds),
        cmocka_unit_test(requests_beyond_the_buffer_are_counted),
        cmocka_unit_test(only_whole_fields_are_read_and_written),
        cmocka_unit_test(what_a_row_refuses_stays),
        cmocka_unit_test(a_new_id_answers_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
