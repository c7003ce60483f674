/* The contract of a robot, its rows: options, commands, signals and appearance of every type in the
 * registry point into the structs that they fill and read. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "protocols/registry.h"
#include "tests/support/every_type.h"
#include "tests/support/tested_types.h"

/* ---- Options and commands ---- */

static void check_option_rows(const struct robot_type *type, const struct option_row *rows,
                              size_t count, size_t size)
{
    for (size_t i = 0; i < count; i++) {
        const struct option_row *row = &rows[i];
        CHECK(type, is_name(row->key), "option %zu", i);
        CHECK(type, is_inside(row->offset, option_size(row), size), "%s", row->key);
        CHECK(type, row->type == OPTION_BOOL || row->offset % 4 == 0 || row->type == OPTION_TEXT,
              "%s is aligned", row->key);
        CHECK(type, row->min <= row->max, "%s", row->key);
        CHECK(type, row->type != OPTION_CHOICE || (row->choices && row->choices[0]), "%s",
              row->key);
        for (size_t k = 0; k < i; k++) {
            const struct option_row *other = &rows[k];
            CHECK(type, strcmp(row->key, other->key) != 0, "%s twice", row->key);
            CHECK(type,
                  row->offset >= other->offset + option_size(other) ||
                      other->offset >= row->offset + option_size(row),
                  "%s and %s fill the same member", row->key, other->key);
        }
        uint8_t scratch[ROBOT_OPTIONS_MAX] = {0};
        struct error error = {0};
        CHECK(type, !row->fallback || option_set(row, row->fallback, scratch, &error), "%s",
              error.text);
    }
}

static void check_options(const struct robot_type *type)
{
    check_option_rows(type, type->options, type->option_count, type->options_size);
    for (size_t i = 0; i < type->option_count; i++) {
        const struct option_row *row = &type->options[i];
        CHECK(type, row->fallback, "option %s has no default", row->key);
        CHECK(type, row->note && row->note[0], "option %s has no note", row->key);
    }
}

static void options_have_defaults_that_they_allow(void **state)
{
    (void)state;
    for_every_tested(check_options);
}

static void check_commands(const struct robot_type *type)
{
    for (size_t i = 0; i < type->command_count; i++) {
        const struct command_row *command = &type->commands[i];
        CHECK(type, is_name(command->name), "command %zu", i);
        CHECK(type, command->run && command->note && command->note[0], "command %s", command->name);
        CHECK(type, command->args_size <= ROBOT_ARGS_MAX, "command %s", command->name);
        check_option_rows(type, command->args, command->arg_count, command->args_size);
        for (size_t k = 0; k < i; k++) {
            CHECK(type, strcmp(command->name, type->commands[k].name) != 0, "command %s twice",
                  command->name);
        }
    }
}

static void commands_have_arguments_that_fit(void **state)
{
    (void)state;
    for_every_tested(check_commands);
}

/* ---- Signals and appearance ---- */

static size_t signal_size(enum signal_type type)
{
    switch (type) {
    case SIGNAL_BOOL:
        return sizeof(bool);
    case SIGNAL_U8:
    case SIGNAL_I8:
        return 1;
    case SIGNAL_U16:
    case SIGNAL_I16:
        return 2;
    case SIGNAL_U32:
    case SIGNAL_I32:
        return 4;
    default:
        return 8;
    }
}

static void check_signals(const struct robot_type *type)
{
    for (size_t i = 0; i < type->signal_count; i++) {
        const struct signal_row *row = &type->signals[i];
        size_t size = signal_size(row->type);
        CHECK(type, is_name(row->name), "signal %zu", i);
        CHECK(type, row->unit && row->note, "signal %s", row->name);
        CHECK(type, is_inside(row->offset, size, type->state_size), "signal %s", row->name);
        size_t most = _Alignof(struct robot_stats); /* of a number of 8 bytes; of 32 bits 4 */
        CHECK(type, row->offset % (size < most ? size : most) == 0, "signal %s is aligned",
              row->name);
        CHECK(type, isfinite(row->scale), "signal %s", row->name);
        CHECK(type,
              row->mask == 0 || (row->type != SIGNAL_DOUBLE && size == 8) ||
                  (size < 8 && row->mask >> (8 * size) == 0),
              "signal %s: the mask fits the type", row->name);
        for (size_t k = 0; k < i; k++) {
            CHECK(type, strcmp(row->name, type->signals[k].name) != 0, "signal %s twice",
                  row->name);
        }
    }
}

static bool has_packet(const struct robot_type *type, const struct wire_packet *packet)
{
    for (size_t i = 0; type->packets[i]; i++) {
        const struct wire_packet *known = type->packets[i];
        if (known == packet || (known->repeat && known->repeat == packet))
            return true;
    }
    return false;
}

