/* The model of a scene: what it holds, its files, messages about its places, options set later. */
#include "sim/scene/scene.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "sim/scene/own_robot.h"

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
    own_robot_free(&scene->own);
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
    char advice[TEXT_ADVICE_SIZE];
    char quote[TEXT_QUOTE_SIZE];
    error_set(error, "%s: no such robot; %s", text_quote(name, quote, sizeof quote),
              text_advice(words, name, advice));
    return NULL;
}

static const struct option_row *find_option(const struct scene_robot *robot, const char *key,
                                            struct error *error)
{
    const struct robot_type *type = robot->type;
    const struct option_row *row = option_find(type->options, type->option_count, key);
    if (!row) {
        const char *words[TEXT_WORDS_MAX] = {NULL};
        for (size_t i = 0; i < type->option_count && i < COUNT(words) - 1; i++)
            words[i] = type->options[i].key;
        char advice[TEXT_ADVICE_SIZE];
        char quote[TEXT_QUOTE_SIZE];
        error_set(error, "%s.%s: no such option; %s", robot->name,
                  text_quote(key, quote, sizeof quote), text_advice(words, key, advice));
    }
    return row;
}

/* Copies LENGTH bytes as text. What is too long is cut, because no name is that long. */
static void copy_word(const char *text, size_t length, char *word, size_t size)
{
    snprintf(word, size, "%.*s", (int)(length < size ? length : size), text);
}

bool scene_set(struct scene *scene, const char *assignment, struct error *error)
{
    char name[2 * TEXT_QUOTE_SIZE];
    char key[2 * TEXT_QUOTE_SIZE];
    const char *equals = strchr(assignment, '=');
    const char *dot = strchr(assignment, '.');
    if (!equals || !dot || dot > equals) {
        char quote[TEXT_QUOTE_SIZE];
        return error_set(error, "'%s' sets nothing; allowed: ROBOT.OPTION=VALUE",
                         text_quote(assignment, quote, sizeof quote));
    }
    copy_word(assignment, (size_t)(dot - assignment), name, sizeof name);
    copy_word(dot + 1, (size_t)(equals - dot - 1), key, sizeof key);
    struct scene_robot *robot = scene_find_robot(scene, name, error);
    if (!robot)
        return false;
    const struct option_row *row = find_option(robot, key, error);
    if (!row)
        return false;
    return option_set(row, equals + 1, robot->options, error) ||
           error_prefix(error, "%s.", robot->name);
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
