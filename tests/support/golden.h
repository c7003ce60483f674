/* Golden files: real and constructed frames of a robot, each with its decoded meaning.
 *
 *     # where the bytes are from
 *     to_host uart: aa 55 03 04 01 00 06     direction, channel, bytes
 *         0a 0b                              more bytes of the same frame
 *       = sound_sequence sequence=0          the decoded frame, one line for each of its parts
 *     to_host uart node: bd 01 00 e0 2e      not a frame: a promised packet (wire_promises)
 *
 * The tests write the lines with `=` if PTYBOT_UPDATE_GOLDEN=1 is in the environment. A person must
 * read them before they are committed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "protocols/robot.h"

struct golden_frame {
    int first_line, last_line; /* in the file, counted from 1, without the expectation */
    unsigned channel;
    enum wire_direction direction;
    uint16_t promised; /* as struct wire_piece has it */
    uint8_t *bytes;
    size_t size;
    char *expected; /* as describe_frame writes it; empty: not written yet */
};

struct golden_file {
    char path[512];
    struct golden_frame *frames;
    size_t count;
};

/* Paths of all golden files of a robot, in the order of their names; NULL-terminated. */
char **golden_paths(const struct robot_type *type);
void golden_paths_free(char **paths);

/* Reads one file. False: ERROR names file, line and defect, and the caller has nothing to free. */
bool golden_load(const struct robot_type *type, const char *path, struct golden_file *file,
                 struct error *error);
void golden_free(struct golden_file *file);

/* Writes the file again, with the current output of describe_frame as its expectations. */
bool golden_update(const struct robot_type *type, const struct golden_file *file,
                   struct error *error);

/* All bytes of one channel and direction in all golden files of a robot, one frame after the other.
 * The caller frees them; NULL: there are none. FRAMES (may be NULL) receives their number. */
uint8_t *golden_stream(const struct robot_type *type, unsigned channel,
                       enum wire_direction direction, size_t *size, size_t *frames);
