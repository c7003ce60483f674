/* Frames as a robot's host or firmware would send them, for the fuzzer: made from the field tables,
 * with values that are good, at the edges, or anything, and then damaged now and then. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "protocols/robot.h"

enum { FRAME_MADE_MAX = 1024, BYTES_INSERT_MAX = 4096 };

/* Writes one frame of a random packet of that direction into OUT. The numbers follow from SEED.
 * Returns its size; 0: the robot has no such packet that a frame carries. */
size_t frame_make(const struct robot_type *type, unsigned channel, enum wire_direction direction,
                  uint64_t seed, uint8_t out[FRAME_MADE_MAX]);

/* Puts SIZE bytes, at most BYTES_INSERT_MAX, into DATA (USED bytes of at most MAX) at AT. Returns
 * the new size; without room, USED. */
size_t bytes_insert(uint8_t *data, size_t used, size_t max, size_t at, const uint8_t *bytes,
                    size_t size);
