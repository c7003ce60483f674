/* The kinds of links. Addresses: the accepted ones and their normalized form, the refused ones and
 * the message of each, and addresses that clash. Places in a scene: test_scene_link_errors.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/array.h"
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

#define BAD_PATH                                                                                   \
    "is not a file name; allowed: a name such as kobuki, or a path that does not end with /"
#define BAD_DEVICE "is not a device; allowed: an absolute path such as /dev/ttyUSB0"
#define BAD_DOTS   "contains a part `..`; write the path without it"
#define BAD_NAME   "begins with a dot; such names are reserved for lock files"
#define BAD_HOST                                                                                   \
    "is not a TCP address; allowed: auto, or host and port such as \"127.0.0.1:1000\" or "         \
    "\"[::1]:1000\""
#define BAD_GROUP                                                                                  \
    "is a broadcast or multicast address, which cannot accept connections; allowed: an address "   \
    "of this machine such as 127.0.0.1, or 0.0.0.0 for all"
#define BAD_PORT                                                                                   \
    "has no valid port; allowed: a port from 1 to 65535 after the colon, or auto for any"
#define BAD_CONTROL "has a control character; remove it"
#define BAD_LENGTH  "is too long; allowed: at most 127 bytes"

struct address_row {
    const char *text;
    const char *address; /* NULL: the same as TEXT */
    const char *problem;
};

/* Compares the address or the message of each row. The bytes around the address do not change. */
static void assert_addresses(enum link_kind kind, const struct address_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *expected = rows[i].address ? rows[i].address : rows[i].text;
        struct {
            char before[8], address[LINK_ADDRESS_MAX], after[8];
        } to;
        memset(&to, '#', sizeof to);
        const char *problem = link_address_set(kind, rows[i].text, to.address);
        if (rows[i].problem && !problem)
            fail_msg("%s: '%s' is accepted", link_kinds[kind].name, rows[i].text);
        if (!rows[i].problem && problem)
            fail_msg("%s: '%s' %s", link_kinds[kind].name, rows[i].text, problem);
        if (problem)
            assert_string_equal(problem, rows[i].problem);
        else
            assert_string_equal(to.address, expected);
        assert_memory_equal(to.before, "########", sizeof to.before);
        assert_memory_equal(to.after, "########", sizeof to.after);
    }
}

static void a_path_loses_its_needless_parts(void **state)
{
    (void)state;
    static const struct address_row rows[] = {
        {.text = "kobuki"},
        {.text = "./kobuki", .address = "kobuki"},
        {.text = "././a//b/./c", .address = "a/b/c"},
        {.text = "robots/a/b"},
        {.text = "/dev/ttyV0"},
        {.text = "//dev/./ttyV0", .address = "/dev/ttyV0"},
        {.text = "/a"},
        {.text = "a"},
        {.text = "a/bc"},
        {.text = "a.b/c.d"},
        {.text = "a..b/c.."},
        {.text = "/dev/.a"}, // hidden names are reserved only in the folder of the run
        {.text = "/dev/..a"},
        {.text = "/dev/.../a"},
    };
    assert_addresses(LINK_PTY, rows, COUNT(rows));
}

static void a_path_that_names_no_file_is_refused(void **state)
{
    (void)state;
    static const struct address_row rows[] = {
        {.text = "", .problem = BAD_PATH},         {.text = "/", .problem = BAD_PATH},
        {.text = "//", .problem = BAD_PATH},       {.text = ".", .problem = BAD_PATH},
        {.text = "/.", .problem = BAD_PATH},       {.text = "./.", .problem = BAD_PATH},
        {.text = "a/", .problem = BAD_PATH},       {.text = "/dev/", .problem = BAD_PATH},
        {.text = "/a/b//", .problem = BAD_PATH},   {.text = "..", .problem = BAD_DOTS},
        {.text = "../a", .problem = BAD_DOTS},     {.text = "/../a", .problem = BAD_DOTS},
        {.text = "a/..", .problem = BAD_DOTS},     {.text = "/dev/../a", .problem = BAD_DOTS},
        {.text = ".a", .problem = BAD_NAME},       {.text = ".ab", .problem = BAD_NAME},
        {.text = "...", .problem = BAD_NAME},      {.text = "..a", .problem = BAD_NAME},
        {.text = "a/.b/c", .problem = BAD_NAME},   {.text = "./.b", .problem = BAD_NAME},
        {.text = "a\nb", .problem = BAD_CONTROL},  {.text = "\x1b", .problem = BAD_CONTROL},
        {.text = "a\x7f", .problem = BAD_CONTROL},
    };
    assert_addresses(LINK_PTY, rows, COUNT(rows));
}

