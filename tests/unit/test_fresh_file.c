/* A file that is there whole or not at all, and places that cannot be replaced by one. */
#define _GNU_SOURCE
#include "app/files/fresh_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/folder.h"

static void write_new(const char *path, bool is_wanted)
{
    struct fresh_file file;
    struct error error = {0};
    assert_true(fresh_file_open(&file, path, &error));
    fputs("new", file.out);
    assert_true(fresh_file_close(&file, is_wanted, &error));
}

static void check_holds(int fd, const char *text)
{
    char found[16] = "";
    assert_true(pread(fd, found, sizeof found - 1, 0) >= 0);
    assert_string_equal(found, text);
}

static void an_older_file_is_replaced_behind_its_link_or_stays(void **state)
{
    struct folder folder;
    struct stat link;
    char path[FOLDER_PATH_MAX], name[FOLDER_PATH_MAX];
    (void)state;
    folder_make(&folder);
    folder_write(&folder, "file", "old");
    folder_path(&folder, "file", path);
    folder_path(&folder, "link", name);
    assert_int_equal(symlink("file", name), 0);
    int before = open(path, O_RDONLY | O_CLOEXEC);
    write_new(name, false);
    char *text = folder_read(&folder, "file");
    assert_string_equal(text, "old");
    free(text);
    write_new(name, true);
    text = folder_read(&folder, "file");
    assert_string_equal(text, "new");
    free(text);
    check_holds(before, "old"); // a reader has one of the two, and no mixture
    assert_true(lstat(name, &link) == 0 && S_ISLNK(link.st_mode));
    close(before);
    folder_remove(&folder);
}

/* As of a memory file or of one that was deleted: no name leads there. */
static void a_descriptor_of_a_file_without_a_name_is_written(void **state)
{
    char path[64];
    (void)state;
    int fd = memfd_create("any", MFD_CLOEXEC);
    assert_true(fd >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    write_new(path, true);
    check_holds(fd, "new");
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), fd);
    assert_int_equal(ftruncate(fd, 0), 0);
    write_new(path, true);
    check_holds(fd, "new");
    close(fd);
}

/* Its reader would hang if the pipe were replaced by a file. */
static void a_pipe_is_written(void **state)
{
    char path[64], found[8] = "";
    int ends[2];
    (void)state;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    write_new(path, true);
    assert_int_equal(read(ends[0], found, sizeof found), 3);
    assert_string_equal(found, "new");
    close(ends[0]);
    close(ends[1]);
}

static void a_path_that_is_too_long_is_refused(void **state)
{
    (void)state;
    static char path[PATH_MAX + 8] = "/tmp/";
    struct fresh_file file;
    struct error error = {0};
    memset(path + 5, 'x', sizeof path - 6);
    assert_false(fresh_file_open(&file, path, &error));
    assert_true(error.is_environment);
    assert_memory_equal(error.text, path, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_older_file_is_replaced_behind_its_link_or_stays),
        cmocka_unit_test(a_descriptor_of_a_file_without_a_name_is_written),
        cmocka_unit_test(a_pipe_is_written),
        cmocka_unit_test(a_path_that_is_too_long_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
