/* The folder of --out: only files of earlier tests are deleted, and no file of the user. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/files/folders.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"
#include "tests/support/machine.h"

static struct out_folder open_folder(const char *path)
{
    struct out_folder out;
    struct error error = {0};
    if (!out_folder_open(&out, path, &error))
        fail_msg("%s", error.text);
    return out;
}

static void clear(const struct out_folder *out)
{
    struct error error = {0};
    if (!out_folder_clear(out, &error))
        fail_msg("%s", error.text);
}

static bool is_in(const struct folder *folder, const char *name)
{
    char path[FOLDER_PATH_MAX];
    return path_exists(folder_path(folder, name, path));
}

static void missing_folders_of_a_path_are_made(void **state)
{
    (void)state;
    struct folder folder;
    struct error error = {0};
    char path[FOLDER_PATH_MAX], text[PATH_MAX];
    folder_make(&folder);
    struct out_folder out = open_folder(folder_path(&folder, "a/b/c", path));
    assert_true(is_in(&folder, "a/b/c"));
    assert_true(out.path[0] == '/' && !out.is_own);
    folder_path(&folder, "a/b/c/host.log", path);
    assert_string_equal(out_folder_file(&out, "host.log", text), path);
    out_folder_close(&out, false); /* the user named it, so it stays */
    assert_true(is_in(&folder, "a/b/c"));
    folder_write(&folder, "file", "x");
    assert_false(out_folder_open(&out, folder_path(&folder, "file", path), &error));
    assert_non_null(strstr(error.text, "not a folder"));
    assert_false(out_folder_open(&out, folder_path(&folder, "file/in", path), &error));
    assert_non_null(strstr(error.text, "cannot be made"));
    folder_remove(&folder);
}

static void a_second_test_deletes_the_files_of_the_first_and_no_others(void **state)
{
    (void)state;
    static const char *const left[] = {"host.log",    "wire.log",    "signals.csv",
                                       "run.journal", "failure.png", "run.pcapng",
                                       "console.txt", "suite.xml",   "replay.html"};
    struct folder folder;
    folder_make(&folder);
    folder_write(&folder, "notes.txt", "mine");
    struct out_folder out = open_folder(folder.path);
    clear(&out);
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++)
        folder_write(&folder, left[i], "x");
    clear(&out);
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++)
        if (is_in(&folder, left[i]))
            fail_msg("%s is still there", left[i]);
    char *notes = folder_read(&folder, "notes.txt");
    assert_string_equal(notes, "mine");
    free(notes);
    folder_remove(&folder);
}

static void a_folder_of_somebody_else_is_left_alone(void **state)
{
    (void)state;
    struct folder folder;
    struct error error = {0};
    folder_make(&folder);
    folder_write(&folder, "signals.csv", "mine");
    struct out_folder out = open_folder(folder.path);
    assert_false(out_folder_clear(&out, &error));
    assert_non_null(strstr(error.text, "found signals.csv, which no test of ptybot wrote"));
    char *text = folder_read(&folder, "signals.csv");
    assert_string_equal(text, "mine");
    free(text);
    folder_remove(&folder);
}

/* Each of many tests has a folder in it. A folder with a file of the user stays. */
static void folders_of_single_tests_are_deleted_unless_they_hold_something_else(void **state)
{
    (void)state;
    struct folder folder;
    folder_make(&folder);
    static const char *const parts[] = {"seed1", "seed2", "other"};
    struct out_folder out = open_folder(folder.path);
    clear(&out);
    for (size_t i = 0; i < 3; i++) {
        char path[FOLDER_PATH_MAX], name[64];
        struct out_folder part = open_folder(folder_path(&folder, parts[i], path));
        if (i < 2)
            clear(&part);
        snprintf(name, sizeof name, "%s/host.log", parts[i]);
        folder_write(&folder, name, "x");
    }
    folder_write(&folder, "seed2/notes.txt", "mine");
    clear(&out);
    assert_false(is_in(&folder, "seed1"));
    assert_false(is_in(&folder, "seed2/host.log"));
    assert_true(is_in(&folder, "seed2/notes.txt"));
    assert_true(is_in(&folder, "other/host.log")); /* no test marked it */
    folder_remove(&folder);
}

static void a_temporary_folder_disappears_unless_it_is_kept(void **state)
{
    (void)state;
    struct folder folder;
    char path[PATH_MAX];
    folder_make(&folder);
    assert_int_equal(setenv("TMPDIR", folder.path, 1), 0);
    for (int is_kept = 0; is_kept < 2; is_kept++) {
        struct out_folder out = open_folder("");
        assert_true(out.is_own && strncmp(out.path, folder.path, strlen(folder.path)) == 0);
        clear(&out);
        strcpy(path, out.path);
        out_folder_close(&out, is_kept);
        assert_int_equal(path_exists(path), is_kept);
    }
    unsetenv("TMPDIR");
    folder_remove(&folder);
}

static void removing_a_folder_follows_no_link(void **state)
{
    (void)state;
    struct folder folder;
    char path[FOLDER_PATH_MAX], target[FOLDER_PATH_MAX];
    folder_make(&folder);
    assert_int_equal(mkdir(folder_path(&folder, "kept", path), 0700), 0);
    folder_write(&folder, "kept/file", "x");
    assert_int_equal(mkdir(folder_path(&folder, "gone", path), 0700), 0);
    folder_write(&folder, "gone/file", "x");
    folder_path(&folder, "kept", target);
    assert_int_equal(symlink(target, folder_path(&folder, "gone/link", path)), 0);
    out_folder_remove(folder_path(&folder, "gone", path));
    assert_false(is_in(&folder, "gone"));
    assert_true(is_in(&folder, "kept/file"));
    folder_remove(&folder);
}

