/* Checks of a robot from outside the source tree before it is used. */
#include "protocols/robot_object.h"

#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"

/* The first required property that the type does not have; NULL: it has all of them. */
static const char *missing(const struct robot_type *type)
{
    const struct {
        bool is_there;
        const char *what;
    } needs[] = {
        {type->name && text_is_name(type->name) && strlen(type->name) <= 32,
         "name (a letter, then letters, digits and _, all lower-case)"},
        {type->title, "title"},
        {type->channels && type->channel_count >= 1 && type->channel_count <= ROBOT_CHANNELS_MAX,
         "channels (1 to 4)"},
        {type->options || type->option_count == 0, "options"},
        {type->options_size <= ROBOT_OPTIONS_MAX, "options of at most 512 bytes"},
        {type->signals || type->signal_count == 0, "signals"},
        {type->mirrors || type->mirror_count == 0, "mirrors"},
        {type->commands || type->command_count == 0, "commands"},
        {type->appearance, "appearance"},
        {type->packets, "packets (at least the NULL at the end)"},
        {type->state_size > 0, "state_size"},
        {type->stats_offset + type->channel_count * sizeof(struct robot_stats) <= type->state_size,
         "stats_offset inside the state"},
        {type->body || type->fixed_body, "body"},
        {type->reset, "reset"},
        {type->rx, "rx"},
        {type->tick, "tick"},
    };
    for (size_t i = 0; i < COUNT(needs); i++)
        if (!needs[i].is_there)
            return needs[i].what;
    return NULL;
}

bool robot_object_check(const struct robot_object *object, struct error *error)
{
    if (object->abi != ROBOT_ABI)
        return error_set(error,
                         "built for version %" PRIu64
                         " of the robot contract, this is version %d: build the object again with "
                         "the headers of this ptybot",
                         object->abi, ROBOT_ABI);
    if (object->layout != ROBOT_LAYOUT)
        return error_set(error,
                         "built with other headers of the same contract (layout %016" PRIx64
                         ", here %016" PRIx64 "): build the object again with those of this ptybot",
                         object->layout, (uint64_t)ROBOT_LAYOUT);
    if (!object->type)
        return error_set(error, "the shared object defines no robot type");
    const char *what = missing(object->type);
    return !what || error_set(error, "its robot type has no: %s", what);
}
