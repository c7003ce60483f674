/* What the preload libraries share: how they stand in front of a function and find the next one. */
#ifndef PTYBOT_PTY_SHIM_NEXT_H
#define PTYBOT_PTY_SHIM_NEXT_H

#include <stdatomic.h>
#include <stdint.h>

#define SHIM_EXPORT __attribute__((visibility("default")))

/* The function NAME of the next library. Looked up when this library is loaded, so that a signal
 * handler may be the first to call it; or at the first call, where that comes before. */
struct host_next {
    _Atomic(uintptr_t) function;
    const char *name;
};

/* Stores the function in *OUT. */
void host_next_get(struct host_next *self, void *out);

/* Declares `next`, the function that NAME would be without the library; NULL where the system has
 * none. */
#define SHIM_NEXT(symbol) SHIM_NEXT_AS(next, symbol)
#define SHIM_NEXT_AS(variable, symbol)                                                             \
    static struct host_next next_##symbol                                                          \
        __attribute__((section("host_next"), used)) = {.name = #symbol};                           \
    __typeof__ (&symbol)(variable);                                                                \
    host_next_get(&next_##symbol, &(variable))

#endif
