/* The text of a scene with changes, as YAML that can be read again. Comments are lost. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The BYTES of a scene's file with the changes in SETS (in the syntax of scene_set) and with SEED,
 * but without its sweeps. The caller frees it. On an error returns NULL with the reason in
 * ERROR. */
char *scene_edit(const char *bytes, size_t size, const char *const *sets, size_t count,
                 uint64_t seed, struct error *error);
