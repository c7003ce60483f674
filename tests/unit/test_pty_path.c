/* Places of ptys: names, and the private folder of relative paths. */
#define _GNU_SOURCE
#include "tests/unit/test_pty_scratch.h"

/* Runs `part` in another process, without the rights of root. Returns its exit code. */
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
    struct error error;
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
    /* No other file is left, so the folder can be removed. */
    assert_int_equal(rmdir(folder), 0);
}

static void an_absolute_path_is_used_as_it_is_and_gone_after_close(void **state)
{
    (void)state;
    struct error error;
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
        struct error error;

        assert_null(open_at(names[i], &error));
        assert_false(error.is_environment);
        assert_has(error.text, names[i]);
        assert_has(error.text, i == 0 || names[i][strlen(names[i]) - 1] == '/'
                                   ? "\": a path must end with a name"
                                   : "\": a name must not be empty or begin with a dot");
    }
}

static void a_path_too_long_is_refused(void **state)
{
    (void)state;
    struct error error;
    char name[3000];

    memset(name, 'a', sizeof name);
    name[sizeof name - 1] = '\0';
    assert_null(open_at(name, &error));
    assert_has(error.text, "too long");
    name[0] = '/';
    assert_null(open_at(name, &error));
    assert_has(error.text, "too long");
}

/* A path of SIZE characters, in an existing folder. */
static const char *path_of(size_t size)
{
    static char path[PTY_PATH_MAX + 2];
    size_t used = (size_t)snprintf(path, sizeof path, "%s", scratch);
    while (used < size) {
        size_t part = size - used > 200 ? 200 : size - used;
        if (used + part < size && size - used - part < 2)
            part -= 2; /* the last name has at least one letter */
        (void)mkdir(path, 0755);
        path[used] = '/';
        memset(path + used + 1, 'a', part - 1);
        used += part;
        path[used] = '\0';
    }
    return path;
}

static void the_longest_path_has_room_for_its_lock_file_and_no_more(void **state)
{
    (void)state;
    struct error error;
    char out[PTY_PATH_MAX];
    size_t longest = PTY_PATH_MAX - sizeof "..lock";
    struct byte_link *opened = open_at(path_of(longest), &error);
    if (opened == NULL)
        fail_msg("%s", error.text);
    assert_int_equal(strlen(byte_link_name(opened)), longest);
    int host = host_open(opened);
    assert_true(host >= 0 && isatty(host));
    close(host);
    byte_link_close(opened);
    assert_null(open_at(path_of(longest + 1), &error));
    assert_has(error.text, "too long");
    assert_null(open_at(path_of(PTY_PATH_MAX), &error));
    assert_has(error.text, "too long");
    /* Without a lock file for this path. */
    assert_true(pty_path_resolve("/12345", NULL, out, 7, &error));
    assert_string_equal(out, "/12345");
    assert_false(pty_path_resolve("/123456", NULL, out, 7, &error));
}

static void a_folder_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    const struct pty_path_roots roots = {.shared_memory = scratch};
    char expected[256], out[256];
    struct error error = {0};
    size_t size =
        (size_t)snprintf(expected, sizeof expected, "%s/ptybot-%u", scratch, (unsigned)geteuid());
    assert_true(pty_path_folder_in(&roots, NULL, out, size + 1, &error));
    assert_string_equal(out, expected);
    assert_false(pty_path_folder_in(&roots, NULL, out, size, &error));
    assert_true(error.is_environment);
    assert_has(error.text, "too long");
    assert_true(pty_path_folder_in(&roots, "run", out, size + 5, &error));
    assert_false(pty_path_folder_in(&roots, "run", out, size + 4, &error));
    assert_has(error.text, "too long");
}

static void a_root_that_cannot_serve_is_passed_over(void **state)
{
    (void)state;
    char file[256];
    const char *const roots_that_cannot[] = {"relative",     ".", "/dev/null",
                                             "/nowhere/shm", "",  file};
    snprintf(file, sizeof file, "%s", in_scratch("file"));
    close(open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0777));
    for (size_t i = 0; i < sizeof roots_that_cannot / sizeof roots_that_cannot[0]; i++) {
        const struct pty_path_roots first = {roots_that_cannot[i], scratch};
        const struct pty_path_roots second = {"/nowhere/shm", roots_that_cannot[i]};
        char folder[PTY_PATH_MAX];
        struct error error = {0};
        assert_true(pty_path_folder_in(&first, NULL, folder, sizeof folder, &error));
        assert_string_equal(folder, in_scratch("ptybot"));
        assert_false(pty_path_folder_in(&second, NULL, folder, sizeof folder, &error));
        assert_has(error.text, roots_that_cannot[i]);
    }
}

