/* What the files of the host shim share: the way to the page of a terminal. Everything here works
 * without state, so that threads, fork, dup and fopen do no harm, and leaves errno alone. */
#ifndef PTYBOT_PTY_SHIM_SERIAL_PAGE_H
#define PTYBOT_PTY_SHIM_SERIAL_PAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "pty/shim/modem_page.h"
#include "pty/shim/next.h"

/* Maps the page of a terminal. NULL: it is no terminal of a living ptybot. Unmap it soon. */
struct modem_page *shim_page_map(const struct stat *terminal);
void shim_page_unmap(struct modem_page *page);

/* Whether PATH leads to a terminal of a living ptybot. */
bool shim_is_ours(const char *path);

/* Whether PATH leads to any pseudo-terminal, or to one that has just gone. */
bool shim_is_terminal(const char *path);

#endif
