/* Body files: from a file to a robot type, and back. body_keys.c has the table of the keys, which
 * is used in both directions; body_pins.c checks the pins. The app reads the bytes of the file. */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "sim/scene/custom_robot.h"

/* Makes one of the bytes of a body file; FILE is its path, which stands in messages. NULL, with
 * `file:line:column: key: what was found; what is allowed` in ERROR, for anything else. */
struct custom_robot *custom_robot_parse(const char *bytes, size_t size, const char *file,
                                        struct error *error);

/* Writes the machine of a type under these options as a body file with the firmware of that type,
 * which custom_robot_parse reads as the same machine. The caller frees it. NULL, with the reason in
 * ERROR: memory is short, or a number is none that a body file can have. */
char *custom_robot_print(const struct robot_type *type, const void *options, struct error *error);
