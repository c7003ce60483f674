/* A TCP address: parsed from text, bound, and written as text. */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>

#include "base/error.h"

enum { TCP_ADDRESS_TEXT_MAX = 160 }; /* bytes with NUL; more than a scene allows */

struct tcp_address {
    char text[TCP_ADDRESS_TEXT_MAX]; /* "127.0.0.1:1000", "[::1]:1000" */
    int family;
    struct sockaddr_storage socket;
    socklen_t size;
};

/* Finds the address of "HOST:PORT", "[IPV6]:PORT" or "auto". Resolving a host name may block for a
 * while. If there are several addresses, the first IPv4 address is used. Returns false with `error`
 * filled. */
bool tcp_address_find(struct tcp_address *address, const char *text, struct error *error);

/* Binds a socket to the address. "auto" becomes a free port. Returns false with `error` filled. */
bool tcp_address_bind(struct tcp_address *address, int fd, struct error *error);

/* Whether only this machine can reach the address. */
bool tcp_address_is_loopback(const struct tcp_address *address);

/* Writes an address as text. */
void tcp_address_write(const struct sockaddr_storage *from, socklen_t size,
                       char text[TCP_ADDRESS_TEXT_MAX]);

/* Fills `error` with the reason why the address cannot be used (REASON: an errno) and the remedy.
 * Returns false. */
bool tcp_address_fail(const struct tcp_address *address, int reason, struct error *error);
