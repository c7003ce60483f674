/* Logs of bounded size: the omitted part, and the last lines, which are always kept. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/drivers/long_log.h"
#include "tests/support/folder.h"
#include "tests/support/machine.h"

enum { LINES = 4000000 };

/* Writes about 48 MB of numbered lines, 100 at a time. */
static void write_lines(const char *path)
{
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0600);
    char lines[1200];
    for (int line = 0; line < LINES; line += 100) {
        for (int i = 0; i < 100; i++)
            snprintf(lines + (size_t)i * 12, 13, "%011d", line + i), lines[i * 12 + 11] = '\n';
        if (write(file, lines, sizeof lines) != (ssize_t)sizeof lines)
            _exit(1);
    }
    _exit(0);
}

static void a_log_is_thinned_under_its_writer_and_loses_no_last_word(void **state)
{
    (void)state;
    struct folder folder;
    folder_make(&folder);
    char path[FOLDER_PATH_MAX];
    folder_path(&folder, "log", path);
    uint64_t left_out = 0;
    pid_t writer = fork();
    if (writer == 0)
        write_lines(path);
    int status;
    while (waitpid(writer, &status, WNOHANG) == 0)
        long_log_thin(path, &left_out);
    assert_int_equal(status, 0);
    long_log_thin(path, &left_out);
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_in_range(about.st_blocks * 512, 8 << 20, 17 << 20);
    assert_int_equal(about.st_size, LINES * 12L);
    long_log_cut(path, &left_out);
    char *log = folder_read(&folder, "log");
    size_t size = strlen(log);
    assert_in_range(size, 10 << 20, 11 << 20);
    assert_int_equal(left_out, LINES * 12L - (10 << 20));
    assert_memory_equal(log, "00000000000\n00000000001\n", 24);
    assert_non_null(strstr(log, "\n[ptybot: about 37 MB omitted here]\n"));
    assert_string_equal(log + size - 24, "00003999998\n00003999999\n");
    free(log);
    folder_remove(&folder);
}

static void a_short_log_stays_as_it_is(void **state)
{
    (void)state;
    struct folder folder;
    folder_make(&folder);
    folder_write(&folder, "log", "all\n");
    char path[FOLDER_PATH_MAX];
    folder_path(&folder, "log", path);
    uint64_t left_out = 0;
    long_log_thin(path, &left_out);
    long_log_cut(path, &left_out);
    char *log = folder_read(&folder, "log");
    assert_string_equal(log, "all\n");
    assert_int_equal(left_out, 0);
    free(log);
    folder_remove(&folder);
}

/* The number that the next descriptor gets. */
static int next_descriptor(void)
{
    int next = dup(STDERR_FILENO);
    close(next);
    return next;
}

static void a_log_is_shortened_by_any_descriptor_which_is_closed_again(void **state)
{
    (void)state;
    enum { SIZE = 20 << 20 };
    struct folder folder;
    struct stat about;
    char path[FOLDER_PATH_MAX];
    uint64_t left_out = 0;
    folder_make(&folder);
    int file = open(folder_path(&folder, "log", path), O_WRONLY | O_CREAT, 0600);
    assert_true(file >= 0);
    assert_int_equal(posix_fallocate(file, 0, SIZE), 0);
    close(file);
    int next = next_descriptor(), input = dup(STDIN_FILENO);
    close(STDIN_FILENO); // a user may have closed it
    long_log_thin(path, &left_out);
    int first = next_descriptor();
    assert_int_equal(stat(path, &about), 0);
    long_log_cut(path, &left_out);
    int second = next_descriptor();
    if (input >= 0)
        dup2(input, STDIN_FILENO);
    close(input);
    assert_int_equal(about.st_size, SIZE);
    assert_true(about.st_blocks * 512 < 12 << 20);
    assert_int_equal(first, STDIN_FILENO);
    assert_int_equal(second, STDIN_FILENO);
    assert_int_equal(next_descriptor(), next);
    assert_int_equal(left_out, SIZE - (10 << 20));
    folder_remove(&folder);
}

/* A log may use exactly the documented number of bytes on the disk. */
static void a_log_of_16_mib_stays_and_a_page_more_is_too_long(void **state)
{
    (void)state;
    struct folder folder;
    struct stat about;
    char path[FOLDER_PATH_MAX];
    uint64_t left_out = 0;
    folder_make(&folder);
    int file = open(folder_path(&folder, "log", path), O_RDWR | O_CREAT, 0600);
    assert_true(file >= 0);
    for (int i = 0; i < 2; i++) {
        off_t size = (16 << 20) + i * 4096;
        assert_int_equal(posix_fallocate(file, 0, size), 0);
        char head[8] = "", tail[8] = "";
        assert_int_equal(pwrite(file, "before\n", 7, (8 << 20) - 7), 7);
        assert_int_equal(pwrite(file, "behind\n", 7, size - (2 << 20)), 7);
        long_log_thin(path, &left_out);
        assert_int_equal(stat(path, &about), 0);
        assert_int_equal(about.st_size, size);
        assert_int_equal(pread(file, head, 7, (8 << 20) - 7), 7);
        assert_int_equal(pread(file, tail, 7, size - (2 << 20)), 7);
        assert_string_equal(head, "before\n");
        assert_string_equal(tail, "behind\n");
        assert_int_equal(about.st_blocks * 512 < size, i);
    }
    close(file);
    folder_remove(&folder);
}

/* Some file systems have no holes. */
static void a_log_that_cannot_be_thinned_is_cut(void **state)
{
    (void)state;
    struct folder folder;
    struct stat about;
    char path[FOLDER_PATH_MAX];
    uint64_t left_out = 0;
    folder_make(&folder);
    int file = open(folder_path(&folder, "log", path), O_RDWR | O_CREAT, 0600);
    assert_true(file >= 0);
    assert_int_equal(posix_fallocate(file, 0, 20 << 20), 0);
    close(file);
    machine_refuse((struct refusal){.call = CALL_PUNCH, .reason = EOPNOTSUPP});
    long_log_thin(path, &left_out);
    assert_int_equal(machine_obey(), 1);
    assert_int_equal(stat(path, &about), 0);
    assert_in_range(about.st_size, 10 << 20, (10 << 20) + 100);
    assert_int_equal(left_out, 10 << 20);
    // If the disk is full after the note, the end of the log is omitted too.
    assert_int_equal(truncate(path, 20 << 20), 0);
    left_out = 0;
    machine_refuse((struct refusal){.call = CALL_WRITE, .after = 1, .reason = ENOSPC});
    long_log_cut(path, &left_out);
    assert_int_equal(machine_obey(), 1);
    assert_int_equal(left_out, 12 << 20);
    folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_log_is_thinned_under_its_writer_and_loses_no_last_word),
        cmocka_unit_test(a_short_log_stays_as_it_is),
        cmocka_unit_test(a_log_that_cannot_be_thinned_is_cut),
        cmocka_unit_test(a_log_of_16_mib_stays_and_a_page_more_is_too_long),
        cmocka_unit_test(a_log_is_shortened_by_any_descriptor_which_is_closed_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
