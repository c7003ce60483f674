/* What a test asks of any link. */
#pragma once

#include "pty/byte_link_kind.h"

/* Lines that the host has set, as of the last update: MODEM_HOST_LINES that are on. */
static inline unsigned byte_link_host_lines(const struct byte_link *self)
{
    return self->lines;
}
