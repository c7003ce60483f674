#define _GNU_SOURCE
#include "tests/fuzz/run_subcommand_silently.h"

#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "app/cli/terminal.h"

enum { WORDS_MAX = 12 };

static int own_stdout, own_stderr, nowhere;

/* Provided by a sanitizer, if there is one. */
extern void __sanitizer_set_report_fd(void *fd) __attribute__((weak));

static void set_up(void)
{
    if (nowhere > 0)
        return;
    nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    own_stdout = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    own_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (nowhere < 0 || own_stdout < 0 || own_stderr < 0)
        abort();
    if (__sanitizer_set_report_fd)
        __sanitizer_set_report_fd((void *)(intptr_t)own_stderr);
}

int run_subcommand_silently(const struct subcommand *subcommand, const char *const words[])
{
    char copies[WORDS_MAX][2 * QUIET_PATH], *argv[WORDS_MAX];
    int count = 0;
    set_up();
    for (; words[count]; count++) {
        assert(count < WORDS_MAX);
        snprintf(copies[count], sizeof copies[count], "%s", words[count]);
        argv[count] = copies[count];
    }
    fflush(stdout);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    int code = subcommand_run(subcommand, count, argv);
    fflush(stdout);
    dup2(own_stdout, STDOUT_FILENO);
    dup2(own_stderr, STDERR_FILENO);
    assert(code >= EXIT_CODE_OK && code <= EXIT_CODE_ENVIRONMENT);
    return code;
}

int temporary_file(const void *bytes, size_t size, char path[QUIET_PATH])
{
    int fd = memfd_create("input", MFD_CLOEXEC);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
        abort();
    snprintf(path, QUIET_PATH, "/proc/self/fd/%d", fd);
    return fd;
}
