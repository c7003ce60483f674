/* A private folder for one test: created empty, removed with its contents. Failures end the test.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { FOLDER_PATH_MAX = 256, FOLDER_TEXT_MAX = 8192 };

struct folder {
    char path[64]; /* short: it must fit into the address of a socket */
};

void folder_make(struct folder *self);
void folder_remove(struct folder *self);

/* Writes the path of NAME in the folder to OUT. Returns OUT. */
char *folder_path(const struct folder *self, const char *name, char out[FOLDER_PATH_MAX]);

/* Writes a file of the folder, printf-like, less than FOLDER_TEXT_MAX bytes. */
__attribute__((format(printf, 3, 4))) void folder_write(const struct folder *self, const char *name,
                                                        const char *format, ...);

/* The whole file as a string that the caller frees; "" if the file does not exist. */
char *folder_read(const struct folder *self, const char *name);

/* Whether PATH exists; a dangling symbolic link counts. */
bool path_exists(const char *path);
