/* Who may come in: what a request says of itself, and whether that is enough. No network. */
#pragma once

#include <stdbool.h>

enum { GATE_TOKEN_SIZE = 32 }; /* hexadecimal digits: 128 random bits */

struct gate {
    const char *token; /* GATE_TOKEN_SIZE digits */
    const char *host;  /* a further name that the page may be asked for by, or NULL */
    bool is_remote;    /* other machines may ask: for numeric addresses, too */
    bool is_writable;  /* commands are taken */
};

/* As a request has them; NULL: not there. */
struct gate_request {
    const char *method, *path;
    const char *host, *origin, *fetch_site, *content_type;
};

enum gate_answer {
    GATE_OPEN = 200,
    GATE_WRONG_TYPE = 415,
    GATE_FORBIDDEN = 403,
    GATE_NOT_FOUND = 404,
    GATE_WRONG_METHOD = 405,
};

/* Whether a request may be answered. OPEN: NAME becomes what follows the token in its path ("" for
 * the page itself); else WHY becomes a sentence for the one who asks. */
enum gate_answer gate_ask(const struct gate *gate, const struct gate_request *request,
                          const char **name, const char **why);
