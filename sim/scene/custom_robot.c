#include "sim/scene/custom_robot.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static void free_texts(struct scene_kept **kept)
{
    while (*kept) {
        struct scene_kept *next = (*kept)->next;
        free(*kept);
        *kept = next;
    }
}

void custom_robot_free(struct custom_robot **list)
{
    while (*list) {
        struct custom_robot *own = *list;
        *list = own->next;
        if (own->old_appearance != own->appearance)
            free(own->old_appearance);
        free(own->appearance);
        for (size_t i = 0; i < COUNT(own->commands); i++)
            free((void *)own->commands[i].args);
        free_texts(&own->kept);
        if (own->close)
            own->close(own->object);
        free(own);
    }
}

/* ---- Search ---- */

const struct custom_robot *custom_robot_find(const struct custom_robot *list, const char *word)
{
    while (list && strcmp(list->word, word) != 0)
        list = list->next;
    return list;
}

const struct custom_robot *custom_robot_of(const struct custom_robot *list,
                                           const struct robot_type *type)
{
    while (list && &list->type != type)
        list = list->next;
    return list;
}

const char *custom_robot_wire(const struct custom_robot *list, const struct robot_type *type)
{
    const struct custom_robot *own = custom_robot_of(list, type);
    if (own)
        return own->base ? own->base->name : "";
    return type->name;
}

/* ---- Whether the machine fits its firmware ---- */

static bool names_fit(const char *what, const char *own, const char *needed, size_t i,
                      const struct robot_type *base, struct error *error)
{
    if (own && needed && strcmp(own, needed) == 0)
        return true;
    return error_set(error, "%s[%zu] is %s; the firmware of a %s needs %s at this position", what,
                     i, own ? own : "missing", base->name, needed ? needed : "no more");
}

bool custom_robot_fits(const struct custom_robot *own, const void *options, struct error *error)
{
    struct robot_body need;
    const struct robot_body *have = &own->body;
    if (!own->base)
        return true;
    robot_type_body(own->base, options, &need);
    bool is_bus = own->base->servo_packet; // checked with its servos
    if (!is_bus && have->wheel_count != need.wheel_count)
        return error_set(error, "wheels has %zu items; the firmware of a %s needs %zu",
                         have->wheel_count, own->base->name, need.wheel_count);
    if (have->wheel_count > 0 && have->motor != need.motor)
        return error_set(error, "drive.motor is not the motor that the firmware of a %s drives",
                         own->base->name);
    for (size_t i = 0; i < have->sensor_count || i < need.sensor_count; i++)
        if (!names_fit("sensors", i < have->sensor_count ? have->sensors[i].name : NULL,
                       i < need.sensor_count ? need.sensors[i].name : NULL, i, own->base, error))
            return false;
    for (size_t i = 0; i < have->bumper_count || i < need.bumper_count; i++)
        if (!names_fit("bumpers", i < have->bumper_count ? have->bumpers[i].name : NULL,
                       i < need.bumper_count ? need.bumpers[i].name : NULL, i, own->base, error))
            return false;
    return true;
}
