/* Options: accepted values, refused values, and the messages for them. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/option.h"
#include "base/text.h"

struct settings {
    double battery_v;
    double heading_rad;
    double any;
    int64_t port;
    int64_t count;
    bool lenient;
    int32_t firmware;
    int32_t set_power;
    char label[8];
};

static const char *const firmwares[] = {"1.0.0", "1.1.4", "1.2.0", "2.0.0", NULL};
static const char *const policies[] = {"accept", "ignore", NULL};

#define MEMBER(name) .key = #name, .offset = offsetof(struct settings, name)

enum { BATTERY, HEADING, ANY, PORT, COUNT, LENIENT, FIRMWARE, SET_POWER, LABEL, ROWS };

static const struct option_row rows[ROWS] = {
    [BATTERY] = {MEMBER(battery_v), .type = OPTION_NUMBER, .unit = "V", .min = 9.6, .max = 16.8,
                 .fallback = "16.4"},
    [HEADING] = {MEMBER(heading_rad), .type = OPTION_NUMBER, .unit = "deg",
                 .scale = 3.14159265358979323846 / 180, .fallback = "90"},
    [ANY] = {MEMBER(any), .type = OPTION_NUMBER, .unit = ""},
    [PORT] = {MEMBER(port), .type = OPTION_INTEGER, .unit = "", .min = 1, .max = 65535,
              .fallback = "1000"},
    [COUNT] = {MEMBER(count), .type = OPTION_INTEGER, .unit = "ticks"},
    [LENIENT] = {MEMBER(lenient), .type = OPTION_BOOL, .fallback = "yes"},
    [FIRMWARE] = {MEMBER(firmware), .type = OPTION_CHOICE, .choices = firmwares,
                  .fallback = "1.2.0"},
    [SET_POWER] = {MEMBER(set_power), .type = OPTION_CHOICE, .choices = policies,
                   .fallback = "ignore"},
    [LABEL] = {MEMBER(label), .type = OPTION_TEXT, .size = 8, .fallback = "Kobuki"},
};

static void assert_refused(int row, const char *text, const char *sentence)
{
    struct settings settings;
    struct settings before;
    struct error error = {0};
    memset(&settings, 0x5a, sizeof settings);
    before = settings;
    assert_false(option_set(&rows[row], text, &settings, &error));
    assert_string_equal(error.text, sentence);
    assert_memory_equal(&settings, &before, sizeof settings);
    assert_false(option_set(&rows[row], text, &settings, NULL));
}

static void errors_of_numbers_say_what_is_allowed(void **state)
{
    (void)state;
    assert_refused(BATTERY, "16 V",
                   "battery_v: '16 V' is not a number; allowed: a number from 9.6 to 16.8 (unit V, "
                   "written without it)");
    assert_refused(BATTERY, "17",
                   "battery_v: '17' is out of range; allowed: a number from 9.6 to 16.8 (unit V, "
                   "written without it)");
    assert_refused(BATTERY, "9.5999",
                   "battery_v: '9.5999' is out of range; allowed: a number from "
                   "9.6 to 16.8 (unit V, written without it)");
    assert_refused(ANY, "", "any: '' is not a number; allowed: a number");
    assert_refused(HEADING, "nan",
                   "heading_rad: 'nan' is not a number; allowed: a number (unit deg, written "
                   "without it)");
}

static void the_ends_of_a_range_are_inside(void **state)
{
    (void)state;
    struct settings settings = {0};
    assert_true(option_set(&rows[BATTERY], "9.6", &settings, NULL));
    assert_true(option_set(&rows[BATTERY], "16.8", &settings, NULL));
    assert_true(settings.battery_v == 16.8);
    assert_true(option_set(&rows[PORT], "65535", &settings, NULL));
    assert_true(option_set(&rows[PORT], "1", &settings, NULL));
    assert_int_equal(settings.port, 1);
}

static void degrees_are_stored_in_radians(void **state)
{
    (void)state;
    struct settings settings = {0};
    assert_true(option_set(&rows[HEADING], "180", &settings, NULL));
    assert_true(fabs(settings.heading_rad - 3.14159265358979323846) < 1e-15);
}

static void whole_numbers_must_be_whole(void **state)
{
    (void)state;
    assert_refused(PORT, "80.0",
                   "port: '80.0' is not a whole number; allowed: a whole number from 1 to 65535");
    assert_refused(PORT, "0", "port: '0' is out of range; allowed: a whole number from 1 to 65535");
    assert_refused(PORT, "0x50",
                   "port: '0x50' is not a whole number; allowed: a whole number from 1 to 65535");
    assert_refused(COUNT, "99999999999999999999",
                   "count: '99999999999999999999' is not a whole number; allowed: a whole number "
                   "(unit ticks, written without it)");
}

static void unbounded_whole_numbers_end_where_a_double_is_exact(void **state)
{
    (void)state;
    struct settings settings = {0};
    assert_true(option_set(&rows[COUNT], "-9007199254740992", &settings, NULL));
    assert_true(settings.count == -9007199254740992);
    assert_true(option_set(&rows[COUNT], "9007199254740992", &settings, NULL));
    assert_true(settings.count == 9007199254740992);
    assert_false(option_set(&rows[COUNT], "9007199254740993", &settings, NULL));
}

static void bools_have_eight_words(void **state)
{
    (void)state;
    const char *const yes[] = {"true", "on", "yes", "1"};
    const char *const no[] = {"false", "off", "no", "0"};
    for (size_t i = 0; i < 4; i++) {
        struct settings settings = {0};
        assert_true(option_set(&rows[LENIENT], yes[i], &settings, NULL));
        assert_true(settings.lenient);
        assert_true(option_set(&rows[LENIENT], no[i], &settings, NULL));
        assert_false(settings.lenient);
    }
    assert_refused(LENIENT, "ture",
                   "lenient: 'ture' is not one of true, false, on, off, yes, no, "
                   "1, 0; did you mean 'true'?");
    assert_refused(LENIENT, "maybe",
                   "lenient: 'maybe' is not one of true, false, on, off, yes, no, 1, 0");
}

static void choices_store_their_position(void **state)
{
    (void)state;
    struct settings settings = {0};
    assert_true(option_set(&rows[FIRMWARE], "1.1.4", &settings, NULL));
    assert_int_equal(settings.firmware, 1);
    assert_refused(
        FIRMWARE, "v1",
        "firmware: 'v1' is not one of 1.0.0, 1.1.4, 1.2.0, 2.0.0; did you mean '1.0.0'?");
    assert_refused(
        FIRMWARE, "1.2",
        "firmware: '1.2' is not one of 1.0.0, 1.1.4, 1.2.0, 2.0.0; did you mean '1.2.0'?");
    assert_refused(SET_POWER, "acept",
                   "set_power: 'acept' is not one of accept, ignore; did you mean 'accept'?");
    assert_refused(SET_POWER, "IGNORE",
                   "set_power: 'IGNORE' is not one of accept, ignore; did you mean 'ignore'?");
    assert_refused(SET_POWER, "reject", "set_power: 'reject' is not one of accept, ignore");
    assert_refused(SET_POWER, "", "set_power: '' is not one of accept, ignore");
}

static void texts_fit_or_are_refused(void **state)
{
    (void)state;
    struct settings settings;
    memset(&settings, 0x5a, sizeof settings);
    assert_true(option_set(&rows[LABEL], "", &settings, NULL));
    assert_string_equal(settings.label, "");
    assert_true(option_set(&rows[LABEL], "1234567", &settings, NULL));
    assert_string_equal(settings.label, "1234567");
    assert_true(option_set(&rows[LABEL], "\xe5\x8f\xb0", &settings, NULL));
    assert_refused(LABEL, "12345678",
                   "label: '12345678' is too long; allowed: a text of at most 7 bytes");
}

static void texts_that_are_not_utf8_are_refused(void **state)
{
    (void)state;
    const char *const bad[] = {"ab\x80",         "ab\xc0\x80",         "ab\xe5\x8f",
                               "ab\xed\xa0\x80", "ab\xf4\x90\x80\x80", "ab\xff"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_refused(LABEL, bad[i], "label: the text is not UTF-8 (byte 3)");
}

static void found_texts_are_quoted_short_and_clean(void **state)
{
    (void)state;
    assert_refused(SET_POWER, "a\nb\x1b[31m\xff",
                   "set_power: 'a?b?[31m?' is not one of accept, ignore");
    char junk[100];
    memset(junk, 0x9f, sizeof junk - 1);
    junk[sizeof junk - 1] = '\0';
    assert_refused(SET_POWER, junk,
                   "set_power: '????????????????????????????????????????????...' is not one of "
                   "accept, ignore");
    char text[3001];
    for (size_t i = 0; i < 1000; i++)
        memcpy(text + 3 * i, "\xe5\x8f\xb0", 4);
    struct error error = {0};
    struct settings settings = {0};
    assert_false(option_set(&rows[SET_POWER], text, &settings, &error));
    assert_true(strlen(error.text) < 120);
    assert_non_null(strstr(error.text, "\xb0...' is not one of"));
}

static void defaults_fill_what_has_a_fallback(void **state)
{
    (void)state;
    struct settings settings = {0};
    option_defaults(rows, ROWS, &settings);
    assert_true(settings.battery_v == 16.4);
    assert_true(settings.any == 0);
    assert_int_equal(settings.port, 1000);
    assert_true(settings.lenient);
    assert_int_equal(settings.firmware, 2);
    assert_int_equal(settings.set_power, 1);
    assert_string_equal(settings.label, "Kobuki");
    struct settings first = {.heading_rad = 7};
    option_defaults(rows, HEADING, &first); // only the rows before
    assert_true(first.battery_v == 16.4 && first.heading_rad == 7);
}

static void rows_are_found_by_their_whole_key(void **state)
{
    (void)state;
    assert_ptr_equal(option_find(rows, ROWS, "battery_v"), &rows[BATTERY]);
    assert_ptr_equal(option_find(rows, ROWS, "port"), &rows[PORT]);
    assert_null(option_find(rows, ROWS, "por"));
    assert_null(option_find(rows, ROWS, ""));
    assert_null(option_find(rows, 0, "port"));
}

static void the_nearest_key_is_one_that_was_meant(void **state)
{
    (void)state;
    assert_string_equal(option_nearest(rows, ROWS, "batery_v"), "battery_v");
    assert_string_equal(option_nearest(rows, ROWS, "battrey_v"), "battery_v");
    assert_string_equal(option_nearest(rows, ROWS, "battery"), "battery_v");
    assert_string_equal(option_nearest(rows, ROWS, "Firmware"), "firmware");
    assert_string_equal(option_nearest(rows, ROWS, "prot"), "port");
    assert_null(option_nearest(rows, ROWS, "wheels"));
    assert_null(option_nearest(rows, ROWS, "x"));
    assert_null(option_nearest(rows, ROWS, ""));
    const char *const words[] = {"x", "y", "heading", NULL};
    assert_null(text_nearest(words, "z"));
    assert_string_equal(text_nearest(words, "haeding"), "heading");
    char endless[5000];
    memset(endless, 'a', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    assert_null(option_nearest(rows, ROWS, endless));
}

static void what_a_row_allows_reads_as_words(void **state)
{
    (void)state;
    const char *const expected[ROWS] = {
        [BATTERY] = "a number from 9.6 to 16.8 V",
        [HEADING] = "a number in deg",
        [ANY] = "a number",
        [PORT] = "a whole number from 1 to 65535",
        [COUNT] = "a whole number in ticks",
        [LENIENT] = "true or false",
        [FIRMWARE] = "1.0.0, 1.1.4, 1.2.0 or 2.0.0",
        [SET_POWER] = "accept or ignore",
        [LABEL] = "a text of at most 7 bytes",
    };
    for (int i = 0; i < ROWS; i++) {
        char text[128];
        option_allowed(&rows[i], text, sizeof text);
        assert_string_equal(text, expected[i]);
        char cut[6];
        option_allowed(&rows[i], cut, sizeof cut);
        assert_memory_equal(cut, expected[i], 5);
        assert_int_equal(cut[5], '\0');
    }
}

static void large_whole_bounds_are_printed_whole(void **state)
{
    (void)state;
    const struct option_row seed = {
        .key = "seed", .type = OPTION_INTEGER, .unit = "", .max = 9007199254740992.0, .note = ""};
    char text[128];
    option_allowed(&seed, text, sizeof text);
    assert_string_equal(text, "a whole number from 0 to 9007199254740992");
}

static void a_copy_has_all_members_and_nothing_else(void **state)
{
    (void)state;
    struct settings from;
    struct settings to;
    struct settings expected;
    memset(&from, 0x5a, sizeof from);
    memset(&expected, 0, sizeof expected);
    memset(&to, 0, sizeof to);
    option_defaults(rows, ROWS, &from);
    from.any = 0.5;
    from.count = -3;
    memcpy(from.label, "ab\0\x5a\x5a", 5);
    option_copy(rows, ROWS, &from, &to);

    expected.battery_v = from.battery_v;
    expected.heading_rad = from.heading_rad;
    expected.any = 0.5;
    expected.port = from.port;
    expected.count = -3;
    expected.lenient = from.lenient;
    expected.firmware = from.firmware;
    expected.set_power = from.set_power;
    memcpy(expected.label, "ab", 2);
    assert_memory_equal(&to, &expected, sizeof to);
}

static void a_copied_text_ends_with_nul_and_has_no_old_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
    } labels[] = {{"\0#######", "\0\0\0\0\0\0\0"},
                  {"a\0######", "a\0\0\0\0\0\0"},
                  {"123456\0#", "123456\0"},
                  {"1234567\0", "1234567"},
                  {"12345678", "1234567"}}; // the last one is not a text: it has no end
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        struct {
            char before[8], label[8], after[8];
        } from, to;
        const struct option_row row = {.key = "label", .type = OPTION_TEXT, .size = 8, .offset = 8};
        memset(&from, '#', sizeof from);
        memset(&to, '.', sizeof to);
        memcpy(from.label, labels[i].from, sizeof from.label);
        option_copy(&row, 1, &from, &to);
        assert_memory_equal(to.label, labels[i].to, sizeof to.label);
        assert_memory_equal(to.before, "........", sizeof to.before);
        assert_memory_equal(to.after, "........", sizeof to.after);
    }
}

/* ---- Rows of other sizes, and back to text ---- */

