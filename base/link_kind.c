/* The table of link kinds, and what follows from a row. */
#include "base/link_kind.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define LINK_ROW(KIND, name, syntax, traits, description)                                          \
    [LINK_##KIND] = {#name, &link_syntax_##syntax, traits, description},

const struct link_kind_row link_kinds[LINK_KIND_COUNT] = {LINK_KINDS(LINK_ROW, LINK_ROW)};

bool link_kind_fits(enum link_kind kind, bool is_server)
{
    return !is_server || (link_kinds[kind].traits & LINK_FOR_SERVERS) != 0;
}

enum link_kind link_kind_default(bool is_server)
{
    enum link_kind kind = 0;
    while (!link_kind_fits(kind, is_server))
        kind++;
    return kind;
}

enum link_kind link_kind_split(const char *text, const char **address)
{
    for (enum link_kind kind = 0; kind < LINK_KIND_COUNT; kind++) {
        size_t size = strlen(link_kinds[kind].name);
        if (strncmp(text, link_kinds[kind].name, size) != 0 || text[size] != ':')
            continue;
        *address = text + size + 1;
        return kind;
    }
    *address = text;
    bool is_tcp = strcmp(text, LINK_ADDRESS_AUTO) == 0 || (text[0] != '/' && strchr(text, ':'));
    return is_tcp ? LINK_TCP : 0;
}

const char *link_address_set(enum link_kind kind, const char *text,
                             char address[static LINK_ADDRESS_MAX])
{
    if (strlen(text) >= LINK_ADDRESS_MAX)
        return "is too long; allowed: at most 127 bytes";
    if (text_control(text, strlen(text)) >= 0)
        return "has a control character; remove it";
    return link_kinds[kind].syntax->set(text, address);
}

void link_address_default(enum link_kind kind, const char *name, unsigned port,
                          char address[static LINK_ADDRESS_MAX])
{
    const char *host = link_kinds[kind].syntax->host;
    if (host)
        snprintf(address, LINK_ADDRESS_MAX, "%s:%u", host, port);
    else
        snprintf(address, LINK_ADDRESS_MAX, "%s", name);
}

bool link_address_clash(enum link_kind a_kind, const char *a, enum link_kind b_kind, const char *b)
{
    bool (*clash)(const char *a, const char *b) = link_kinds[a_kind].syntax->clash;
    return clash == link_kinds[b_kind].syntax->clash && clash(a, b);
}