static void a_device_has_an_absolute_path(void **state)
{
    (void)state;
    static const struct address_row rows[] = {
        {.text = "/dev/ttyUSB0"},
        {.text = "/dev//./serial/by-id/x", .address = "/dev/serial/by-id/x"},
        {.text = "ttyUSB0", .problem = BAD_DEVICE},
        {.text = "./dev/ttyUSB0", .problem = BAD_DEVICE},
        {.text = "a/b", .problem = BAD_DEVICE},
        {.text = "", .problem = BAD_DEVICE},
        {.text = "/", .problem = BAD_PATH},
        {.text = "/dev/", .problem = BAD_PATH},
        {.text = "/dev/../a", .problem = BAD_DOTS},
    };
    assert_addresses(LINK_UART, rows, COUNT(rows));
}

static void an_address_has_at_most_127_bytes(void **state)
{
    (void)state;
    char path[LINK_ADDRESS_MAX + 1];
    memset(path, 'a', sizeof path);
    path[LINK_ADDRESS_MAX] = '\0';
    const struct address_row too_long = {.text = path, .problem = BAD_LENGTH};
    assert_addresses(LINK_PTY, &too_long, 1);
    assert_addresses(LINK_TCP, &too_long, 1);
    path[LINK_ADDRESS_MAX - 1] = '\0';
    const struct address_row longest = {.text = path};
    assert_addresses(LINK_PTY, &longest, 1);
    memcpy(path + LINK_ADDRESS_MAX - 7, ":65535", 7);
    assert_addresses(LINK_TCP, &longest, 1);
}

/* A numeric host is checked. Everything else is looked up when it is opened. */
static void a_host_is_a_name_or_a_number(void **state)
{
    (void)state;
    static const struct address_row rows[] = {
        {.text = "auto"},
        {.text = "h:1"},
        {.text = "az-AZ_09.example:1", .address = "az-az_09.example:1"},
        {.text = "-:1"},
        {.text = "_:1"},
        {.text = "1-2:1"},
        {.text = "1_2:1"},
        {.text = "a1.2:1"},
        {.text = "1.2.3.a:1"},
        {.text = "0.0.0.0:1"},
        {.text = "255.0.9.255:1"},
        {.text = "1.2.3.4:1"},
        {.text = "192.168.199.249:1"},
        {.text = "001.002.003.004:1"},
        {.text = "1.2.3.256:1", .problem = BAD_HOST},
        {.text = "256.2.3.1:1", .problem = BAD_HOST},
        {.text = "1.999.3.1:1", .problem = BAD_HOST},
        {.text = "1.2.3:1", .problem = BAD_HOST},
        {.text = "1.2.3.4.5:1", .problem = BAD_HOST},
        {.text = "1.2.3.4.:1", .problem = BAD_HOST},
        {.text = "1.2.3.:1", .problem = BAD_HOST},
        {.text = ".1.2.3:1", .problem = BAD_HOST},
        {.text = "1..3.4:1", .problem = BAD_HOST},
        {.text = "0001.2.3.4:1", .problem = BAD_HOST},
        {.text = "1.2.3.0004:1", .problem = BAD_HOST},
        {.text = "7:1", .problem = BAD_HOST},
        {.text = ".:1", .problem = BAD_HOST},
        {.text = ":1", .problem = BAD_HOST},
        {.text = "", .problem = BAD_HOST},
        {.text = "1000", .problem = BAD_HOST},
        {.text = "autos", .problem = BAD_HOST},
        {.text = "AUTO", .problem = BAD_HOST},
        {.text = "a b:1", .problem = BAD_HOST},
        {.text = "/:1", .problem = BAD_HOST},
        {.text = "a@b:1", .problem = BAD_HOST},
        {.text = "a`:1", .problem = BAD_HOST},
        {.text = "[a:1", .problem = BAD_HOST},
        {.text = "a{:1", .problem = BAD_HOST},
        {.text = "a[:1", .problem = BAD_HOST},
        {.text = "%a:1", .problem = BAD_HOST},
        {.text = "a,b:1", .problem = BAD_HOST},
        {.text = "\xc3\xa9:1", .problem = BAD_HOST},
        {.text = "::1:1000", .problem = BAD_HOST},
        {.text = "a:\n", .problem = BAD_CONTROL},
    };
    assert_addresses(LINK_TCP, rows, COUNT(rows));
    assert_addresses(LINK_RFC2217, rows, COUNT(rows));
}

