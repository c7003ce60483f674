/* Robots in shared objects: the only place where foreign code is loaded. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "sim/scene/custom_robot.h"

/* Divides `./libmy_robot.so:my_robot` into the path, of at most SIZE bytes, and the name, which is
 * a part of WORD. False: the word means no object. */
bool robot_object_split(const char *word, char *path, size_t size, const char **name);

/* Loads the object at PATH, and makes a type of the robot_object NAME in it. NULL, with the reason
 * in ERROR (without the path). */
struct custom_robot *robot_object_load(const char *path, const char *name, struct error *error);

/* How the following line begins. */
#define ROBOT_OBJECT_MARK "shared object, "

/* What a journal keeps of the object at PATH: a line that differs for another object. False: it
 * cannot be read; the reason is in ERROR. */
bool robot_object_mark(const char *path, char *line, size_t size, struct error *error);
