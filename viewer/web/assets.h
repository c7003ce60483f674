/* The files of the page, embedded in the program. */
#pragma once

#include <stddef.h>

struct asset {
    const char *name; /* "" is the page itself */
    const char *type;
    const unsigned char *bytes;
    size_t size;
    const char *encoding; /* of HTTP, or NULL */
};

/* NULL: there is no file of that name. */
const struct asset *asset_find(const char *name);
