/* Trees of YAML files, packed into bytes and read again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/yaml/scene_tree.h"
#include "tests/support/check.h"

static const char yaml[] = "world: {size: {x: 4, y: 3}}\n"
                           "robots:\n"
                           "  - {name: kobuki, type: kobuki, label: \"Grüße\\0!\"}\n"
                           "  - {name: '~', type: }\n";

static bool read(struct scene_tree *tree, const char *bytes, size_t size)
{
    struct error error = {0};
    bool is_read = scene_tree_read(tree, bytes, size, "x.yaml", NULL, &error);
    assert_true(is_read || strncmp(error.text, "x.yaml:1:1: ", 12) == 0);
    return is_read;
}

static void a_packed_tree_is_the_same_tree(void **state)
{
    (void)state;
    struct scene_tree tree, again;
    size_t size, size_again;
    assert_true(read(&tree, yaml, strlen(yaml)));
    char *packed = scene_tree_pack(&tree, &size);
    assert_true(read(&again, packed, size));
    assert_int_equal(again.node_count, tree.node_count);
    for (int i = 1; i <= (int)tree.node_count; i++) {
        const struct scene_node *a = scene_tree_node(&tree, i), *b = scene_tree_node(&again, i);
        assert_int_equal(a->kind, b->kind);
        assert_int_equal(a->place.line, b->place.line);
        assert_int_equal(a->place.column, b->place.column);
        assert_int_equal(a->is_plain, b->is_plain);
        assert_int_equal(a->size, b->size);
        assert_memory_equal(a->text, b->text, a->size + 1);
        assert_int_equal(a->count, b->count);
        assert_memory_equal(a->children, b->children, a->count * sizeof *a->children);
    }
    char *packed_again = scene_tree_pack(&again, &size_again);
    assert_int_equal(size, size_again);
    assert_memory_equal(packed, packed_again, size);
    free(packed);
    free(packed_again);
    scene_tree_free(&tree);
    scene_tree_free(&again);
}

/* The format is described in scene_tree.c. */
static void a_packed_tree_begins_with_how_much_there_is(void **state)
{
    (void)state;
    static const struct {
        const char *yaml, *head;
    } rows[] = {
        {"a", "ptybot-tree 1\n1 0 2 0 1 1 1 1 0 a\n"}, // one node, no child, a letter and its NUL
        {"[]", "ptybot-tree 1\n1 0 1 1 1 1 0 0 0 \n"},
        {"{a: [b, cd]}", "ptybot-tree 1\n5 4 9 "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene_tree tree;
        size_t size;
        assert_true(read(&tree, rows[i].yaml, strlen(rows[i].yaml)));
        char *packed = scene_tree_pack(&tree, &size);
        assert_true(size >= strlen(rows[i].head));
        assert_memory_equal(packed, rows[i].head, strlen(rows[i].head));
        free(packed);
        scene_tree_free(&tree);
    }
}

static void a_packed_tree_that_is_cut_off_is_refused(void **state)
{
    (void)state;
    struct scene_tree tree;
    size_t size;
    assert_true(read(&tree, yaml, strlen(yaml)));
    char *packed = scene_tree_pack(&tree, &size);
    scene_tree_free(&tree);
    for (size_t cut = strlen("ptybot-tree 1\n"); cut < size; cut++) {
        char *part = malloc(cut); // so that a sanitizer sees where it ends
        assert_non_null(part);
        memcpy(part, packed, cut);
        assert_false(read(&tree, part, cut));
        free(part);
    }
    free(packed);
}

/* After the head: the numbers of nodes, children and bytes of texts. For each node: its kind, line,
 * column, is_plain, size of its text and number of children, then the children and the text. */
static void a_packed_tree_that_makes_no_sense_is_refused(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "0 0 1 ",                                  /* no node */
        "1 0 1 3 1 1 0 0 0 \n",                    /* no such kind */
        "1 0 1 0 1 1 2 0 0 \n",                    /* half plain */
        "1 0 1 0 1 1 0 1 0 a\n",                   /* no room for the text */
        "1 0 2 0 1 1 0 1 0 \xff\n",                /* not UTF-8 */
        "1 0 3 0 1 1 0 2 0 a\xff\n",               /* not UTF-8 behind a letter */
        "1 0 3 0 1 1 0 2 0 a\xc3\n",               /* a letter that is cut */
        "2 1 4 1 1 1 0 0 1 2 \n0 1 1 0 3 0 abc\n", /* room for one text less */
        "1 1 1 1 1 1 0 0 1 1 \n",                  /* its own child */
        "1 1 1 1 1 1 0 0 1 2 \n",                  /* a child that is not there */
        "2 1 2 1 1 1 0 0 1 2 \n1 1 1 0 0 1 1 \n",  /* a circle */
        "2 2 2 1 1 1 0 0 1 2 \n1 1 1 0 0 1 1 \n",  /* a circle */
        "2 1 2 2 1 1 0 0 1 2 \n0 1 1 0 0 0 \n",    /* a key without a value */
        "2 1 2 0 1 1 0 0 1 2 \n0 1 1 0 0 0 \n",    /* a text with a child */
        "2 0 2 1 1 1 0 0 1 2 \n0 1 1 0 0 0 \n",    /* no room for the child */
        "99999999999999999999 0 1 0 1 1 0 0 0 \n", /* more than can be */
        "1 0 1 0 1 1 0 99999999999999999999 0 \n", /* more than can be */
    };
    struct scene_tree tree;
    char text[256];
    size_t size = (size_t)snprintf(text, sizeof text, "ptybot-tree 1\n%s",
                                   "2 1 2 1 1 1 0 0 1 2 \n0 1 1 0 0 0 \n");
    assert_true(read(&tree, text, size));
    scene_tree_free(&tree);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size = (size_t)snprintf(text, sizeof text, "ptybot-tree 1\n%s", rows[i]);
        if (read(&tree, text, size))
            fail_msg("this was read: %s", rows[i]);
    }
}

