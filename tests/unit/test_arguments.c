/* Parsing of command line flags. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "app/cli/arguments.h"

struct taken {
    double speed;
    bool is_fast;
    char path[16];
    struct argument_texts set;
    struct part {
        int64_t first, count;
    } part;
};

static const struct flag_row rows[] = {
    {.value = "X",
     .option = {.key = "speed",
                .type = OPTION_NUMBER,
                .offset = offsetof(struct taken, speed),
                .unit = "",
                .min = 0.001,
                .max = 1000,
                .fallback = "1"}},
    {.option = {.key = "fast",
                .type = OPTION_BOOL,
                .offset = offsetof(struct taken, is_fast),
                .unit = "",
                .fallback = "false"}},
    {.value = "PATH",
     .option = {.key = "path",
                .type = OPTION_TEXT,
                .offset = offsetof(struct taken, path),
                .size = 16,
                .unit = "",
                .fallback = ""}},
    {.value = "TEXT",
     .is_repeated = true,
     .option = {.key = "set", .offset = offsetof(struct taken, set)}},
};

static const struct flag_row part_rows[] = {
    {.value = "N",
     .option = {.key = "count",
                .type = OPTION_INTEGER,
                .offset = offsetof(struct part, count),
                .unit = "",
                .min = 0,
                .max = 9,
                .fallback = "3"}},
};
static const struct flag_group part_group = {.rows = part_rows, .count = 1};
static const struct shared_flags shared[] = {{&part_group, offsetof(struct taken, part)},
                                             {NULL, 0}};

static const struct subcommand subcommand = {SUBCOMMAND_FLAGS(rows, taken), .shared_flags = shared};

/* Parses a line of words that are separated by blanks. */
static bool parse(char *line, struct arguments *arguments, struct taken *taken, struct error *error)
{
    static char *words[64];
    int count = 0;
    for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
        words[count++] = word;
    *arguments = (struct arguments){.subcommand = &subcommand};
    *taken = (struct taken){0};
    *error = (struct error){0};
    return arguments_parse(arguments, count, words, taken, error);
}

static void flags_and_words_may_be_mixed(void **state)
{
    (void)state;
    char line[] = "one --speed 2.5 two --fast --path=a=b --set x --set=y three";
    struct arguments arguments;
    struct taken taken;
    struct error error;
    assert_true(parse(line, &arguments, &taken, &error));
    assert_int_equal(arguments.word_count, 3);
    assert_string_equal(arguments.words[0], "one");
    assert_string_equal(arguments.words[1], "two");
    assert_string_equal(arguments.words[2], "three");
    assert_true(taken.speed == 2.5);
    assert_true(taken.is_fast);
    assert_string_equal(taken.path, "a=b");
    assert_int_equal(taken.set.count, 2);
    assert_string_equal(taken.set.texts[1], "y");
}

static void what_is_not_given_has_its_default(void **state)
{
    (void)state;
    char line[] = "one";
    struct arguments arguments;
    struct taken taken;
    struct error error;
    assert_true(parse(line, &arguments, &taken, &error));
    assert_true(taken.speed == 1);
    assert_false(taken.is_fast);
    assert_false(arguments_has(&arguments, "speed"));
}

static void after_two_dashes_nothing_is_a_flag(void **state)
{
    (void)state;
    char line[] = "--fast -- --speed -x";
    struct arguments arguments;
    struct taken taken;
    struct error error;
    assert_true(parse(line, &arguments, &taken, &error));
    assert_true(arguments_has(&arguments, "fast"));
    assert_int_equal(arguments.word_count, 2);
    assert_string_equal(arguments.words[0], "--speed");
}

static void mistakes_are_refused_with_their_reason(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"--sped 2", "did you mean '--speed'"},
        {"--speed", "X is missing"},
        {"--speed -- word", "X is missing"},
        {"--path --fast", "--path: PATH is missing"},
        {"--speed 2x", "speed: "},
        {"--speed 0", "speed: "},
        {"--speed nan", "speed: "},
        {"--speed=", "speed: "},
        {"--fast=1", "takes no value"},
        {"-f", "unknown flag '-f'"},
        {"--=3", "unknown flag '--=3'"},
        {"--path=", "--path: PATH is empty"},
        {"--path a-name-that-is-too-long", "path: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char line[64];
        struct arguments arguments;
        struct taken taken;
        struct error error;
        strcpy(line, cases[i][0]);
        assert_false(parse(line, &arguments, &taken, &error));
        if (!strstr(error.text, cases[i][1]))
            fail_msg("%s: %s", cases[i][0], error.text);
    }
}

static void shared_flags_fill_their_part_of_the_options(void **state)
{
    (void)state;
    char given[] = "--count 7 --speed 2", none[] = "--speed 2";
    struct arguments arguments;
    struct taken taken;
    struct error error;
    assert_true(parse(given, &arguments, &taken, &error));
    assert_int_equal(taken.part.count, 7);
    assert_int_equal(taken.part.first, 0);
    assert_true(taken.speed == 2);
    assert_true(arguments_has(&arguments, "count"));
    assert_true(parse(none, &arguments, &taken, &error));
    assert_int_equal(taken.part.count, 3);
    assert_false(arguments_has(&arguments, "count"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_and_words_may_be_mixed),
        cmocka_unit_test(what_is_not_given_has_its_default),
        cmocka_unit_test(shared_flags_fill_their_part_of_the_options),
        cmocka_unit_test(after_two_dashes_nothing_is_a_flag),
        cmocka_unit_test(mistakes_are_refused_with_their_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
