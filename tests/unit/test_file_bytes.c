/* Files are read completely. Other kinds of files, and files that are too large, are refused with
 * the reason. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "app/files/file_bytes.h"
#include "base/error.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"
#include "tests/support/machine.h"

static void a_file_of_at_most_the_limit_is_read_whole(void **state)
{
    (void)state;
    struct folder folder;
    struct error error = {0};
    char path[FOLDER_PATH_MAX];
    size_t size = 9;
    folder_make(&folder);
    folder_write(&folder, "file", "12345");
    folder_path(&folder, "file", path);
    char *bytes = file_bytes_read(path, 5, &size, &error);
    assert_non_null(bytes);
    assert_int_equal(size, 5);
    assert_memory_equal(bytes, "12345", 5);
    free(bytes);
    assert_null(file_bytes_read(path, 4, &size, &error));
    assert_string_equal(error.text, "size of 5 bytes; allowed: at most 4");
    folder_write(&folder, "file", "%s", "");
    bytes = file_bytes_read(path, 0, &size, &error);
    assert_non_null(bytes);
    assert_int_equal(size, 0);
    free(bytes);
    folder_remove(&folder);
}

/* The kernel reports a size of 4096 bytes. */
static void a_file_that_ends_early_has_the_bytes_that_it_has(void **state)
{
    (void)state;
    static const char path[] = "/sys/kernel/uevent_seqnum";
    struct error error = {0};
    struct stat found;
    size_t size = 0;
    if (stat(path, &found) != 0 || found.st_size < 100)
        skip();
    char *bytes = file_bytes_read(path, 1 << 20, &size, &error);
    if (!bytes)
        fail_msg("%s", error.text);
    assert_true(size > 1 && size < 100 && bytes[size - 1] == '\n');
    free(bytes);
}

