/* Reports of a watch about processes that open, write and close a file. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "pty/terminal/host_watch.h"
#include "tests/support/machine.h"

static struct host_watches *watches;
static struct host_watch watch;
static char node[64];

static int set_up(void **state)
{
    (void)state;
    snprintf(node, sizeof node, "/tmp/ptybot-watch-XXXXXX");
    close(mkstemp(node));
    machine_time_ms = 1000;
    watches = host_watches_create();
    return host_watch_open(&watch, watches) && host_watch_start(&watch, node) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    host_watch_close(&watch);
    host_watches_drop(watches);
    machine_time_ms = 0;
    return unlink(node);
}

static int come(void)
{
    int host = open(node, O_RDWR | O_CLOEXEC);
    assert_true(host >= 0);
    return host;
}

static void say(int host)
{
    assert_int_equal(write(host, "x", 1), 1);
}

static struct host_watch_tally read_watch(void)
{
    struct host_watch_tally tally = {0};
    host_watch_read(&watch, &tally);
    return tally;
}

static void assert_tally(struct host_watch_tally tally, unsigned came, bool before, bool by_last)
{
    assert_int_equal(tally.came, came);
    assert_int_equal(tally.is_written_before_last, before);
    assert_int_equal(tally.is_written_by_last, by_last);
}

static void hosts_count_that_come_while_none_is_there(void **state)
{
    (void)state;
    assert_tally(read_watch(), 0, false, false);
    int host = come();
    assert_tally(read_watch(), 1, false, false);
    say(host);
    assert_tally(read_watch(), 0, false, true);
    int second = come();
    assert_tally(read_watch(), 0, false, false);
    close(host);
    assert_tally(read_watch(), 0, false, false);
    close(second);
    assert_tally(read_watch(), 0, false, false);
    close(come());
    close(come());
    assert_tally(read_watch(), 2, false, false);
}

static void who_wrote_is_known_of_the_last_host_and_those_before_it(void **state)
{
    (void)state;
    int host = come();
    say(host);
    close(host);
    host = come();
    assert_tally(read_watch(), 2, true, false);
    say(host);
    close(host);
    close(come());
    host = come();
    say(host);
    struct host_watch_tally tally = read_watch();
    assert_tally(tally, 2, true, true);
    close(host);
    /* A second read adds to the tally. */
    host = come();
    host_watch_read(&watch, &tally);
    assert_tally(tally, 3, true, false);
    say(host);
    host_watch_read(&watch, &tally);
    assert_tally(tally, 3, true, true);
    close(host);
}

/* Bytes that were written and read long before cannot arrive later. */
static void what_was_heard_long_ago_is_not_on_its_way(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        bool is_heard = i & 1, is_long_ago = i & 2;
        int host = come();
        say(host);
        host_watches_take(watches);
        if (is_heard)
            host_watch_heard(&watch);
        machine_time_ms += is_long_ago ? 30 : 10;
        close(host);
        host = come();
        assert_tally(read_watch(), 2, !(is_heard && is_long_ago), false);
        close(host);
        read_watch();
    }
}

static void moves_are_news_and_bytes_are_not(void **state)
{
    (void)state;
    struct host_watch_tally tally = {0};
    assert_false(host_watch_read(&watch, &tally));
    int host = come();
    assert_false(host_watch_has_moves(&watch));
    host_watches_take(watches);
    assert_true(host_watch_has_moves(&watch));
    assert_true(host_watch_read(&watch, &tally));
    assert_false(host_watch_has_moves(&watch));
    assert_false(host_watch_read(&watch, &tally));
    say(host);
    host_watches_take(watches);
    assert_false(host_watch_has_moves(&watch));
    assert_false(host_watch_read(&watch, &tally));
    assert_true(tally.is_written_by_last);
    close(host);
    host_watches_take(watches);
    assert_true(host_watch_has_moves(&watch));
    /* A start discards earlier events. */
    host_watch_stop(&watch);
    assert_true(host_watch_start(&watch, node));
    assert_false(host_watch_has_moves(&watch));
    assert_false(host_watch_read(&watch, &tally));
}