static void check_mirrors(const struct robot_type *type)
{
    for (size_t i = 0; i < type->mirror_count; i++) {
        const struct signal_mirror *mirror = &type->mirrors[i];
        CHECK(type, has_packet(type, mirror->packet), "mirror of %s", mirror->packet->name);
        CHECK(type, is_inside(mirror->offset, mirror->packet->struct_size, type->state_size),
              "mirror of %s", mirror->packet->name);
        for (size_t k = 0; k < i; k++) {
            CHECK(type, strcmp(mirror->packet->name, type->mirrors[k].packet->name) != 0,
                  "mirror of %s twice", mirror->packet->name);
        }
    }
    /* "Every field of the wire has its row": each packet is mirrored. */
    for (size_t i = 0; type->packets[i]; i++) {
        bool is_mirrored = type->packets[i]->field_count == 0;
        for (size_t k = 0; k < type->mirror_count; k++)
            is_mirrored = is_mirrored || type->mirrors[k].packet == type->packets[i];
        CHECK(type, is_mirrored, "%s has no mirror", type->packets[i]->name);
    }
}

static void signals_lie_inside_the_state(void **state)
{
    (void)state;
    for_every_tested(check_signals);
    for_every_tested(check_mirrors);
}

static bool has_signal(const struct robot_type *type, const char *name)
{
    for (size_t i = 0; i < type->signal_count; i++)
        if (strcmp(type->signals[i].name, name) == 0)
            return true;
    for (size_t i = 0; i < type->mirror_count; i++) {
        const struct wire_packet *packet = type->mirrors[i].packet;
        size_t prefix = strlen(packet->name);
        if (strncmp(name, packet->name, prefix) != 0 || name[prefix] != '.')
            continue;
        for (size_t k = 0; k < packet->field_count; k++)
            if (strcmp(packet->fields[k].name, name + prefix + 1) == 0)
                return true;
    }
    return false;
}

static void check_appearance(const struct robot_type *type)
{
    CHECK(type, type->appearance->count > 0, "looks");
    for (size_t i = 0; i < type->appearance->count; i++) {
        const struct appearance_row *look = &type->appearance->rows[i];
        CHECK(type, !look->lit_by || has_signal(type, look->lit_by), "look %zu is lit by %s", i,
              look->lit_by);
        /* These have the sizes of the body. */
        bool is_own = look->shape != APPEARANCE_BODY && look->shape != APPEARANCE_WHEELS;
        CHECK(type, (look->length_m > 0) == is_own && look->length_m < 2, "look %zu: length_m %g",
              i, look->length_m);
        CHECK(type, look->width_m >= 0 && look->width_m < 2, "look %zu: width_m %g", i,
              look->width_m);
    }
}

static void looks_are_lit_by_signals_that_exist(void **state)
{
    (void)state;
    for_every_tested(check_appearance);
}

static void a_signal_is_read_by_its_type_mask_and_scale(void **state)
{
    (void)state;
    struct {
        double f64;
        int64_t i64;
        uint32_t u32;
        int16_t i16;
        int8_t i8;
        bool truth;
    } numbers = {-1.5, -7, 4294967295u, -6245, -1, true};
#define ROW(member, kind)                                                                          \
    .offset = (size_t)((char *)&numbers.member - (char *)&numbers), .type = kind
    const struct {
        struct signal_row row;
        double expected;
    } cases[] = {
        {{ROW(f64, SIGNAL_DOUBLE)}, -1.5},
        {{ROW(f64, SIGNAL_DOUBLE), .scale = 2}, -3},
        {{ROW(i64, SIGNAL_I64)}, -7},
        {{ROW(u32, SIGNAL_U32)}, 4294967295.0},
        {{ROW(u32, SIGNAL_I32)}, -1},
        {{ROW(i16, SIGNAL_I16), .scale = 0.5}, -3122.5},
        {{ROW(i16, SIGNAL_U16)}, 59291},
        {{ROW(i8, SIGNAL_I8)}, -1},
        {{ROW(i8, SIGNAL_U8)}, 255},
        {{ROW(i8, SIGNAL_U8), .mask = 0x40, .scale = 3}, 1},
        {{ROW(i16, SIGNAL_U16), .mask = 0x0004}, 0},
        {{ROW(truth, SIGNAL_BOOL)}, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_true(robot_signal(&cases[i].row, &numbers) == cases[i].expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_have_defaults_that_they_allow),
        cmocka_unit_test(commands_have_arguments_that_fit),
        cmocka_unit_test(signals_lie_inside_the_state),
        cmocka_unit_test(looks_are_lit_by_signals_that_exist),
        cmocka_unit_test(a_signal_is_read_by_its_type_mask_and_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
