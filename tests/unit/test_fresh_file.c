/* A file that either exists completely or does not exist, and places that a file cannot replace. */
#define _GNU_SOURCE
#include "app/files/fresh_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/folder.h"
#include "tests/support/machine.h"

static void write_new(const char *path, bool is_wanted)
{
    struct fresh_file file;
    struct error error = {0};
    unsigned before = descriptor_count(), inherited = inherited_count();
    memset(&file, 'x', sizeof file);
    assert_true(fresh_file_open(&file, path, &error));
    assert_int_equal(inherited_count(), inherited);
    fputs("new", file.out);
    assert_true(fresh_file_close(&file, is_wanted, &error));
    assert_int_equal(descriptor_count(), before);
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
    check_holds(before, "old"); // a reader has one of the two files, and not a mixture
    assert_true(lstat(name, &link) == 0 && S_ISLNK(link.st_mode));
    close(before);
    folder_remove(&folder);
}

/* As for a memory file or a deleted file: no name leads to it. */
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

/* A file that does not exist, at a path of SIZE bytes. */
static void make_long_path(const struct folder *folder, size_t size, char path[PATH_MAX + 1])
{
    size_t used = (size_t)snprintf(path, PATH_MAX, "%s/", folder->path);
    while (used + 2 < size) {
        memcpy(path + used, "./", 2);
        used += 2;
    }
    memset(path + used, 'f', size - used);
    path[size] = '\0';
}

/* The temporary file's name is longer than the final name. */
static void a_path_is_too_long_if_its_first_name_is(void **state)
{
    (void)state;
    struct folder folder;
    static char path[PATH_MAX + 1], ending[32];
    folder_make(&folder);
    size_t most = PATH_MAX - 1 - (size_t)snprintf(ending, sizeof ending, ".%d.new", (int)getpid());
    make_long_path(&folder, most, path);
    write_new(path, true);
    assert_int_equal(unlink(path), 0);
    for (size_t size = most + 1; size < most + 3; size++) {
        struct fresh_file file;
        struct error error = {0};
        make_long_path(&folder, size, path);
        assert_false(fresh_file_open(&file, path, &error));
        static const char reason[] = ": File name too long"; /* after a part of the path */
        assert_memory_equal(error.text, path, 300);
        assert_string_equal(error.text + strlen(error.text) - strlen(reason), reason);
        assert_false(path_exists(path));
    }
    folder_remove(&folder);
}

static void a_new_file_has_the_mode_that_others_have(void **state)
{
    (void)state;
    struct folder folder;
    struct stat found;
    char path[FOLDER_PATH_MAX];
    int kept = dup(STDIN_FILENO);
    folder_make(&folder);
    folder_path(&folder, "file", path);
    umask(0);
    close(STDIN_FILENO); // then it has descriptor 0
    write_new(path, true);
    assert_int_equal(dup2(kept, STDIN_FILENO), STDIN_FILENO);
    close(kept);
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_mode & 07777, 0666);
    folder_remove(&folder);
}

/* As with a full disk: at the end, or before. */
static void a_file_that_is_not_whole_is_removed_and_the_older_one_stays(void **state)
{
    (void)state;
    static const char *const reasons[] = {"File too large", "Input/output error"};
    struct folder folder;
    char path[FOLDER_PATH_MAX], expected[512];
    struct rlimit before, small;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    for (int is_early = 0; is_early < 2; is_early++) {
        struct fresh_file file;
        struct error error = {0};
        folder_make(&folder);
        folder_write(&folder, "file", "old");
        folder_path(&folder, "file", path);
        assert_true(fresh_file_open(&file, path, &error));
        small = (struct rlimit){.rlim_cur = 2, .rlim_max = before.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        fputs("new", file.out);
        if (is_early) {
            assert_int_not_equal(fflush(file.out), 0);
            assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        }
        bool is_closed = fresh_file_close(&file, true, &error);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_false(is_closed);
        assert_true(error.is_environment);
        snprintf(expected, sizeof expected, "%s: cannot be written: %s", path, reasons[is_early]);
        assert_string_equal(error.text, expected);
        assert_false(path_exists(file.fresh));
        char *text = folder_read(&folder, "file");
        assert_string_equal(text, "old");
        free(text);
        folder_remove(&folder);
    }
    signal(SIGXFSZ, SIG_DFL);
}

static void a_file_that_cannot_be_put_in_place_is_reported_if_it_is_wanted(void **state)
{
    (void)state;
    for (int is_wanted = 0; is_wanted < 2; is_wanted++) {
        struct folder folder;
        struct fresh_file file;
        struct error error = {0};
        char path[FOLDER_PATH_MAX], expected[512];
        folder_make(&folder);
        folder_path(&folder, "file", path);
        assert_true(fresh_file_open(&file, path, &error));
        machine_refuse((struct refusal){.call = CALL_RENAME, .reason = EROFS});
        assert_int_equal(fresh_file_close(&file, is_wanted, &error), !is_wanted);
        assert_int_equal(machine_obey(), is_wanted);
        snprintf(expected, sizeof expected, "%s: cannot be written: Read-only file system", path);
        assert_string_equal(error.text, is_wanted ? expected : "");
        assert_false(path_exists(path) || path_exists(file.fresh));
        folder_remove(&folder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_older_file_is_replaced_behind_its_link_or_stays),
        cmocka_unit_test(a_descriptor_of_a_file_without_a_name_is_written),
        cmocka_unit_test(a_pipe_is_written),
        cmocka_unit_test(a_path_that_is_too_long_is_refused),
        cmocka_unit_test(a_path_is_too_long_if_its_first_name_is),
        cmocka_unit_test(a_new_file_has_the_mode_that_others_have),
        cmocka_unit_test(a_file_that_is_not_whole_is_removed_and_the_older_one_stays),
        cmocka_unit_test(a_file_that_cannot_be_put_in_place_is_reported_if_it_is_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
