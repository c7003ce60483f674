/* The page of a run, served by a process of its own. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "app/cli/arguments.h"
#include "app/cli/keeper.h"
#include "base/error.h"

enum { WEB_PORT = 8080, WEB_HOST_MAX = 128, WEB_TOKEN_SIZE = 32, WEB_URL_MAX = 256 };

/* What web_flags fill: --web and what belongs to it. */
struct web_options {
    bool is_wanted;
    int64_t port;
    char host[WEB_HOST_MAX]; /* a further name of the machine, or "" */
    bool is_remote;          /* other machines reach it */
    bool is_writable; /* the page may command: set by subcommands in which that need not be asked
                         for */
};

extern const struct flag_group web_flags;

struct web {
    int listening;                  /* -1: none */
    char token[WEB_TOKEN_SIZE + 1]; /* hexadecimal, random */
    char url[WEB_URL_MAX];          /* where the page is, token and all */
    struct keeper keeper;           /* of its process; empty: not started */
};

/* Listens, and makes the token and the address. Where the default port is taken, a free one is.
 * False, with the remedy in ERROR. */
bool web_open(struct web *web, const struct web_options *options, struct error *error);

/* Starts the process for the run whose snapshots and control socket are at these places. False,
 * with the reason in ERROR. */
bool web_start(struct web *web, const struct web_options *options, const char *snapshot,
               const char *control, struct error *error);

/* Becomes that process; returns only where that fails, with the reason in ERROR. */
void web_become(struct web *web, const struct web_options *options, const char *snapshot,
                const char *control, struct error *error);

/* The same for the page in a file, which needs no run. */
void web_become_file(struct web *web, const struct web_options *options, const char *file,
                     struct error *error);

/* Waits for the process, which ends with the run, as viewer_process_end does. */
void web_close(struct web *web);
