/* Where ptys appear: names, the private folder, who owns a path, what survives whose death. */
#define _GNU_SOURCE
#include "tests/unit/test_pty_support.h"

static char scratch[64];

static int set_up(void **state)
{
    (void)state;
    snprintf(scratch, sizeof scratch, "/tmp/pty-path-XXXXXX");
    return mkdtemp(scratch) != NULL && chmod(scratch, 0755) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];

    test_folder_remove();
    snprintf(command, sizeof command, "rm -rf %s", scratch);
    return system(command) == 0 ? 0 : -1;
}

static const char *in_scratch(const char *name)
{
    static char path[2][256];
    static int turn;

    turn = 1 - turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", scratch, name);
    return path[turn];
}

static struct byte_link *open_at(const char *path, struct byte_link_error *error)
{
    const struct pty_link_config config = {
        .path = path, .sub_folder = test_folder(), .baud = 115200};

    *error = (struct byte_link_error){0};
    return pty_link_open(&config, error);
}

static void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("\"%s\" does not tell \"%s\"", text, part);
}

static void assert_refused(const char *path, const char *part)
{
    struct byte_link_error error;

    assert_null(open_at(path, &error));
    assert_has(error.text, part);
}

static bool is_there(const char *path)
{
    struct stat found;

    return lstat(path, &found) == 0;
}

/* Runs `part` in another process, without rights of root. Returns its exit code. */
static int as_user(int (*part)(void))
{
    int status = -1;
    pid_t pid = fork();

    if (pid == 0) {
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
            _exit(100);
        _exit(part());
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void a_relative_path_lives_in_the_private_folder_of_the_run(void **state)
{
    (void)state;
    struct byte_link_error error;
    struct stat found;
    char expected[256], folder[128];

    struct byte_link *opened = open_at("kobuki", &error);
    assert_non_null(opened);
    snprintf(folder, sizeof folder, "/dev/shm/ptybot-%u/%s", (unsigned)geteuid(), test_folder());
    snprintf(expected, sizeof expected, "%s/kobuki", folder);
    assert_string_equal(byte_link_name(opened), expected);
    assert_int_equal(lstat(folder, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0700);
    byte_link_close(opened);
    /* Nothing else is left, so the folder can be removed. */
    assert_int_equal(rmdir(folder), 0);
}

static void an_absolute_path_is_used_as_it_is_and_gone_after_close(void **state)
{
    (void)state;
    struct byte_link_error error;
    const char *path = in_scratch("ttyUSB0");
    struct byte_link *opened = open_at(path, &error);

    assert_non_null(opened);
    assert_string_equal(byte_link_name(opened), path);
    int host = host_open(opened);
    assert_true(host >= 0 && isatty(host));
    close(host);
    byte_link_close(opened);
    assert_false(is_there(path));
    assert_int_equal(rmdir(scratch), 0);
    assert_int_equal(mkdir(scratch, 0755), 0);
}

static void names_that_lead_elsewhere_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"", "..", "../x", "a/../x", ".x", "a//b", "a/", "/tmp/"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct byte_link_error error;

        assert_null(open_at(names[i], &error));
        assert_false(error.is_environment);
        assert_has(error.text, names[i]);
    }
}

static void a_path_too_long_is_refused(void **state)
{
    (void)state;
    struct byte_link_error error;
    char name[3000];

    memset(name, 'a', sizeof name);
    name[sizeof name - 1] = '\0';
    assert_null(open_at(name, &error));
    assert_has(error.text, "too long");
    name[0] = '/';
    assert_null(open_at(name, &error));
    assert_has(error.text, "too long");
}

static void a_folder_of_its_own_in_a_relative_path_is_made(void **state)
{
    (void)state;
    struct byte_link_error error;
    struct byte_link *opened = open_at("left/kobuki", &error);
    char folder[256];

    assert_non_null(opened);
    assert_true(is_there(byte_link_name(opened)));
    byte_link_close(opened);
    snprintf(folder, sizeof folder, "/dev/shm/ptybot-%u/%s/left", (unsigned)geteuid(),
             test_folder());
    assert_int_equal(rmdir(folder), 0);
}

static void without_shared_memory_the_runtime_folder_serves(void **state)
{
    (void)state;
    struct pty_path_roots roots = {.shared_memory = "/nowhere/shm", .runtime = scratch};
    struct byte_link_error error;
    char folder[PTY_PATH_MAX];

    assert_true(pty_path_folder_in(&roots, "run", folder, sizeof folder, &error));
    assert_string_equal(folder, in_scratch("ptybot/run"));
    assert_true(is_there(folder));
    roots.runtime = NULL;
    assert_false(pty_path_folder_in(&roots, NULL, folder, sizeof folder, &error));
    assert_true(error.is_environment);
    assert_has(error.text, "XDG_RUNTIME_DIR");
}

static void a_folder_open_to_others_or_no_folder_is_refused(void **state)
{
    (void)state;
    struct pty_path_roots roots = {.shared_memory = scratch};
    struct byte_link_error error;
    char folder[PTY_PATH_MAX], path[256];

    snprintf(path, sizeof path, "%s/ptybot-%u", scratch, (unsigned)geteuid());
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(chmod(path, 0755), 0);
    assert_false(pty_path_folder_in(&roots, NULL, folder, sizeof folder, &error));
    assert_has(error.text, "chmod 700");
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(symlink("/tmp", path), 0);
    assert_false(pty_path_folder_in(&roots, NULL, folder, sizeof folder, &error));
    assert_has(error.text, "not a folder");
}

static int open_folder_of_another(void)
{
    struct pty_path_roots roots = {.shared_memory = scratch};
    struct byte_link_error error = {0};
    char folder[PTY_PATH_MAX];

    if (pty_path_folder_in(&roots, NULL, folder, sizeof folder, &error))
        return 1;
    return strstr(error.text, "belongs to user 0") != NULL ? 0 : 2;
}

static void a_folder_of_another_user_is_refused(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip();
    assert_int_equal(chmod(scratch, 01777), 0);
    assert_int_equal(mkdir(in_scratch("ptybot-65534"), 0700), 0);
    assert_int_equal(as_user(open_folder_of_another), 0);
}

static int open_where_not_allowed(void)
{
    struct byte_link_error error = {0};
    struct byte_link *opened = open_at("/dev/kobuki", &error);

    if (opened != NULL)
        return 1;
    if (strstr(error.text, "sudo ln -s /dev/shm/ptybot-") == NULL ||
        strstr(error.text, "/kobuki /dev/kobuki") == NULL)
        return 2;
    return error.is_environment ? 0 : 3;
}

static void a_place_without_permission_names_the_command_that_helps(void **state)
{
    (void)state;
    assert_int_equal(as_user(open_where_not_allowed), 0);
    assert_refused(in_scratch("missing/kobuki"), "is not there");
}

static void a_strangers_file_is_never_replaced(void **state)
{
    (void)state;
    const char *path = in_scratch("robot");
    struct stat found;

    int file = open(path, O_CREAT | O_WRONLY, 0600);
    assert_true(file >= 0);
    close(file);
    assert_refused(path, "remove it by hand");
    assert_int_equal(lstat(path, &found), 0);
    assert_true(S_ISREG(found.st_mode));
    assert_int_equal(unlink(path), 0);

    assert_int_equal(mkdir(path, 0700), 0);
    assert_refused(path, "remove it by hand");
    assert_int_equal(rmdir(path), 0);

    assert_int_equal(symlink("/dev/null", path), 0);
    assert_refused(path, "remove it by hand");
    assert_int_equal(unlink(path), 0);

    assert_int_equal(symlink("/dev/pts/../null", path), 0);
    assert_refused(path, "remove it by hand");
    assert_int_equal(unlink(path), 0);

    /* A refusal leaves no lock file. */
    assert_false(is_there(in_scratch(".robot.lock")));
}

static void a_living_terminal_of_another_program_is_not_replaced(void **state)
{
    (void)state;
    const char *path = in_scratch("robot");
    int master = posix_openpt(O_RDWR | O_NOCTTY);

    assert_int_equal(symlink(ptsname(master), path), 0);
    assert_refused(path, "remove it by hand");
    close(master);
    assert_int_equal(unlink(path), 0);
    /* With its terminal gone, a symlink is nobody's. */
    assert_int_equal(symlink("/dev/pts/9999999", path), 0);
    struct byte_link_error error;
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

static void own_a_path(const char *path)
{
    struct byte_link_error error;

    if (open_at(path, &error) == NULL)
        _exit(1);
}

static void a_living_owner_is_named_and_a_dead_one_replaced(void **state)
{
    (void)state;
    struct byte_link_error error;
    const char *path = in_scratch("robot");
    char part[64];

    pid_t pid = host_start(own_a_path, path);
    assert_true(pid > 0);
    snprintf(part, sizeof part, "taken by ptybot pid %ld", (long)pid);
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
    struct byte_link_error error;
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
    struct byte_link_error error, second;
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
    struct byte_link_error error;
    const char *path = in_scratch("robot");
    struct byte_link *opened = open_at(path, &error);

    assert_non_null(opened);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("/dev/null", path), 0);
    byte_link_unplug(opened);
    assert_false(byte_link_replug(opened, &error));
    assert_has(error.text, "remove it by hand");
    assert_false(byte_link_is_plugged(opened));
    assert_true(is_there(path));
    assert_int_equal(unlink(path), 0);
    assert_true(byte_link_replug(opened, &error));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("/dev/null", path), 0);
    byte_link_close(opened);
    assert_true(is_there(path));
}

