/* Tables of keys in both directions: a struct that is printed as YAML and read again is the same,
 * and the YAML has the form that a person would write. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "sim/yaml/scene_print.h"
#include "sim/yaml/scene_yaml.h"

enum { ITEMS = 3, LINE = 64 };

struct item {
    const char *label;
    const char *const *words;
    double x_m, y_m, share;
    int64_t count;
    bool is_on;
    char note[LINE];
};

struct size {
    double x_m;
    int64_t count;
    bool is_on;
};

struct spot {
    double x_m, y_m, share;
    const char *label;
};

struct file {
    struct size size;
    struct item *list;
    size_t list_count;
    struct spot array[ITEMS];
    size_t array_count;
    const char *title;
    const char *const *names;
    char lines[ITEMS][LINE];
    size_t line_count;
};

static const struct option_row item_rows[] = {
    ROW_NUMBER("x", item, x_m, "m", -100, 100, "0"),
    ROW_NUMBER("y", item, y_m, "m", -100, 100, "0"),
    ROW_NUMBER("share", item, share, "", 0, 1, "0.5"),
    ROW_INTEGER("count", item, count, "", 0, 1000, "0"),
    ROW_BOOL("is_on", item, is_on, "false"),
    ROW_TEXT("note", item, note, ""),
};
static const struct scene_part item_parts[] = {
    {.key = "label", .kind = PART_TEXT, .offset = offsetof(struct item, label)},
    {.key = "words", .kind = PART_WORDS, .offset = offsetof(struct item, words)},
};
static const struct scene_spec item_spec = {SCENE_ROWS(item_rows), SCENE_PARTS(item_parts)};

static const struct option_row spot_rows[] = {
    ROW_NUMBER("x", spot, x_m, "m", -100, 100, "0"),
    ROW_NUMBER("y", spot, y_m, "m", -100, 100, "0"),
    ROW_NUMBER("share", spot, share, "", 0, 1, "0.5"),
};
static const struct scene_part spot_parts[] = {
    {.key = "label", .kind = PART_TEXT, .offset = offsetof(struct spot, label)},
};
static const struct scene_spec spot_spec = {SCENE_ROWS(spot_rows), SCENE_PARTS(spot_parts)};

static const struct option_row size_rows[] = {
    ROW_NUMBER("x", size, x_m, "m", -100, 100, "0"),
    ROW_INTEGER("count", size, count, "", 0, 1000, "0"),
    ROW_BOOL("is_on", size, is_on, "false"),
};
static const struct scene_spec size_spec = {SCENE_ROWS(size_rows)};

static const struct option_row line_row = {
    .key = "line", .type = OPTION_TEXT, .size = LINE, .note = "a line"};
static const struct scene_spec line_spec = {.rows = &line_row, .row_count = 1};

static const struct scene_part file_parts[] = {
    {.key = "own", .kind = PART_OWN},
    SCENE_MAPPING("size", size_spec, file, size, false),
    SCENE_LIST("list", item_spec, file, list, list_count, 0),
    SCENE_ARRAY("array", spot_spec, file, array, array_count),
    {.key = "title", .kind = PART_TEXT, .offset = offsetof(struct file, title)},
    {.key = "names", .kind = PART_WORDS, .offset = offsetof(struct file, names)},
    {.key = "lines",
     .kind = PART_LINES,
     .spec = &line_spec,
     .offset = offsetof(struct file, lines),
     .count_offset = offsetof(struct file, line_count),
     .item_size = LINE,
     .max = ITEMS},
};
static const struct scene_spec file_spec = {SCENE_PARTS(file_parts)};

/* All parts of a file, which the caller frees. */
static char *printed(const struct file *file)
{
    struct scene_text text = {0};
    struct error error = {0};
    scene_text_add(&text, "own: 1\n");
    for (size_t i = 0; i < COUNT(file_parts); i++)
        if (!scene_print_part(&text, &file_parts[i], file, &error))
            fail_msg("%s: %s", file_parts[i].key, error.text);
    assert_false(text.is_short);
    assert_int_equal(strlen(text.bytes), text.size);
    return text.bytes;
}

