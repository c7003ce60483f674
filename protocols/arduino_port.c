#include "protocols/arduino_port.h"

#include <string.h>

void arduino_port_put(struct arduino_port *self, uint8_t byte)
{
    if (self->count < sizeof self->bytes - 1)
        self->bytes[self->count++] = byte;
}

bool arduino_port_take(struct arduino_port *self, int64_t now_us, uint8_t *byte)
{
    if (self->count == 0 || self->free_us > now_us)
        return false;
    *byte = self->bytes[0];
    memmove(self->bytes, self->bytes + 1, (size_t)self->count--);
    return true;
}

uint64_t arduino_port_settle(struct arduino_port *self)
{
    uint64_t lost = self->count > ARDUINO_PORT_MAX ? self->count - ARDUINO_PORT_MAX : 0;
    self->count -= lost;
    memset(self->bytes + self->count, 0, (size_t)lost);
    return lost;
}

void arduino_port_write(struct arduino_port *self, size_t size, int64_t byte_us, int64_t now_us)
{
    if (self->sent_us < now_us)
        self->sent_us = now_us;
    self->sent_us += (int64_t)size * byte_us;
    int64_t free_us = self->sent_us - (ARDUINO_PORT_MAX + 2) * byte_us;
    if (self->free_us < free_us)
        self->free_us = free_us;
}

void arduino_port_wait(struct arduino_port *self, int64_t us, int64_t now_us)
{
    self->free_us = (self->free_us > now_us ? self->free_us : now_us) + us;
}