struct packed {
    double angle_rad, number;
    int64_t whole;
    uint8_t u8;
    uint16_t u16;
    uint32_t u32, color;
    int32_t choice;
    bool flag;
    uint8_t guard;
};

#define PACKED(name) .key = #name, .offset = offsetof(struct packed, name)
#define DEGREE       (3.14159265358979323846 / 180)

enum { P_ANGLE, P_NUMBER, P_WHOLE, P_U8, P_U16, P_U32, P_COLOR, P_CHOICE, P_FLAG, P_ROWS };

static const struct option_row packed_rows[P_ROWS] = {
    [P_ANGLE] = {PACKED(angle_rad), .type = OPTION_ANGLE, .unit = "deg", .scale = DEGREE,
                 .min = -360, .max = 360},
    [P_NUMBER] = {PACKED(number), .type = OPTION_NUMBER, .unit = "m"},
    [P_WHOLE] = {PACKED(whole), .type = OPTION_INTEGER, .unit = ""},
    [P_U8] = {PACKED(u8), .type = OPTION_INTEGER, .size = 1, .unit = "", .max = 255},
    [P_U16] = {PACKED(u16), .type = OPTION_INTEGER, .size = 2, .unit = "", .max = 65535},
    [P_U32] = {PACKED(u32), .type = OPTION_INTEGER, .size = 4, .unit = "", .max = 4294967295.0},
    [P_COLOR] = {PACKED(color), .type = OPTION_COLOR},
    [P_CHOICE] = {PACKED(choice), .type = OPTION_CHOICE, .choices = firmwares},
    [P_FLAG] = {PACKED(flag), .type = OPTION_BOOL},
};

