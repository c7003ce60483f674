/* How often a program of ptybot_count_allocations (cmake/tests.cmake) has asked for memory. */
#ifndef TESTS_SUPPORT_ALLOCATIONS_H
#define TESTS_SUPPORT_ALLOCATIONS_H

#include <stddef.h>

/* Calls of malloc, calloc and realloc since the start, in code that is linked statically. */
extern size_t allocations;

#endif
