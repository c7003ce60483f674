/* Addresses of the TCP link: in use, free again, wrong, open to other machines, IPv6. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>

#include "pty/tcp/tcp_address.h"
#include "tests/unit/test_tcp_support.h"

static void a_taken_port_is_reported_with_the_remedy(void **state)
{
    (void)state;
    struct error error = {0};

    assert_null(
        tcp_link_open(&(struct byte_link_config){.address = byte_link_name(opened)}, &error));
    assert_true(error.is_environment);
    assert_non_null(strstr(error.text, byte_link_name(opened)));
    assert_non_null(strstr(error.text, "in use"));
    assert_non_null(strstr(error.text, "choose another port"));
}

static void a_port_is_free_again_at_once(void **state)
{
    (void)state;
    struct error error = {0};
    char name[64];
    int host = host_connect();

    run_until(opened, &seen, "+");
    snprintf(name, sizeof name, "%s", byte_link_name(opened));
    byte_link_close(opened);
    opened = tcp_link_open(&(struct byte_link_config){.address = name}, &error);
    assert_non_null(opened);
    close(host);
}

static void addresses_that_cannot_be_are_refused_in_words(void **state)
{
    (void)state;
    static const struct {
        const char *address, *part;
        bool is_environment;
    } cases[] = {
        {"192.0.2.1:4000", "no such address", true},         /* TEST-NET-1 of RFC 5737 */
        {"no-such-host.invalid:4000", "no-such-host", true}, /* RFC 2606 */
        {"127.0.0.1", "HOST:PORT", false},
        {"[::1:4000", "HOST:PORT", false},
        {"127.0.0.1:", "HOST:PORT", false},
        {":4000", "HOST:PORT", false},
        {"[]:4000", "HOST:PORT", false},
        {"[:4000", "HOST:PORT", false},
        {"127.0.0.1:ssh", "cannot resolve '127.0.0.1'", true},
        {"127.0.0.1:65536", "the port is not in the range 0 to 65535", false},
        {"127.0.0.1:99999999999999999999", "the port is not in the range", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct error error = {0};
        assert_null(tcp_link_open(&(struct byte_link_config){.address = cases[i].address}, &error));
        if (strstr(error.text, cases[i].part) == NULL)
            fail_msg("%s: %s", cases[i].address, error.text);
        assert_int_equal(error.is_environment, cases[i].is_environment);
    }
}

static void a_host_of_more_than_159_characters_is_no_address(void **state)
{
    (void)state;
    char text[TCP_ADDRESS_TEXT_MAX + 8];
    struct tcp_address address;
    for (size_t size = TCP_ADDRESS_TEXT_MAX - 1; size <= TCP_ADDRESS_TEXT_MAX; size++) {
        struct error error = {0};
        memset(text, 'a', size);
        memcpy(text + size, ":70", sizeof ":70");
        assert_false(tcp_address_find(&address, text, &error));
        assert_non_null(strstr(error.text, size < TCP_ADDRESS_TEXT_MAX ? "cannot resolve 'aaa"
                                                                       : "is not an address"));
    }
}

/* The zone of a link-local address has a percent sign. */
static void an_address_keeps_its_percent_sign(void **state)
{
    (void)state;
    struct tcp_address address;
    struct error error = {0};
    if (!tcp_address_find(&address, "[fe80::1%lo]:70", &error)) {
        print_message("%s\n", error.text);
        skip();
    }
    assert_string_equal(address.text, "[fe80::1%lo]:70");
}

static void only_127_is_loopback_in_an_ipv4_address_written_as_ipv6(void **state)
{
    (void)state;
    static const struct {
        const char *address;
        bool is_loopback;
    } rows[] = {{"[::ffff:127.0.0.1]:70", true},
                {"[::ffff:126.0.0.1]:70", false},
                {"[::1]:70", true},
                {"[::2]:70", false},
                {"127.1.2.3:70", true},
                {"126.0.0.1:70", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tcp_address address;
        struct error error = {0};
        assert_true(tcp_address_find(&address, rows[i].address, &error));
        assert_int_equal(tcp_address_is_loopback(&address), rows[i].is_loopback);
    }
}

/* A name with both kinds of address, whatever this machine knows; its resolver is replaced. */
static const char *const *known;

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name)
int getaddrinfo(const char *host, const char *port, const struct addrinfo *ask,
                struct addrinfo **found)
{
    static int (*next)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    void *found_next = dlsym(RTLD_NEXT, "getaddrinfo");
    memcpy(&next, &found_next, sizeof next);
    if (strcmp(host, "known") != 0)
        return next(host, port, ask, found);
    int problem = next(known[0], port, ask, found);
    return problem != 0 ? problem : next(known[1], port, ask, &(*found)->ai_next);
}

/* More drivers speak only IPv4 than only IPv6. */
static void of_a_name_with_both_the_ipv4_address_is_taken(void **state)
{
    (void)state;
    static const char *const rows[][2] = {{"::1", "127.0.0.1"}, {"127.0.0.1", "::1"}};
    static const char *const only[2] = {"::1", "::2"};
    struct tcp_address address;
    struct error error = {0};
    for (size_t i = 0; i < 2; i++) {
        known = rows[i];
        assert_true(tcp_address_find(&address, "known:70", &error));
        assert_int_equal(address.family, AF_INET);
    }
    known = only;
    assert_true(tcp_address_find(&address, "known:70", &error));
    assert_int_equal(address.family, AF_INET6);
    assert_true(tcp_address_is_loopback(&address)); /* the first */
}

static void loopback_is_silent_and_other_addresses_warn(void **state)
{
    (void)state;
    struct error error = {0};
    char text[256], address[64];
    unsigned port = port_of(opened);

    assert_false(byte_link_take_notice(opened, text, sizeof text));
    byte_link_close(opened);
    snprintf(address, sizeof address, "0.0.0.0:%u", port);
    opened = tcp_link_open(&(struct byte_link_config){.address = address}, &error);
    assert_non_null(opened);
    assert_notice("warning");
    assert_false(byte_link_take_notice(opened, text, sizeof text));
}

static void an_ipv6_address_works(void **state)
{
    (void)state;
    struct error error = {0};
    char address[64], text[256];
    struct sockaddr_in6 to = {.sin6_family = AF_INET6,
                              .sin6_port = htons((uint16_t)port_of(opened)),
                              .sin6_addr = in6addr_loopback};

    snprintf(address, sizeof address, "[::1]:%u", port_of(opened));
    byte_link_close(opened);
    opened = tcp_link_open(&(struct byte_link_config){.address = address}, &error);
    if (opened == NULL && strstr(error.text, "no such address") != NULL) {
        print_message("this machine has no IPv6\n");
        skip();
    }
    assert_non_null(opened);
    assert_string_equal(byte_link_name(opened), address);
    assert_false(byte_link_take_notice(opened, text, sizeof text));
    int host = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(host, (struct sockaddr *)&to, sizeof to), 0);
    assert_string_equal(run_until(opened, &seen, "+"), "+");
    close(host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_taken_port_is_reported_with_the_remedy),
        TEST(a_port_is_free_again_at_once),
        TEST(addresses_that_cannot_be_are_refused_in_words),
        TEST(loopback_is_silent_and_other_addresses_warn),
        TEST(an_ipv6_address_works),
        TEST(a_host_of_more_than_159_characters_is_no_address),
        TEST(an_address_keeps_its_percent_sign),
        TEST(only_127_is_loopback_in_an_ipv4_address_written_as_ipv6),
        TEST(of_a_name_with_both_the_ipv4_address_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
