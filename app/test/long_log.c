#include "app/test/long_log.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* All chosen, in bytes: a cut log holds what a person reads of it, and has room until the next
 * cut. */
enum { LOG_MAX = 16 << 20, LOG_HEAD = 8 << 20, LOG_TAIL = 2 << 20 };

/* Replaces all between head and tail by a note. */
static void cut(int file, off_t size, uint64_t *left_out)
{
    char note[128];
    char *tail = malloc(LOG_TAIL);
    if (tail && pread(file, tail, LOG_TAIL, size - LOG_TAIL) == LOG_TAIL &&
        ftruncate(file, LOG_HEAD) == 0) {
        *left_out += (uint64_t)(size - LOG_HEAD - LOG_TAIL);
        int length = snprintf(note, sizeof note, "\n[ptybot: some %llu MB are left out here]\n",
                              (unsigned long long)(*left_out / 1000000));
        // A full disk refused the log's own text before.
        if (write(file, note, (size_t)length) == length && write(file, tail, LOG_TAIL) < 0)
            *left_out += LOG_TAIL;
    }
    free(tail);
}

void long_log_look(const char *path, uint64_t *left_out)
{
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size <= LOG_MAX)
        return;
    // Appended, as the writer does: neither writes over the other.
    int file = open(path, O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return;
    cut(file, about.st_size, left_out);
    close(file);
}
