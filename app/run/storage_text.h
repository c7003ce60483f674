/* The text of a storage file: a head that names the robot type and a checksum, then the bytes in
 * hexadecimal, so that two files can be compared and kept under version control. */
#ifndef PTYBOT_APP_RUN_STORAGE_TEXT_H
#define PTYBOT_APP_RUN_STORAGE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "protocols/robot.h"

enum { STORAGE_TEXT_MAX = 1024 }; /* bytes of the largest file, with NUL */

/* Writes the file of a memory of a robot type. Returns its size. */
size_t storage_text_write(const char *type, const struct robot_storage *memory,
                          char text[STORAGE_TEXT_MAX]);

/* Reads it. NULL, or what is wrong with it in words; then MEMORY is untouched. TEXT ends with NUL.
 */
const char *storage_text_read(const char *type, const char *text, struct robot_storage *memory);

#endif
