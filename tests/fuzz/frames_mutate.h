/* Mutations of a stream of any robot's frames, based on its tables: an additional frame, a field
 * with an edge value and a correct (or deliberately wrong) check, a frame repeated, moved, removed,
 * or inserted into another. */
#pragma once

#include "tests/fuzz/frame_maker.h"

struct frames_line {
    const struct robot_type *type;
    unsigned channel;
    enum wire_direction direction;
};

/* Changes DATA (SIZE bytes of at most MAX) once, as SEED determines. Returns the new size. */
size_t frames_mutate(const struct frames_line *line, uint8_t *data, size_t size, size_t max,
                     uint64_t seed);

/* Changes one field of a whole frame, and keeps its size. */
void frame_change(const struct frames_line *line, uint8_t *frame, size_t size, uint64_t seed);