static void each_letter_of_a_packed_text_is_checked(void **state)
{
    (void)state;
    // A NUL is a character like any other.
    static const struct {
        const char text[4];
        bool is_good;
    } rows[] = {
        {"a\0b", true},
        {"\0\0\0", true},
        {"\0\xc3\xa9", true},
        {"\0\xff"
         "a",
         false},
        {"a\0\xff", false},
        {"\0\xa9"
         "a",
         false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static const char head[] = "ptybot-tree 1\n1 0 4 0 1 1 0 3 0 ";
        struct scene_tree tree;
        char text[64];
        memcpy(text, head, sizeof head - 1);
        memcpy(text + sizeof head - 1, rows[i].text, 3);
        text[sizeof head + 2] = '\n';
        assert_int_equal(read(&tree, text, sizeof head + 3), rows[i].is_good);
        if (!rows[i].is_good)
            continue;
        assert_memory_equal(scene_tree_node(&tree, 1)->text, rows[i].text, 4);
        scene_tree_free(&tree);
    }
}

static void what_no_scene_needs_of_yaml_is_refused_where_it_stands(void **state)
{
    (void)state;
    static const char *const values[] = {"b", "'b'", "[b]", "{b: c}", "\n  - b", "\n  b: c"};
    static const struct {
        const char *mark, *says;
    } marks[] = {{"!x", "a tag (!)"}, {"!!str", "a tag (!)"}, {"&x", "an anchor (&)"}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (size_t k = 0; k < sizeof marks / sizeof *marks; k++) {
            struct scene_tree tree;
            struct error error = {0};
            char text[64];
            int size = snprintf(text, sizeof text, "a: %s %s\n", marks[k].mark, values[i]);
            assert_false(scene_tree_read(&tree, text, (size_t)size, "x.yaml", NULL, &error));
            if (strncmp(error.text, "x.yaml:1:4: ", 12) != 0 ||
                strncmp(error.text + 12, marks[k].says, strlen(marks[k].says)) != 0)
                fail_msg("%s said: %s", text, error.text);
            size = snprintf(text, sizeof text, "a: %s\n", values[i]);
            assert_true(read(&tree, text, (size_t)size));
            scene_tree_free(&tree);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_packed_tree_is_the_same_tree),
        cmocka_unit_test(a_packed_tree_begins_with_how_much_there_is),
        cmocka_unit_test(a_packed_tree_that_is_cut_off_is_refused),
        cmocka_unit_test(a_packed_tree_that_makes_no_sense_is_refused),
        cmocka_unit_test(each_letter_of_a_packed_text_is_checked),
        cmocka_unit_test(what_no_scene_needs_of_yaml_is_refused_where_it_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
