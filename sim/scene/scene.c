/* The model of a scene: its memory, its files, error messages with places, and options that are set
 * later. */
#include "sim/scene/scene.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "protocols/registry.h"
#include "sim/scene/custom_robot.h"

const char *const scene_interrupt_words[] = {
    [SCENE_INTERRUPT_NONE] = "none", [SCENE_SIGHUP] = "SIGHUP",   [SCENE_SIGINT] = "SIGINT",
    [SCENE_SIGQUIT] = "SIGQUIT",     [SCENE_SIGTERM] = "SIGTERM", [SCENE_SIGKILL] = "SIGKILL",
    [SCENE_SIGUSR1] = "SIGUSR1",     [SCENE_SIGUSR2] = "SIGUSR2", [SCENE_SIGUSR2 + 1] = NULL};

void scene_destroy(struct scene *scene)
{
    if (!scene)
        return;
    for (size_t i = 0; i < scene->cliff_count; i++)
        free(scene->cliffs[i].points);
    for (size_t i = 0; i < scene->polygon_count; i++)
        free(scene->polygons[i].points);
    free(scene->polygons);
    for (size_t i = 0; i < scene->shade_count; i++)
        free(scene->shades[i].points);
    free(scene->shades);
    free(scene->lines);
    free(scene->floor.gray);
    free(scene->walls);
    free(scene->boxes);
    free(scene->discs);
    free(scene->cliffs);
    free(scene->docks);
    free(scene->beacons);
    free(scene->lamps);
    free(scene->robots);
    scene_source_free(&scene->sources);
    free(scene->actions);
    free(scene->expectations);
    custom_robot_free(&scene->own);
    free(scene->measures);
    free(scene->sweeps);
    free(scene);
}

bool scene_fail(const struct scene *scene, struct scene_place place, struct error *error,
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

bool scene_wrong(const struct scene *scene, const char *list, size_t item, const char *key,
                 struct scene_place place, struct error *error)
{
    if (place.line == 0)
        return error_prefix(error, "%s: ", key);
    return error_prefix(error, "%s:%u:%u: %s[%zu].%s: ", scene->file, place.line, place.column,
                        list, item, key);
}

/* ---- ROBOT.OPTION=VALUE ---- */

struct scene_robot *scene_find_robot(struct scene *scene, const char *name, struct error *error)
{
    const char *words[TEXT_WORDS_MAX] = {NULL};
    for (size_t i = 0; i < scene->robot_count; i++) {
        if (strcmp(scene->robots[i].name, name) == 0)
            return &scene->robots[i];
        if (i < COUNT(words) - 1)
            words[i] = scene->robots[i].name;
    }
    return error_null(
        error_set(error, "%s: no such robot; %s", TEXT_QUOTE(name), TEXT_ADVICE(words, name)));
}

/* ---- Types ---- */

const struct robot_type *scene_robot_type(const char *name, const struct scene *scene, char *advice,
                                          size_t size)
{
    const struct custom_robot *own = scene ? custom_robot_find(scene->own, name) : NULL;
    const struct robot_type *type = own ? &own->type : registry_find(name);
    if (!type) {
        const char *words[TEXT_WORDS_MAX] = {NULL};
        char text[TEXT_ADVICE_SIZE];
        size_t count;
        const struct robot_type *const *types = registry_types(&count);
        assert(count < TEXT_WORDS_MAX);
        for (size_t i = 0; i < count; i++)
            words[i] = types[i]->name;
        snprintf(advice, size, "%s%s", text_advice(words, name[0] ? name : NULL, text),
                 scene ? ", or a body file such as ./my_robot.yaml" : "");
    }
    return type;
}

/* ---- Files ---- */

static void free_one(struct scene_source *source)
{
    if (!source)
        return;
    free(source->path);
    free(source->bytes);
    free(source);
}

bool scene_source_add(struct scene_source **list, const char *path, const char *bytes, size_t size)
{
    struct scene_source *source = calloc(1, sizeof *source);
    size_t length = strlen(path) + 1;
    if (source) {
        source->path = malloc(length);
        source->bytes = malloc(size + 1);
    }
    if (!source || !source->path || !source->bytes) {
        free_one(source);
        return false;
    }
    memcpy(source->path, path, length);
    if (size > 0)
        memcpy(source->bytes, bytes, size);
    source->bytes[size] = '\0';
    source->size = size;
    while (*list)
        list = &(*list)->next;
    *list = source;
    return true;
}

const struct scene_source *scene_source_find(const struct scene_source *list, const char *path)
{
    while (list && strcmp(list->path, path) != 0)
        list = list->next;
    return list;
}

void scene_source_free(struct scene_source **list)
{
    while (*list) {
        struct scene_source *next = (*list)->next;
        free_one(*list);
        *list = next;
    }
}
