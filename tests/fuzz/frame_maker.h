/* Frames as a robot's driver or firmware would send them, for the fuzzer: made from the field
 * tables, with valid values, edge values or random values, and sometimes damaged. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "protocols/robot.h"

enum { FRAME_MADE_MAX = 1024, BYTES_INSERT_MAX = 4096 };

/* Writes one frame of a random packet of that direction into OUT. SEED determines the numbers.
 * Returns its size; 0: the robot has no such packet in frames. */
size_t frame_make(const struct robot_type *type, unsigned channel, enum wire_direction direction,
                  uint64_t seed, uint8_t out[FRAME_MADE_MAX]);

/* Inserts SIZE bytes, at most BYTES_INSERT_MAX, into DATA (USED bytes of at most MAX) at AT.
 * Returns the new size; USED if there is no room. */
size_t bytes_insert(uint8_t *data, size_t used, size_t max, size_t at, const uint8_t *bytes,
                    size_t size);
