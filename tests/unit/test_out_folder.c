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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_folders_of_a_path_are_made),
        cmocka_unit_test(a_second_test_deletes_the_files_of_the_first_and_no_others),
        cmocka_unit_test(a_folder_of_somebody_else_is_left_alone),
        cmocka_unit_test(folders_of_single_tests_are_deleted_unless_they_hold_something_else),
        cmocka_unit_test(a_temporary_folder_disappears_unless_it_is_kept),
        cmocka_unit_test(removing_a_folder_follows_no_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
