#define _GNU_SOURCE
#include "tests/support/machine.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* ISO C cannot define accept4 and getsockname as <sys/socket.h> of glibc declares them. */
int accept4(int fd, void *from, void *size, int flags);
int getsockname(int fd, void *out, void *size);
int getsockopt(int fd, int level, int option, void *out, void *size);
int listen(int fd, int backlog);
int socket(int family, int type, int protocol);
ssize_t recv(int fd, void *bytes, size_t size, int flags);
ssize_t send(int fd, const void *bytes, size_t size, int flags);

void (*machine_answer)(unsigned long request, void *argument);
ssize_t (*machine_text)(const char *path, char *bytes, size_t size, ssize_t got);
int64_t machine_time_ms;

static struct refusal refusal;
static unsigned seen, refused;

void machine_refuse(struct refusal wanted)
{
    refusal = wanted;
    refusal.count += wanted.count == 0;
    seen = refused = 0;
}

unsigned machine_obey(void)
{
    refusal.call = CALL_NONE;
    return refused;
}

unsigned descriptor_count(void)
{
    unsigned count = 0;
    DIR *all = opendir("/proc/self/fd");

    while (all != NULL && readdir(all) != NULL)
        count++;
    if (all != NULL)
        closedir(all);
    return count - 3; /* ".", ".." and the directory */
}

unsigned inherited_count(void)
{
    unsigned count = 0;

    for (int fd = 0; fd < 1024; fd++) {
        int flags = fcntl(fd, F_GETFD);
        count += flags >= 0 && (flags & FD_CLOEXEC) == 0;
    }
    return count;
}

static bool is_refused(enum machine_call call, unsigned long request)
{
    if (call != refusal.call || (refusal.request != 0 && refusal.request != request))
        return false;
    seen++;
    if (seen <= refusal.after || seen > refusal.after + refusal.count)
        return false;
    refused++;
    errno = refusal.reason;
    return true;
}

/* Number of bytes to transfer of SIZE; negative: failure. */
static ssize_t allowed(enum machine_call call, size_t size)
{
    if (!is_refused(call, 0))
        return (ssize_t)size;
    return refusal.reason == 0 && size > 0 ? 1 : -1;
}

/* Finds the replaced function, in a preloaded library too. */
static void find_next(const char *name, void *out)
{
    void *next = dlsym(RTLD_NEXT, name);
    memcpy(out, &next, sizeof next);
}

