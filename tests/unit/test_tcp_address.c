/* Addresses of the TCP link: taken, free again, wrong, open to others, IPv6. */
#define _GNU_SOURCE
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
        {"127.0.0.1:http", "cannot resolve", true},
        {":4000", "HOST:PORT", false},
        {"[]:4000", "HOST:PORT", false},
        {"[:4000", "HOST:PORT", false},
        {"[fe80::5%lo]:4000", "[fe80::5%lo]:4000", true}, /* no address of this machine */
    };
    char longest[TCP_ADDRESS_TEXT_MAX + 4];
    memset(longest, 'h', sizeof longest);
    for (size_t size = TCP_ADDRESS_TEXT_MAX - 1; size <= TCP_ADDRESS_TEXT_MAX; size++) {
        struct error error = {0};
        strcpy(longest + size, ":40");
        assert_null(tcp_link_open(&(struct byte_link_config){.address = longest}, &error));
        assert_int_equal(error.is_environment, size < TCP_ADDRESS_TEXT_MAX);
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct error error = {0};
        assert_null(tcp_link_open(&(struct byte_link_config){.address = cases[i].address}, &error));
        if (strstr(error.text, cases[i].part) == NULL)
            fail_msg("%s: %s", cases[i].address, error.text);
        assert_int_equal(error.is_environment, cases[i].is_environment);
    }
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

static void loopback_is_silent_also_in_a_form_of_ipv6(void **state)
{
    (void)state;
    struct error error = {0};
    char text[256], address[64];
    snprintf(address, sizeof address, "[::ffff:127.0.0.1]:%u", port_of(opened));
    byte_link_close(opened);
    opened = tcp_link_open(&(struct byte_link_config){.address = address}, &error);
    assert_non_null(opened);
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
        TEST(loopback_is_silent_also_in_a_form_of_ipv6),
        TEST(an_ipv6_address_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
