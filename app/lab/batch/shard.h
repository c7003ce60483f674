/* Which part of the tests this machine runs: as it was given, or as the engine that started it says
 * in the environment. */
#pragma once

#include <stdbool.h>

#include "base/error.h"

enum { SHARD_TEXT_MAX = 48 }; /* two numbers of 64 bits and a slash */

/* GIVEN is "I/N", "auto/N" (the number is that of the engine), or "": all is the engine's. Writes
 * "I/N", or "" where nobody says anything, and in WHO the variable that said it (""). Tells Bazel
 * that its wish is known. False, with the reason in ERROR. */
bool shard_find(const char *given, char text[SHARD_TEXT_MAX], const char **who,
                struct error *error);
