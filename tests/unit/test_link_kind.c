/* The table of link kinds: each row is complete, and no two rows can be confused. Addresses in a
 * scene: test_scene_link_errors.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/link_kind.h"

static void each_row_is_complete(void **state)
{
    (void)state;
    for (enum link_kind kind = 0; kind < LINK_KIND_COUNT; kind++) {
        const struct link_kind_row *row = &link_kinds[kind];
        assert_true(strlen(row->name) > 0 && strlen(row->description) > 0);
        assert_true(strlen(row->syntax->allowed) > 0 && strlen(row->syntax->noun) > 0);
        assert_non_null(row->syntax->set);
        assert_non_null(row->syntax->clash);
        for (enum link_kind other = 0; other < kind; other++)
            assert_string_not_equal(row->name, link_kinds[other].name);
    }
}

static void a_kind_is_found_by_its_name(void **state)
{
    (void)state;
    char text[64];
    const char *address;
    for (enum link_kind kind = 0; kind < LINK_KIND_COUNT; kind++) {
        snprintf(text, sizeof text, "%s:/dev/x", link_kinds[kind].name);
        assert_int_equal(link_kind_split(text, &address), kind);
        assert_string_equal(address, "/dev/x");
    }
    assert_int_equal(link_kind_split("ptyx:1", &address), LINK_TCP);
    assert_string_equal(address, "ptyx:1");
    assert_int_equal(link_kind_split("auto", &address), LINK_TCP);
    assert_int_equal(link_kind_split("/a:b", &address), LINK_PTY);
    assert_int_equal(link_kind_split("tcp", &address), LINK_PTY);
}

/* A robot without a link in the scene can be opened. */
static void the_default_address_of_a_channel_is_one(void **state)
{
    (void)state;
    for (int is_server = 0; is_server < 2; is_server++) {
        char standard[LINK_ADDRESS_MAX], address[LINK_ADDRESS_MAX];
        enum link_kind kind = link_kind_default(is_server);
        assert_true(link_kind_fits(kind, is_server));
        link_address_default(kind, "epuck2", 1000, standard);
        assert_null(link_address_set(kind, standard, address));
        assert_string_equal(address, standard);
        assert_string_equal(address, is_server ? "127.0.0.1:1000" : "epuck2");
    }
}

static void only_addresses_of_one_space_clash(void **state)
{
    (void)state;
    assert_true(link_address_clash(LINK_PTY, "/dev/x", LINK_UART, "/dev/x"));
    assert_true(link_address_clash(LINK_TCP, "h:1", LINK_RFC2217, "h:1"));
    assert_false(link_address_clash(LINK_PTY, "h:1", LINK_TCP, "h:1"));
}

static void the_names_are_one_text(void **state)
{
    (void)state;
    char names[256] = "";
    for (enum link_kind kind = 0; kind < LINK_KIND_COUNT; kind++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "",
                 link_kinds[kind].name);
    }
    assert_string_equal(LINK_KIND_NAMES, names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_is_complete),
        cmocka_unit_test(a_kind_is_found_by_its_name),
        cmocka_unit_test(the_default_address_of_a_channel_is_one),
        cmocka_unit_test(only_addresses_of_one_space_clash),
        cmocka_unit_test(the_names_are_one_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
