/* Creates scenes: from the bytes of a file, or from the name of a robot type. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sim/parse/scene_keys.h"
#include "sim/parse/scene_parse.h"
#include "sim/scene/custom_robot.h"

/* Chosen: room to drive in every direction, small enough that a robot is visible in a picture. */
static const double ROOM_X_M = 6;
static const double ROOM_Y_M = 4;

static const struct option_row scene_rows[] = {
    ROW_TEXT("name", scene, name, ""),
    /* Up to 2^53: exact in a double, so that it survives JSON and signals. */
    ROW_INTEGER("seed", scene, seed, "", 0, 9007199254740992, "1"),
    ROW_NUMBER("continue_after_driver", scene, continue_s, "s", 0, 1e9, "0"),
    ROW_NUMBER("driver_deadline", scene, deadline_s, "s", 0, 1e9, "0"),
};
static const struct option_row host_row = {
    .key = "host", .type = OPTION_TEXT, .size = SCENE_LINE_MAX, .note = "a command for /bin/sh"};
static const struct scene_spec host_spec = {.rows = &host_row, .row_count = 1};
/* A list of commands, for a mapping that may have more keys. */
#define HOST_COMMANDS(name, ...)                                                                   \
    {                                                                                              \
        .key = name, .kind = PART_LINES, .spec = &host_spec,                                       \
        .offset = offsetof(struct scene, hosts),                                                   \
        .count_offset = offsetof(struct scene, host_count), .item_size = SCENE_LINE_MAX, .min = 1, \
        .max = SCENE_HOSTS_MAX, __VA_ARGS__                                                        \
    }
static const struct option_row host_rows[] = {
    ROW_TEXT("delay", scene, host_delay_text, ""),
    ROW_INTEGER("wake_order", scene, wake_order, "", 0, 9007199254740992, "0"),
};
static const struct scene_part host_parts[] = {HOST_COMMANDS("command", .mapping = NULL)};

static bool finish_host(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct scene *scene = out;
    struct error error = {0};
    const struct scene_at delay = scene_yaml_child(yaml, at, "delay");
    return !*scene->host_delay_text ||
           scene_host_delay_parse(scene->host_delay_text, &scene->host_delay, &error) ||
           scene_yaml_fail(yaml, &delay, "%s", error.text);
}

static const struct scene_spec host_mapping = {SCENE_ROWS(host_rows), SCENE_PARTS(host_parts),
                                               .finish = finish_host};
static const struct scene_part scene_parts[] = {
    HOST_COMMANDS("host", .mapping = &host_mapping),
    {.key = "world", .kind = PART_MAPPING, .spec = &scene_world_spec, .is_required = true},
    SCENE_LIST("robots", scene_robot_spec, scene, robots, robot_count, SCENE_ROBOTS_MAX, .min = 1,
               .is_required = true),
    SCENE_LIST("timeline", scene_action_spec, scene, actions, action_count, SCENE_ITEMS_MAX),
    SCENE_LIST("expect", scene_expectation_spec, scene, expectations, expectation_count,
               SCENE_ITEMS_MAX),
    SCENE_LIST("measure", scene_measure_spec, scene, measures, measure_count, SCENE_ITEMS_MAX),
    {.key = "sweep", .kind = PART_OWN},
};

/* `sweep` is a list of texts. */
static bool read_sweeps(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    static const char allowed[] = "a list of varied values, like [seed 1..9]";
    struct scene *scene = out;
    const struct scene_at list = scene_yaml_child(yaml, at, "sweep");
    size_t count;
    if (!scene_yaml_has(yaml, at, "sweep"))
        return true;
    scene->sweep_place = scene_yaml_place(yaml, &list);
    if (!scene_yaml_list(yaml, &list, allowed, &count))
        return false;
    if (count > SCENE_SWEEPS_MAX)
        return scene_yaml_fail(yaml, &list, "has %zu items; allowed: at most %d", count,
                               SCENE_SWEEPS_MAX);
    scene->sweeps = calloc(count + 1, sizeof *scene->sweeps);
    if (!scene->sweeps)
        return scene_yaml_fail(yaml, &list, "out of memory");
    for (size_t i = 0; i < count; i++) {
        const struct scene_at item = scene_yaml_item(yaml, &list, i);
        const char *text;
        if (!scene_yaml_text(yaml, &item, "a text, like seed 1..9", &text))
            return false;
        if (strlen(text) >= sizeof scene->sweeps[i])
            return scene_yaml_fail(yaml, &item, "longer than %d bytes", SCENE_LINE_MAX - 1);
        memcpy(scene->sweeps[scene->sweep_count++], text, strlen(text) + 1);
    }
    return true;
}

static const struct scene_spec scene_spec = {SCENE_ROWS(scene_rows), SCENE_PARTS(scene_parts),
                                             .finish = read_sweeps};

/* "scenes/two.rooms.yaml": a scene without a name gets the name two.rooms. */
static void name_of_file(struct scene *scene)
{
    size_t length;
    const char *base = text_stem(scene->file, &length);
    if (length >= sizeof scene->name)
        length = sizeof scene->name - 1;
    memcpy(scene->name, base, length);
    scene->name[length] = '\0';
}

/* ---- Before reading: the files that a scene needs ---- */

