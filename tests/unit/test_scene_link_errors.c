/* Wrong links and storage files of a scene, each with the whole sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/link_kind.h"
#include "tests/unit/wrong_scene.h"

static void hidden_names_of_links(void **state)
{
    (void)state;
    static const struct wrong wrong[] = {
        {LINK("{pty: .a}"), "6:17: robots[0].links[0].pty: '.a' begins with a dot; such names are "
                            "reserved for lock files"},
        {LINK("{pty: a/.b/c}"), "6:17: robots[0].links[0].pty: 'a/.b/c' begins with a dot; such "
                                "names are reserved for lock files"},
    };
    EXPECT(wrong);
}

static void storage_that_cannot_be(void **state)
{
    (void)state;
#define BOARD(name, x, storage)                                                                    \
    "- {name: " name ", type: diff_board, pose: {x: " x ", y: 1}, storage: " storage "}\n"
    static const struct wrong wrong[] = {
        {ITEM("storage: a.txt"),
         "6:12: robots[0].storage: a kobuki has no persistent memory; leave the key out"},
        {ROOM "robots:\n" BOARD("a", "1", "\"\""),
         "3:60: robots[0].storage: is empty; allowed: the path of a file"},
        {ROOM "robots:\n" BOARD("a", "1", "[]"),
         "3:60: robots[0].storage: found a list; allowed: *"},
        {ROOM "robots:\n" BOARD("a", "1", "m") BOARD("b", "2", "m"),
         "4:60: robots[1].storage: m is already the storage of robots[0]; give each robot a "
         "separate file"},
    };
    EXPECT(wrong);
}

static void addresses_where_nobody_can_listen(void **state)
{
    (void)state;
    static const struct wrong wrong[] = {
        {LINK("{tcp: \"255.255.255.255:1000\"}"),
         "6:17: robots[0].links[0].tcp: '255.255.255.255:1000' is a broadcast or multicast "
         "address, which cannot accept connections; allowed: an address of this machine such as "
         "127.0.0.1, or 0.0.0.0 for all"},
        {LINK("{rfc2217: 1000}"), "6:21: robots[0].links[0].rfc2217: '1000' is not a TCP address; "
                                  "allowed: auto, or host and "
                                  "port such as \"127.0.0.1:1000\" or \"[::1]:1000\""},
        {LINK("{tcp: \"224.0.0.1:1000\"}"),
         "6:17: robots[0].links[0].tcp: '224.0.0.1:1000' is a broadcast or multicast address, "
         "which cannot accept connections; allowed: an address of this machine such as 127.0.0.1, "
         "or 0.0.0.0 for all"},
        {LINK("{tcp: \"239.255.255.255:1000\"}"),
         "6:17: robots[0].links[0].tcp: '239.255.255.255:1000' is a broadcast or multicast "
         "address, which cannot accept connections; allowed: an address of this machine such as "
         "127.0.0.1, or 0.0.0.0 for all"},
        {LINK("{tcp: \"[ff02::1]:1000\"}"),
         "6:17: robots[0].links[0].tcp: '[ff02::1]:1000' is a broadcast or multicast address, "
         "which cannot accept connections; allowed: an address of this machine such as 127.0.0.1, "
         "or 0.0.0.0 for all"},
        {LINK("{tcp: \"[FF02::1]:1000\"}"),
         "6:17: robots[0].links[0].tcp: '[FF02::1]:1000' is a broadcast or multicast address, "
         "which cannot accept connections; allowed: an address of this machine such as 127.0.0.1, "
         "or 0.0.0.0 for all"},
    };
    EXPECT(wrong);
}

static void links_that_lead_nowhere(void **state)
{
    (void)state;
    static const struct wrong wrong[] = {
        {LINK("{}"),
         "6:11: robots[0].links[0]: has no transport; allowed: one of " LINK_KIND_NAMES},
        {LINK("{pty: a, tcp: auto}"),
         "6:11: robots[0].links[0]: has both pty and tcp; allowed: one of " LINK_KIND_NAMES},
        {LINK("{pty: \"\"}"), "6:17: robots[0].links[0].pty: '' is not a file name; allowed: a "
                              "name such as kobuki, or a path that does not end with /"},
        {LINK("{pty: \"a\\nb\"}"),
         "6:17: robots[0].links[0].pty: has the control character U+000A; allowed: a path"},
        {LINK("{pty: \"a\\0b\"}"),
         "6:17: robots[0].links[0].pty: has the control character U+0000; allowed: a path"},
        {LINK("{pty: ../a}"),
         "6:17: robots[0].links[0].pty: '../a' contains a part `..`; write the path without it"},
        {LINK("{pty: /dev/}"),
         "6:17: robots[0].links[0].pty: '/dev/' is not a file name; allowed: a name such as "
         "kobuki, or a path that does not end with /"},
        {LINK("{pty: .}"), "6:17: robots[0].links[0].pty: '.' is not a file name; allowed: a "
                           "name such as kobuki, or a path that does not end with /"},
        {LINK("{pty: /}"), "6:17: robots[0].links[0].pty: '/' is not a file name; allowed: a "
                           "name such as kobuki, or a path that does not end with /"},
        {LINK("{uart: ttyUSB0}"),
         "6:18: robots[0].links[0].uart: 'ttyUSB0' is not a device; allowed: "
         "an absolute path such as /dev/ttyUSB0"},
    };
    EXPECT(wrong);
}

static void tcp_addresses_that_are_none(void **state)
{
    (void)state;
    static const struct wrong wrong[] = {
        {LINK("{tcp: 1000}"), "6:17: robots[0].links[0].tcp: '1000' is not a TCP address; allowed: "
                              "auto, or host and port "
                              "such as \"127.0.0.1:1000\" or \"[::1]:1000\""},
        {LINK("{tcp: \"127.0.0.1\"}"), "6:17: robots[0].links[0].tcp: '127.0.0.1' is not a TCP "
                                       "address; allowed: auto, or host and "
                                       "port such as \"127.0.0.1:1000\" or \"[::1]:1000\""},
        {LINK("{tcp: \"127.0.0.1:0\"}"),
         "6:17: robots[0].links[0].tcp: '127.0.0.1:0' has no valid port; allowed: a port from 1 to "
         "65535 after the colon, or auto for any"},
        {LINK("{tcp: \"127.0.0.1:65536\"}"), "6:17: robots[0].links[0].tcp: '127.0.0.1:65536' has "
                                             "no valid port; allowed: a port from 1 "
                                             "to 65535 after the colon, or auto for any"},
        {LINK("{tcp: \"127.0.0.1:1000x\"}"), "6:17: robots[0].links[0].tcp: '127.0.0.1:1000x' has "
                                             "no valid port; allowed: a port from 1 "
                                             "to 65535 after the colon, or auto for any"},
        {LINK("{tcp: \"127.0.0.256:1000\"}"),
         "6:17: robots[0].links[0].tcp: '127.0.0.256:1000' is not a TCP address; allowed: auto, or "
         "host and port such as \"127.0.0.1:1000\" or \"[::1]:1000\""},
        {LINK("{tcp: \"127.0.1:1000\"}"), "6:17: robots[0].links[0].tcp: '127.0.1:1000' is not a "
                                          "TCP address; allowed: auto, or host "
                                          "and port such as \"127.0.0.1:1000\" or \"[::1]:1000\""},
        {LINK("{tcp: \"::1:1000\"}"), "6:17: robots[0].links[0].tcp: '::1:1000' is not a TCP "
                                      "address; allowed: auto, or host and "
                                      "port such as \"127.0.0.1:1000\" or \"[::1]:1000\""},
        {LINK("{tcp: \"[::1]\"}"), "6:17: robots[0].links[0].tcp: '[::1]' is not a TCP address; "
                                   "allowed: auto, or host and port "
                                   "such as \"127.0.0.1:1000\" or \"[::1]:1000\""},
        {LINK("{tcp: \"[nonsense]:1000\"}"),
         "6:17: robots[0].links[0].tcp: '[nonsense]:1000' is not a TCP address; allowed: auto, or "
         "host and port such as \"127.0.0.1:1000\" or \"[::1]:1000\""},
        {LINK("{tcp: \"a b:1000\"}"), "6:17: robots[0].links[0].tcp: 'a b:1000' is not a TCP "
                                      "address; allowed: auto, or host and "
                                      "port such as \"127.0.0.1:1000\" or \"[::1]:1000\""},
        {LINK("{pty: a, channel: urt}"),
         "6:29: robots[0].links[0].channel: 'urt' is not a channel of "
         "a kobuki; did you mean 'uart'? allowed: uart"},
    };
    EXPECT(wrong);
}

static void links_that_cannot_be_used_beside_each_other(void **state)
{
    (void)state;
    static const struct wrong wrong[] = {
        {LINK("{pty: a}, {pty: b}"), "6:21: robots[0].links[1]: channel uart has a link already, "
                                     "links[0]; allowed: one link per channel"},
        {TWO("name: a, links: [{pty: p}]", "name: b, links: [{pty: ./p}]"),
         "4:61: robots[1].links[0]: p cannot be used together with p of robots[0].links[0]; give "
         "each "
         "link a separate path"},
        {TWO("name: a, links: [{pty: /tmp//p}]", "name: b, links: [{pty: /tmp/./p}]"),
         "4:61: robots[1].links[0]: /tmp/p cannot be used together with /tmp/p of "
         "robots[0].links[0]; "
         "give each link a separate path"},
        {TWO("name: a, links: [{pty: p}]", "name: b, links: [{pty: p/q}]"),
         "4:61: robots[1].links[0]: p/q cannot be used together with p of robots[0].links[0]; give "
         "each "
         "link a separate path"},
        {TWO("name: a", "name: b, links: [{pty: a}]"),
         "4:61: robots[1].links[0]: a cannot be used together with a of robots[0].links[0]; give "
         "each "
         "link a separate path"},
        {TWO("name: b, links: [{pty: a}]", "name: a"),
         "4:44: robots[1].links[0]: a cannot be used together with a of robots[0].links[0]; give "
         "each "
         "link a separate path"},
        {TWO("name: a, links: [{uart: /dev/ttyS0}]", "name: b, links: [{pty: /dev/ttyS0}]"),
         "4:61: robots[1].links[0]: /dev/ttyS0 cannot be used together with /dev/ttyS0 of "
         "robots[0].links[0]; give each link a separate path"},
        {TWO("name: a, links: [{tcp: \"h:1\"}]", "name: b, links: [{tcp: \"H:01\"}]"),
         "4:61: robots[1].links[0]: h:1 cannot be used together with h:1 of robots[0].links[0]; "
         "give each "
         "link a separate address"},
        {TWO("name: a, links: [{tcp: \"h:1\"}]", "name: b, links: [{tcp: \"0.0.0.0:1\"}]"),
         "4:61: robots[1].links[0]: 0.0.0.0:1 cannot be used together with h:1 of "
         "robots[0].links[0]; "
         "give each link a separate address"},
    };
    EXPECT(wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hidden_names_of_links),
        cmocka_unit_test(storage_that_cannot_be),
        cmocka_unit_test(addresses_where_nobody_can_listen),
        cmocka_unit_test(links_that_lead_nowhere),
        cmocka_unit_test(tcp_addresses_that_are_none),
        cmocka_unit_test(links_that_cannot_be_used_beside_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
