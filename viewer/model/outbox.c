#include "viewer/model/outbox.h"

#include <stdio.h>

bool outbox_put(struct outbox *outbox, const char *command)
{
    if (outbox->count == OUTBOX_MAX)
        return false;
    size_t slot = (outbox->first + outbox->count++) % OUTBOX_MAX;
    snprintf(outbox->command[slot], OUTBOX_COMMAND_MAX, "%s", command);
    return true;
}

const char *outbox_take(struct outbox *outbox)
{
    if (outbox->count == 0)
        return NULL;
    const char *command = outbox->command[outbox->first];
    outbox->first = (outbox->first + 1) % OUTBOX_MAX;
    outbox->count--;
    return command;
}

bool outbox_is_settled(const struct outbox *outbox)
{
    return outbox->count == 0 && outbox->unanswered == 0;
}