static void each_letter_and_digit_may_be_in_a_name(void **state)
{
    (void)state;
    for (int letter = 1; letter < 256; letter++) {
        char text[8], address[LINK_ADDRESS_MAX];
        snprintf(text, sizeof text, "x%c:1", letter);
        bool is_lower = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
        bool is_upper = letter >= 'A' && letter <= 'Z';
        bool is_good = is_lower || is_upper || strchr("-_.", letter);
        if ((link_address_set(LINK_TCP, text, address) == NULL) != is_good)
            fail_msg("the character %d", letter);
        if (!is_good)
            continue;
        text[1] = (char)(is_upper ? letter + 32 : letter); // names ignore case
        assert_string_equal(address, text);
    }
}

static void an_address_of_ipv6_is_in_brackets(void **state)
{
    (void)state;
    static const struct address_row rows[] = {
        {.text = "[::1]:1000"},
        {.text = "[::]:1"},
        {.text = "[1::]:1"},
        {.text = "[0123:4567:89ab:cdef:ABCDEF::]:1", .address = "[0123:4567:89ab:cdef:abcdef::]:1"},
        {.text = "[::FFFF:1.2.3.4]:1", .address = "[::ffff:1.2.3.4]:1"},
        {.text = "[fe80::1%eth0]:1"},
        {.text = "[FE80::1%Wlan-0]:1",
         .address = "[fe80::1%Wlan-0]:1"}, // names of interfaces do not ignore case
        {.text = "[f:f:f]:1"},
        {.text = "[]:1", .problem = BAD_HOST},
        {.text = "[:]:1", .problem = BAD_HOST},
        {.text = "[1:2]:1", .problem = BAD_HOST},
        {.text = "[127.0.0.1]:1", .problem = BAD_HOST},
        {.text = "[%::]:1", .problem = BAD_HOST}, // colons of a zone do not count
        {.text = "[g::]:1", .problem = BAD_HOST},
        {.text = "[::g]:1", .problem = BAD_HOST},
        {.text = "[::G]:1", .problem = BAD_HOST},
        {.text = "[::/]:1", .problem = BAD_HOST},
        {.text = "[::[]:1", .problem = BAD_HOST},
        {.text = "[::1]", .problem = BAD_HOST},
        {.text = "[::1]1000", .problem = BAD_HOST},
        {.text = "[::1:1000", .problem = BAD_HOST},
        {.text = "[::1] :1000", .problem = BAD_HOST},
        {.text = "[::1]]:1000", .problem = BAD_HOST},
        {.text = "[", .problem = BAD_HOST},
        {.text = "[]", .problem = BAD_HOST},
        {.text = "[::1]::1", .problem = BAD_PORT},
    };
    assert_addresses(LINK_TCP, rows, COUNT(rows));
}

