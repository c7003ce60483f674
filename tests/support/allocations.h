/* How often a program of ptybot_count_allocations (tests/tests.cmake) has asked for memory, and a
 * way to refuse it. Counts malloc, calloc, realloc, aligned_alloc and strdup in code that is linked
 * statically. */
#pragma once

#include <stddef.h>

/* Calls since the start. */
extern size_t allocations;

/* From this call on, counted from 1, there is no memory; 0: there always is. */
extern size_t allocations_end;

/* Only this call gets no memory; 0: every call gets it. */
extern size_t allocations_gap;

/* Blocks that such code has allocated, minus those that it has freed. Only the difference of two
 * readings has a meaning. */
extern size_t allocations_held;