/* Words that are file names, collected by a table that ignores all other keys. */
struct type_words {
    struct scene_type_word *items;
    size_t count;
};

static bool means_file(const char *word)
{
    size_t size = strlen(word);
    return strchr(word, '/') || strstr(word, ".so:") ||
           (size > 5 && strcmp(word + size - 5, ".yaml") == 0) ||
           (size > 4 && strcmp(word + size - 4, ".yml") == 0);
}

static bool word_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    struct scene_type_word *word = out;
    const struct scene_at child = scene_yaml_child(yaml, at, "type");
    const char *text;
    if (child.node == 0 || !scene_yaml_text(yaml, &child, "a robot type", &text))
        return true; // told by whoever reads the whole scene
    word->place = scene_yaml_place(yaml, &child);
    if (means_file(text) && strlen(text) < sizeof word->word)
        snprintf(word->word, sizeof word->word, "%s", text);
    return true;
}

static const struct scene_part word_parts[] = {{.key = "type", .kind = PART_OWN}};
static const struct scene_spec word_spec = {SCENE_PARTS(word_parts), .finish = word_finish,
                                            .is_partial = true};
static const struct scene_part words_parts[] = {
    SCENE_LIST("robots", word_spec, type_words, items, count, SCENE_ROBOTS_MAX),
};
static const struct scene_spec words_spec = {SCENE_PARTS(words_parts), .is_partial = true};

struct scene_type_word *scene_type_words(const char *bytes, size_t size, size_t *count)
{
    struct type_words words = {0};
    bool is_read = scene_yaml_read(bytes, size, "", &words_spec, &words, NULL);
    *count = 0;
    for (size_t i = 0; is_read && i < words.count; i++) {
        bool is_new = words.items[i].word[0] != '\0';
        for (size_t k = 0; k < *count; k++)
            is_new = is_new && strcmp(words.items[k].word, words.items[i].word) != 0;
        if (is_new)
            words.items[(*count)++] = words.items[i];
    }
    if (*count > 0)
        return words.items;
    free(words.items);
    return NULL;
}

static bool is_body_finish(struct scene_yaml *yaml, const struct scene_at *at, void *out)
{
    *(bool *)out = scene_yaml_has(yaml, at, "body") && !scene_yaml_has(yaml, at, "world") &&
                   !scene_yaml_has(yaml, at, "robots");
    return true;
}

bool scene_is_body(const char *bytes, size_t size)
{
    static const struct scene_spec spec = {.finish = is_body_finish, .is_partial = true};
    bool is_body = false;
    return scene_yaml_read(bytes, size, "", &spec, &is_body, NULL) && is_body;
}

/* ---- Scenes ---- */

struct scene *scene_parse(const char *bytes, size_t size, const char *name, struct error *error)
{
    return scene_parse_own(bytes, size, name, NULL, error);
}

struct scene *scene_parse_own(const char *bytes, size_t size, const char *name,
                              struct custom_robot *own, struct error *error)
{
    struct scene *scene = calloc(1, sizeof *scene);
    if (!scene) {
        custom_robot_free(&own);
        return error_null(error_set(error, "%s: out of memory", name));
    }
    scene->own = own;
    snprintf(scene->file, sizeof scene->file, "%s", name);

    if (!scene_yaml_read(bytes, size, scene->file, &scene_spec, scene, error) ||
        !scene_place_mounts(scene, error) ||
        (scene->map[0] == '\0' && !scene_check(scene, error))) {
        scene_destroy(scene);
        return NULL;
    }
    if (scene->name[0] == '\0')
        name_of_file(scene);
    return scene;
}

struct scene *scene_of_robot(const struct robot_type *type)
{
    struct scene *scene = calloc(1, sizeof *scene);
    struct scene_robot *robot = calloc(1, sizeof *robot);
    if (!scene || !robot) {
        free(scene);
        free(robot);
        return NULL;
    }
    option_defaults(scene_rows, COUNT(scene_rows), scene);
    option_defaults(scene_world_spec.rows, scene_world_spec.row_count, scene);
    snprintf(scene->file, sizeof scene->file, "%s", type->name);
    snprintf(scene->name, sizeof scene->name, "%s", type->name);
    scene->size_x_m = ROOM_X_M;
    scene->size_y_m = ROOM_Y_M;
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

struct scene *scene_of_type(const char *type_name, struct error *error)
{
    char advice[TEXT_ADVICE_SIZE];
    const struct robot_type *type = scene_robot_type(type_name, NULL, advice, sizeof advice);
    if (!type) {
        return error_null(
            error_set(error, "no robot type '%s'; %s", TEXT_QUOTE(type_name), advice));
    }
    struct scene *scene = scene_of_robot(type);
    if (!scene)
        error_set(error, "%s: out of memory", type_name);
    return scene;
}

struct scene *scene_of_custom(struct custom_robot *own, struct error *error)
{
    struct scene *scene = scene_of_robot(&own->type);
    if (!scene) {
        error_set(error, "%s: out of memory", own->file);
        custom_robot_free(&own);
        return NULL;
    }
    scene->own = own;
    snprintf(scene->file, sizeof scene->file, "%s", own->file);
    if (scene_check(scene, error))
        return scene;
    scene_destroy(scene);
    return NULL;
}