static void no_server_listens_at_a_broadcast_or_multicast_address(void **state)
{
    (void)state;
    static const struct address_row rows[] = {
        {.text = "223.255.255.255:1"},
        {.text = "224.0.0.0:1", .problem = BAD_GROUP},
        {.text = "225.9.9.9:1", .problem = BAD_GROUP},
        {.text = "238.9.9.9:1", .problem = BAD_GROUP},
        {.text = "239.255.255.255:1", .problem = BAD_GROUP},
        {.text = "240.0.0.1:1"},
        {.text = "255.255.255.254:1"},
        {.text = "255.255.255.25:1"},
        {.text = "255.255.255.2:1"},
        {.text = "255.255.255.255:1", .problem = BAD_GROUP},
        {.text = "2.2.4.1:1"},
        {.text = "22.4.1.1:1"},
        {.text = "024.1.1.1:1"},
        {.text = "1.224.1.1:1"},
        {.text = "225.example:1"}, // names
        {.text = "ff02.example:1"},
        {.text = "xff02:1"},
        {.text = "[ff02::1]:1", .problem = BAD_GROUP},
        {.text = "[FF02::1]:1", .problem = BAD_GROUP},
        {.text = "[fF0e::1]:1", .problem = BAD_GROUP},
        {.text = "[Ff0E::1]:1", .problem = BAD_GROUP},
        {.text = "[ff00::]:1", .problem = BAD_GROUP},
        {.text = "[fe80::1]:1"},
        {.text = "[fE80::1]:1", .address = "[fe80::1]:1"},
        {.text = "[ef02::1]:1"},
        {.text = "[0ff2::1]:1"},
        {.text = "[1ff2::1]:1"},
        {.text = "[ff::1]:1"},  // 00ff
        {.text = "[ff2::1]:1"}, // 0ff2
        {.text = "[ff:1::]:1"},
        {.text = "[f::]:1"},
        {.text = "[::ff]:1"},
        {.text = "[::ff02]:1"},
        {.text = "[a:ff02::]:1"},
    };
    assert_addresses(LINK_TCP, rows, COUNT(rows));
}

static void a_port_is_a_number_from_1_to_65535(void **state)
{
    (void)state;
    static const struct address_row rows[] = {
        {.text = "h:1"},
        {.text = "h:65534"},
        {.text = "h:65535"},
        {.text = "h:00080", .address = "h:80"},
        {.text = "h:0000000000000000000000000000000000000080", .address = "h:80"},
        {.text = "h:65536", .problem = BAD_PORT},
        {.text = "h:65537", .problem = BAD_PORT},
        {.text = "h:655350", .problem = BAD_PORT},
        {.text = "h:99999999999999999999999999999999999", .problem = BAD_PORT},
        {.text = "h:18446744073709551617", .problem = BAD_PORT}, // 2^64 + 1
        {.text = "h:0", .problem = BAD_PORT},
        {.text = "h:000", .problem = BAD_PORT},
        {.text = "h:", .problem = BAD_PORT},
        {.text = "h:x", .problem = BAD_PORT},
        {.text = "h:1x", .problem = BAD_PORT},
        {.text = "h:1 ", .problem = BAD_PORT},
        {.text = "h:-1", .problem = BAD_PORT},
        {.text = "h:+1", .problem = BAD_PORT},
        {.text = "h:1:2", .problem = BAD_PORT},
        {.text = "h:1/", .problem = BAD_PORT},
        {.text = "h:auto", .problem = BAD_PORT},
    };
    assert_addresses(LINK_TCP, rows, COUNT(rows));
}

static void assert_clash(enum link_kind kind, const char *a, const char *b, bool expected)
{
    if (link_address_clash(kind, a, kind, b) != expected ||
        link_address_clash(kind, b, kind, a) != expected)
        fail_msg("%s and %s", a, b);
}

