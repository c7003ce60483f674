/* A sketch of Arduino, a folder, as one source of C++: its .ino files joined, with a prototype for
 * each of their functions, since a sketch may call them before they are written. */
#pragma once

#include <stdbool.h>

#include "base/error.h"

enum { SKETCH_FILES_MAX = 64, SKETCH_NAME_MAX = 256 };

struct sketch {
    char *text; /* C++, with a #line for each file; without .ino files, only an #include */
};

/* Reads the folder. False, with the reason in ERROR: it has no source, or cannot be read. On true
 * sketch_free frees it. */
bool sketch_read(const char *folder, struct sketch *sketch, struct error *error);
void sketch_free(struct sketch *sketch);

/* Adds prototypes for the functions of C++ text TEXT, to which no #line gives an origin.
 * The caller frees it; NULL: memory is short. */
char *sketch_prototypes(const char *text);
