/* Descriptions of frames in words, with an invented framing that has an ID byte. Users and golden
 * files read these texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number.h"
#include "protocols/describe.h"

struct status {
    uint8_t flags;
    uint8_t battery;
    int16_t rates[2];
};

struct name {
    char text[4];
    float ratio;
};

struct sample {
    uint8_t x;
};

struct pair {
    uint8_t x, y;
};

static const struct wire_field status_fields[] = {
    WIRE_FIELD(status, flags, 1, "", ""),
    WIRE_FIELD(status, battery, 0.1, "V", ""),
    WIRE_ARRAY(status, rates, 0.01, "deg/s", ""),
};
static const struct wire_field name_fields[] = {
    WIRE_ARRAY(name, text, 1, "", ""),
    WIRE_FIELD(name, ratio, 1, "", ""),
};
static const struct wire_field sample_fields[] = {WIRE_FIELD(sample, x, 1, "mm", "")};

static const struct wire_field pair_fields[] = {
    WIRE_FIELD(pair, x, 1, "", ""),
    WIRE_FIELD(pair, y, 1, "", ""),
};

static const struct wire_packet sample_packet = {
    .name = "sample", .fields = sample_fields, .field_count = 1, .struct_size = 1, .size = 1};

static const struct wire_packet pair_packet = {
    .name = "pair", .fields = pair_fields, .field_count = 2, .struct_size = 2, .size = 2};

static const struct wire_packet data_packet = {
    .name = "data", .fields = sample_fields, .field_count = 1, .struct_size = 1, .size = 1};
static const struct wire_packet raw_packet = {.name = "raw",
                                              .fields = sample_fields,
                                              .field_count = 1,
                                              .struct_size = 1,
                                              .size = 1,
                                              .is_bytes = true};

static const struct wire_packet packets[] = {
    {.name = "status",
     .id = 1,
     .fields = status_fields,
     .field_count = 3,
     .struct_size = sizeof(struct status),
     .size = 6},
    {.name = "name",
     .id = 2,
     .fields = name_fields,
     .field_count = 2,
     .struct_size = sizeof(struct name),
     .size = 8},
    {.name = "scan",
     .id = 3,
     .fields = sample_fields,
     .field_count = 1,
     .struct_size = 1,
     .size = 1,
     .repeat = &sample_packet},
    {.name = "stop", .id = 4},
    {.name = "block", .id = 5, .repeat = &raw_packet},
    {.name = "block", .id = 6, .repeat = &data_packet},
    {.name = "pairs", .id = 7, .repeat = &pair_packet},
};

static void describes(size_t packet, const char *bytes, size_t size, const char *expected)
{
    char text[256];
    size_t length =
        describe_packet(&packets[packet], (const uint8_t *)bytes, size, text, sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

static void fields_come_with_value_and_unit(void **state)
{
    (void)state;
    describes(0, "\x05\x9d\x01\x00\x9b\xe7", 6,
              "status flags=5, battery=15.7 V, rates=[0.01 -62.45] deg/s");
    describes(3, "", 0, "stop");
}

static void text_is_quoted_and_floats_read_as_written(void **state)
{
    (void)state;
    describes(1, "ab\0c\xcd\xcc\xcc\x3d", 8, "name text=\"ab\", ratio=0.1");
    describes(1, "\"\n\\\x80\0\0\xc0\x3f", 8, "name text=\"\\x22\\x0a\\x5c\\x80\", ratio=1.5");
}

static void repeated_elements_follow_in_braces(void **state)
{
    (void)state;
    describes(2, "\x01", 1, "scan x=1 mm");
    describes(2, "\x01\x02\x03", 3, "scan x=1 mm {sample x=2 mm} {sample x=3 mm}");
}

static void elements_that_are_bytes_have_no_names(void **state)
{
    (void)state;
    describes(4, "\x01\xfe", 2, "block 01 fe");
    describes(5, "\x01\x02", 2, "block {data x=1 mm} {data x=2 mm}");
}

static void a_body_of_the_wrong_size_is_shown_as_bytes(void **state)
{
    (void)state;
    describes(0, "\x05\x9d\x01", 3, "status of 3 bytes instead of 6: 05 9d 01");
    describes(2, "", 0, "scan of 0 bytes instead of 1: ");
}

/* Frames of the invented robot: e0, length, then parts of ID, size and body. */
static const struct wire_framing framing = {.head = {0xe0},
                                            .head_size = 1,
                                            .length_at = 1,
                                            .length_max = 255,
                                            .length_extra = 2,
                                            .body_at = 2,
                                            .parts = WIRE_PARTS_SIZED};