/* Names of one letter too. */
static void missing_folders_of_a_relative_path_are_made(void **state)
{
    (void)state;
    struct folder folder;
    char expected[FOLDER_PATH_MAX];
    folder_make(&folder);
    assert_int_equal(chdir(folder.path), 0);
    struct out_folder out = open_folder("a/b");
    assert_string_equal(out.path, folder_path(&folder, "a/b", expected));
    assert_true(is_in(&folder, "a/b"));
    assert_int_equal(chdir("/"), 0);
    folder_remove(&folder);
}

static void a_path_that_is_too_long_is_refused(void **state)
{
    (void)state;
    static char path[PATH_MAX + 1], text[PATH_MAX];
    struct out_folder out;
    struct error error = {0};
    memset(path, 'x', PATH_MAX);
    assert_false(out_folder_open(&out, path, &error));
    assert_string_equal(error.text, "--out: the path is too long");
    /* A file in it: its path is empty, and cannot be opened. */
    out = (struct out_folder){0};
    memset(out.path, 'x', PATH_MAX - 10);
    assert_int_equal(strlen(out_folder_file(&out, "12345678", text)), PATH_MAX - 1);
    assert_string_equal(out_folder_file(&out, "123456789", text), "");
}

/* Only the inner one of two folders of tests is cleared. */
static void clearing_stays_in_the_folder(void **state)
{
    (void)state;
    struct folder folder;
    char path[FOLDER_PATH_MAX];
    folder_make(&folder);
    struct out_folder outer = open_folder(folder.path);
    clear(&outer);
    folder_write(&folder, "host.log", "x");
    struct out_folder inner = open_folder(folder_path(&folder, "inner", path));
    clear(&inner);
    clear(&inner);
    assert_true(is_in(&folder, "host.log"));
    assert_true(is_in(&folder, ".ptybot-test"));
    folder_remove(&folder);
}

/* The mark is a file that others may read and write; a link in its place is not followed. */
static void the_mark_is_a_plain_file(void **state)
{
    (void)state;
    struct folder folder;
    struct stat found;
    struct error error = {0};
    char path[FOLDER_PATH_MAX], expected[512];
    unsigned before = descriptor_count();
    int kept = dup(STDIN_FILENO);
    folder_make(&folder);
    umask(0);
    struct out_folder out = open_folder(folder.path);
    clear(&out);
    assert_int_equal(descriptor_count(), before + 1);
    close(STDIN_FILENO); /* then the mark has descriptor 0 for a moment */
    clear(&out);
    assert_int_equal(dup2(kept, STDIN_FILENO), STDIN_FILENO);
    close(kept);
    assert_int_equal(stat(folder_path(&folder, ".ptybot-test", path), &found), 0);
    assert_true(S_ISREG(found.st_mode) && (found.st_mode & 07777) == 0666);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("elsewhere", path), 0);
    assert_false(out_folder_clear(&out, &error));
    snprintf(expected, sizeof expected, "--out %s: Too many levels of symbolic links", folder.path);
    assert_string_equal(error.text, expected);
    assert_false(is_in(&folder, "elsewhere"));
    folder_remove(&folder);
}

static void a_second_close_removes_nothing(void **state)
{
    (void)state;
    struct folder folder;
    char path[PATH_MAX];
    folder_make(&folder);
    assert_int_equal(setenv("TMPDIR", folder.path, 1), 0);
    struct out_folder out = open_folder("");
    strcpy(path, out.path);
    out_folder_close(&out, false);
    assert_string_equal(out.path, "");
    assert_int_equal(mkdir(path, 0700), 0);
    out_folder_close(&out, false);
    assert_true(path_exists(path));
    unsetenv("TMPDIR");
    folder_remove(&folder);
}

static void without_a_place_for_a_temporary_folder_the_remedy_is_told(void **state)
{
    (void)state;
    struct out_folder out;
    struct error error = {0};
    assert_int_equal(setenv("TMPDIR", "/nowhere", 1), 0);
    assert_false(out_folder_open(&out, "", &error));
    assert_string_equal(error.text, "cannot make a folder in /nowhere: No such file or directory; "
                                    "set TMPDIR or give --out");
    unsetenv("TMPDIR");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_folders_of_a_path_are_made),
        cmocka_unit_test(a_second_test_deletes_the_files_of_the_first_and_no_others),
        cmocka_unit_test(a_folder_of_somebody_else_is_left_alone),
        cmocka_unit_test(folders_of_single_tests_are_deleted_unless_they_hold_something_else),
        cmocka_unit_test(a_temporary_folder_disappears_unless_it_is_kept),
        cmocka_unit_test(removing_a_folder_follows_no_link),
        cmocka_unit_test(missing_folders_of_a_relative_path_are_made),
        cmocka_unit_test(a_path_that_is_too_long_is_refused),
        cmocka_unit_test(clearing_stays_in_the_folder),
        cmocka_unit_test(the_mark_is_a_plain_file),
        cmocka_unit_test(a_second_close_removes_nothing),
        cmocka_unit_test(without_a_place_for_a_temporary_folder_the_remedy_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
