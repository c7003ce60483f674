/* Files read by descriptor, so that their kind is checked before a byte is read. */
#include "app/files/file_bytes.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *kind_of(mode_t mode)
{
    if (S_ISDIR(mode))
        return "a folder";
    if (S_ISFIFO(mode))
        return "a pipe";
    return S_ISSOCK(mode) ? "a socket" : "a device";
}

/* Reads up to CAP bytes into BYTES. False: errno has the reason. */
static bool fill(int fd, char *bytes, size_t cap, size_t *size)
{
    *size = 0;
    while (*size < cap) {
        ssize_t got = read(fd, bytes + *size, cap - *size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0;
        *size += (size_t)got;
    }
    return true;
}

static char *read_open(int fd, size_t most, size_t *size, struct error *error)
{
    struct stat found;
    char *bytes = NULL;
    if (fstat(fd, &found) != 0)
        error_set(error, "%s", strerror(errno));
    else if (!S_ISREG(found.st_mode))
        error_set(error, "found %s instead of a file", kind_of(found.st_mode));
    else if ((uintmax_t)found.st_size > most)
        error_set(error, "size of %ju bytes; allowed: at most %zu", (uintmax_t)found.st_size, most);
    else if (!(bytes = malloc((size_t)found.st_size + 1)))
        error_set(error, "not enough memory to read it");
    else if (!fill(fd, bytes, (size_t)found.st_size, size)) {
        error_set(error, "cannot be read: %s", strerror(errno));
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

char *file_bytes_read(const char *path, size_t most, size_t *size, struct error *error)
{
    // Without O_NONBLOCK, opening a pipe would wait for its writer.
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        // Opening a socket fails with ENXIO.
        return error_null(error_set(error, "%s", errno == ENXIO ? "not a file" : strerror(errno)));
    }
    char *bytes = read_open(fd, most, size, error);
    close(fd);
    return bytes;
}

size_t file_bytes_write(int fd, const void *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t wrote = write(fd, (const char *)bytes + done, size - done);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote == 0)
            errno = ENOSPC;
        if (wrote <= 0)
            break;
        done += (size_t)wrote;
    }
    return done;
}

static bool is_ours_to_take(int fd, const char *magic)
{
    char found[64];
    size_t size = strlen(magic);
    assert(size <= sizeof found);
    ssize_t got = pread(fd, found, size, 0);
    return got == 0 || (got == (ssize_t)size && memcmp(found, magic, size) == 0);
}

bool file_bytes_replace(const char *path, const char *flag, const char *kind, const char *magic,
                        int *fd, struct error *error)
{
    struct stat found;
    // Without O_NONBLOCK, opening a pipe would wait for its reader.
    *fd = open(path, O_RDWR | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
    if (*fd < 0 || fstat(*fd, &found) != 0)
        return error_environment(error, "%s %s: %s", flag, path, strerror(errno));
    if (S_ISCHR(found.st_mode))
        return true;
    if (!S_ISREG(found.st_mode))
        return error_environment(error, "%s %s: not a regular file", flag, path);
    if (!is_ours_to_take(*fd, magic))
        return error_environment(error,
                                 "%s %s: exists and is not a %s, so ptybot does not replace it: "
                                 "name another file, or remove it",
                                 flag, path, kind);
    return ftruncate(*fd, 0) == 0 ||
           error_environment(error, "%s %s: %s", flag, path, strerror(errno));
}
