/* What of a robot can fail, by name. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "sim/commands/fault.h"

struct part_list {
    struct fault_part *parts;
    size_t count;
};

__attribute__((format(printf, 4, 5))) static void
add(struct part_list *list, enum fault_class class, size_t number, const char *format, ...)
{
    assert(list->count < FAULT_PARTS_MAX);
    struct fault_part *part = &list->parts[list->count++];
    part->class = class;
    part->number = number;
    va_list values;
    va_start(values, format);
    vsnprintf(part->name, sizeof part->name, format, values);
    va_end(values);
}

size_t fault_parts(const struct robot_type *type, const struct robot_body *body,
                   struct fault_part *parts)
{
    static const char *const inertials[FAULT_INERTIALS] = {"gyro", "accelerometer", "compass"};
    struct part_list list = {.parts = parts};
    for (size_t i = 0; i < type->channel_count; i++)
        add(&list, FAULT_CHANNEL, i, "%s", type->channels[i].name);
    for (size_t i = 0; i < body->sensor_count; i++)
        add(&list, FAULT_SENSOR, i, "%s", body->sensors[i].name);
    for (size_t i = 0; i < body->bumper_count; i++)
        add(&list, FAULT_BUMPER, i, "bumper_%s", body->bumpers[i].name);
    for (size_t i = 0; type->buttons && type->buttons[i]; i++)
        add(&list, FAULT_BUTTON, i, "button_%s", type->buttons[i]);
    for (size_t i = 0; i < FAULT_INERTIALS; i++)
        add(&list, FAULT_INERTIAL, i, "%s", inertials[i]);
    add(&list, FAULT_ENCODER, FAULT_ALL, "encoders");
    for (size_t i = 0; i < body->wheel_count; i++)
        add(&list, FAULT_ENCODER, i, "encoder_%zu", i);
    add(&list, FAULT_WHEEL, FAULT_ALL, "wheels");
    for (size_t i = 0; i < body->wheel_count; i++)
        add(&list, FAULT_WHEEL, i, "wheel_%zu", i);
    add(&list, FAULT_BATTERY, 0, "battery");
    add(&list, FAULT_POWER, 0, "power");
    return list.count;
}
