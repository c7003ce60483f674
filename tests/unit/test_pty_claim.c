/* Ownership of a path: other programs, living owners and dead owners. */
#define _GNU_SOURCE
#include "tests/unit/test_pty_scratch.h"

#include <sys/file.h>

static void a_strangers_file_is_never_replaced(void **state)
{
    (void)state;
    const char *path = in_scratch("robot");
    struct stat found;

    int file = open(path, O_CREAT | O_WRONLY, 0600);
    assert_true(file >= 0);
    close(file);
    assert_refused(path, "remove it manually");
    assert_int_equal(lstat(path, &found), 0);
    assert_true(S_ISREG(found.st_mode));
    assert_int_equal(unlink(path), 0);

    assert_int_equal(mkdir(path, 0700), 0);
    assert_refused(path, "remove it manually");
    assert_int_equal(rmdir(path), 0);

    assert_int_equal(symlink("/dev/null", path), 0);
    assert_refused(path, "remove it manually");
    assert_int_equal(unlink(path), 0);

    assert_int_equal(symlink("/dev/pts/../null", path), 0);
    assert_refused(path, "remove it manually");
    assert_int_equal(unlink(path), 0);

    static const char *const others[] = {"/dev/sty/99", "/dev/pts/", "/dev/pts/7777777x"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_int_equal(symlink(others[i], path), 0);
        assert_refused(path, "remove it manually");
        assert_int_equal(unlink(path), 0);
    }

    /* A refusal leaves no lock file. */
    assert_false(is_there(in_scratch(".robot.lock")));
}

static void a_name_may_have_signs_of_other_languages(void **state)
{
    (void)state;
    static const char *const names[] = {"100%d", "a b", "caf\xc3\xa9", "%s%s%n", "$HOME;'"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct byte_link *link = test_link_open(names[i]);
        assert_non_null(link);
        const char *name = strrchr(byte_link_name(link), '/');
        assert_string_equal(name + 1, names[i]);
        int host = host_open(link);
        assert_true(host >= 0);
        close(host);
        byte_link_close(link);
    }
}

static void a_living_terminal_of_another_program_is_not_replaced(void **state)
{
    (void)state;
    const char *path = in_scratch("robot");
    int master = posix_openpt(O_RDWR | O_NOCTTY);

    assert_int_equal(symlink(ptsname(master), path), 0);
    assert_refused(path, "remove it manually");
    close(master);
    assert_int_equal(unlink(path), 0);
    /* A symlink to a terminal that is gone has no owner. */
    assert_int_equal(symlink("/dev/pts/9999999", path), 0);
    struct error error;
    struct byte_link *opened = open_at(path, &error);
    assert_non_null(opened);
    byte_link_close(opened);
}

static void a_lock_file_that_is_not_ours_is_left_alone(void **state)
{
    (void)state;
    char text[16] = "";
    int file = open(in_scratch(".robot.lock"), O_CREAT | O_RDWR, 0600);

    assert_int_equal(write(file, "my notes", 8), 8);
    assert_refused(in_scratch("robot"), "not a lock file");
    assert_int_equal(pread(file, text, sizeof text, 0), 8);
    assert_string_equal(text, "my notes");
    close(file);
}