static void small_members_are_filled_and_their_neighbors_are_not(void **state)
{
    (void)state;
    struct packed packed = {.guard = 0xA5};
    assert_true(option_set(&packed_rows[P_U8], "255", &packed, NULL));
    assert_true(option_set(&packed_rows[P_U16], "65534", &packed, NULL));
    assert_true(option_set(&packed_rows[P_U32], "4294967295", &packed, NULL));
    assert_int_equal(packed.u8, 255);
    assert_int_equal(packed.u16, 65534);
    assert_int_equal(packed.u32, UINT32_MAX);
    assert_int_equal(packed.color, 0);
    assert_true(packed.whole == 0 && packed.guard == 0xA5);
    assert_false(option_set(&packed_rows[P_U8], "256", &packed, NULL));
    assert_false(option_set(&packed_rows[P_U16], "-1", &packed, NULL));
}

static void colors_are_six_or_eight_digits(void **state)
{
    (void)state;
    struct packed packed = {0};
    assert_true(option_set(&packed_rows[P_COLOR], "#3a3F46", &packed, NULL));
    assert_int_equal(packed.color, 0x3A3F46FF);
    assert_true(option_set(&packed_rows[P_COLOR], "#00000000", &packed, NULL));
    assert_int_equal(packed.color, 0);
    static const char *const wrong[] = {"",         "red",        "3a3f46",  "#",       "#3a3f4",
                                        "#3a3f466", "#3a3f46ffa", "#3a3f4g", "# 3a3f46"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct error error = {0};
        assert_false(option_set(&packed_rows[P_COLOR], wrong[i], &packed, &error));
        char expected[128];
        snprintf(expected, sizeof expected,
                 "color: '%s' is not a color; allowed: \"#rrggbb\", or with opacity "
                 "\"#rrggbbaa\", in quotes",
                 wrong[i]);
        assert_string_equal(error.text, expected);
    }
}

