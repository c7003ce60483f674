/* Files are read whole; other kinds of files, and files that are too large, are refused with the
 * reason. */
#define _GNU_SOURCE
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

/* The kernel says that it has 4096 bytes. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_of_at_most_the_limit_is_read_whole),
        cmocka_unit_test(a_file_that_ends_early_has_the_bytes_that_it_has),
        cmocka_unit_test(what_is_no_file_is_refused_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