static void two_paths_clash_if_they_are_equal_or_one_is_in_the_other(void **state)
{
    (void)state;
    for (enum link_kind kind = LINK_PTY; kind != LINK_KIND_COUNT; kind++) {
        if (link_kinds[kind].syntax->host)
            continue;
        assert_clash(kind, "/a", "/a", true);
        assert_clash(kind, "/a", "/a/b", true);
        assert_clash(kind, "/a", "/a/b/c", true);
        assert_clash(kind, "/a", "/b", false);
        assert_clash(kind, "/a", "/ab", false);
        assert_clash(kind, "/a", "/b/a", false);
        assert_clash(kind, "/a/b", "/a/c", false);
        assert_clash(kind, "/b", "/a/", false);
    }
}

static void two_tcp_addresses_clash_if_host_and_port_are_equal(void **state)
{
    (void)state;
    assert_clash(LINK_TCP, "h:1", "h:1", true);
    assert_clash(LINK_TCP, "h:1", "h:2", false);
    assert_clash(LINK_TCP, "h:1", "g:1", false);
    assert_clash(LINK_TCP, "[::1]:1", "[::1]:1", true);
    assert_clash(LINK_TCP, "[::1]:1", "127.0.0.1:1", false);
    for (int i = 0; i < 2; i++) { // all addresses of the machine
        static const char *const any[] = {"0.0.0.0:1", "[::]:1"};
        assert_clash(LINK_TCP, any[i], any[i], true);
        assert_clash(LINK_TCP, any[i], any[1 - i], true);
        assert_clash(LINK_TCP, any[i], "127.0.0.1:1", true);
        assert_clash(LINK_TCP, any[i], "[::1]:1", true);
        assert_clash(LINK_TCP, any[i], "h:1", true);
        assert_clash(LINK_TCP, any[i], "127.0.0.1:2", false);
        assert_clash(LINK_TCP, any[i], "[::1]:11", false);
        assert_clash(LINK_TCP, any[i], "h:21", false);
        assert_clash(LINK_TCP, any[i], "auto", false);
    }
    assert_clash(LINK_TCP, "0.0.0.0.example:1", "h:1", false); // a name
    assert_clash(LINK_TCP, "[::1]:1", "h:1", false);
    assert_clash(LINK_TCP, "auto", "auto", false); // two free ports
    assert_clash(LINK_TCP, "auto", "h:1", false);
    assert_true(link_address_clash(LINK_RFC2217, "0.0.0.0:1", LINK_TCP, "h:1"));
}

/* A path may be any text, also if it looks like a format of printf. */
static void a_name_is_written_as_it_is(void **state)
{
    (void)state;
    char address[LINK_ADDRESS_MAX];
    link_address_default(LINK_PTY, "100%d %s", 0, address);
    assert_string_equal(address, "100%d %s");
    assert_null(link_address_set(LINK_PTY, "a%s%d%", address));
    assert_string_equal(address, "a%s%d%");
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
        cmocka_unit_test(a_path_loses_its_needless_parts),
        cmocka_unit_test(a_path_that_names_no_file_is_refused),
        cmocka_unit_test(a_device_has_an_absolute_path),
        cmocka_unit_test(an_address_has_at_most_127_bytes),
        cmocka_unit_test(a_host_is_a_name_or_a_number),
        cmocka_unit_test(each_letter_and_digit_may_be_in_a_name),
        cmocka_unit_test(an_address_of_ipv6_is_in_brackets),
        cmocka_unit_test(no_server_listens_at_a_broadcast_or_multicast_address),
        cmocka_unit_test(a_port_is_a_number_from_1_to_65535),
        cmocka_unit_test(two_paths_clash_if_they_are_equal_or_one_is_in_the_other),
        cmocka_unit_test(two_tcp_addresses_clash_if_host_and_port_are_equal),
        cmocka_unit_test(a_name_is_written_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
