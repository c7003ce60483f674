/* The page of a run, served by a separate process. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "app/cli/arguments.h"
#include "app/cli/keeper.h"
#include "base/error.h"

enum { WEB_PORT = 8080, WEB_HOST_MAX = 128, WEB_TOKEN_SIZE = 32, WEB_URL_MAX = 256 };

/* Set by web_flags: --web and the related flags. */
struct web_options {
    bool is_wanted;
    int64_t port;
    char host[WEB_HOST_MAX]; /* a further host name of the machine, or "" */
    bool is_remote;          /* other machines can reach it */
    bool is_writable;        /* the page may send commands: set by subcommands that allow it without
                                --web-write */
};

extern const struct flag_group web_flags;

struct web {
    int listening;                  /* -1: none */
    char token[WEB_TOKEN_SIZE + 1]; /* hexadecimal, random */
    char url[WEB_URL_MAX];          /* address of the page, with the token */
    struct keeper keeper;           /* of the server process; empty: not started */
};

/* Listens, and creates the token and the address. If the default port is in use, takes a free one.
 * False, with the remedy in ERROR. */
bool web_open(struct web *web, const struct web_options *options, struct error *error);

/* Starts the server for the run with this path of its snapshots and this control socket. False,
 * with the reason in ERROR. */
bool web_start(struct web *web, const struct web_options *options, const char *snapshot,
               const char *control, struct error *error);

/* Turns this process into the server; returns only on failure, with the reason in ERROR. */
void web_become(struct web *web, const struct web_options *options, const char *snapshot,
                const char *control, struct error *error);

/* The same for the page in a file, which needs no run. */
void web_become_file(struct web *web, const struct web_options *options, const char *file,
                     struct error *error);

/* Waits until the server ends with the run, as viewer_process_end does. */
void web_close(struct web *web);