static void a_root_without_room_for_a_folder_is_reported(void **state)
{
    (void)state;
    const struct pty_path_roots roots = {.shared_memory = "/proc"};
    char folder[PTY_PATH_MAX];
    struct error error = {0};
    if (geteuid() != 0)
        skip(); /* for others, /proc is not writable */
    assert_false(pty_path_folder_in(&roots, NULL, folder, sizeof folder, &error));
    assert_true(error.is_environment);
    assert_string_equal(error.text,
                        "cannot make the folder /proc/ptybot-0: No such file or directory");
}

static int pass_over_a_root_without_permission(void)
{
    const struct pty_path_roots roots = {in_scratch("closed"), in_scratch("mine")};
    struct error error = {0};
    char folder[PTY_PATH_MAX];
    if (!pty_path_folder_in(&roots, NULL, folder, sizeof folder, &error))
        return 1;
    return strcmp(folder, in_scratch("mine/ptybot")) == 0 ? 0 : 2;
}

static void a_root_without_permission_is_passed_over(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip();
    assert_int_equal(mkdir(in_scratch("closed"), 0755), 0);
    assert_int_equal(mkdir(in_scratch("mine"), 0700), 0);
    assert_int_equal(chown(in_scratch("mine"), 65534, 65534), 0);
    assert_int_equal(as_user(pass_over_a_root_without_permission), 0);
}

static void a_relative_path_may_have_many_parts(void **state)
{
    (void)state;
    struct error error;
    char base[PTY_PATH_MAX], path[PTY_PATH_MAX], expected[PTY_PATH_MAX + 32];
    struct byte_link *opened = open_at("ab/cd/ef", &error);
    assert_non_null(opened);
    assert_true(pty_path_folder(test_folder(), base, sizeof base, &error));
    snprintf(expected, sizeof expected, "%s/ab/cd/ef", base);
    assert_string_equal(byte_link_name(opened), expected);
    /* Each folder is closed to others. */
    snprintf(path, sizeof path, "%.400s/ab", base);
    assert_int_equal(chmod(path, 0755), 0);
    assert_refused("ab/robot", "is open to other users (mode 755): chmod 700 ");
    assert_int_equal(chmod(path, 0700), 0);
    byte_link_close(opened);
}

static void a_percent_sign_is_a_letter_of_a_name(void **state)
{
    (void)state;
    struct error error;
    struct byte_link *opened = open_at(in_scratch("100%%d"), &error);
    assert_non_null(opened);
    assert_string_equal(byte_link_name(opened), in_scratch("100%%d"));
    assert_true(is_there(in_scratch("100%%d")));
    byte_link_close(opened);
}

static void a_folder_of_its_own_in_a_relative_path_is_made(void **state)
{
    (void)state;
    struct error error;
    struct byte_link *opened = open_at("left/kobuki", &error);
    assert_non_null(opened);
    assert_true(is_there(byte_link_name(opened)));
    byte_link_close(opened);
}

static void the_folders_of_a_relative_path_go_with_the_last_link_in_them(void **state)
{
    (void)state;
    struct error error;
    struct byte_link *deep = open_at("left/deep/kobuki", &error);
    struct byte_link *other = open_at("left/kobuki", &error);
    char folder[320], base[256];
    snprintf(base, sizeof base, "/dev/shm/ptybot-%u/%s", (unsigned)geteuid(), test_folder());
    snprintf(folder, sizeof folder, "%s/left/deep", base);
    assert_non_null(deep);
    assert_non_null(other);
    byte_link_close(deep);
    assert_int_equal(access(folder, F_OK), -1);
    assert_true(is_there(byte_link_name(other)));
    byte_link_close(other);
    *strrchr(folder, '/') = '\0';
    assert_int_equal(access(folder, F_OK), -1);
    // The link does not remove a folder that existed before the run.
    assert_int_equal(access(base, F_OK), 0);
}

