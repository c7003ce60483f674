/* Shared code of the tests of the serial shim: a pty link with a host, both in this program. */
#pragma once

#include "tests/unit/test_pty_support.h"

#include <stdatomic.h>

#include "tests/support/shim.h"

static struct byte_link *opened;
static struct transcript seen;
static int host = -1;

static inline int set_up(void **state)
{
    (void)state;
    memset(&seen, 0, sizeof seen);
    opened = test_link_open("uart");
    if (opened == NULL)
        return -1;
    host = host_open(opened);
    run_until(opened, &seen, "+");
    return host >= 0 ? 0 : -1;
}

static inline int tear_down(void **state)
{
    (void)state;
    close(host);
    byte_link_close(opened);
    test_folder_remove();
    return 0;
}

static inline int lines_of(int fd)
{
    int lines = -1;
    return ioctl(fd, TIOCMGET, &lines) == 0 ? lines : -1;
}

/* A thread that waits for a modem line of the host. */
struct wait {
    unsigned mask;
    int result, reason;
    atomic_bool is_over;
};

static inline void *wait_for_line(void *data)
{
    struct wait *wait = data;
    wait->result = ioctl(host, TIOCMIWAIT, wait->mask);
    wait->reason = errno;
    wait->is_over = true;
    return NULL;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
