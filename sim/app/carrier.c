/* What can carry a channel, as a table. */
#include "sim/app/carrier.h"

#include <stdio.h>

#include "pty/pty_link.h"
#include "pty/tcp_link.h"

static struct byte_link *open_pty(const struct scene_link *link, uint32_t baud,
                                  struct byte_link_error *error)
{
    return pty_link_open(&(struct pty_link_config){.path = link->address, .baud = baud}, error);
}

/* TCP has no baud: the simulated wire alone paces the bytes. */
static struct byte_link *open_tcp(const struct scene_link *link, uint32_t baud,
                                  struct byte_link_error *error)
{
    (void)baud;
    return tcp_link_open(link->address, error);
}

static const struct carrier {
    const char *name;
    struct byte_link *(*open)(const struct scene_link *link, uint32_t baud,
                              struct byte_link_error *error);
} carriers[] = {
    [SCENE_PTY] = {"pty", open_pty},
    [SCENE_TCP] = {"tcp", open_tcp},
    [SCENE_UART] = {"uart", NULL},
};

struct byte_link *carrier_open(const struct scene_link *link, uint32_t baud,
                               struct byte_link_error *error)
{
    const struct carrier *carrier = &carriers[link->carrier];
    if (carrier->open)
        return carrier->open(link, baud, error);
    error->is_environment = false;
    snprintf(error->text, sizeof error->text,
             "%s: not yet available in this build: %s links; use pty", link->address,
             carrier->name);
    return NULL;
}
