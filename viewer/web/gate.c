/* Checks host, origin, token and method, in this order. */
#include "viewer/web/gate.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

void doors_init(struct doors *doors)
{
    for (size_t i = 0; i < DOORS_MAX; i++)
        doors->all[i] = (struct door){.fd = -1};
}

static bool is_waited_for(const struct door *door)
{
    return door->fd >= 0 && !door->is_asked && !door->is_shut;
}

/* The server then finds the connection closed. */
static void shut(struct door *door)
{
    door->is_shut = true;
    shutdown(door->fd, SHUT_RDWR);
}

static void shut_one_stranger(struct doors *doors)
{
    size_t count = 0;
    struct door *first = NULL;
    for (struct door *door = doors->all; door < doors->all + DOORS_MAX; door++) {
        if (!is_waited_for(door) || door->is_known)
            continue;
        count++;
        if (!first || door->since_ms < first->since_ms)
            first = door;
    }
    if (count >= STRANGERS_MAX)
        shut(first);
}

struct door *doors_enter(struct doors *doors, int fd, int64_t now_ms)
{
    shut_one_stranger(doors);
    for (struct door *door = doors->all; door < doors->all + DOORS_MAX; door++) {
        if (door->fd >= 0)
            continue;
        *door = (struct door){.fd = fd, .since_ms = now_ms};
        return door;
    }
    return NULL;
}

void door_wait(struct door *door, int64_t now_ms)
{
    door->since_ms = now_ms;
    door->is_asked = false;
}

void door_leave(struct door *door)
{
    *door = (struct door){.fd = -1};
}

void doors_shut_late(struct doors *doors, int64_t now_ms)
{
    for (struct door *door = doors->all; door < doors->all + DOORS_MAX; door++)
        if (is_waited_for(door) && now_ms - door->since_ms > DOOR_LIMIT_MS)
            shut(door);
}

/* ---- Host ---- */

/* The length of a host without its port; 0: malformed (RFC 9110, 7.2). */
static size_t host_size(const char *host)
{
    const char *end = *host == '[' ? strchr(host, ']') : NULL;
    size_t size = end ? (size_t)(end + 1 - host) : strcspn(host, ":");
    size_t digits = host[size] == ':' ? strspn(host + size + 1, "0123456789") : 0;
    bool has_port = digits >= 1 && digits <= 5 && host[size + 1 + digits] == '\0';
    return host[size] == '\0' || has_port ? size : 0;
}

static bool is_host(const char *host, const char *wanted)
{
    return host_size(host) == strlen(wanted) && strncasecmp(host, wanted, strlen(wanted)) == 0;
}

/* An IPv4 address, or an IPv6 address in brackets. */
static bool is_numeric(const char *host)
{
    struct in6_addr address;
    char text[INET6_ADDRSTRLEN];
    size_t size = host_size(host), brackets = *host == '[' ? 1 : 0;
    if (size <= 2 * brackets || size - 2 * brackets >= sizeof text)
        return false;
    memcpy(text, host + brackets, size - 2 * brackets);
    text[size - 2 * brackets] = '\0';
    return inet_pton(brackets ? AF_INET6 : AF_INET, text, &address) == 1;
}

/* Whether `Host: HOST` names this machine: localhost, a loopback address, or GATE's host; with any
 * port. A malicious page can map its own name to the address of this machine, but it cannot send a
 * number as host. Therefore a remote gate accepts all numeric addresses. */
static bool gate_knows_host(const struct gate *gate, const char *host)
{
    static const char *const loopback[] = {"localhost", "127.0.0.1", "[::1]"};
    for (size_t i = 0; host && i < sizeof loopback / sizeof *loopback; i++)
        if (is_host(host, loopback[i]))
            return true;
    bool is_named = host && gate->host && *gate->host && is_host(host, gate->host);
    return is_named || (host && gate->is_remote && is_numeric(host));
}

/* ---- Origin: the page that makes a browser send a request ---- */

static bool is_own_origin(const struct gate_request *request)
{
    const char *origin = request->origin;
    // A port may be forwarded over TLS.
    if (strncasecmp(origin, "http://", 7) == 0)
        origin += 7;
    else if (strncasecmp(origin, "https://", 8) == 0)
        origin += 8;
    else
        return false;
    return strcasecmp(origin, request->host) == 0;
}

static bool is_foreign(const struct gate_request *request)
{
    const char *site = request->fetch_site;
    if (request->origin && !is_own_origin(request))
        return true;
    return site && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0;
}

/* ---- Token ---- */

/* Takes the same time wherever the first difference is. */
static bool is_token(const char *token, const char *said)
{
    unsigned difference = 0;
    for (size_t i = 0; i < GATE_TOKEN_SIZE; i++) {
        if (!said[i])
            return false;
        difference |= (unsigned char)token[i] ^ (unsigned char)said[i];
    }
    return difference == 0;
}

/* ---- All of it ---- */

/* Whether the type is JSON, with or without parameters. */
static bool is_json(const char *type)
{
    static const char json[] = "application/json";
    size_t size = sizeof json - 1;
    if (!type || strncasecmp(type, json, size) != 0)
        return false;
    size += strspn(type + size, " \t");
    return type[size] == '\0' || type[size] == ';';
}

static enum gate_answer refuse(enum gate_answer answer, const char **why, const char *sentence)
{
    *why = sentence;
    return answer;
}

/* A link on another page may lead here, since opening the page changes nothing. */
static bool is_page_opened(const struct gate_request *request, const char *name)
{
    return strcmp(request->method, "GET") == 0 && *name == '\0' && !request->origin;
}

static enum gate_answer ask_post(const struct gate *gate, const struct gate_request *request,
                                 const char *name, const char **why)
{
    // look is the old name of view, until the next release.
    bool is_view = strcmp(name, "view") == 0 || strcmp(name, "look") == 0;
    if (!is_view && strcmp(name, "do") != 0)
        return refuse(GATE_WRONG_METHOD, why, "POST is allowed only for /do and /view");
    // Only a page of the same origin can send this type without a CORS preflight request.
    if (!is_json(request->content_type))
        return refuse(GATE_WRONG_TYPE, why, "send application/json");
    if (!is_view && !gate->is_writable)
        return refuse(GATE_FORBIDDEN, why,
                      "this page is read-only; start the test with --web-write to allow commands");
    return GATE_OPEN;
}

enum gate_answer gate_ask(const struct gate *gate, const struct gate_request *request,
                          const char **name, const char **why)
{
    bool is_post = strcmp(request->method, "POST") == 0;
    *name = "";
    if (!gate_knows_host(gate, request->host))
        return refuse(GATE_FORBIDDEN, why, "unknown host name; --web-host NAME allows it");
    if (request->path[0] != '/' || !is_token(gate->token, request->path + 1))
        return refuse(GATE_FORBIDDEN, why, "the address needs the token that ptybot has printed");
    const char *rest = request->path + 1 + GATE_TOKEN_SIZE;
    if (*rest != '/')
        return refuse(GATE_NOT_FOUND, why, "the address ends with /");
    *name = rest + 1;
    if (is_foreign(request) && !is_page_opened(request, *name))
        return refuse(GATE_FORBIDDEN, why, "the request is from another web page");
    if (is_post)
        return ask_post(gate, request, *name, why);
    if (strcmp(request->method, "GET") != 0 && strcmp(request->method, "HEAD") != 0)
        return refuse(GATE_WRONG_METHOD, why, "only GET, HEAD and POST");
    return GATE_OPEN;
}
