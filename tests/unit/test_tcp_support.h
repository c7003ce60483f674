/* Shared code of the tests of the TCP link: one link on a free port, and hosts that connect to it.
 */
#pragma once

#include "tests/unit/test_pty_support.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "pty/tcp/tcp_link.h"

static struct byte_link *opened;
static struct transcript seen;

static inline int set_up(void **state)
{
    (void)state;
    struct error error = {0};
    memset(&seen, 0, sizeof seen);
    opened = tcp_link_open(&(struct byte_link_config){.address = "auto"}, &error);
    return opened != NULL ? 0 : -1;
}

static inline int tear_down(void **state)
{
    (void)state;
    byte_link_close(opened);
    opened = NULL;
    return 0;
}

static inline unsigned port_of(const struct byte_link *self)
{
    return (unsigned)strtoul(strrchr(byte_link_name(self), ':') + 1, NULL, 10);
}

/* A connected socket, or -1 with errno. */
static inline int host_connect_to(unsigned port)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int host = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(host >= 0);
    if (connect(host, (struct sockaddr *)&to, sizeof to) == 0) {
        assert_int_equal(fcntl(host, F_SETFL, O_NONBLOCK), 0);
        return host;
    }
    int reason = errno;
    close(host);
    errno = reason;
    return -1;
}

static inline int host_connect(void)
{
    int host = host_connect_to(port_of(opened));
    assert_true(host >= 0);
    return host;
}

static inline void assert_notice(const char *part)
{
    char text[256] = "";

    byte_link_take_notice(opened, text, sizeof text);
    if (strstr(text, part) == NULL)
        fail_msg("\"%s\" does not tell \"%s\"", text, part);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