static void write_lock(const char *text)
{
    int file = open(in_scratch(".robot.lock"), O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
}

/* A run that was killed leaves a lock file that lists where its path led. */
static void a_path_belongs_to_a_dead_owner_if_its_lock_file_lists_where_it_leads(void **state)
{
    (void)state;
    static const struct {
        const char *record;
        bool is_listed;
    } rows[] = {{"ptybot 1\n/dev/null\n\n", true},
                {"ptybot 1\n\n/dev/null\n", true},
                {"ptybot 1\n/dev/ptmx\n/dev/null\n", true},
                {"ptybot 1\n/dev/nul\n\n", false},
                {"ptybot 1\n/dev/nullx\n\n", false},
                {"ptybot 1\nx/dev/null\n\n", false},
                {"ptybot 1\n/dev/null", false},
                {"ptybot 1\n\n\n", false},
                {"ptybot 1\n/dev/ptmx\n/dev/full\n", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct error error;
        unlink(in_scratch("robot"));
        assert_int_equal(symlink("/dev/null", in_scratch("robot")), 0);
        write_lock(rows[i].record);
        alarm(10); /* instead of reading endlessly */
        struct byte_link *opened = open_at(in_scratch("robot"), &error);
        alarm(0);
        if ((opened != NULL) != rows[i].is_listed)
            fail_msg("row %zu: %s", i, error.text);
        byte_link_close(opened);
        if (!rows[i].is_listed)
            assert_has(error.text, "remove it manually");
    }
}

static void who_holds_the_lock_is_named_as_far_as_its_record_tells(void **state)
{
    (void)state;
    static const char *const records[] = {"", "7", "ptybot 0\n", "ptybot -3\n", "other 12\n"};
    for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
        write_lock(records[i]);
        int holder = open(in_scratch(".robot.lock"), O_RDWR | O_CLOEXEC);
        assert_int_equal(flock(holder, LOCK_EX | LOCK_NB), 0);
        assert_refused(in_scratch("robot"), "robot is in use by another ptybot: choose another");
        close(holder);
    }
    /* A file of one letter is already a file of another program. */
    write_lock("7");
    assert_refused(in_scratch("robot"), "is not a lock file of ptybot");
}

static void own_a_path(const char *path)
{
    struct error error;

    if (open_at(path, &error) == NULL)
        _exit(1);
}

static void a_living_owner_is_named_and_a_dead_one_replaced(void **state)
{
    (void)state;
    struct error error;
    const char *path = in_scratch("robot");
    char part[64];

    pid_t pid = host_start(own_a_path, path);
    assert_true(pid > 0);
    snprintf(part, sizeof part, "in use by ptybot pid %ld", (long)pid);
    assert_refused(path, part);
    assert_true(is_there(path));

    host_end(pid, SIGKILL);
    assert_true(is_there(path));
    struct byte_link *opened = open_at(path, &error);
    assert_non_null(opened);
    int host = host_open(opened);
    assert_true(host >= 0);
    close(host);
    byte_link_close(opened);
    assert_false(is_there(path));
    assert_false(is_there(in_scratch(".robot.lock")));
}

static void a_dead_owners_link_is_replaced_even_if_its_number_is_used_again(void **state)
{
    (void)state;
    struct error error;
    const char *path = in_scratch("robot");
    char target[64] = "";

    pid_t pid = host_start(own_a_path, path);
    assert_true(pid > 0);
    assert_true(readlink(path, target, sizeof target - 1) > 0);
    host_end(pid, SIGKILL);

    /* Linux gives the lowest free number, to this process or to another. */
    int masters[256], count = 0;
    for (bool is_used = false; !is_used; count++) {
        assert_true(count < 256);
        masters[count] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
        is_used = is_there(target);
    }
    struct byte_link *opened = open_at(path, &error);
    assert_non_null(opened);
    byte_link_close(opened);
    while (count > 0)
        close(masters[--count]);
}

static void one_path_serves_one_link_of_a_run(void **state)
{
    (void)state;
    struct error error, second;
    struct byte_link *opened = open_at("robot", &error);

    assert_non_null(opened);
    assert_null(open_at("robot", &second));
    assert_has(second.text, "another link of this run");
    assert_true(is_there(byte_link_name(opened)));
    byte_link_close(opened);
}

static void close_leaves_what_somebody_else_put_there(void **state)
{
    (void)state;
    struct error error;
    const char *path = in_scratch("robot");
    struct byte_link *opened = open_at(path, &error);

    assert_non_null(opened);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("/dev/null", path), 0);
    byte_link_unplug(opened);
    assert_false(byte_link_replug(opened, &error));
    assert_has(error.text, "remove it manually");
    assert_false(byte_link_is_plugged(opened));
    assert_true(is_there(path));
    assert_int_equal(unlink(path), 0);
    assert_true(byte_link_replug(opened, &error));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("/dev/null", path), 0);
    byte_link_close(opened);
    assert_true(is_there(path));
}

/* Updates a link, which checks its path, until PATH exists. */
static void wait_until_back(struct byte_link *link, const char *path)
{
    for (int64_t end_ms = test_now_ms() + TEST_TIMEOUT_MS; !is_there(path);) {
        assert_true(test_now_ms() < end_ms);
        byte_link_update(link);
        usleep(1000);
    }
}

static void a_lock_that_is_deleted_is_put_back_and_told(void **state)
{
    (void)state;
    struct error error;
    char notice[512];
    struct byte_link *opened = open_at(in_scratch("robot"), &error);

    assert_non_null(opened);
    assert_int_equal(unlink(in_scratch(".robot.lock")), 0);
    wait_until_back(opened, in_scratch(".robot.lock"));
    assert_true(byte_link_take_notice(opened, notice, sizeof notice));
    assert_has(notice, ".robot.lock was removed by another program; ptybot has restored it");

    /* The file is a lock again. */
    assert_refused(in_scratch("robot"), "another link of this run");
    byte_link_close(opened);
    assert_false(is_there(in_scratch("robot")));
    assert_false(is_there(in_scratch(".robot.lock")));
}

