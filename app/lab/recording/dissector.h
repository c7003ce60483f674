/* Protocols for other programs: dissectors for Wireshark, and JSON. Both use the field tables and
 * framings of all robot types. */
#pragma once

#include <stdio.h>

#include "base/error.h"
#include "protocols/robot.h"

enum { DISSECTOR_FILTER_MAX = 160 }; /* bytes of the name of a field */

/* Writes ptybot.lua, and a ptybot_TYPE.lua for each type, to FOLDER, which is created if
 * necessary. */
bool dissector_write_all(const char *folder, struct error *error);

/* Prints the protocol of one type as a JSON object on one line. */
void dissector_print_json(const struct robot_type *type, FILE *out);
