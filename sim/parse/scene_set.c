/* Changes of a scene after it was read: options, poses, commands. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/angle.h"
#include "base/array.h"
#include "base/number.h"
#include "base/text.h"
#include "sim/parse/scene_keys.h"
#include "sim/parse/scene_parse.h"

static const struct option_row *find_option(const struct scene_robot *robot, const char *key,
                                            struct error *error)
{
    const struct robot_type *type = robot->type;
    const struct option_row *row = option_find(type->options, type->option_count, key);
    if (!row) {
        const char *words[TEXT_WORDS_MAX] = {NULL};
        for (size_t i = 0; i < type->option_count && i < COUNT(words) - 1; i++)
            words[i] = type->options[i].key;
        error_set(error, "%s.%s: no such option; %s", robot->name, TEXT_QUOTE(key),
                  TEXT_ADVICE(words, key));
    }
    return row;
}

/* Copies LENGTH bytes as text. A longer text is cut, because no name is that long. */
static void copy_word(const char *text, size_t length, char *word, size_t size)
{
    snprintf(word, size, "%.*s", (int)(length < size ? length : size), text);
}

/* Reads X,Y,HEADING. If the text is invalid, POSE does not change. */
static bool read_pose(const char *text, struct pose *pose)
{
    double values[3];
    char word[32];
    for (size_t i = 0; i < 3; i++) {
        size_t size = strcspn(text, ",");
        copy_word(text, size, word, sizeof word);
        if (size >= sizeof word || !number_parse(word, &values[i]) ||
            (text[size] == ',') != (i < 2))
            return false;
        text += size + (i < 2);
    }
    *pose = (struct pose){values[0], values[1], values[2] * ANGLE_RAD_DEG};
    return true;
}

static bool set_pose(struct scene *scene, struct scene_robot *robot, const char *text,
                     struct error *error)
{
    if (*robot->mount.on)
        return error_set(error, "%s.pose: the robot is mounted on %s; set the pose of that robot",
                         robot->name, robot->mount.on);
    if (!read_pose(text, &robot->pose))
        return error_set(error,
                         "%s.pose: '%s' is not a pose; allowed: X,Y,HEADING in m and degrees",
                         robot->name, TEXT_QUOTE(text));
    return scene_place_mounts(scene, error);
}

static bool set_key(const char *key, const char *text, struct scene_action *action,
                    struct error *error)
{
    const struct scene_spec *spec = &scene_action_spec;
    return option_set(option_find(spec->rows, spec->row_count, key), text, action, error);
}

static bool add_action(struct scene *scene, const char *text, struct error *error)
{
    struct scene_action action = {0};
    char seconds[32] = "0";
    if (strncmp(text, "at=", 3) == 0) {
        copy_word(text + 3, strcspn(text + 3, " "), seconds, sizeof seconds);
        text += 3 + strcspn(text + 3, " ");
        text += strspn(text, " ");
    }
    bool is_command = strncmp(text, "do=", 3) == 0;
    if (!is_command && strncmp(text, "signal=", 7) != 0)
        return error_set(error, "at=%s: allowed behind it: do=COMMAND, signal=SIGTERM", seconds);
    if (!set_key("at", seconds, &action, error) ||
        !set_key(is_command ? "do" : "signal", strchr(text, '=') + 1, &action, error))
        return false;
    return (scene->action_count < SCENE_ITEMS_MAX &&
            array_append(&scene->actions, &scene->action_count, &action, sizeof action)) ||
           error_set(error, "do: too many, or not enough memory");
}

static bool leave_out(struct scene *scene, const char *text, struct error *error)
{
    double number;
    if (!number_parse(text, &number) || number < 0 || number >= (double)scene->action_count ||
        number != floor(number))
        return error_set(error, "skip: allowed: the number of an item of the timeline, from 0 on");
    scene->actions[(size_t)number].is_left_out = true;
    return true;
}

bool scene_set(struct scene *scene, const char *assignment, struct error *error)
{
    char name[2 * TEXT_QUOTE_SIZE];
    char key[2 * TEXT_QUOTE_SIZE];
    const char *equals = strchr(assignment, '=');
    const char *dot = strchr(assignment, '.');
    if (strncmp(assignment, "do=", 3) == 0 || strncmp(assignment, "at=", 3) == 0)
        return add_action(scene, assignment, error);
    if (strncmp(assignment, "skip=", 5) == 0)
        return leave_out(scene, assignment + 5, error);
    if (!equals || !dot || dot > equals) {
        return error_set(
            error,
            "'%s' is not a setting; allowed: ROBOT.OPTION=VALUE, ROBOT.pose=X,Y,HEADING, "
            "do=COMMAND, at=SECONDS do=COMMAND, at=SECONDS signal=SIGTERM",
            TEXT_QUOTE(assignment));
    }
    copy_word(assignment, (size_t)(dot - assignment), name, sizeof name);
    copy_word(dot + 1, (size_t)(equals - dot - 1), key, sizeof key);
    struct scene_robot *robot = scene_find_robot(scene, name, error);
    if (!robot)
        return false;
    if (strcmp(key, "pose") == 0)
        return set_pose(scene, robot, equals + 1, error);
    const struct option_row *row = find_option(robot, key, error);
    if (!row)
        return false;
    return option_set(row, equals + 1, robot->options, error) ||
           error_prefix(error, "%s.", robot->name);
}