static const struct channel_spec channels[] = {{.name = "other"},
                                               {.name = "uart", .frames = {&framing, NULL}}};
static const struct robot_type type = {
    .name = "made_up",
    .channels = channels,
    .packets = (const struct wire_packet *const[]){&packets[0], &packets[1], &packets[2],
                                                   &packets[3], &packets[6], NULL}};

/* Writes the length after the first of these bytes. Returns the size. */
static size_t make_frame(const char *bytes, size_t size, uint8_t frame[64])
{
    if (size == 0)
        return 0;
    frame[0] = (uint8_t)bytes[0];
    frame[1] = (uint8_t)(size - 1);
    memcpy(frame + 2, bytes + 1, size - 1);
    return size + 1;
}

static void frame_describes(const char *bytes, size_t size, const char *expected)
{
    char text[256];
    uint8_t frame[64];
    size = make_frame(bytes, size, frame);
    size_t length = describe_frame(&type, 1, WIRE_TO_HOST, 0, frame, size, text, sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

static void parts_of_a_frame_are_joined(void **state)
{
    (void)state;
    frame_describes("\xe0\x04\x00\x03\x01\x07\x63\x02\xaa\xbb", 10,
                    "stop; scan x=7 mm; unknown 0x63: aa bb");
}

static void a_frame_that_does_not_parse_is_shown_as_bytes(void **state)
{
    (void)state;
    frame_describes("\xe1\x04", 2, "e1 01 04");
    /* The first part is valid, but its description must not remain at the beginning. */
    frame_describes("\xe0\x04\x00\x03\x09", 5, "e0 04 04 00 03 09");
    frame_describes("", 0, "");
}

static void every_size_of_text_is_cut_cleanly(void **state)
{
    (void)state;
    const uint8_t body[] = {5, 0x9d, 1, 0, 0x9b, 0xe7};
    char whole[128];
    size_t length = describe_packet(&packets[0], body, sizeof body, whole, sizeof whole);
    for (size_t size = 1; size <= length + 1; size++) {
        char text[130];
        memset(text, '#', sizeof text);
        assert_int_equal(describe_packet(&packets[0], body, sizeof body, text, size), size - 1);
        assert_memory_equal(text, whole, size - 1);
        assert_int_equal(text[size - 1], '\0');
        assert_int_equal(text[size], '#');
    }
    char untouched = '#';
    assert_int_equal(describe_packet(&packets[0], body, sizeof body, &untouched, 0), 0);
    assert_int_equal(untouched, '#');
}

/* Compares the description of one numeric field with the expected text. */
static void number_reads(const struct wire_field *field, enum wire_order order, const void *message)
{
    const struct wire_packet packet = {.name = "p",
                                       .order = order,
                                       .fields = field,
                                       .field_count = 1,
                                       .struct_size = 4,
                                       .size = (uint16_t)wire_field_size(field)};
    uint8_t body[4];
    char text[64], number[32], wanted[64];
    wire_encode(&packet, message, body);
    describe_packet(&packet, body, packet.size, text, sizeof text);
    number_print(wire_value(field, message, 0), field->type == WIRE_F32 ? 7 : 10, number,
                 sizeof number);
    snprintf(wanted, sizeof wanted, "p n=%s", number);
    assert_string_equal(text, wanted);
}

/* Every type, order and scale. The numbers are read from the bytes and written without printf. */
static void every_number_reads_as_number_print_writes_it(void **state)
{
    (void)state;
    static const double scales[] = {1,         0.1,        0.01,      0.001,    0.0001,
                                    0.00001,   0.00875,    0.25,      1.0 / 64, 1.0 / 128,
                                    1.0 / 768, 3.3 / 4095, 1 / 819.2, 2};
    static const int32_t edges[] = {INT32_MIN, INT32_MIN + 1, -100000,   -1,        0, 1, 9,
                                    10,        100000,        INT32_MAX, 0x12345678};
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
        struct wire_field field = {
            .name = "n", .name_size = 1, .count = 1, .scale = scales[s], .unit = ""};
        for (int32_t i = INT16_MIN; i <= INT16_MAX + (int32_t)(sizeof edges / sizeof *edges); i++) {
            int32_t raw = i <= INT16_MAX ? i : edges[i - INT16_MAX - 1];
            for (field.type = WIRE_U8; field.type <= WIRE_I32; field.type++) {
                bool is_wide = field.type == WIRE_U32 || field.type == WIRE_I32;
                if (i % (is_wide ? 5 : 61) == 0 || i < -32600 || i > 32600 || abs(i) < 300)
                    number_reads(&field, i & 1 ? WIRE_BIG_ENDIAN : WIRE_LITTLE_ENDIAN, &raw);
            }
        }
        field.type = WIRE_F32;
        for (int i = -2000; i < 2000; i++)
            number_reads(&field, i & 1 ? WIRE_BIG_ENDIAN : WIRE_LITTLE_ENDIAN,
                         &(float){(float)i * 0.37f});
    }
}

static void add_object(void *user, const struct wire_packet *packet, uint8_t id,
                       const uint8_t *body, size_t size)
{
    describe_part_json(user, packet, id, body, size);
}

static void reads_as_json(const char *bytes, size_t size, const char *expected)
{
    char text[512];
    uint8_t frame[64];
    struct writer to = writer_begin(text, sizeof text);
    size = make_frame(bytes, size, frame);
    assert_true(robot_walk(&type, 1, WIRE_TO_HOST, 0, frame, size, add_object, &to));
    assert_int_equal(writer_end(&to), strlen(expected));
    assert_string_equal(text, expected);
}

static void as_json_the_same_values(void **state)
{
    (void)state;
    reads_as_json("\xe0\x01\x06\x80\xa5\x10\x27\xff\xff\x04\x00", 11,
                  "{\"packet\":\"status\",\"flags\":128,\"battery\":16.5,\"rates\":[100,-0.01]},"
                  "{\"packet\":\"stop\"}");
    reads_as_json("\xe0\x03\x03\x05\x06\x07", 6,
                  "{\"packet\":\"scan\",\"x\":5,\"sample\":[{\"x\":6},{\"x\":7}]}");
    reads_as_json("\xe0\x02\x08"
                  "a\"\n\0\0\0\x80\x7f",
                  11, "{\"packet\":\"name\",\"text\":\"a\\u0022\\u000a\",\"ratio\":null}");
    reads_as_json("\xe0\x07\x03\x05\x06\x07", 6,
                  "{\"packet\":\"pairs\",\"pair\":[{\"x\":5,\"y\":6}],\"rest\":\"07\"}");
    reads_as_json("\xe0\x09\x02\xab\xcd", 5, "{\"unknown\":9,\"bytes\":\"abcd\"}");
    reads_as_json("\xe0\x01\x02\x80\xa5", 5, "{\"wrong_size\":\"status\",\"bytes\":\"80a5\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_come_with_value_and_unit),
        cmocka_unit_test(text_is_quoted_and_floats_read_as_written),
        cmocka_unit_test(repeated_elements_follow_in_braces),
        cmocka_unit_test(elements_that_are_bytes_have_no_names),
        cmocka_unit_test(a_body_of_the_wrong_size_is_shown_as_bytes),
        cmocka_unit_test(parts_of_a_frame_are_joined),
        cmocka_unit_test(a_frame_that_does_not_parse_is_shown_as_bytes),
        cmocka_unit_test(every_size_of_text_is_cut_cleanly),
        cmocka_unit_test(every_number_reads_as_number_print_writes_it),
        cmocka_unit_test(as_json_the_same_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
