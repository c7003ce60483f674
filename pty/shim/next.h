/* Shared by the preload libraries: lookup of the function that a function of the library
 * replaces. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define SHIM_EXPORT __attribute__((visibility("default")))

/* The function NAME of the next library. It is looked up when this library is loaded, because its
 * first caller may be a signal handler. An earlier call looks it up itself. */
struct next_function {
    _Atomic(uintptr_t) function;
    const char *name;
};

/* Stores the function in *OUT. */
void next_function_find(struct next_function *self, void *out);

/* Whether all functions have been looked up, which happens before main. */
extern bool next_functions_found __attribute__((visibility("hidden")));

/* Declares `next`, the function that NAME would be without the library. NULL: the system does not
 * have it. */
#define SHIM_NEXT(symbol) SHIM_NEXT_AS(next, symbol)
#define SHIM_NEXT_AS(variable, symbol)                                                             \
    static struct next_function next_##symbol                                                      \
        __attribute__((section("next_functions"), used)) = {.name = #symbol};                      \
    __typeof__ (&symbol)(variable);                                                                \
    next_function_find(&next_##symbol, &(variable))
