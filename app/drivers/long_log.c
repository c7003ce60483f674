#include "app/drivers/long_log.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* All chosen, in bytes: a cut log holds as much as a person reads, and has room until the next
 * cut. */
enum { LOG_MAX = 16 << 20, LOG_HEAD = 8 << 20, LOG_TAIL = 2 << 20 };

/* Replaces all between head and tail with a note. */
static void cut(int file, off_t size, uint64_t *left_out)
{
    char note[128];
    char *tail = malloc(LOG_TAIL);
    if (tail && pread(file, tail, LOG_TAIL, size - LOG_TAIL) == LOG_TAIL &&
        ftruncate(file, LOG_HEAD) == 0) {
        *left_out += (uint64_t)(size - LOG_HEAD - LOG_TAIL);
        int length = snprintf(note, sizeof note, "\n[ptybot: about %llu MB omitted here]\n",
                              (unsigned long long)(*left_out / 1000000));
        // A full disk has refused parts of the log before; the lost tail is counted.
        if (write(file, note, (size_t)length) == length && write(file, tail, LOG_TAIL) < 0)
            *left_out += LOG_TAIL;
    }
    free(tail);
}

/* Opens the file PATH if it is a regular file that occupies more than LOG_MAX bytes on the disk, or
 * is longer than that if IS_LENGTH. Otherwise returns -1. It is opened for appending, as the writer
 * does, so that neither overwrites the data of the other. */
static int open_long(const char *path, bool is_length, struct stat *about)
{
    if (stat(path, about) != 0 || !S_ISREG(about->st_mode) ||
        (is_length ? about->st_size : about->st_blocks * 512) <= LOG_MAX)
        return -1;
    return open(path, O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
}

void long_log_cut(const char *path, uint64_t *left_out)
{
    struct stat about;
    int file = open_long(path, true, &about);
    if (file < 0)
        return;
    cut(file, about.st_size, left_out);
    close(file);
}

void long_log_thin(const char *path, uint64_t *left_out)
{
    struct stat about;
    int file = open_long(path, false, &about);
    if (file < 0)
        return;
    if (fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, LOG_HEAD,
                  about.st_size - LOG_HEAD - LOG_TAIL) != 0)
        cut(file, about.st_size, left_out);
    close(file);
}
