/* TCP addresses, IPv4 and IPv6. */
#include "pty/tcp/tcp_address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char any_port[] = "auto";

/* Splits "HOST:PORT" or "[HOST]:PORT". */
static bool take_apart(const char *text, char *host, size_t host_cap, const char **port)
{
    const char *colon = strrchr(text, ':');
    const char *start = text, *end = colon;

    if (colon == NULL || colon[1] == '\0')
        return false;
    if (text[0] == '[') {
        start = text + 1;
        end = colon - 1;
        if (end < start || *end != ']')
            return false;
    }
    if (end == start || (size_t)(end - start) >= host_cap)
        return false;
    memcpy(host, start, (size_t)(end - start));
    host[end - start] = '\0';
    *port = colon + 1;
    return true;
}

bool tcp_address_find(struct tcp_address *address, const char *text, struct error *error)
{
    const struct addrinfo ask = {.ai_family = AF_UNSPEC,
                                 .ai_socktype = SOCK_STREAM,
                                 .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    struct addrinfo *found, *taken;
    char host[TCP_ADDRESS_TEXT_MAX];
    const char *port;

    *address = (struct tcp_address){0};
    snprintf(address->text, sizeof address->text, "%s", text);
    if (!take_apart(strcmp(text, any_port) == 0 ? "127.0.0.1:0" : text, host, sizeof host, &port))
        return error_set(error, "%.80s is not an address; allowed: auto, HOST:PORT or [IPV6]:PORT",
                         text);
    if (strtoul(port, NULL, 10) > UINT16_MAX) // of such a number, getaddrinfo takes the low bits
        return error_set(error, "%.80s: the port is not in the range 0 to 65535", text);
    int problem = getaddrinfo(host, port, &ask, &found);
    if (problem != 0)
        return error_environment(
            error, "%s: cannot resolve '%s' (%s): give an address such as 127.0.0.1, or auto", text,
            host, gai_strerror(problem));
    /* More drivers speak only IPv4 than only IPv6. */
    for (taken = found; taken->ai_next != NULL && taken->ai_family != AF_INET;)
        taken = taken->ai_next;
    if (taken->ai_family != AF_INET)
        taken = found;
    address->family = taken->ai_family;
    address->size = taken->ai_addrlen;
    memcpy(&address->socket, taken->ai_addr, taken->ai_addrlen);
    freeaddrinfo(found);
    return true;
}

static unsigned port_of(const struct sockaddr_storage *socket)
{
    if (socket->ss_family == AF_INET6)
        return ntohs(((const struct sockaddr_in6 *)socket)->sin6_port);
    return ntohs(((const struct sockaddr_in *)socket)->sin_port);
}

bool tcp_address_bind(struct tcp_address *address, int fd, struct error *error)
{
    if (bind(fd, (const struct sockaddr *)&address->socket, address->size) != 0)
        return tcp_address_fail(address, errno, error);
    if (strcmp(address->text, any_port) != 0)
        return true;
    address->size = sizeof address->socket;
    if (getsockname(fd, (struct sockaddr *)&address->socket, &address->size) != 0)
        return tcp_address_fail(address, errno, error);
    tcp_address_write(&address->socket, address->size, address->text);
    return true;
}

bool tcp_address_is_loopback(const struct tcp_address *address)
{
    if (address->family == AF_INET6) {
        const struct in6_addr *host = &((const struct sockaddr_in6 *)&address->socket)->sin6_addr;
        return IN6_IS_ADDR_LOOPBACK(host) ||
               (IN6_IS_ADDR_V4MAPPED(host) && host->s6_addr[12] == 127);
    }
    return ntohl(((const struct sockaddr_in *)&address->socket)->sin_addr.s_addr) >> 24 == 127;
}

void tcp_address_write(const struct sockaddr_storage *from, socklen_t size,
                       char text[TCP_ADDRESS_TEXT_MAX])
{
    char host[TCP_ADDRESS_TEXT_MAX - 16];

    if (getnameinfo((const struct sockaddr *)from, size, host, sizeof host, NULL, 0,
                    NI_NUMERICHOST) != 0)
        snprintf(host, sizeof host, "?");
    snprintf(text, TCP_ADDRESS_TEXT_MAX, strchr(host, ':') != NULL ? "[%s]:%u" : "%s:%u", host,
             port_of(from));
}

bool tcp_address_fail(const struct tcp_address *address, int reason, struct error *error)
{
    unsigned port = port_of(&address->socket);
    char program[256];

    if (reason == EADDRINUSE)
        return error_environment(error,
                                 "%s: the port is in use by another program: choose another port "
                                 "or auto, or stop that program (ss -ltnp 'sport = :%u' names it)",
                                 address->text, port);
    if (reason == EACCES || reason == EPERM) {
        ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);

        program[size > 0 ? size : 0] = '\0';
        return error_environment(
            error,
            "%s: you have no right to port %u: choose one from 1024 on or auto; "
            "or once run: sudo sysctl net.ipv4.ip_unprivileged_port_start=%u; "
            "or: sudo setcap cap_net_bind_service=+ep %s",
            address->text, port, port, program);
    }
    if (reason == EADDRNOTAVAIL)
        return error_environment(
            error,
            "%s: this machine has no such address: `ip address` shows those that "
            "it has; 127.0.0.1 always exists, 0.0.0.0 means all",
            address->text);
    return error_environment(error, "%s: cannot listen there: %s", address->text, strerror(reason));
}
