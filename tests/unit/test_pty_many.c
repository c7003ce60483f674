/* Many pty links of one process share an instance of inotify, since a user has few instances. */
#define _GNU_SOURCE
#include "pty/terminal/host_watch.h"
#include "tests/unit/test_pty_support.h"

#include <dirent.h>

/* More than the instances that Linux gives a user (fs.inotify.max_user_instances, 128). */
enum { MANY = 200 };

struct many {
    struct host_watches *watches;
    struct byte_link *links[MANY];
    int hosts[MANY];
    char seen[MANY][16];
};

static struct byte_link *open_shared(struct host_watches *watches, int number)
{
    char name[16];
    struct error error = {0};

    snprintf(name, sizeof name, "r%d", number);
    const struct byte_link_config config = {
        .address = name, .sub_folder = test_folder(), .baud = 115200, .watches = watches};
    struct byte_link *opened = pty_link_open(&config, &error);
    if (opened == NULL)
        fail_msg("%s", error.text);
    return opened;
}

/* Instances of inotify that this process has. */
static int count_instances(void)
{
    DIR *folder = opendir("/proc/self/fd");
    const struct dirent *entry;
    int count = 0;

    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL) {
        char what[64];
        ssize_t size = readlinkat(dirfd(folder), entry->d_name, what, sizeof what - 1);

        what[size > 0 ? size : 0] = '\0';
        count += strcmp(what, "anon_inode:inotify") == 0;
    }
    closedir(folder);
    return count;
}

static int set_up(void **state)
{
    struct many *many = calloc(1, sizeof *many);

    *state = many;
    many->watches = host_watches_create();
    if (many->watches == NULL)
        return -1;
    for (int i = 0; i < MANY; i++) {
        many->links[i] = open_shared(many->watches, i);
        many->hosts[i] = -1;
    }
    return 0;
}

static int tear_down(void **state)
{
    struct many *many = *state;

    host_watches_drop(many->watches);
    for (int i = 0; i < MANY; i++) {
        if (many->hosts[i] >= 0)
            close(many->hosts[i]);
        if (many->links[i] != NULL)
            byte_link_close(many->links[i]);
    }
    free(many);
    test_folder_remove();
    return count_instances() == 0 ? 0 : -1;
}

static void look_at(struct many *many, int i)
{
    struct transcript *seen = calloc(1, sizeof *seen);

    assert_non_null(seen);
    look(many->links[i], seen);
    size_t size = strlen(many->seen[i]);
    assert_true(size + seen->size < sizeof many->seen[i]);
    memcpy(many->seen[i] + size, seen->text, seen->size + 1);
    free(seen);
}

/* Updates the links that have news, and all of them if IS_VISITED, until each has reported TEXT. */
static void expect_all(struct many *many, const char *text, bool is_visited)
{
    int64_t end_ms = test_now_ms() + TEST_TIMEOUT_MS;

    for (int left = MANY; left > 0;) {
        struct pollfd ready = {.fd = host_watches_fd(many->watches), .events = POLLIN};

        poll(&ready, 1, 20);
        host_watches_take(many->watches);
        left = 0;
        for (int i = 0; i < MANY; i++) {
            if (is_visited || byte_link_has_news(many->links[i]))
                look_at(many, i);
            left += strcmp(many->seen[i], text) != 0;
        }
        if (test_now_ms() > end_ms)
            fail_msg("%d of %d links have not told '%s'", left, MANY, text);
    }
}

static void two_hundred_links_need_one_instance_and_see_their_hosts(void **state)
{
    struct many *many = *state;

    assert_int_equal(count_instances(), 1);
    for (int i = 0; i < MANY; i++) {
        many->hosts[i] = host_open(many->links[i]);
        assert_true(many->hosts[i] >= 0);
    }
    expect_all(many, "+", false);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(write(many->hosts[i], "x", 1), 1);
    expect_all(many, "+x", true);
    for (int i = 0; i < MANY; i++) {
        close(many->hosts[i]);
        many->hosts[i] = -1;
    }
    expect_all(many, "+x-", true);
    for (int i = 0; i < MANY; i++)
        many->hosts[i] = host_open(many->links[i]);
    expect_all(many, "+x-+", false);
}

static void news_of_one_link_outlive_the_look_at_another(void **state)
{
    struct many *many = *state;

    many->hosts[7] = host_open(many->links[7]);
    int64_t end_ms = test_now_ms() + TEST_TIMEOUT_MS;
    while (!byte_link_has_news(many->links[7]) && test_now_ms() < end_ms)
        look_at(many, 3);
    assert_true(byte_link_has_news(many->links[7]));
    assert_false(byte_link_has_news(many->links[3]));
    look_at(many, 7);
    assert_string_equal(many->seen[7], "+");
    assert_string_equal(many->seen[3], "");
    assert_false(byte_link_has_news(many->links[7]));
}

static void a_link_that_closes_or_is_unplugged_leaves_the_others_watched(void **state)
{
    struct many *many = *state;
    struct error error;

    for (int i = 0; i < MANY; i += 2) {
        byte_link_close(many->links[i]);
        many->links[i] = open_shared(many->watches, i);
    }
    for (int i = 1; i < MANY; i += 4) {
        byte_link_unplug(many->links[i]);
        assert_false(byte_link_has_news(many->links[i]));
        assert_true(byte_link_replug(many->links[i], &error));
    }
    assert_int_equal(count_instances(), 1);
    for (int i = 0; i < MANY; i++)
        many->hosts[i] = host_open(many->links[i]);
    expect_all(many, "+", false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(two_hundred_links_need_one_instance_and_see_their_hosts,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(news_of_one_link_outlive_the_look_at_another, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            a_link_that_closes_or_is_unplugged_leaves_the_others_watched, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
