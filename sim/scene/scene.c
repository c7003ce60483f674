/* Scenes as a whole: from bytes, from the name of a type, changed by --set. Reads no file. */
#include "sim/scene/scene.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "protocols/registry.h"
#include "sim/scene/scene_spec.h"

/* Chosen: room to drive in every direction, small enough to see a robot in it. */
static const double ROOM_X_M = 6;
static const double ROOM_Y_M = 4;

static const struct option_row scene_rows[] = {
    {.key = "name",
     .type = OPTION_TEXT,
     .offset = offsetof(struct scene, name),
     .size = SCENE_LABEL_MAX,
     .fallback = ""},
    /* Up to 2^53: exact in a double, so that it survives JSON and signals. */
    {.key = "seed",
     .type = OPTION_INTEGER,
     .offset = offsetof(struct scene, seed),
     .unit = "",
     .min = 0,
     .max = 9007199254740992,
     .fallback = "1"},
    {.key = "host",
     .type = OPTION_TEXT,
     .offset = offsetof(struct scene, host),
     .size = SCENE_LINE_MAX,
     .fallback = ""},
};
static const struct scene_part scene_parts[] = {
    {.key = "world", .kind = PART_MAPPING, .spec = &scene_world_spec, .is_required = true},
    {.key = "robots",
     .kind = PART_LIST,
     .spec = &scene_robot_spec,
     .offset = offsetof(struct scene, robots),
     .count_offset = offsetof(struct scene, robot_count),
     .item_size = sizeof(struct scene_robot),
     .min = 1,
     .max = SCENE_ROBOTS_MAX,
     .is_required = true},
    {.key = "timeline",
     .kind = PART_LIST,
     .spec = &scene_action_spec,
     .offset = offsetof(struct scene, actions),
     .count_offset = offsetof(struct scene, action_count),
     .item_size = sizeof(struct scene_action),
     .max = SCENE_ITEMS_MAX},
    {.key = "expect",
     .kind = PART_LIST,
     .spec = &scene_expectation_spec,
     .offset = offsetof(struct scene, expectations),
     .count_offset = offsetof(struct scene, expectation_count),
     .item_size = sizeof(struct scene_expectation),
     .max = SCENE_ITEMS_MAX},
};
static const struct scene_spec scene_spec = {.rows = scene_rows,
                                             .row_count = COUNT(scene_rows),
                                             .parts = scene_parts,
                                             .part_count = COUNT(scene_parts)};

/* "scenes/two_rooms.yaml" names a scene two_rooms that has no other name. */
static void scene_name_of_file(struct scene *scene)
{
    const char *slash = strrchr(scene->file, '/');
    const char *base = slash ? slash + 1 : scene->file;
    size_t length = strcspn(base, ".");
    if (length >= sizeof scene->name)
        length = sizeof scene->name - 1;
    memcpy(scene->name, base, length);
    scene->name[length] = '\0';
}

struct scene *scene_parse(const char *bytes, size_t size, const char *name, struct error *error)
{
    struct scene *scene = calloc(1, sizeof *scene);
    if (!scene) {
        error_set(error, "%s: out of memory", name);
        return NULL;
    }
    snprintf(scene->file, sizeof scene->file, "%s", name);

    struct scene_yaml yaml;
    if (!scene_yaml_open(&yaml, bytes, size, scene->file, error))
        goto fail;
    struct scene_at root = scene_yaml_root();
    bool is_filled = scene_fill(&yaml, &root, &scene_spec, scene);
    scene_yaml_close(&yaml);
    if (!is_filled || (scene->map[0] == '\0' && !scene_check(scene, error)))
        goto fail;
    if (scene->name[0] == '\0')
        scene_name_of_file(scene);
    return scene;
fail:
    scene_destroy(scene);
    return NULL;
}

struct scene *scene_of_type(const char *type_name, struct error *error)
{
    char advice[TEXT_ADVICE_SIZE];
    char quote[TEXT_QUOTE_SIZE];
    const struct robot_type *type = scene_robot_type(type_name, advice, sizeof advice);
    if (!type) {
        error_set(error, "no robot type '%s'; %s", text_quote(type_name, quote, sizeof quote),
                  advice);
        return NULL;
    }
    struct scene *scene = calloc(1, sizeof *scene);
    struct scene_robot *robot = calloc(1, sizeof *robot);
    if (!scene || !robot) {
        free(scene);
        free(robot);
        error_set(error, "%s: out of memory", type_name);
        return NULL;
    }
    option_defaults(scene_rows, COUNT(scene_rows), scene);
    snprintf(scene->file, sizeof scene->file, "%s", type->name);
    snprintf(scene->name, sizeof scene->name, "%s", type->name);
    scene->size_x_m = ROOM_X_M;
    scene->size_y_m = ROOM_Y_M;
    scene->light = strtod(SCENE_LIGHT, NULL);
    scene->robots = robot;
    scene->robot_count = 1;

    snprintf(robot->name, sizeof robot->name, "%s", type->name);
    snprintf(robot->label, sizeof robot->label, "%s", type->title);
    robot->type = type;
    robot->pose = (struct pose){.x_m = ROOM_X_M / 2, .y_m = ROOM_Y_M / 2};
    assert(type->options_size <= sizeof robot->options);
    option_defaults(type->options, type->option_count, robot->options);
    scene_robot_default_link(robot);
    return scene;
}

/* ---- ROBOT.OPTION=VALUE ---- */

static struct scene_robot *scene_find_robot(struct scene *scene, const char *name,
                                            struct error *error)
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

static const struct option_row *scene_find_option(const struct scene_robot *robot, const char *key,
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

/* Copies the LENGTH bytes before a sign, cut to the room there is; a cut name is no name anyway. */
static void scene_copy_word(const char *text, size_t length, char *word, size_t size)
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
    scene_copy_word(assignment, (size_t)(dot - assignment), name, sizeof name);
    scene_copy_word(dot + 1, (size_t)(equals - dot - 1), key, sizeof key);
    struct scene_robot *robot = scene_find_robot(scene, name, error);
    if (!robot)
        return false;
    const struct option_row *row = scene_find_option(robot, key, error);
    if (!row)
        return false;
    return option_set(row, equals + 1, robot->options, error) ||
           error_prefix(error, "%s.", robot->name);
}

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
    free(scene->lamps);
    free(scene->robots);
    scene_source_free(&scene->sources);
    free(scene->actions);
    free(scene->expectations);
    free(scene);
}
