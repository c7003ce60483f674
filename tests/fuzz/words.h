/* Texts made from the tables: commands, scenes, lines of a journal, requests to the control socket;
 * with values that are good, at the edges, beyond them, or of another kind. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/writer.h"
#include "protocols/robot.h"
#include "tests/fuzz/dice.h"

/* `TARGET.COMMAND key=value ...`; robots are called as their types, as in
 * tests/support/all_types.h. */
void words_command(struct dice *dice, struct writer *to);
/* The same of a robot of that type; NULL: of the world. */
void words_robot_command(struct dice *dice, const struct robot_type *type, struct writer *to);
/* A condition, like `kobuki.x_m > 1 and ...`. */
void words_condition(struct dice *dice, struct writer *to);
/* A whole scene, in YAML's flow style. */
void words_scene(struct dice *dice, struct writer *to);
/* A robot, or a line of timeline, expect or measure. */
void words_scene_line(struct dice *dice, struct writer *to);
/* A value of any row of a scene. */
void words_value(struct dice *dice, struct writer *to);
/* A value of that row. */
void words_value_of(struct dice *dice, const struct option_row *row, struct writer *to);

/* Writes one line, or a piece of one, without its end. */
typedef void words_maker(struct dice *dice, struct writer *to);

/* Changes a text by its lines, words and numbers, as SEED has it: new lines are of LINE, new words
 * of WORD. Returns the new size. */
size_t words_mutate(words_maker *line, words_maker *word, uint8_t *data, size_t size, size_t max,
                    uint64_t seed);