#define ANGLE_ALLOWED "; allowed: a number from -360 to 360 (unit deg, written without it)"

static void assert_angle_refused(const char *text, const char *sentence)
{
    struct packed packed = {0};
    struct error error = {0};
    assert_false(option_set(&packed_rows[P_ANGLE], text, &packed, &error));
    assert_string_equal(error.text, sentence);
}

static void an_angle_in_radians_has_the_same_bounds(void **state)
{
    (void)state;
    assert_angle_refused("x rad", "angle_rad: 'x rad' is not a number" ANGLE_ALLOWED);
    assert_angle_refused("6.3 rad", "angle_rad: '6.3 rad' is out of range" ANGLE_ALLOWED);
    assert_angle_refused("-6.3 rad", "angle_rad: '-6.3 rad' is out of range" ANGLE_ALLOWED);
    // A bound may have been rounded when it was written: one part in 2^50 is tolerated.
    const double bound = 360 * DEGREE, last = bound * (1 + 0x1p-50);
    for (int sign = -1; sign <= 1; sign += 2) {
        struct packed packed = {0};
        char text[64];
        snprintf(text, sizeof text, "%.17g rad", sign * bound);
        assert_true(option_set(&packed_rows[P_ANGLE], text, &packed, NULL));
        assert_true(packed.angle_rad == sign * bound);
        snprintf(text, sizeof text, "%.17g rad", sign * last);
        assert_true(option_set(&packed_rows[P_ANGLE], text, &packed, NULL));
        snprintf(text, sizeof text, "%.17g rad", sign * nextafter(last, 10));
        assert_false(option_set(&packed_rows[P_ANGLE], text, &packed, NULL));
    }
}

