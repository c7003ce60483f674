/* The data that a web page needs to repeat a run, in one block: the scene as trees, and the
 * journal. ptybot packs it. The page, which cannot read YAML or decode pictures, unpacks the
 * scene. */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "sim/scene/scene.h"

/* The input of bundle_pack. */
struct bundle {
    const struct scene *scene; /* as read; later changes by --set are in SETS, */
    const char *const *sets;   /* or in the head of the journal */
    size_t set_count;
    const char *journal; /* NULL: no journal, and the scene starts from its beginning */
    size_t journal_size;
};

/* Returns SIZE bytes, which the caller frees. NULL, with the reason in ERROR: a robot is a shared
 * object, or there is no memory. */
char *bundle_pack(const struct bundle *bundle, size_t *size, struct error *error);

/* Returns the scene in a bundle, which the caller owns. The options in the head of the journal are
 * not set yet. NULL, with the reason in ERROR: the bundle is damaged. */
struct scene *bundle_scene(const char *bytes, size_t size, struct error *error);

/* Returns the journal in a bundle, with its size in *JOURNAL_SIZE; NULL: there is none. */
const char *bundle_journal(const char *bytes, size_t size, size_t *journal_size);
