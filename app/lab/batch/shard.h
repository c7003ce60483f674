/* Determines the shard of this machine: from --shard, or from environment variables of the batch
 * system that started ptybot. */
#pragma once

#include <stdbool.h>

#include "base/error.h"

enum { SHARD_TEXT_MAX = 48 }; /* two numbers of 64 bits and a slash */

/* GIVEN is "I/N", "auto/N" (the batch system provides I), or "" (it provides both). Writes "I/N" to
 * TEXT, or "" if no shard is defined. WHO gets the name of the used variable, or "". Notifies Bazel
 * that shards are supported. False, with the reason in ERROR. */
bool shard_find(const char *given, char text[SHARD_TEXT_MAX], const char **who,
                struct error *error);
