/* The functions behind those of a preload library. */
#include "pty/shim/next.h"

#include <dlfcn.h>
#include <string.h>

void host_next_get(struct host_next *self, void *out)
{
    uintptr_t next = atomic_load_explicit(&self->function, memory_order_acquire);

    if (next == 0) {
        next = (uintptr_t)dlsym(RTLD_NEXT, self->name);
        atomic_store_explicit(&self->function, next, memory_order_release);
    }
    memcpy(out, &next, sizeof next);
}

/* Where the linker has gathered all of them, by the names that it gives. */
/* NOLINTBEGIN(readability-identifier-naming) */
extern struct host_next __start_host_next[] __attribute__((visibility("hidden")));
extern struct host_next __stop_host_next[] __attribute__((visibility("hidden")));
/* NOLINTEND(readability-identifier-naming) */

__attribute__((constructor)) static void find_all(void)
{
    uintptr_t next;

    for (struct host_next *each = __start_host_next; each < __stop_host_next; each++)
        host_next_get(each, &next);
    dlerror(); /* of a function that this system has not */
}