/* The event of its open arrives later, and must not count as a second host. */
static void a_host_that_is_seen_before_its_open_is_told_comes_once(void **state)
{
    (void)state;
    host_watch_settle(&watch, true, machine_time_ms);
    int host = come();
    assert_tally(read_watch(), 0, false, false);
    close(come()); /* a second one */
    assert_tally(read_watch(), 0, false, false);
    close(host);
    close(come());
    assert_tally(read_watch(), 1, false, false);
    host_watch_settle(&watch, false, machine_time_ms);
    /* After it has left, an open counts as a new host. */
    host_watch_settle(&watch, true, machine_time_ms);
    host_watch_settle(&watch, false, machine_time_ms);
    host = come();
    assert_tally(read_watch(), 1, false, false);
    close(host);
}

static void after_its_end_a_host_that_is_there_comes_once(void **state)
{
    (void)state;
    close(come());
    read_watch();
    host_watch_settle(&watch, false, machine_time_ms);
    host_watch_settle(&watch, true, machine_time_ms);
    int host = come();
    assert_tally(read_watch(), 0, false, false);
    close(host);
}

/* A start also resets the pending close of the last host. */
static void after_a_start_a_host_that_is_there_comes_once(void **state)
{
    (void)state;
    close(come());
    read_watch();
    host_watch_stop(&watch);
    assert_true(host_watch_start(&watch, node));
    host_watch_settle(&watch, true, machine_time_ms);
    int host = come();
    assert_tally(read_watch(), 0, false, false);
    close(host);
}

static void a_start_forgets_a_host_that_was_seen_before(void **state)
{
    (void)state;
    host_watch_settle(&watch, true, machine_time_ms);
    host_watch_stop(&watch);
    assert_true(host_watch_start(&watch, node));
    int host = come();
    assert_tally(read_watch(), 1, false, false);
    close(host);
}

/* Events of the old watch find no new one. */
static void a_closed_watch_ends_in_the_kernel_too(void **state)
{
    (void)state;
    struct host_watch other;
    assert_true(host_watch_open(&other, watches));
    int old = watch.wd;
    host_watch_close(&watch);
    assert_true(host_watch_start(&other, node));
    assert_int_not_equal(other.wd, old);
    host_watch_close(&other);
}

/* The kernel merges the two opens into one event. */
static void a_host_that_was_merged_with_another_leaves_too(void **state)
{
    (void)state;
    int host = come(), merged = come();
    assert_tally(read_watch(), 1, false, false);
    close(host);
    read_watch();
    host_watch_settle(&watch, true, machine_time_ms);
    host_watch_settle(&watch, true, machine_time_ms + 30);
    close(merged);
    host = come();
    assert_tally(read_watch(), 1, false, false);
    close(host);
}

static void hosts_that_come_during_a_close_stay(void **state)
{
    (void)state;
    close(come());
    int host = come();
    read_watch();
    int second = come();
    read_watch();
    host_watch_settle(&watch, true, machine_time_ms);
    host_watch_settle(&watch, true, machine_time_ms + 30);
    close(second);
    second = come();
    assert_tally(read_watch(), 0, false, false);
    close(second);
    close(host);
}

static void each_close_has_its_own_time(void **state)
{
    (void)state;
    close(come());
    read_watch();
    host_watch_settle(&watch, true, machine_time_ms);
    host_watch_settle(&watch, false, machine_time_ms);
    close(come());
    read_watch();
    host_watch_settle(&watch, true, machine_time_ms + 100);
    int host = come();
    assert_tally(read_watch(), 1, false, false);
    close(host);
}

