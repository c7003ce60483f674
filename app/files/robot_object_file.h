/* Robots in shared objects. This is the only place that loads foreign code. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "sim/scene/custom_robot.h"

/* Splits `./libmy_robot.so:my_robot` into the path, of at most SIZE bytes, and the name, which
 * points into WORD. False: the word does not name an object. */
bool robot_object_split(const char *word, char *path, size_t size, const char **name);

/* Loads the object at PATH, and creates a type from the robot_object NAME in it. NULL, with the
 * reason in ERROR (without the path). */
struct custom_robot *robot_object_load(const char *path, const char *name, struct error *error);

/* Start of the following line. */
#define ROBOT_OBJECT_MARK "shared object, "

/* The record of the object at PATH in a journal: a line that differs for another object. False,
 * with the reason in ERROR: the object cannot be read. */
bool robot_object_mark(const char *path, char *line, size_t size, struct error *error);
