/* What a web page needs to do a run again, in one piece: the scene as trees, and the journal. The
 * program packs it; the page, which reads no YAML and decodes no picture, takes the scene out. */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "sim/scene/scene.h"

/* What is packed. */
struct bundle {
    const struct scene *scene; /* as it was read; what --set has changed since is in SETS, */
    const char *const *sets;   /* or in the head of the journal */
    size_t set_count;
    const char *journal; /* NULL: there is none, and the scene begins anew */
    size_t journal_size;
};

/* Returns SIZE bytes, which the caller frees. NULL, with the reason in ERROR: a robot is a shared
 * object, or memory is short. */
char *bundle_pack(const struct bundle *bundle, size_t *size, struct error *error);

/* The scene in a bundle, which the caller owns; what the head of the journal sets is still to be
 * set. NULL, with the reason in ERROR: it is damaged. */
struct scene *bundle_scene(const char *bytes, size_t size, struct error *error);

/* The journal in a bundle, SIZE bytes of it; NULL: there is none. */
const char *bundle_journal(const char *bytes, size_t size, size_t *journal_size);
