/* The linker redirects every malloc, calloc, realloc, aligned_alloc, strdup and free of the program
 * to this file (--wrap). It cannot do so for shared libraries, so there these functions replace
 * those of the C library, which also exports its functions under other names. */
#include "tests/support/allocations.h"

#include <errno.h>
#include <stdbool.h>

size_t allocations, allocations_end, allocations_gap, allocations_held;

#ifdef PTYBOT_SHARED
#define __wrap_malloc        malloc
#define __wrap_calloc        calloc
#define __wrap_realloc       realloc
#define __wrap_free          free
#define __wrap_aligned_alloc aligned_alloc
#define __real_malloc        __libc_malloc
#define __real_calloc        __libc_calloc
#define __real_realloc       __libc_realloc
#define __real_free          __libc_free
#define __real_aligned_alloc __libc_memalign
#endif

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *memory);

static bool is_refused(void)
{
    allocations++;
    if (allocations != allocations_gap && (allocations_end == 0 || allocations < allocations_end))
        return false;
    errno = ENOMEM;
    return true;
}

static void *held(void *memory)
{
    allocations_held += memory != NULL;
    return memory;
}

void *__wrap_malloc(size_t size)
{
    return is_refused() ? NULL : held(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return is_refused() ? NULL : held(__real_calloc(count, size));
}

void *__wrap_realloc(void *memory, size_t size)
{
    if (is_refused())
        return NULL;
    return memory ? __real_realloc(memory, size) : held(__real_realloc(memory, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return is_refused() ? NULL : held(__real_aligned_alloc(alignment, size));
}

#ifndef PTYBOT_SHARED // there strdup calls malloc
char *__wrap_strdup(const char *text)
{
    return is_refused() ? NULL : held(__real_strdup(text));
}
#endif

void __wrap_free(void *memory)
{
    allocations_held -= memory != NULL;
    __real_free(memory);
}
