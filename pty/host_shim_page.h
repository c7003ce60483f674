/* What the files of the host shim share: the way to the page of a terminal, and to the function
 * that the shim stands in front of. Everything here works without state, so that threads, fork,
 * dup and fopen do no harm, and leaves errno alone unless it says otherwise. */
#ifndef PTY_HOST_SHIM_PAGE_H
#define PTY_HOST_SHIM_PAGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "pty/modem_page.h"

#define SHIM_EXPORT __attribute__((visibility("default")))

/* Maps the page of a terminal. NULL: it is no terminal of a living ptybot. Unmap it soon. */
struct modem_page *shim_page_map(const struct stat *terminal);
void shim_page_unmap(struct modem_page *page);

/* Whether PATH leads to a terminal of a living ptybot. */
bool shim_is_ours(const char *path);

/* Whether PATH leads to any pseudo-terminal, or to one that has just gone. */
bool shim_is_terminal(const char *path);

/* Stores in *OUT the function NAME of the next library, looked up once and kept in CACHE. */
void shim_next(_Atomic(uintptr_t) *cache, const char *name, void *out);

/* Declares `next`, the function that NAME would be without the shim. */
#define SHIM_NEXT(name)                                                                            \
    static _Atomic(uintptr_t) next_##name;                                                         \
    __typeof__(&name) next;                                                                        \
    shim_next(&next_##name, #name, &next)

#endif
