/* What can carry a channel, as a table. */
#include "app/run/carrier.h"

#include "pty/pty_link.h"
#include "pty/tcp_link.h"
#include "pty/uart_link.h"

static struct byte_link *open_pty(const struct carrier_request *request,
                                  struct byte_link_error *error)
{
    const struct pty_link_config config = {
        .path = request->link->address,
        .sub_folder = request->shared->ports,
        .baud = request->baud,
        .watches = request->shared->watches,
    };
    return pty_link_open(&config, error);
}

/* TCP has no baud: the simulated wire alone paces the bytes. A robot that is a server itself lets
 * its clients wait. */
static struct byte_link *open_tcp(const struct carrier_request *request,
                                  struct byte_link_error *error)
{
    bool is_server = request->kind == CHANNEL_TCP_SERVER;
    bool is_private = request->shared->ports && request->link->is_default;
    return tcp_link_open(is_private ? "auto" : request->link->address,
                         is_server ? TCP_LINK_WAIT : TCP_LINK_RESET, error);
}

static struct byte_link *open_uart(const struct carrier_request *request,
                                   struct byte_link_error *error)
{
    const struct uart_link_config config = {.path = request->link->address, .baud = request->baud};
    return uart_link_open(&config, error);
}

struct byte_link *carrier_open(const struct carrier_request *request, struct byte_link_error *error)
{
    static struct byte_link *(*const carriers[])(const struct carrier_request *request,
                                                 struct byte_link_error *error) = {
        [SCENE_PTY] = open_pty,
        [SCENE_TCP] = open_tcp,
        [SCENE_UART] = open_uart,
    };
    return carriers[request->link->carrier](request, error);
}
