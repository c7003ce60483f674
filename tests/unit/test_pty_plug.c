/* The pty link unplugged and plugged in again. */
#define _GNU_SOURCE
#include "tests/unit/test_pty_support.h"

static struct byte_link *opened;
static struct transcript seen;

static int set_up(void **state)
{
    (void)state;
    seen.size = 0;
    seen.text[0] = '\0';
    opened = test_link_open("robot");
    return opened != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    byte_link_close(opened);
    test_folder_remove();
    return 0;
}

static int host_arrives(void)
{
    int host = host_open(opened);

    assert_true(host >= 0);
    return host;
}

static void unplugging_removes_the_path_and_hangs_up(void **state)
{
    (void)state;
    struct error error = {0};
    struct stat found;
    char byte;
    int host = host_arrives();

    assert_string_equal(run_until(opened, &seen, "+"), "+");
    assert_int_equal(write(host, "last", 4), 4);
    byte_link_unplug(opened);
    assert_int_equal(lstat(byte_link_name(opened), &found), -1);
    assert_true(read(host, &byte, 1) <= 0 && errno != EAGAIN);
    assert_int_equal(host_open(opened), -1);
    transcript_take(opened, &seen);
    assert_string_equal(seen.text, "+last-");
    assert_false(byte_link_write(opened, "x", 1));
    byte_link_unplug(opened);
    look(opened, &seen);
    struct pollfd fds[BYTE_LINK_FDS_MAX];
    assert_int_equal(byte_link_fds(opened, fds), 0);

    assert_true(byte_link_replug(opened, &error));
    int again = host_arrives();
    assert_string_equal(run_until(opened, &seen, "+last-+"), "+last-+");
    close(again);
    close(host);
    assert_string_equal(run_until(opened, &seen, "+last-+-"), "+last-+-");
}

/* A host that opens the device as soon as it exists, and again immediately after the hang-up. */
static int eager_host(int ready)
{
    struct pollfd hang_up = {.fd = -1};

    while (hang_up.fd < 0)
        hang_up.fd = host_open(opened);
    if (write(ready, "", 1) != 1 || poll(&hang_up, 1, TEST_TIMEOUT_MS) != 1)
        return 1;
    return host_open(opened) < 0 && errno == ENOENT ? 0 : 2;
}

static void the_path_is_gone_before_the_host_sees_the_hang_up(void **state)
{
    (void)state;
    for (int round = 0; round < 50; round++) {
        struct error error;
        int ready[2], status = -1;
        char byte;

        /* The host starts while the link is unplugged, so that it inherits no master. */
        byte_link_unplug(opened);
        look(opened, &seen);
        assert_int_equal(pipe(ready), 0);
        pid_t pid = fork();
        if (pid == 0)
            _exit(eager_host(ready[1]));
        assert_true(byte_link_replug(opened, &error));
        assert_int_equal(read(ready[0], &byte, 1), 1);
        byte_link_unplug(opened);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
        close(ready[0]);
        close(ready[1]);
    }
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(unplugging_removes_the_path_and_hangs_up),
        CASE(the_path_is_gone_before_the_host_sees_the_hang_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