static void a_number_that_its_scale_makes_too_large_is_refused(void **state)
{
    (void)state;
    const struct option_row row = {
        .key = "km", .type = OPTION_NUMBER, .unit = "km", .scale = 1000, .note = ""};
    struct settings settings = {0};
    double number = 7;
    struct error error = {0};
    assert_false(option_set(&row, "1e306", &number, &error));
    assert_string_equal(error.text, "km: '1e306' is too large; allowed: a number (unit km, "
                                    "written without it)");
    assert_false(option_set(&row, "-1e306", &number, &error));
    assert_true(number == 7);
    assert_true(option_set(&rows[ANY], "1.7976931348623157e308", &settings, NULL));
    assert_true(settings.any == DBL_MAX);
    assert_true(option_set(&rows[ANY], "-1.7976931348623157e308", &settings, NULL));
    assert_true(settings.any == -DBL_MAX);
}

static void words_may_look_like_a_format(void **state)
{
    (void)state;
    static const char *const words[] = {"100%", "%d%%", "%5s", NULL};
    const struct option_row row = {
        .key = "share", .type = OPTION_CHOICE, .choices = words, .note = ""};
    int32_t position = 0;
    char text[64];
    struct error error = {0};
    option_allowed(&row, text, sizeof text);
    assert_string_equal(text, "100%, %d%% or %5s");
    assert_true(option_set(&row, "%d%%", &position, NULL));
    assert_int_equal(position, 1);
    assert_true(option_print(&row, &position, text, sizeof text));
    assert_string_equal(text, "%d%%");
    assert_false(option_set(&row, "seven", &position, &error));
    assert_string_equal(error.text, "share: 'seven' is not one of 100%, %d%%, %5s");
}

