#define _GNU_SOURCE
#include "tests/support/folder.h"

#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/check.h"

void folder_make(struct folder *self)
{
    strcpy(self->path, "/tmp/ptybot-e2e-XXXXXX");
    if (!mkdtemp(self->path))
        fail_msg("mkdtemp %s: %s", self->path, strerror(errno));
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about, (void)kind, (void)place;
    return remove(path);
}

void folder_remove(struct folder *self)
{
    if (self->path[0])
        nftw(self->path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    self->path[0] = '\0';
}

char *folder_path(const struct folder *self, const char *name, char out[FOLDER_PATH_MAX])
{
    snprintf(out, FOLDER_PATH_MAX, "%s/%s", self->path, name);
    return out;
}

static void write_text(const struct folder *self, const char *name, const char *text)
{
    char path[FOLDER_PATH_MAX];
    FILE *file = fopen(folder_path(self, name, path), "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        fail_msg("%s: %s", path, strerror(errno));
}

void folder_write(const struct folder *self, const char *name, const char *format, ...)
{
    char text[FOLDER_TEXT_MAX];
    va_list arguments;
    va_start(arguments, format);
    // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): clang-tidy 14 misses the line above
    int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    assert_true(size >= 0 && (size_t)size < sizeof text);
    write_text(self, name, text);
}

char *folder_read(const struct folder *self, const char *name)
{
    char path[FOLDER_PATH_MAX];
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    FILE *file = fopen(folder_path(self, name, path), "r");
    char piece[4096];
    size_t got;
    while (file && (got = fread(piece, 1, sizeof piece, file)) > 0)
        fwrite(piece, 1, got, memory);
    if (file)
        fclose(file);
    fclose(memory);
    return text;
}

bool path_exists(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0;
}
