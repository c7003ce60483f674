/* A sketch of Arduino, a folder, as one source of C++: its .ino files joined, with a prototype for
 * each of their functions, since a sketch may call them before they are written. */
#pragma once

#include <stdbool.h>

#include "base/error.h"

enum { SKETCH_FILES_MAX = 64, SKETCH_NAME_MAX = 256 };

/* The folder as C++, with a #line for each file; without .ino files, only an #include. The caller
 * frees it. NULL, with the reason in ERROR: it has no source, or cannot be read. */
char *sketch_read(const char *folder, struct error *error);

/* Adds prototypes for the functions of C++ text TEXT, to which no #line gives an origin.
 * The caller frees it; NULL: memory is short. */
char *sketch_prototypes(const char *text);
