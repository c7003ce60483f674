/* The protocols for other programs: dissectors for Wireshark, and JSON; both from the field tables
 * and framings of all robot types. */
#pragma once

#include <stdio.h>

#include "base/error.h"
#include "protocols/robot.h"

enum { DISSECTOR_FILTER_MAX = 160 }; /* bytes of the name of a field */

/* Writes ptybot.lua, and ptybot_TYPE.lua of each type, into FOLDER, which is made if need be. */
bool dissector_write_all(const char *folder, struct error *error);

/* The protocol of one type as a JSON object, on one line. */
void dissector_print_json(const struct robot_type *type, FILE *out);