static void without_shared_memory_the_runtime_folder_serves(void **state)
{
    (void)state;
    struct pty_path_roots roots = {.shared_memory = "/nowhere/shm", .runtime = scratch};
    struct error error;
    char folder[PTY_PATH_MAX];

    assert_true(pty_path_folder_in(&roots, "run", folder, sizeof folder, &error));
    assert_string_equal(folder, in_scratch("ptybot/run"));
    assert_true(is_there(folder));
    roots.runtime = NULL;
    assert_false(pty_path_folder_in(&roots, NULL, folder, sizeof folder, &error));
    assert_true(error.is_environment);
    assert_has(error.text, "XDG_RUNTIME_DIR");
}

static void where_another_has_taken_the_folder_the_runtime_folder_serves(void **state)
{
    (void)state;
    struct pty_path_roots roots = {.shared_memory = scratch, .runtime = in_scratch("runtime")};
    struct error error;
    char folder[PTY_PATH_MAX], path[256], runtime[256];

    snprintf(runtime, sizeof runtime, "%s", roots.runtime);
    roots.runtime = runtime;
    assert_int_equal(mkdir(runtime, 0700), 0);
    snprintf(path, sizeof path, "%s/ptybot-%u", scratch, (unsigned)geteuid());
    assert_int_equal(symlink("/tmp", path), 0);
    assert_true(pty_path_folder_in(&roots, "run", folder, sizeof folder, &error));
    assert_string_equal(folder, in_scratch("runtime/ptybot/run"));

    /* ptybot uses it again as soon as the other program's file is gone. */
    assert_int_equal(unlink(path), 0);
    assert_true(pty_path_folder_in(&roots, "run", folder, sizeof folder, &error));
    assert_int_equal(strncmp(folder, path, strlen(path)), 0);
}

static void a_folder_open_to_others_or_no_folder_is_refused(void **state)
{
    (void)state;
    struct pty_path_roots roots = {.shared_memory = scratch};
    struct error error;
    char folder[PTY_PATH_MAX], path[256], mode[16];

    snprintf(path, sizeof path, "%s/ptybot-%u", scratch, (unsigned)geteuid());
    assert_int_equal(mkdir(path, 0700), 0);
    for (unsigned bit = 1; bit < 0100; bit *= 2) {
        assert_int_equal(chmod(path, 0700 | bit), 0);
        assert_false(pty_path_folder_in(&roots, NULL, folder, sizeof folder, &error));
        assert_has(error.text, "chmod 700");
        snprintf(mode, sizeof mode, "(mode %03o)", 0700 | bit);
        assert_has(error.text, mode);
    }
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(symlink("/tmp", path), 0);
    assert_false(pty_path_folder_in(&roots, NULL, folder, sizeof folder, &error));
    assert_has(error.text, "not a folder");
}

static int open_folder_of_another(void)
{
    struct pty_path_roots roots = {.shared_memory = scratch};
    struct error error = {0};
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
    struct error error = {0};
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
    assert_refused(in_scratch("missing/kobuki"), "does not exist");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, scratch_set_up, scratch_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_relative_path_lives_in_the_private_folder_of_the_run),
        CASE(an_absolute_path_is_used_as_it_is_and_gone_after_close),
        CASE(names_that_lead_elsewhere_are_refused),
        CASE(a_path_too_long_is_refused),
        CASE(the_longest_path_has_room_for_its_lock_file_and_no_more),
        CASE(a_folder_that_does_not_fit_is_refused),
        CASE(a_root_that_cannot_serve_is_passed_over),
        CASE(a_root_without_room_for_a_folder_is_reported),
        CASE(a_root_without_permission_is_passed_over),
        CASE(a_relative_path_may_have_many_parts),
        CASE(a_percent_sign_is_a_letter_of_a_name),
        CASE(a_folder_of_its_own_in_a_relative_path_is_made),
        CASE(the_folders_of_a_relative_path_go_with_the_last_link_in_them),
        CASE(without_shared_memory_the_runtime_folder_serves),
        CASE(where_another_has_taken_the_folder_the_runtime_folder_serves),
        CASE(a_folder_open_to_others_or_no_folder_is_refused),
        CASE(a_folder_of_another_user_is_refused),
        CASE(a_place_without_permission_names_the_command_that_helps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
