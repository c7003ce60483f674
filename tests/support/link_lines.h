/* Queries of tests that work with every kind of link. */
#pragma once

#include "pty/byte_link_kind.h"

/* The lines of MODEM_HOST_LINES that the host had switched on at the last update. */
static inline unsigned byte_link_host_lines(const struct byte_link *self)
{
    return self->lines;
}
