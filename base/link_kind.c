/* The syntax of paths and of TCP addresses, and the table of link kinds. */
#include "base/link_kind.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { ADDRESS_PORT_MAX = 65535 };

static bool address_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool address_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* ---- Paths ---- */

/* Copies a path without its empty and `.` parts. */
static const char *address_path(const char *text, char *address)
{
    size_t used = 0;
    if (text[0] == '/')
        address[used++] = '/';
    size_t root = used;
    for (const char *part = text; *part;) {
        size_t size = strcspn(part, "/");
        if (size == 2 && memcmp(part, "..", 2) == 0)
            return "contains a part `..`; write the path without it";
        // The lock files in the folder of the run have such names.
        if (size > 1 && part[0] == '.' && text[0] != '/')
            return "begins with a dot; such names are reserved for lock files";
        if (size > 0 && !(size == 1 && part[0] == '.')) {
            if (used > root)
                address[used++] = '/';
            memcpy(address + used, part, size);
            used += size;
        }
        part += size;
        part += *part == '/';
    }
    address[used] = '\0';
    size_t length = strlen(text);
    if (used == root || text[length - 1] == '/')
        return "is not a file name; allowed: a name such as kobuki, or a path that does not end "
               "with /";
    return NULL;
}

static const char *address_device(const char *text, char *address)
{
    if (text[0] != '/')
        return "is not a device; allowed: an absolute path such as /dev/ttyUSB0";
    return address_path(text, address);
}

/* Whether path B equals A or is below it. */
static bool address_holds(const char *a, const char *b)
{
    size_t length = strlen(a);
    return strncmp(a, b, length) == 0 && (b[length] == '\0' || b[length] == '/');
}

static bool address_path_clash(const char *a, const char *b)
{
    return address_holds(a, b) || address_holds(b, a);
}

static const struct link_syntax link_syntax_path = {
    .allowed = "a path", .noun = "path", .set = address_path, .clash = address_path_clash};

static const struct link_syntax link_syntax_device = {.allowed = "an absolute path",
                                                      .noun = "path",
                                                      .set = address_device,
                                                      .clash = address_path_clash};

/* ---- TCP ---- */

/* The `:port` after the host, or NULL. */
static const char *address_colon(const char *text)
{
    if (text[0] != '[')
        return strchr(text, ':');
    const char *end = strchr(text, ']');
    return end && end[1] == ':' ? end + 1 : NULL;
}

/* Four numbers from 0 to 255. */
static bool address_is_ipv4(const char *host, size_t size)
{
    unsigned parts = 0;
    size_t at = 0;
    while (at < size) {
        unsigned value = 0;
        size_t digits = 0;
        while (at < size && address_is_digit(host[at]) && digits < 4) {
            value = value * 10 + (unsigned)(host[at] - '0');
            at++;
            digits++;
        }
        if (digits == 0 || digits > 3 || value > 255)
            return false;
        parts++;
        if (at < size && (host[at++] != '.' || at == size))
            return false;
    }
    return parts == 4;
}

/* `[` digits, letters a to f, colons `]`, with an optional zone. Whether they form a valid address
 * is checked when it is opened. */
static bool address_is_ipv6(const char *host, size_t size)
{
    unsigned colons = 0;
    for (size_t i = 1; i + 1 < size && host[i] != '%'; i++) {
        colons += host[i] == ':';
        if (!address_is_digit(host[i]) && !strchr("abcdefABCDEF:.", host[i]))
            return false;
    }
    return colons >= 2;
}

static bool address_is_host(const char *host, size_t size)
{
    if (size > 0 && host[0] == '[')
        return address_is_ipv6(host, size);
    bool is_number = true;
    for (size_t i = 0; i < size; i++) {
        bool is_name = address_is_letter(host[i]) || host[i] == '-' || host[i] == '_';
        if (!is_name && !address_is_digit(host[i]) && host[i] != '.')
            return false;
        is_number = is_number && !is_name;
    }
    return size > 0 && (!is_number || address_is_ipv4(host, size));
}

/* Whether a numeric host is a broadcast or multicast address: a server cannot listen there. */
static bool address_is_group(const char *host, size_t size)
{
    bool is_ff = (host[1] == 'f' || host[1] == 'F') && (host[2] == 'f' || host[2] == 'F');
    unsigned first = 0;
    if (host[0] == '[')
        return size > 5 && is_ff && host[3] != ':' && host[4] != ':';
    if (!address_is_ipv4(host, size))
        return false;
    for (size_t i = 0; host[i] != '.'; i++)
        first = first * 10 + (unsigned)(host[i] - '0');
    return (first >= 224 && first <= 239) || strncmp(host, "255.255.255.255:", size + 1) == 0;
}

static const char *address_tcp(const char *text, char *address)
{
    if (strcmp(text, LINK_ADDRESS_AUTO) == 0) {
        snprintf(address, LINK_ADDRESS_MAX, "%s", text);
        return NULL;
    }
    const char *colon = address_colon(text);
    if (!colon || !address_is_host(text, (size_t)(colon - text)))
        return "is not a TCP address; allowed: auto, or host and port such as \"127.0.0.1:1000\" "
               "or \"[::1]:1000\"";
    if (address_is_group(text, (size_t)(colon - text)))
        return "is a broadcast or multicast address, which cannot accept connections; allowed: an "
               "address of this machine such as 127.0.0.1, or 0.0.0.0 for all";
    unsigned long port = 0;
    const char *digits = colon + 1;
    while (address_is_digit(*digits) && port <= ADDRESS_PORT_MAX)
        port = port * 10 + (unsigned long)(*digits++ - '0');
    if (*digits || port == 0 || port > ADDRESS_PORT_MAX)
        return "has no valid port; allowed: a port from 1 to 65535 after the colon, or auto for "
               "any";
    snprintf(address, LINK_ADDRESS_MAX, "%.*s:%lu", (int)(colon - text), text, port);
    for (char *c = address; *c && *c != '%'; c++) // the zone is the name of an interface
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c + ('a' - 'A') : *c);
    return NULL;
}

/* Whether a server at this host listens on all addresses of the machine. */
static bool address_is_any(const char *address)
{
    return strncmp(address, "0.0.0.0:", 8) == 0 || strncmp(address, "[::]:", 5) == 0;
}

static bool address_tcp_clash(const char *a, const char *b)
{
    if (strcmp(a, LINK_ADDRESS_AUTO) == 0 || strcmp(b, LINK_ADDRESS_AUTO) == 0)
        return false;
    return strcmp(a, b) == 0 || ((address_is_any(a) || address_is_any(b)) &&
                                 strcmp(strrchr(a, ':'), strrchr(b, ':')) == 0);
}

static const struct link_syntax link_syntax_tcp = {
    .allowed = "auto, or host and port such as \"127.0.0.1:1000\"",
    .noun = "address",
    .host = "127.0.0.1",
    .set = address_tcp,
    .clash = address_tcp_clash,
};

/* ---- Kinds ---- */

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
