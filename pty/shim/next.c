/* Lookup of the functions that a preload library replaces. */
#include "pty/shim/next.h"

#include <dlfcn.h>
#include <string.h>

void next_function_find(struct next_function *self, void *out)
{
    uintptr_t next = atomic_load_explicit(&self->function, memory_order_acquire);

    if (next == 0) {
        next = (uintptr_t)dlsym(RTLD_NEXT, self->name);
        atomic_store_explicit(&self->function, next, memory_order_release);
    }
    memcpy(out, &next, sizeof next);
}

bool next_functions_found;

/* The linker gathers all of them between these two names. */
/* NOLINTBEGIN(readability-identifier-naming) */
extern struct next_function __start_next_functions[] __attribute__((visibility("hidden")));
extern struct next_function __stop_next_functions[] __attribute__((visibility("hidden")));
/* NOLINTEND(readability-identifier-naming) */

__attribute__((constructor)) static void find_all(void)
{
    uintptr_t next;

    for (struct next_function *each = __start_next_functions; each < __stop_next_functions; each++)
        next_function_find(each, &next);
    next_functions_found = true;
    dlerror(); /* forgets the error of a function that this system lacks */
}