/* Owners race for one path; whoever has it finds its own terminal there and no one else's. */
static int fight_for_path(const char *path)
{
    int wins = 0;

    for (int64_t end_ms = test_now_ms() + PATIENCE_MS; wins < 200 && test_now_ms() < end_ms;) {
        struct byte_link_error error;
        struct byte_link *opened = open_at(path, &error);

        if (opened == NULL && strstr(error.text, "taken by") == NULL) {
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

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_relative_path_lives_in_the_private_folder_of_the_run),
        CASE(an_absolute_path_is_used_as_it_is_and_gone_after_close),
        CASE(names_that_lead_elsewhere_are_refused),
        CASE(a_path_too_long_is_refused),
        CASE(a_folder_of_its_own_in_a_relative_path_is_made),
        CASE(without_shared_memory_the_runtime_folder_serves),
        CASE(a_folder_open_to_others_or_no_folder_is_refused),
        CASE(a_folder_of_another_user_is_refused),
        CASE(a_place_without_permission_names_the_command_that_helps),
        CASE(a_strangers_file_is_never_replaced),
        CASE(a_living_terminal_of_another_program_is_not_replaced),
        CASE(a_lock_file_that_is_not_ours_is_left_alone),
        CASE(a_living_owner_is_named_and_a_dead_one_replaced),
        CASE(a_dead_owners_link_is_replaced_even_if_its_number_is_used_again),
        CASE(one_path_serves_one_link_of_a_run),
        CASE(close_leaves_what_somebody_else_put_there),
        CASE(owners_that_race_for_a_path_never_share_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