static void angles_may_be_given_in_radians(void **state)
{
    (void)state;
    struct packed packed = {0};
    assert_true(option_set(&packed_rows[P_ANGLE], "0.1 rad", &packed, NULL));
    assert_true(packed.angle_rad == 0.1);
    assert_true(option_set(&packed_rows[P_ANGLE], "90", &packed, NULL));
    assert_true(packed.angle_rad == 90 * DEGREE);
    assert_false(option_set(&packed_rows[P_ANGLE], "6.3 rad", &packed, NULL));
    assert_false(option_set(&packed_rows[P_ANGLE], "x rad", &packed, NULL));
    assert_false(option_set(&packed_rows[P_ANGLE], " rad", &packed, NULL));
    assert_false(option_set(&packed_rows[P_NUMBER], "0.1 rad", &packed, NULL));

    // The longest possible text, and longer ones.
    assert_true(option_set(&packed_rows[P_ANGLE],
                           "0.200000000000000000000000000000000000000000000 rad", &packed, NULL));
    assert_true(packed.angle_rad == 0.2);
    assert_false(option_set(&packed_rows[P_ANGLE],
                            "0.2000000000000000000000000000000000000000000000 rad", &packed, NULL));
    assert_false(option_set(&packed_rows[P_ANGLE],
                            "0.20000000000000000000000000000000000000000000000000000 rad", &packed,
                            NULL));
}

/* A pseudo-random sequence that is the same in each run. */
static uint64_t next(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 11;
}

static void members_are_as_large_as_their_rows_say(void **state)
{
    (void)state;
    static const size_t sizes[P_ROWS] = {8, 8, 8, 1, 2, 4, 4, 4, sizeof(bool)};
    for (size_t i = 0; i < P_ROWS; i++)
        assert_int_equal(option_size(&packed_rows[i]), sizes[i]);
    assert_int_equal(option_size(&rows[LABEL]), sizeof((struct settings *)NULL)->label);
}

static void texts_are_printed_as_they_are(void **state)
{
    (void)state;
    struct settings settings = {0};
    char text[16], cut[3];
    assert_true(option_set(&rows[LABEL], "5%d%%\xc3\xa9", &settings, NULL));
    assert_true(option_print(&rows[LABEL], &settings, text, sizeof text));
    assert_string_equal(text, "5%d%%\xc3\xa9");
    (void)option_print(&rows[LABEL], &settings, cut, sizeof cut);
    assert_string_equal(cut, "5%");
}

static void what_a_row_does_not_allow_is_reported(void **state)
{
    (void)state;
    char text[64];
    struct packed wrong = {.angle_rad = 100, .choice = 4, .number = (double)INFINITY};
    assert_false(option_print(&packed_rows[P_ANGLE], &wrong, text, sizeof text));
    assert_false(option_print(&packed_rows[P_CHOICE], &wrong, text, sizeof text));
    assert_false(option_print(&packed_rows[P_NUMBER], &wrong, text, sizeof text));
}

/* If no rounded quotient gives the number back, a neighboring quotient does. */
static void scaled_numbers_are_printed_as_somebody_may_have_written_them(void **state)
{
    (void)state;
    const struct option_row row = {
        .key = "mm", .type = OPTION_NUMBER, .unit = "mm", .scale = 0.001, .note = ""};
    uint64_t seed = 3;
    for (int i = 0; i < 2000; i++) {
        double written = (double)next(&seed) * 0x1p-43, stored = written * 0.001, again = 0;
        char text[64];
        if (!option_print(&row, &stored, text, sizeof text))
            fail_msg("%.17g mm is not printed", written);
        assert_true(option_set(&row, text, &again, NULL));
        assert_true(again == stored);
    }
}

