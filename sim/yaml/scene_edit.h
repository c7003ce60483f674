/* A scene's text with changes in it, as YAML that can be read again. Comments are lost. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The BYTES of a scene's file with what SETS change (as scene_set takes them), the SEED, and
 * without what it sweeps. The caller frees it. NULL, with the reason in ERROR. */
char *scene_edit(const char *bytes, size_t size, const char *const *sets, size_t count,
                 uint64_t seed, struct error *error);
