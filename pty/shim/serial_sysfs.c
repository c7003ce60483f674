/* The serial shim's answers for /sys/class/tty. Libraries look up "/dev/NAME" there as
 * "/sys/class/tty/NAME" before they open it. Each function first calls the next one. It answers
 * itself only if the name does not exist and "/dev/NAME" leads to a terminal of a running
 * ptybot. */
#undef _FILE_OFFSET_BITS /* both names of each call are replaced: of 32 bits, too, they differ */
#include "pty/shim/serial_shm.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char class_folder[] = "/sys/class/tty/";
/* The target of such an entry for a device without a bus. */
static const char entry_target[] = "../../devices/virtual/tty/ptybot";
static const char entry_path[] = "/sys/devices/virtual/tty/ptybot";

/* Whether a failed lookup was for a terminal of ptybot. */
static bool is_entry(const char *path)
{
    char node[PATH_MAX];

    if ((errno != ENOENT && errno != ENOTDIR) || path == NULL ||
        strncmp(path, class_folder, sizeof class_folder - 1) != 0)
        return false;
    int size = snprintf(node, sizeof node, "/dev/%s", path + sizeof class_folder - 1);
    return size > 0 && (size_t)size < sizeof node && serial_is_ours(node);
}

/* The names are the C library's; its headers use parameter names such as __path. */
/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name,readability-identifier-naming) */

#define SHIM_STAT(name, type, file_mode)                                                           \
    SHIM_EXPORT int name(const char *restrict path, struct type *restrict out)                     \
    {                                                                                              \
        SHIM_NEXT(name);                                                                           \
        int result = next(path, out);                                                              \
        if (result == 0 || !is_entry(path))                                                        \
            return result;                                                                         \
        *out = (struct type){.st_mode = (file_mode), .st_nlink = 1};                               \
        return 0;                                                                                  \
    }

SHIM_STAT(stat, stat, S_IFDIR | 0755)
SHIM_STAT(stat64, stat64, S_IFDIR | 0755)
SHIM_STAT(lstat, stat, S_IFLNK | 0777)
SHIM_STAT(lstat64, stat64, S_IFLNK | 0777)

/* Called by programs built before glibc 2.33, and by other programs on 32 bits. VERSION is that of
 * the struct. With 64-bit words there is only one version; otherwise that of our headers is 3
 * (glibc, bits/stat.h: _STAT_VER_LINUX), and older ones are no longer used. */
#define SHIM_XSTAT(name, plain, type)                                                              \
    SHIM_EXPORT int name(int version, const char *path, struct type *out);                         \
    SHIM_EXPORT int name(int version, const char *path, struct type *out)                          \
    {                                                                                              \
        if (sizeof(long) < 8 && version != 3) {                                                    \
            errno = EINVAL;                                                                        \
            return -1;                                                                             \
        }                                                                                          \
        return plain(path, out);                                                                   \
    }

SHIM_XSTAT(__xstat, stat, stat)
SHIM_XSTAT(__xstat64, stat64, stat64)
SHIM_XSTAT(__lxstat, lstat, stat)
SHIM_XSTAT(__lxstat64, lstat64, stat64)

static ssize_t copy_target(char *out, size_t size)
{
    size_t length = sizeof entry_target - 1;

    if (length > size)
        length = size;
    memcpy(out, entry_target, length);
    return (ssize_t)length;
}

SHIM_EXPORT ssize_t readlink(const char *restrict path, char *restrict out, size_t size)
{
    SHIM_NEXT(readlink);
    ssize_t length = next(path, out, size);

    return length >= 0 || !is_entry(path) ? length : copy_target(out, size);
}

SHIM_EXPORT char *realpath(const char *restrict path, char *restrict out)
{
    SHIM_NEXT(realpath);
    char *found = next(path, out);

    if (found != NULL || !is_entry(path))
        return found;
    return out != NULL ? memcpy(out, entry_path, sizeof entry_path) : strdup(entry_path);
}

SHIM_EXPORT int access(const char *path, int mode)
{
    SHIM_NEXT(access);
    int result = next(path, mode);

    return result == 0 || (mode & W_OK) != 0 || !is_entry(path) ? result : 0;
}

/* Called by programs that were built with _FORTIFY_SOURCE. */
SHIM_EXPORT ssize_t __readlink_chk(const char *path, char *out, size_t size, size_t room);
SHIM_EXPORT ssize_t __readlink_chk(const char *path, char *out, size_t size, size_t room)
{
    SHIM_NEXT(__readlink_chk);
    ssize_t length = next(path, out, size, room);

    return length >= 0 || !is_entry(path) ? length : copy_target(out, size);
}

SHIM_EXPORT char *__realpath_chk(const char *path, char *out, size_t room);
SHIM_EXPORT char *__realpath_chk(const char *path, char *out, size_t room)
{
    SHIM_NEXT(__realpath_chk);
    char *found = next(path, out, room);

    return found != NULL || !is_entry(path) ? found : memcpy(out, entry_path, sizeof entry_path);
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name,readability-identifier-naming) */
