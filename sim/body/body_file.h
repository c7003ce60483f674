/* Body files: from a file to a robot type, and back. body_keys.c has the table of the keys, which
 * is used in both directions; body_pins.c checks the pins. The app reads the bytes of the file. */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "sim/scene/custom_robot.h"

/* Makes a robot type from the bytes of a body file; FILE is its path, for messages. On an error
 * returns NULL and sets ERROR to `file:line:column: key: the value found; the allowed values`. */
struct custom_robot *custom_robot_parse(const char *bytes, size_t size, const char *file,
                                        struct error *error);

/* Writes the machine of a type with these options as a body file with the firmware of that type.
 * custom_robot_parse reads it as the same machine. The caller frees it. On an error returns NULL
 * and sets ERROR: memory is short, or a number is outside the range of its key. */
char *custom_robot_print(const struct robot_type *type, const void *options, struct error *error);