/* The kernel merges equal events in a row, so the number of opens may be too low. */
static void a_close_after_which_a_host_stays_was_not_the_last(void **state)
{
    (void)state;
    static const struct {
        int later_ms;
        unsigned came;
    } rows[] = {{10, 1}, {20, 1}, {30, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        close(come());
        read_watch();
        host_watch_settle(&watch, true, machine_time_ms);
        host_watch_settle(&watch, true, machine_time_ms + rows[i].later_ms);
        int host = come();
        assert_tally(read_watch(), rows[i].came, false, false);
        close(host);
        read_watch();
        host_watch_settle(&watch, false, machine_time_ms);
    }
}

static void an_open_of_our_own_counts_for_nobody(void **state)
{
    (void)state;
    int host = come();
    read_watch();
    for (int i = 0; i < 3; i++) {
        host_watch_begin_own(&watch);
        close(open(node, O_RDONLY | O_CLOEXEC));
        host_watch_end_own(&watch);
        assert_false(host_watch_has_moves(&watch));
        assert_tally(read_watch(), 0, false, false);
    }
    close(host);
    host = come();
    say(host);
    /* Events of hosts before and meanwhile are not ours. */
    host_watch_begin_own(&watch);
    close(open(node, O_RDONLY | O_CLOEXEC));
    host_watch_end_own(&watch);
    assert_tally(read_watch(), 1, false, true);
    host_watch_begin_own(&watch);
    say(host);
    close(open(node, O_RDONLY | O_CLOEXEC));
    host_watch_end_own(&watch);
    assert_tally(read_watch(), 0, false, true);
    close(host);
    read_watch();
    host_watch_settle(&watch, false, machine_time_ms);
    /* One open is ours, another one between begin and end is not. */
    host_watch_begin_own(&watch);
    int own = open(node, O_RDONLY | O_CLOEXEC);
    host_watches_take(watches);
    host = come();
    host_watch_end_own(&watch);
    assert_tally(read_watch(), 1, false, false);
    close(own);
    close(host);
}

/* The kernel numbers watches in order; every 256th is in the same bucket. */
static void a_watch_has_its_own_news_among_many(void **state)
{
    (void)state;
    enum { OTHERS = 300 };
    static struct host_watch others[OTHERS];
    char name[80];
    for (int i = 0; i < OTHERS; i++) {
        snprintf(name, sizeof name, "%s.%d", node, i);
        close(open(name, O_CREAT | O_RDWR | O_CLOEXEC, 0600));
        assert_true(host_watch_open(&others[i], watches));
        assert_true(host_watch_start(&others[i], name));
    }
    for (int i = 0; i < OTHERS; i += 3)
        host_watch_stop(&others[i]);
    for (int i = 0; i < OTHERS; i++) {
        snprintf(name, sizeof name, "%s.%d", node, i);
        close(open(name, O_RDWR | O_CLOEXEC));
    }
    close(come()); /* the events need more than one read */
    host_watches_take(watches);
    for (int i = 0; i < OTHERS; i++) {
        struct host_watch_tally tally = {0};
        assert_int_equal(host_watch_has_moves(&others[i]), i % 3 != 0);
        host_watch_read(&others[i], &tally);
        assert_int_equal(tally.came, i % 3 != 0);
        host_watch_close(&others[i]);
        snprintf(name, sizeof name, "%s.%d", node, i);
        unlink(name);
    }
    assert_true(host_watch_has_moves(&watch));
    assert_tally(read_watch(), 1, false, false);
}

static void a_watch_without_others_has_an_instance_of_its_own(void **state)
{
    (void)state;
    unsigned before = descriptor_count();
    struct host_watch alone;
    assert_true(host_watch_open(&alone, NULL));
    assert_int_equal(descriptor_count(), before + 1);
    assert_true(host_watch_start(&alone, node));
    assert_false(host_watch_start(&(struct host_watch){.all = alone.all}, "/nowhere/node"));
    close(come());
    struct host_watch_tally tally = {0};
    assert_true(host_watch_read(&alone, &tally));
    assert_int_equal(tally.came, 1);
    host_watch_close(&alone);
    host_watch_close(&alone);
    assert_int_equal(descriptor_count(), before);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(hosts_count_that_come_while_none_is_there),
        TEST(who_wrote_is_known_of_the_last_host_and_those_before_it),
        TEST(what_was_heard_long_ago_is_not_on_its_way),
        TEST(moves_are_news_and_bytes_are_not),
        TEST(a_host_that_is_seen_before_its_open_is_told_comes_once),
        TEST(after_its_end_a_host_that_is_there_comes_once),
        TEST(after_a_start_a_host_that_is_there_comes_once),
        TEST(a_start_forgets_a_host_that_was_seen_before),
        TEST(a_closed_watch_ends_in_the_kernel_too),
        TEST(a_host_that_was_merged_with_another_leaves_too),
        TEST(hosts_that_come_during_a_close_stay),
        TEST(each_close_has_its_own_time),
        TEST(a_close_after_which_a_host_stays_was_not_the_last),
        TEST(an_open_of_our_own_counts_for_nobody),
        TEST(a_watch_has_its_own_news_among_many),
        TEST(a_watch_without_others_has_an_instance_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
