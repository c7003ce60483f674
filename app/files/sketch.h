/* An Arduino sketch, which is a folder, as one C++ source: its .ino files joined, with a prototype
 * for each function, because a sketch may call functions before their definition. */
#pragma once

#include "base/error.h"

enum { SKETCH_FILES_MAX = 64, SKETCH_NAME_MAX = 256 };

/* The folder as C++, with a #line for each file. Without .ino files, the result is only an
 * #include. The caller frees it. NULL, with the reason in ERROR: the folder has no source, or
 * cannot be read. */
char *sketch_read(const char *folder, struct error *error);

/* Inserts prototypes of its functions into the C++ text TEXT, before the first function. The
 * prototypes have no #line; a #line after them restores the position.
 * The caller frees the result. NULL: out of memory. */
char *sketch_prototypes(const char *text);
