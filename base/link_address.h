/* Addresses of links as text: how each syntax is checked, normalized and compared. Nothing is
 * opened and no name is looked up. */
#ifndef PTYBOT_BASE_LINK_ADDRESS_H
#define PTYBOT_BASE_LINK_ADDRESS_H

#include <stdbool.h>

enum { LINK_ADDRESS_MAX = 128 }; /* bytes with NUL: a path below the size of sun_path, HOST:PORT */

/* Instead of HOST:PORT: a free port on the loopback interface. */
#define LINK_ADDRESS_AUTO "auto"

struct link_syntax {
    const char *allowed; /* "a path" */
    const char *noun;    /* what two links cannot share: "a path" */
    const char *host;    /* the default HOST of HOST:PORT; NULL: the address is a path */
    /* Writes the normalized address (`./a//b` becomes `a/b`). TEXT is shorter than
     * LINK_ADDRESS_MAX. NULL, or what is wrong and what is allowed. */
    const char *(*set)(const char *text, char *address);
    /* Whether both cannot be open at once. Two syntaxes with the same function share one space. */
    bool (*clash)(const char *a, const char *b);
};

extern const struct link_syntax link_syntax_path;   /* relative paths: in the folder of the user */
extern const struct link_syntax link_syntax_device; /* absolute paths only */
extern const struct link_syntax link_syntax_tcp; /* HOST:PORT, [IPV6]:PORT or LINK_ADDRESS_AUTO */

#endif