static void what_is_no_file_is_refused_at_once(void **state)
{
    (void)state;
    struct folder folder;
    char pipe[FOLDER_PATH_MAX], local[FOLDER_PATH_MAX], none[FOLDER_PATH_MAX];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    folder_make(&folder);
    assert_int_equal(mkfifo(folder_path(&folder, "pipe", pipe), 0600), 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s",
             folder_path(&folder, "socket", local));
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    const struct {
        const char *path, *reason;
    } rows[] = {
        {folder.path, "found a folder instead of a file"},
        {pipe, "found a pipe instead of a file"}, // without a writer
        {local, "not a file"},
        {"/dev/null", "found a device instead of a file"},
        {folder_path(&folder, "none", none), "No such file or directory"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct error error = {0};
        size_t size;
        assert_null(file_bytes_read(rows[i].path, 100, &size, &error));
        assert_string_equal(error.text, rows[i].reason);
    }
    close(fd);
    folder_remove(&folder);
}

/* ---- With failing system calls ---- */

static void a_read_that_a_signal_interrupts_is_made_again(void **state)
{
    (void)state;
    static const char path[] = "/sys/kernel/uevent_seqnum"; // ends before its size
    struct error error = {0};
    size_t size = 0;
    if (!path_exists(path))
        skip();
    machine_refuse((struct refusal){.call = CALL_READ, .reason = EINTR});
    char *bytes = file_bytes_read(path, 1 << 20, &size, &error);
    assert_int_equal(machine_obey(), 1);
    if (!bytes)
        fail_msg("%s", error.text);
    assert_true(size > 1 && bytes[size - 1] == '\n');
    free(bytes);
}

static void a_failed_read_is_reported_and_leaves_no_descriptor(void **state)
{
    (void)state;
    struct folder folder;
    struct error error = {0};
    char path[FOLDER_PATH_MAX];
    size_t size;
    unsigned before = descriptor_count();
    folder_make(&folder);
    folder_write(&folder, "file", "12345");
    machine_refuse((struct refusal){.call = CALL_READ, .reason = EIO});
    assert_null(file_bytes_read(folder_path(&folder, "file", path), 100, &size, &error));
    assert_int_equal(machine_obey(), 1);
    assert_string_equal(error.text, "cannot be read: Input/output error");
    assert_int_equal(descriptor_count(), before);
    folder_remove(&folder);
}

static void all_bytes_are_written_however_few_the_kernel_takes_at_once(void **state)
{
    (void)state;
    static const struct {
        struct refusal refusal;
        size_t written;
    } rows[] = {
        {{.call = CALL_WRITE, .reason = EINTR, .count = 3}, 5},
        {{.call = CALL_WRITE, .reason = 0, .count = 2}, 5}, // one byte each
        {{.call = CALL_WRITE, .reason = ENOSPC}, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct folder folder;
        char path[FOLDER_PATH_MAX];
        folder_make(&folder);
        int fd = open(folder_path(&folder, "file", path), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        machine_refuse(rows[i].refusal);
        assert_int_equal(file_bytes_write(fd, "12345", 5), rows[i].written);
        int reason = errno;
        machine_obey();
        assert_true(rows[i].written == 5 || reason == rows[i].refusal.reason);
        char *text = folder_read(&folder, "file");
        assert_string_equal(text, rows[i].written == 5 ? "12345" : "");
        free(text);
        close(fd);
        folder_remove(&folder);
    }
}

/* ---- Replacing ---- */

#define REPLACE(path) file_bytes_replace(path, "--log", "log of ptybot", "magic 1\n", &fd, &error)

static void only_a_new_file_or_one_of_its_kind_is_replaced(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_taken;
    } rows[] = {
        {NULL, true},     {"", true},           {"magic 1\n", true}, {"magic 1\nmore", true},
        {"magic", false}, {"magic 2\n", false}, {"m", false},        {"thesis, long", false},
    };
    umask(0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct folder folder;
        struct error error = {0};
        char path[FOLDER_PATH_MAX], expected[512];
        struct stat found;
        unsigned inherited = inherited_count();
        int fd = -1;
        folder_make(&folder);
        folder_path(&folder, "file", path);
        if (rows[i].text)
            folder_write(&folder, "file", "%s", rows[i].text);
        assert_int_equal(REPLACE(path), rows[i].is_taken);
        assert_int_equal(inherited_count(), inherited);
        snprintf(expected, sizeof expected,
                 "--log %s: exists and is not a log of ptybot, so ptybot does not replace it: name "
                 "another file, or remove it",
                 path);
        assert_string_equal(error.text, rows[i].is_taken ? "" : expected);
        assert_int_equal(error.is_environment, !rows[i].is_taken);
        if (rows[i].is_taken)
            assert_int_equal(write(fd, "new", 3), 3);
        close(fd);
        char *text = folder_read(&folder, "file");
        assert_string_equal(text, rows[i].is_taken ? "new" : rows[i].text);
        free(text);
        assert_int_equal(stat(path, &found), 0);
        assert_true(rows[i].text || (found.st_mode & 07777) == 0666);
        folder_remove(&folder);
    }
}

static void a_device_is_written_and_other_places_are_refused(void **state)
{
    (void)state;
    struct folder folder;
    struct error error = {0};
    char pipe[FOLDER_PATH_MAX], expected[512];
    int fd = -1;
    folder_make(&folder);
    assert_true(REPLACE("/dev/null"));
    assert_int_equal(write(fd, "new", 3), 3);
    close(fd);
    assert_int_equal(mkfifo(folder_path(&folder, "pipe", pipe), 0600), 0);
    assert_false(REPLACE(pipe)); // without a reader
    snprintf(expected, sizeof expected, "--log %s: not a regular file", pipe);
    assert_string_equal(error.text, expected);
    close(fd);
    assert_false(REPLACE(folder.path));
    snprintf(expected, sizeof expected, "--log %s: Is a directory", folder.path);
    assert_string_equal(error.text, expected);
    assert_true(fd < 0);
    folder_remove(&folder);
}

/* A program may be started without standard input: then a file has descriptor 0. */
static void descriptor_0_is_one_like_any_other(void **state)
{
    (void)state;
    struct folder folder;
    struct error error = {0};
    char path[FOLDER_PATH_MAX];
    size_t size;
    int fd = -1, kept = dup(STDIN_FILENO);
    folder_make(&folder);
    folder_path(&folder, "file", path);
    close(STDIN_FILENO);
    assert_true(REPLACE(path));
    assert_int_equal(fd, STDIN_FILENO);
    assert_int_equal(file_bytes_write(fd, "new", 3), 3);
    close(fd);
    char *bytes = file_bytes_read(path, 10, &size, &error);
    assert_non_null(bytes);
    assert_int_equal(size, 3);
    free(bytes);
    assert_int_equal(dup2(kept, STDIN_FILENO), STDIN_FILENO);
    close(kept);
    folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_of_at_most_the_limit_is_read_whole),
        cmocka_unit_test(a_file_that_ends_early_has_the_bytes_that_it_has),
        cmocka_unit_test(what_is_no_file_is_refused_at_once),
        cmocka_unit_test(a_read_that_a_signal_interrupts_is_made_again),
        cmocka_unit_test(a_failed_read_is_reported_and_leaves_no_descriptor),
        cmocka_unit_test(all_bytes_are_written_however_few_the_kernel_takes_at_once),
        cmocka_unit_test(only_a_new_file_or_one_of_its_kind_is_replaced),
        cmocka_unit_test(a_device_is_written_and_other_places_are_refused),
        cmocka_unit_test(descriptor_0_is_one_like_any_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
