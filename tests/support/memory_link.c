/* The byte link within the process. One ring holds the bytes for the host; the ring of the link
 * holds the bytes that the host wrote. */
#include "tests/support/memory_link.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "pty/byte_link_kind.h"

enum { RX_CAPACITY = 65536 }; /* bytes; chosen: as much as a pty holds on Linux */

struct memory_link {
    struct byte_link base;
    char *name;
    struct byte_ring tx;
};

static struct memory_link *memory_of(struct byte_link *self)
{
    return (struct memory_link *)self;
}

static bool memory_write(struct byte_link *self, const void *bytes, size_t size)
{
    struct memory_link *memory = memory_of(self);

    if (memory->tx.capacity - memory->tx.size < size) {
        self->stats.frames_dropped++;
        return false;
    }
    byte_ring_push(&memory->tx, bytes, size);
    self->stats.frames_written++;
    self->stats.bytes_out += size;
    return true;
}

static void memory_unplug(struct byte_link *self)
{
    memory_of(self)->tx.size = 0;
}

static bool memory_unread(struct byte_link *self, uint64_t *bytes)
{
    *bytes = memory_of(self)->tx.size;
    return true;
}

static void memory_close(struct byte_link *self)
{
    struct memory_link *memory = memory_of(self);

    byte_ring_destroy(&memory->tx);
    free(memory->name);
}

static const struct byte_link_ops memory_ops = {
    .write = memory_write,
    .unplug = memory_unplug,
    .unread = memory_unread,
    .close = memory_close,
};

struct byte_link *memory_link_open(const char *name, size_t capacity, struct error *error)
{
    struct memory_link *memory =
        byte_link_create(sizeof *memory, &memory_ops, name, RX_CAPACITY, error);

    if (memory == NULL)
        return NULL;
    memory->name = malloc(strlen(name) + 1);
    if (memory->name != NULL && byte_ring_create(&memory->tx, capacity)) {
        memory->base.name = strcpy(memory->name, name);
        return &memory->base;
    }
    byte_link_close(&memory->base);
    error_environment(error, "%s: out of memory for the link", name);
    return NULL;
}

/* ---- The far end ---- */

bool memory_link_host_open(struct byte_link *self, uint32_t baud)
{
    assert(self->ops == &memory_ops);
    if (!self->is_plugged || self->is_present || !byte_link_has_event_room(self))
        return false;
    byte_link_host_came(self, self->rx_pushed, baud);
    return true;
}

void memory_link_host_close(struct byte_link *self)
{
    assert(self->ops == &memory_ops);
    if (!self->is_present)
        return;
    memory_of(self)->tx.size = 0;
    byte_link_host_left(self, self->rx_pushed);
}

void memory_link_host_set_baud(struct byte_link *self, uint32_t baud)
{
    assert(self->ops == &memory_ops);
    if (byte_link_has_event_room(self))
        byte_link_settings_seen(self, self->rx_pushed, (struct serial_settings){.baud = baud});
}

size_t memory_link_host_write(struct byte_link *self, const void *bytes, size_t size)
{
    assert(self->ops == &memory_ops);
    if (!self->is_present)
        return 0;
    size_t taken = byte_ring_push(&self->rx, bytes, size);
    self->rx_pushed += taken;
    return taken;
}

size_t memory_link_host_read(struct byte_link *self, void *bytes, size_t cap)
{
    assert(self->ops == &memory_ops);
    return self->is_present ? byte_ring_pop(&memory_of(self)->tx, bytes, cap) : 0;
}