static void what_is_printed_is_read_as_the_same(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        struct packed in = {0}, out = {0};
        double part = (double)next(&seed) * 0x1p-53;
        in.angle_rad = (part - 0.5) * 4 * 3.14159265358979323846;
        in.number = (part - 0.5) * (i % 2 ? 1e-6 : 1e9);
        in.whole = (int64_t)next(&seed) - INT64_C(4503599627370496);
        in.u8 = (uint8_t)next(&seed);
        in.u16 = (uint16_t)next(&seed);
        in.u32 = (uint32_t)next(&seed);
        in.color = (uint32_t)next(&seed);
        in.choice = (int32_t)(next(&seed) % 4);
        in.flag = next(&seed) % 2;
        for (int row = 0; row < P_ROWS; row++) {
            char text[64];
            if (!option_print(&packed_rows[row], &in, text, sizeof text) ||
                !option_set(&packed_rows[row], text, &out, NULL))
                fail_msg("%s: %s", packed_rows[row].key, text);
        }
        assert_memory_equal(&in, &out, offsetof(struct packed, guard));
    }
}

static void numbers_are_printed_as_a_person_writes_them(void **state)
{
    (void)state;
    static const struct {
        int row;
        const char *text;
    } rows_of[] = {{P_ANGLE, "60"},        {P_ANGLE, "-30"},   {P_NUMBER, "0.036"},
                   {P_NUMBER, "-0.00015"}, {P_NUMBER, "1200"}, {P_COLOR, "#0a0b0c"},
                   {P_COLOR, "#0a0b0c0d"}, {P_WHOLE, "-12"},   {P_FLAG, "true"},
                   {P_CHOICE, "1.2.0"},    {P_U16, "640"}};
    for (size_t i = 0; i < sizeof rows_of / sizeof rows_of[0]; i++) {
        struct packed packed = {0};
        char text[64];
        assert_true(option_set(&packed_rows[rows_of[i].row], rows_of[i].text, &packed, NULL));
        assert_true(option_print(&packed_rows[rows_of[i].row], &packed, text, sizeof text));
        assert_string_equal(text, rows_of[i].text);
    }
    struct packed packed = {.number = INFINITY, .choice = 4, .u8 = 3};
    char text[64];
    assert_false(option_print(&packed_rows[P_NUMBER], &packed, text, sizeof text));
    assert_false(option_print(&packed_rows[P_CHOICE], &packed, text, sizeof text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_has_all_members_and_nothing_else),
        cmocka_unit_test(a_copied_text_ends_with_nul_and_has_no_old_bytes),
        cmocka_unit_test(errors_of_numbers_say_what_is_allowed),
        cmocka_unit_test(the_ends_of_a_range_are_inside),
        cmocka_unit_test(degrees_are_stored_in_radians),
        cmocka_unit_test(whole_numbers_must_be_whole),
        cmocka_unit_test(unbounded_whole_numbers_end_where_a_double_is_exact),
        cmocka_unit_test(bools_have_eight_words),
        cmocka_unit_test(choices_store_their_position),
        cmocka_unit_test(texts_fit_or_are_refused),
        cmocka_unit_test(texts_that_are_not_utf8_are_refused),
        cmocka_unit_test(found_texts_are_quoted_short_and_clean),
        cmocka_unit_test(defaults_fill_what_has_a_fallback),
        cmocka_unit_test(rows_are_found_by_their_whole_key),
        cmocka_unit_test(the_nearest_key_is_one_that_was_meant),
        cmocka_unit_test(what_a_row_allows_reads_as_words),
        cmocka_unit_test(large_whole_bounds_are_printed_whole),
        cmocka_unit_test(small_members_are_filled_and_their_neighbors_are_not),
        cmocka_unit_test(colors_are_six_or_eight_digits),
        cmocka_unit_test(angles_may_be_given_in_radians),
        cmocka_unit_test(an_angle_in_radians_has_the_same_bounds),
        cmocka_unit_test(a_number_that_its_scale_makes_too_large_is_refused),
        cmocka_unit_test(words_may_look_like_a_format),
        cmocka_unit_test(members_are_as_large_as_their_rows_say),
        cmocka_unit_test(texts_are_printed_as_they_are),
        cmocka_unit_test(what_a_row_does_not_allow_is_reported),
        cmocka_unit_test(scaled_numbers_are_printed_as_somebody_may_have_written_them),
        cmocka_unit_test(what_is_printed_is_read_as_the_same),
        cmocka_unit_test(numbers_are_printed_as_a_person_writes_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
