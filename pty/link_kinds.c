#include "pty/link_kinds.h"

#define LINK_OPEN(KIND, name, ...) [LINK_##KIND] = name##_link_open,

struct byte_link *byte_link_open(enum link_kind kind, const struct byte_link_config *config,
                                 struct error *error)
{
    static struct byte_link *(*const open[])(const struct byte_link_config *config,
                                             struct error *error) = {
        LINK_KINDS(LINK_OPEN, LINK_OPEN)};

    return open[kind](config, error);
}
