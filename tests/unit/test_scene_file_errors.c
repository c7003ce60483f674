/* Files that cannot be a scene: not exactly one plain YAML document, or too large. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/wrong_scene.h"

static void files_that_are_not_one_plain_document(void **state)
{
    (void)state;
    static const struct wrong wrong[] = {
        {"", "1:1: the file is empty; a scene has at least the keys world and robots: see "
             "scenes/README.md"},
        {"\n \n", "1:1: the file is empty; a scene has at least the keys world and robots: see "
                  "scenes/README.md"},
        {"# only\n# comments\n", "1:1: the file is empty; a scene has at least the keys world and "
                                 "robots: see scenes/README.md"},
        {"\xef\xbb\xbf", "1:1: the file is empty; a scene has at least the keys world and robots: "
                         "see scenes/README.md"},
        {TOP("--- {}") "...\n", "2:1: not YAML: did not find expected <document start>; look at "
                                "indentation, quotes and brackets here and above"},
        {ROOM ROBOT "---\na: 1\n",
         "3:1: a second document; a scene has only one: remove the line ---"},
        {ROOM "robots: &r [{name: a}]\n",
         "2:9: an anchor (&); scenes have none: remove it, or quote the text"},
        {ROOM "robots: *r\n", "2:9: an alias (*); scenes have none: write the value out"},
        {TOP("name: *bold*"),
         "1:12: not YAML: while scanning an alias, did not find expected alphabetic or numeric "
         "character; look at indentation, quotes and brackets here and above"},
        {TOP("seed: !!int 1"), "1:7: a tag (!); scenes have none: remove it, or quote the text"},
        {TOP("name: !x y"), "1:7: a tag (!); scenes have none: remove it, or quote the text"},
        {TOP("<<: {seed: 1}"), "1:1: <<: a merge key; scenes have none: write the keys out"},
        {"[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]", "1:17: nested deeper than 16; allowed: 16 levels"},
        {"world: {size: {x: 4, y: 4}\n" ROBOT,
         "2:1: not YAML: while parsing a flow mapping, did not find expected ',' or '}'; look at "
         "indentation, quotes and brackets here and above"},
        {"world:\n  size: {x: 4, y: 4}\n\twalls: []\n" ROBOT,
         "3:1: not YAML: while scanning for the next token, found character that cannot start any "
         "token; indent with spaces, not tabs"},
        {"name: \"never closed\n",
         "2:1: not YAML: while scanning a quoted scalar, found unexpected end of stream; look at "
         "indentation, quotes and brackets here and above"},
        {"name: a: b\n", "1:8: not YAML: mapping values are not allowed in this context; look at "
                         "indentation, quotes and brackets here and above"},
        {"name: \xff\n", "1:7: not UTF-8 (byte 0xff); save the file as UTF-8"},
        {"# \xc3\xa9\xc3\xa9\xff\n", "1:5: not UTF-8 (byte 0xff); save the file as UTF-8"},
        {"name: \xed\xa0\x80\n", "1:7: not UTF-8 (byte 0xed); save the file as UTF-8"},
        {"name: \xc3", "1:7: not UTF-8 (byte 0xc3); save the file as UTF-8"},
        {"name: a\x01\n", "1:8: a control character (byte 0x01); remove it"},
        {"\xff\xfe"
         "a",
         "1:1: not UTF-8 (byte 0xff); save the file as UTF-8"},
        {"\t\n", "1:1: not YAML: while scanning for the next token, found character that cannot "
                 "start any token; indent with spaces, not tabs"},
    };
    EXPECT(wrong);
}

static void a_file_that_is_too_large_is_not_looked_at(void **state)
{
    (void)state;
    expect_message("x", 100u << 20, "1:1: the file has 104857600 bytes; allowed: at most 1048576");
}

static void no_bytes_at_all(void **state)
{
    (void)state;
    expect_message(NULL, 0, "1:1: the file is empty; *");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_are_not_one_plain_document),
        cmocka_unit_test(a_file_that_is_too_large_is_not_looked_at),
        cmocka_unit_test(no_bytes_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