static bool is_read(const char *text, struct file *file, struct scene_kept **kept,
                    struct error *error)
{
    *kept = NULL;
    *file = (struct file){0};
    return scene_yaml_read_kept(text, strlen(text), "x.yaml", &file_spec, file, kept, error);
}

static struct file read(const char *text, struct scene_kept **kept)
{
    struct file file;
    struct error error = {0};
    if (!is_read(text, &file, kept, &error))
        fail_msg("%s\nof:\n%s", error.text, text);
    return file;
}

static void forget(struct file *file, struct scene_kept *kept)
{
    free(file->list);
    while (kept) {
        struct scene_kept *next = kept->next;
        free(kept);
        kept = next;
    }
}

/* ---- There and back ---- */

static void check_words(const char *const *a, const char *const *b)
{
    assert_int_equal(!a, !b);
    for (size_t i = 0; a && (a[i] || b[i]); i++) {
        assert_true(a[i] && b[i]);
        assert_string_equal(a[i], b[i]);
    }
}

static void check_items(const struct item *a, const struct item *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(a[i].label ? a[i].label : "", b[i].label ? b[i].label : "");
        check_words(a[i].words, b[i].words);
        assert_true(a[i].x_m == b[i].x_m && a[i].y_m == b[i].y_m && a[i].share == b[i].share);
        assert_int_equal(a[i].count, b[i].count);
        assert_int_equal(a[i].is_on, b[i].is_on);
        assert_string_equal(a[i].note, b[i].note);
    }
}

static void check_spots(const struct spot *a, const struct spot *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_true(a[i].x_m == b[i].x_m && a[i].y_m == b[i].y_m && a[i].share == b[i].share);
        assert_string_equal(a[i].label ? a[i].label : "", b[i].label ? b[i].label : "");
    }
}

static void check_return(const struct file *file)
{
    struct scene_kept *kept;
    char *text = printed(file);
    struct file again = read(text, &kept);
    assert_true(again.size.x_m == file->size.x_m);
    assert_int_equal(again.size.count, file->size.count);
    assert_int_equal(again.size.is_on, file->size.is_on);
    assert_int_equal(again.list_count, file->list_count);
    check_items(again.list, file->list, file->list_count);
    assert_int_equal(again.array_count, file->array_count);
    check_spots(again.array, file->array, file->array_count);
    assert_string_equal(again.title ? again.title : "", file->title ? file->title : "");
    check_words(again.names, file->names);
    assert_int_equal(again.line_count, file->line_count);
    for (size_t i = 0; i < file->line_count; i++)
        assert_string_equal(again.lines[i], file->lines[i]);
    forget(&again, kept);
    free(text);
}

static void what_is_printed_is_read_as_the_same(void **state)
{
    (void)state;
    static const char *const words[] = {"left", "a, b", "", NULL};
    static const struct spot spots[ITEMS] = {
        {0, 0, 0.5, NULL}, {0.1, -7, 0.5, ""}, {0, 0, 0.5, "a"}};
    struct item items[] = {
        {.share = 0.5},
        {.share = 0.5, .y_m = -1.5},
        {.share = 0.25, .count = 7, .is_on = true},
        {.label = "one", .share = 0.5},
        {.words = words, .share = 0.5},
        {.label = "all", .words = words, .x_m = 0.1, .y_m = 1e-9, .share = 1, .note = "a: b"},
    };
    struct file file = {0};
    check_return(&file);
    file.list = items;
    for (file.list_count = 0; file.list_count <= COUNT(items); file.list_count++)
        check_return(&file);
    file.list_count = 0;
    memcpy(file.array, spots, sizeof file.array);
    for (file.array_count = 0; file.array_count <= ITEMS; file.array_count++)
        check_return(&file);
    file.array_count = ITEMS;
    for (int i = 0; i < 8; i++) {
        file.size = (struct size){i & 1 ? 0.3 : 0, i & 2 ? 4 : 0, i & 4};
        check_return(&file);
    }
    file.title = "all";
    file.names = words;
    strcpy(file.lines[0], "ls -l; # and more");
    strcpy(file.lines[1], "-");
    strcpy(file.lines[2], "x");
    for (file.line_count = 0; file.line_count <= ITEMS; file.line_count++)
        check_return(&file);
}

