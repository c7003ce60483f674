/* Changes of a stream of any robot's frames, by its tables: a frame more, a field at an edge with a
 * check that is right (or wrong on purpose), a frame twice, elsewhere, left out, inside another. */
#pragma once

#include "tests/fuzz/frame_maker.h"

struct frames_line {
    const struct robot_type *type;
    unsigned channel;
    enum wire_direction direction;
};

/* Changes DATA (SIZE bytes of at most MAX) once, as SEED has it. Returns the new size. */
size_t frames_mutate(const struct frames_line *line, uint8_t *data, size_t size, size_t max,
                     uint64_t seed);

/* Changes one field of a whole frame, and keeps its size. */
void frame_change(const struct frames_line *line, uint8_t *frame, size_t size, uint64_t seed);
