/* What can carry a channel, as a table. */
#include "sim/app/carrier.h"

#include "pty/pty_link.h"
#include "pty/tcp_link.h"
#include "pty/uart_link.h"

static struct byte_link *open_pty(const struct scene_link *link,
                                  const struct carrier_shared *shared, uint32_t baud,
                                  struct byte_link_error *error)
{
    const struct pty_link_config config = {
        .path = link->address,
        .sub_folder = shared->ports,
        .baud = baud,
        .watches = shared->watches,
    };
    return pty_link_open(&config, error);
}

/* TCP has no baud: the simulated wire alone paces the bytes. */
static struct byte_link *open_tcp(const struct scene_link *link,
                                  const struct carrier_shared *shared, uint32_t baud,
                                  struct byte_link_error *error)
{
    (void)baud;
    return tcp_link_open(shared->ports && link->is_default ? "auto" : link->address, error);
}

static struct byte_link *open_uart(const struct scene_link *link,
                                   const struct carrier_shared *shared, uint32_t baud,
                                   struct byte_link_error *error)
{
    (void)shared;
    return uart_link_open(&(struct uart_link_config){.path = link->address, .baud = baud}, error);
}

struct byte_link *carrier_open(const struct scene_link *link, const struct carrier_shared *shared,
                               uint32_t baud, struct byte_link_error *error)
{
    static struct byte_link *(*const carriers[])(const struct scene_link *link,
                                                 const struct carrier_shared *shared, uint32_t baud,
                                                 struct byte_link_error *error) = {
        [SCENE_PTY] = open_pty,
        [SCENE_TCP] = open_tcp,
        [SCENE_UART] = open_uart,
    };
    return carriers[link->carrier](link, shared, baud, error);
}