static void the_lock_of_an_unplugged_port_is_put_back(void **state)
{
    (void)state;
    struct error error;
    struct byte_link *opened = open_at(in_scratch("robot"), &error);

    assert_non_null(opened);
    byte_link_unplug(opened);
    assert_int_equal(unlink(in_scratch(".robot.lock")), 0);
    wait_until_back(opened, in_scratch(".robot.lock"));
    assert_refused(in_scratch("robot"), "another link of this run");
    assert_false(is_there(in_scratch("robot")));
    assert_true(byte_link_replug(opened, &error));
    byte_link_close(opened);
}

static void an_owner_that_came_while_all_was_deleted_keeps_the_path(void **state)
{
    (void)state;
    struct error error;
    char first_target[64] = "", target[64] = "";
    struct byte_link *first = open_at(in_scratch("robot"), &error);

    assert_non_null(first);
    assert_int_equal(unlink(in_scratch(".robot.lock")), 0);
    assert_true(readlink(in_scratch("robot"), first_target, sizeof first_target - 1) > 0);
    assert_int_equal(unlink(in_scratch("robot")), 0);
    struct byte_link *second = open_at(in_scratch("robot"), &error);
    assert_non_null(second);
    byte_link_close(first);
    /* These files belong to the second link. */
    assert_true(is_there(in_scratch(".robot.lock")));
    assert_true(readlink(in_scratch("robot"), target, sizeof target - 1) > 0);
    assert_string_not_equal(target, first_target);
    assert_refused(in_scratch("robot"), "another link of this run");
    byte_link_close(second);
    assert_false(is_there(in_scratch(".robot.lock")));
}

/* Owners race for one path. The winner must find its own terminal there. */
static int fight_for_path(const char *path)
{
    int wins = 0;

    for (int64_t end_ms = test_now_ms() + TEST_TIMEOUT_MS; wins < 60 && test_now_ms() < end_ms;) {
        struct error error;
        struct byte_link *opened = open_at(path, &error);

        if (opened == NULL && strstr(error.text, "in use by") == NULL) {
            fprintf(stderr, "%s\n", error.text);
            return 1;
        }
        if (opened == NULL)
            continue;
        int host = host_open(opened);
        if (host < 0 || write(host, "mine", 4) != 4)
            return 2;
        struct transcript *seen = calloc(1, sizeof *seen);
        if (seen == NULL || strcmp(run_until(opened, seen, "+mine"), "+mine") != 0)
            return 3;
        free(seen);
        close(host);
        byte_link_close(opened);
        wins++;
    }
    return wins > 0 ? 0 : 4;
}

static void owners_that_race_for_a_path_never_share_it(void **state)
{
    (void)state;
    pid_t pids[4];

    for (int i = 0; i < 4; i++) {
        pids[i] = fork();
        if (pids[i] == 0)
            _exit(fight_for_path(in_scratch("robot")));
    }
    for (int i = 0; i < 4; i++) {
        int status = -1;

        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
    }
    assert_false(is_there(in_scratch("robot")));
    assert_false(is_there(in_scratch(".robot.lock")));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, scratch_set_up, scratch_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_strangers_file_is_never_replaced),
        CASE(a_name_may_have_signs_of_other_languages),
        CASE(a_living_terminal_of_another_program_is_not_replaced),
        CASE(a_lock_file_that_is_not_ours_is_left_alone),
        CASE(a_path_belongs_to_a_dead_owner_if_its_lock_file_lists_where_it_leads),
        CASE(who_holds_the_lock_is_named_as_far_as_its_record_tells),
        CASE(a_living_owner_is_named_and_a_dead_one_replaced),
        CASE(a_dead_owners_link_is_replaced_even_if_its_number_is_used_again),
        CASE(one_path_serves_one_link_of_a_run),
        CASE(close_leaves_what_somebody_else_put_there),
        CASE(a_lock_that_is_deleted_is_put_back_and_told),
        CASE(the_lock_of_an_unplugged_port_is_put_back),
        CASE(an_owner_that_came_while_all_was_deleted_keeps_the_path),
        CASE(owners_that_race_for_a_path_never_share_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
