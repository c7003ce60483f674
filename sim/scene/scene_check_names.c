/* What would not fit together in a scene: names, memories and links. */
#include "sim/scene/scene_check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/scene/scene_address.h"

bool scene_check_fail(const struct scene *scene, struct scene_place place, struct error *error,
                      const char *format, ...)
{
    struct error sentence;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence.text, sizeof sentence.text, format, arguments);
    va_end(arguments);
    if (place.line == 0)
        return error_set(error, "%s: %s", scene->file, sentence.text);
    return error_set(error, "%s:%u:%u: %s", scene->file, place.line, place.column, sentence.text);
}

static bool check_robot_names(const struct scene *scene, struct error *error)
{
    for (size_t i = 0; i < scene->robot_count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (strcmp(scene->robots[i].name, scene->robots[k].name) == 0) {
                return scene_check_fail(
                    scene, scene->robots[i].name_place, error,
                    "robots[%zu].name: robots[%zu] is called %s already; choose "
                    "another name",
                    i, k, scene->robots[k].name);
            }
        }
    }
    return true;
}

/* One link against all links before it. */
static bool check_link(const struct scene *scene, size_t robot, size_t number, struct error *error)
{
    const struct scene_link *self = &scene->robots[robot].links[number];
    for (size_t i = 0; i <= robot; i++) {
        size_t count = i < robot ? scene->robots[i].link_count : number;
        for (size_t k = 0; k < count; k++) {
            const struct scene_link *other = &scene->robots[i].links[k];
            if (scene_address_clash(self, other)) {
                return scene_check_fail(scene, self->place, error,
                                        "robots[%zu].links[%zu]: %s cannot be used beside %s of "
                                        "robots[%zu].links[%zu]; give each link %s of its own",
                                        robot, number, self->address, other->address, i, k,
                                        self->carrier == SCENE_TCP ? "an address" : "a path");
            }
        }
    }
    return true;
}

bool scene_check_links(const struct scene *scene, struct error *error)
{
    for (size_t i = 0; i < scene->robot_count; i++) {
        for (size_t k = 0; k < scene->robots[i].link_count; k++)
            if (!check_link(scene, i, k, error))
                return false;
    }
    return true;
}

/* Two robots would overwrite each other's memory. */
static bool check_storage(const struct scene *scene, struct error *error)
{
    for (size_t i = 0; i < scene->robot_count; i++) {
        const struct scene_robot *self = &scene->robots[i];
        for (size_t k = 0; k < i && self->storage[0] != '\0'; k++) {
            if (strcmp(self->storage, scene->robots[k].storage) == 0) {
                return scene_check_fail(
                    scene, self->storage_place, error,
                    "robots[%zu].storage: %s is the memory of robots[%zu] already; "
                    "give each robot a file of its own",
                    i, self->storage, k);
            }
        }
    }
    return true;
}

bool scene_check_names(const struct scene *scene, struct error *error)
{
    return check_robot_names(scene, error) && check_storage(scene, error);
}
