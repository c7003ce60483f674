#include "app/files/fresh_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Resolves links. False, with errno: the path is too long. */
static bool find_path(struct fresh_file *file, const char *path)
{
    char *real = realpath(path, NULL);
    int size = snprintf(file->path, sizeof file->path, "%s", real ? real : path);
    free(real);
    errno = ENAMETOOLONG;
    return size < PATH_MAX;
}

/* O_EXCL and O_NOFOLLOW: other users may be able to write to the folder, and no other process may
 * have the file open. */
static FILE *open_fresh(struct fresh_file *file)
{
    int size = snprintf(file->fresh, sizeof file->fresh, "%s.%ld.new", file->path, (long)getpid());
    errno = ENAMETOOLONG;
    int fd = size < PATH_MAX
                 ? open(file->fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666)
                 : -1;
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (fd >= 0 && !out)
        close(fd);
    return out;
}

bool fresh_file_open(struct fresh_file *file, const char *path, struct error *error)
{
    struct stat found;
    *file = (struct fresh_file){0};
    bool is_short = find_path(file, path);
    // Only a regular file with a name can be replaced. /proc/self/fd/9 may lead to a file without a
    // name.
    bool is_there = stat(path, &found) == 0;
    if (is_there && (!S_ISREG(found.st_mode) || found.st_nlink == 0))
        file->out = fopen(path, "we");
    else if (is_short)
        file->out = open_fresh(file);
    return file->out || error_environment(error, "%s: %s", path, strerror(errno));
}

bool fresh_file_close(struct fresh_file *file, bool is_wanted, struct error *error)
{
    errno = 0;
    bool is_whole = fflush(file->out) == 0 && !ferror(file->out);
    int reason = errno;
    is_whole = fclose(file->out) == 0 && is_whole;
    reason = reason ? reason : errno;
    if (is_whole && is_wanted && (!*file->fresh || rename(file->fresh, file->path) == 0))
        return true;
    reason = is_whole ? errno : reason;
    if (*file->fresh)
        unlink(file->fresh);
    return !is_wanted || error_environment(error, "%s: cannot be written: %s", file->path,
                                           strerror(reason ? reason : EIO));
}