#define NEXT(result, name, types)                                                                  \
    static result(*next) types;                                                                    \
    if (next == NULL)                                                                              \
    find_next(#name, &next)

/* Defines a function with fixed arguments; FAILED is its result at a failure. */
#define REPLACE(result, name, call, failed, parameters, types, arguments)                          \
    result name parameters                                                                         \
    {                                                                                              \
        NEXT(result, name, types);                                                                 \
        return is_refused(call, 0) ? (failed) : next arguments;                                    \
    }

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */
/* clang-format off */
REPLACE(int, accept4, CALL_ACCEPT, -1, (int fd, void *from, void *size, int flags),
        (int, void *, void *, int), (fd, from, size, flags))
REPLACE(int, inotify_add_watch, CALL_ADD_WATCH, -1, (int fd, const char *path, uint32_t mask),
        (int, const char *, uint32_t), (fd, path, mask))
REPLACE(int, inotify_init1, CALL_WATCH, -1, (int flags), (int), (flags))
REPLACE(int, fchmod, CALL_CHMOD, -1, (int fd, mode_t mode), (int, mode_t), (fd, mode))
REPLACE(int, posix_fallocate, CALL_FALLOCATE, refusal.reason, (int fd, off_t from, off_t size), (int, off_t, off_t),
        (fd, from, size))
REPLACE(int, fallocate, CALL_PUNCH, -1, (int fd, int mode, off_t from, off_t size), (int, int, off_t, off_t),
        (fd, mode, from, size))
REPLACE(int, flock, CALL_FLOCK, -1, (int fd, int operation), (int, int), (fd, operation))
REPLACE(int, link, CALL_LINK, -1, (const char *from, const char *to), (const char *, const char *), (from, to))
REPLACE(int, listen, CALL_LISTEN, -1, (int fd, int backlog), (int, int), (fd, backlog))
REPLACE(int, getsockname, CALL_NAME, -1, (int fd, void *out, void *size),
        (int, void *, void *), (fd, out, size))
REPLACE(int, posix_openpt, CALL_PTY, -1, (int flags), (int), (flags))
REPLACE(int, rename, CALL_RENAME, -1, (const char *from, const char *to), (const char *, const char *), (from, to))
REPLACE(int, socket, CALL_SOCKET, -1, (int family, int type, int protocol), (int, int, int), (family, type, protocol))
REPLACE(int, symlink, CALL_SYMLINK, -1, (const char *to, const char *path), (const char *, const char *), (to, path))
REPLACE(int, tcgetattr, CALL_TERMIOS, -1, (int fd, struct termios *out), (int, struct termios *), (fd, out))
REPLACE(int, tcsetattr, CALL_TERMIOS, -1, (int fd, int when, const struct termios *mode),
        (int, int, const struct termios *), (fd, when, mode))
REPLACE(int, unlink, CALL_UNLINK, -1, (const char *path), (const char *), (path))
REPLACE(int, unlockpt, CALL_UNLOCK, -1, (int fd), (int), (fd))
/* clang-format on */

int ioctl(int fd, unsigned long request, ...)
{
    NEXT(int, ioctl, (int, unsigned long, ...));
    va_list more;

    va_start(more, request);
    void *argument = va_arg(more, void *);
    va_end(more);
    if (is_refused(CALL_IOCTL, request))
        return -1;
    int result = next(fd, request, argument);
    if (result >= 0 && machine_answer != NULL)
        machine_answer(request, argument);
    return result;
}

int getsockopt(int fd, int level, int option, void *out, void *size)
{
    NEXT(int, getsockopt, (int, int, int, void *, void *));
    int result = next(fd, level, option, out, size);
    if (result == 0 && machine_answer != NULL)
        machine_answer((unsigned long)option, out);
    return result;
}

int open(const char *path, int flags, ...)
{
    NEXT(int, open, (const char *, int, ...));
    va_list more;

    va_start(more, flags);
    mode_t mode = va_arg(more, mode_t);
    va_end(more);
    return is_refused(CALL_OPEN, 0) ? -1 : next(path, flags, mode);
}

/* It reads six arguments, as the kernel does, also if there are fewer. */
__attribute__((no_sanitize_address)) long syscall(long number, ...)
{
    NEXT(long, syscall, (long, ...));
    long arguments[6];
    va_list more;

    va_start(more, number);
    for (int i = 0; i < 6; i++)
        arguments[i] = va_arg(more, long);
    va_end(more);
    return is_refused(CALL_SYSCALL, (unsigned long)number)
               ? -1
               : next(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
                      arguments[5]);
}

int fcntl(int fd, int command, ...)
{
    NEXT(int, fcntl, (int, int, ...));
    va_list more;

    va_start(more, command);
    void *argument = va_arg(more, void *);
    va_end(more);
    return is_refused(CALL_FCNTL, 0) ? -1 : next(fd, command, argument);
}

ssize_t read(int fd, void *bytes, size_t size)
{
    NEXT(ssize_t, read, (int, void *, size_t));
    ssize_t some = allowed(CALL_READ, size);
    return some < 0 ? -1 : next(fd, bytes, (size_t)some);
}

ssize_t pread(int fd, void *bytes, size_t size, off_t from)
{
    char link[32], path[256];
    NEXT(ssize_t, pread, (int, void *, size_t, off_t));
    ssize_t got = next(fd, bytes, size, from);
    if (machine_text == NULL)
        return got;
    int reason = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    errno = reason;
    return machine_text(path, bytes, size, got);
}

ssize_t recv(int fd, void *bytes, size_t size, int flags)
{
    NEXT(ssize_t, recv, (int, void *, size_t, int));
    ssize_t some = allowed(CALL_READ, size);
    return some < 0 ? -1 : next(fd, bytes, (size_t)some, flags);
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    NEXT(ssize_t, write, (int, const void *, size_t));
    ssize_t some = allowed(CALL_WRITE, size);
    return some < 0 ? -1 : next(fd, bytes, (size_t)some);
}

ssize_t send(int fd, const void *bytes, size_t size, int flags)
{
    NEXT(ssize_t, send, (int, const void *, size_t, int));
    ssize_t some = allowed(CALL_WRITE, size);
    return some < 0 ? -1 : next(fd, bytes, (size_t)some, flags);
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
    NEXT(int, clock_gettime, (clockid_t, struct timespec *));
    if (clock != CLOCK_MONOTONIC || machine_time_ms == 0)
        return next(clock, out);
    *out = (struct timespec){.tv_sec = machine_time_ms / 1000,
                             .tv_nsec = machine_time_ms % 1000 * 1000000};
    return 0;
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
