/* Texts made from the tables: commands, scenes, lines of a journal, requests to the control socket;
 * with valid values, edge values, values out of range, or values of another kind. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/writer.h"
#include "protocols/robot.h"
#include "tests/fuzz/dice.h"

/* `TARGET.COMMAND key=value ...`; robots are named after their types, as in
 * tests/support/all_types.h. */
void words_command(struct dice *dice, struct writer *to);
/* The same for a robot of that type; NULL: for the world. */
void words_robot_command(struct dice *dice, const struct robot_type *type, struct writer *to);
/* A condition, like `kobuki.x_m > 1 and ...`. */
void words_condition(struct dice *dice, struct writer *to);
/* A whole scene, in YAML's flow style. */
void words_scene(struct dice *dice, struct writer *to);
/* A robot, or an entry of timeline, expect or measure. */
void words_scene_line(struct dice *dice, struct writer *to);
/* A value for any row of a scene. */
void words_value(struct dice *dice, struct writer *to);
/* A value for that row. */
void words_value_of(struct dice *dice, const struct option_row *row, struct writer *to);

/* Writes a line, or a piece of one, without its newline. */
typedef void words_maker(struct dice *dice, struct writer *to);

/* Changes a text by lines, words and numbers, as SEED determines: LINE makes new lines, WORD makes
 * new words. Returns the new size. */
size_t words_mutate(words_maker *line, words_maker *word, uint8_t *data, size_t size, size_t max,
                    uint64_t seed);