static void each_text_is_printed_so_that_it_is_read_as_the_same(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "a",    "a b",   "/dev/tty", "null", "-",     "-1",   "- a", "-a b", "--- a", "~",
        "a: b", "a #b",  "# a",      "a ",   " a",    "\"",   "\\",  "'",    "a\"b",  "[a]",
        "{a}",  "a, b",  "&a",       "*a",   "!a",    "%a",   "@a",  "`a",   "a:",    "?",
        "true", "1.5e3", ".5",       "+1",   "Grüße", "|",    ">",   "<<",   "=",     "x_1",
        "a- b", "..",    "0x10",     "no",   "é",     "a\\n", "a\"", ": a",  "? a",   "a=b",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        const char *const names[] = {texts[i], "next", texts[i], NULL};
        struct item item = {.label = texts[i], .words = names, .share = 0.5};
        snprintf(item.note, sizeof item.note, "%s", texts[i]);
        struct file file = {.list = &item, .list_count = 1, .title = texts[i], .names = names};
        snprintf(file.lines[0], LINE, "%s", texts[i]);
        file.line_count = 1;
        check_return(&file);
    }
}

/* ---- As a person would write it ---- */

/* Number of times that TEXT contains WHAT. */
static size_t count_of(const char *text, const char *what)
{
    size_t count = 0;
    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
        count++;
    return count;
}

static void what_a_missing_key_means_is_not_printed(void **state)
{
    (void)state;
    struct file file = {.title = ""};
    for (size_t i = 0; i < ITEMS; i++)
        file.array[i].share = 0.5;
    char *text = printed(&file);
    assert_string_equal(text, "own: 1\n");
    free(text);
    file.array_count = 1;
    text = printed(&file);
    assert_non_null(strstr(text, "\n- {}\n"));
    free(text);
}

static void a_unit_is_a_comment_and_no_unit_is_none(void **state)
{
    (void)state;
    static const struct {
        struct size size;
        const char *text;
    } rows[] = {
        {{.x_m = 2}, "size:\n  x: 2  # m\n"},
        {{.count = 3}, "size:\n  count: 3\n"},
        {{.is_on = true}, "size:\n  is_on: true\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct file file = {.size = rows[i].size};
        char *text = printed(&file);
        assert_string_equal(text + strlen("own: 1\n"), rows[i].text);
        free(text);
    }
    struct file file = {.array_count = 2};
    char *text = printed(&file);
    assert_non_null(strstr(text, "array:  # x m, y m\n- {"));
    free(text);
}

static void lines_are_a_list_of_one_text_a_line(void **state)
{
    (void)state;
    struct file file = {.lines = {"first", "second: one"}, .line_count = 2};
    char *text = printed(&file);
    assert_string_equal(text, "own: 1\nlines:\n- first\n- \"second: one\"\n");
    free(text);
}

static void an_item_stands_on_one_line_unless_it_is_long(void **state)
{
    (void)state;
    struct item items[] = {
        {.x_m = 1, .y_m = 2, .share = 1, .count = 3, .is_on = true, .note = "short"},
        {.x_m = 0.12345678901234567,
         .y_m = 12.345678901234567,
         .share = 0.12345678901234567,
         .count = 999,
         .is_on = true,
         .note = "a note of more than fifty letters, which fills a line"},
    };
    struct file file = {.list = items, .list_count = COUNT(items)};
    char *text = printed(&file);
    assert_int_equal(count_of(text, "\n- {"), 2);
    assert_int_equal(count_of(text, "\n   "), 1);
    assert_non_null(strstr(text, "is_on: true, note: short}\n"));
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        assert_in_range(strcspn(line, "\n"), 1, 120);
    check_return(&file);
    free(text);
}

static void a_number_that_its_row_does_not_allow_is_reported_with_its_key(void **state)
{
    (void)state;
    struct item items[] = {{.share = 0.5}, {.share = 2}};
    static const struct {
        size_t part;
        const char *says;
    } rows[] = {{1, "size.x: "}, {2, "list[1].share: "}, {3, "array[2].y: "}};
    struct file file = {.size = {.x_m = NAN}, .list = items, .list_count = 2, .array_count = 3};
    file.array[2].y_m = 1000;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct scene_text text = {0};
        struct error error = {0};
        assert_false(scene_print_part(&text, &file_parts[rows[i].part], &file, &error));
        if (strncmp(error.text, rows[i].says, strlen(rows[i].says)) != 0 ||
            !strstr(error.text, "cannot be written"))
            fail_msg("%s", error.text);
        free(text.bytes);
    }
}

