#include "viewer/web/doors.h"

#include <stddef.h>
#include <sys/socket.h>

void doors_init(struct doors *doors)
{
    for (size_t i = 0; i < DOORS_MAX; i++)
        doors->all[i] = (struct door){.fd = -1};
}

static bool is_waited_for(const struct door *door)
{
    return door->fd >= 0 && !door->is_asked && !door->is_shut;
}

/* The server finds its connection closed. */
static void shut(struct door *door)
{
    door->is_shut = true;
    shutdown(door->fd, SHUT_RDWR);
}

static void shut_one_stranger(struct doors *doors)
{
    size_t count = 0;
    struct door *first = NULL;
    for (struct door *door = doors->all; door < doors->all + DOORS_MAX; door++) {
        if (!is_waited_for(door) || door->is_known)
            continue;
        count++;
        if (!first || door->since_ms < first->since_ms)
            first = door;
    }
    if (count >= STRANGERS_MAX)
        shut(first);
}

struct door *doors_enter(struct doors *doors, int fd, int64_t now_ms)
{
    shut_one_stranger(doors);
    for (struct door *door = doors->all; door < doors->all + DOORS_MAX; door++) {
        if (door->fd >= 0)
            continue;
        *door = (struct door){.fd = fd, .since_ms = now_ms};
        return door;
    }
    return NULL;
}

void door_wait(struct door *door, int64_t now_ms)
{
    door->since_ms = now_ms;
    door->is_asked = false;
}

void door_leave(struct door *door)
{
    *door = (struct door){.fd = -1};
}

void doors_shut_late(struct doors *doors, int64_t now_ms)
{
    for (struct door *door = doors->all; door < doors->all + DOORS_MAX; door++)
        if (is_waited_for(door) && now_ms - door->since_ms > DOOR_LIMIT_MS)
            shut(door);
}