/* ---- Reading ---- */

static void lines_may_be_one_text_or_a_list_and_are_counted(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t count;
    } rows[] = {
        {"lines: a\n", 1},  {"lines: ''\n", 0},     {"lines: [a]\n", 1},
        {"lines: []\n", 0}, {"lines: [a, b]\n", 2}, {"lines:\n- a\n- b\n- c\n", 3},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct scene_kept *kept;
        struct file file = read(rows[i].text, &kept);
        assert_int_equal(file.line_count, rows[i].count);
        for (size_t k = 0; k < ITEMS; k++) {
            const char letter[] = {k < rows[i].count ? (char)('a' + k) : '\0', '\0'};
            assert_string_equal(file.lines[k], letter);
        }
        forget(&file, kept);
    }
}

static void what_the_tables_do_not_have_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"lines: [a, '']\n", "x.yaml:1:12: lines[1]: is empty; allowed: a line"},
        {"lines: [a, b, c, d]\n", "lines: has 4 items; allowed: at least 0, at most 3"},
        {"lines: {a: b}\n", "lines: found a mapping; allowed: a line, or a list of them"},
        {"names: [a, [b]]\n", "x.yaml:1:12: names[1]: found a list; allowed: a text"},
        {"list: [{x: 101}]\n", "x.yaml:1:12: list[0].x: '101' is out of range"},
        {"titel: a\n", "x.yaml:1:1: titel: no such key; did you mean 'title'?"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct file file;
        struct scene_kept *kept;
        struct error error = {0};
        if (is_read(rows[i].text, &file, &kept, &error))
            fail_msg("%s was read", rows[i].text);
        if (!strstr(error.text, rows[i].says))
            fail_msg("%s said: %s", rows[i].text, error.text);
        forget(&file, kept);
    }
}

static void a_mapping_of_no_keys_has_none(void **state)
{
    (void)state;
    static const struct scene_spec none = {0};
    static const struct scene_part parts[] = {{.key = "none", .kind = PART_MAPPING, .spec = &none}};
    static const struct scene_spec spec = {SCENE_PARTS(parts)};
    struct error error = {0};
    char out = 0;
    static const char empty[] = "none: {}\n", one[] = "none: {a: 1}\n";
    assert_true(scene_yaml_read(empty, strlen(empty), "x.yaml", &spec, &out, &error));
    assert_false(scene_yaml_read(one, strlen(one), "x.yaml", &spec, &out, &error));
    assert_string_equal(error.text, "x.yaml:1:8: none.a: no such key; no keys are allowed here");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_printed_is_read_as_the_same),
        cmocka_unit_test(each_text_is_printed_so_that_it_is_read_as_the_same),
        cmocka_unit_test(what_a_missing_key_means_is_not_printed),
        cmocka_unit_test(a_unit_is_a_comment_and_no_unit_is_none),
        cmocka_unit_test(lines_are_a_list_of_one_text_a_line),
        cmocka_unit_test(an_item_stands_on_one_line_unless_it_is_long),
        cmocka_unit_test(a_number_that_its_row_does_not_allow_is_reported_with_its_key),
        cmocka_unit_test(lines_may_be_one_text_or_a_list_and_are_counted),
        cmocka_unit_test(what_the_tables_do_not_have_is_refused),
        cmocka_unit_test(a_mapping_of_no_keys_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
