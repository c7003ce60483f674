/* Any bytes as a client of RFC 2217: no buffer overflows, settings stay in their ranges, and
 * answers are valid telnet. */
#include <assert.h>
#include <string.h>

#include "base/modem_lines.h"
#include "pty/tcp/rfc2217.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_settings(const struct rfc2217 *port)
{
    assert(port->data_bits >= 5 && port->data_bits <= 8);
    assert(port->parity >= RFC2217_PARITY_NONE && port->parity <= RFC2217_PARITY_SPACE);
    assert(port->stop_bits >= 1 && port->stop_bits <= 3);
    assert((port->lines & ~(unsigned)MODEM_HOST_LINES) == 0);
}

/* A client that reads the answers finds no data among them. */
static void check_reply(struct rfc2217 *port, struct rfc2217 *client)
{
    for (size_t i = 0; i < port->reply_size; i++) {
        enum rfc2217_news news = rfc2217_push(client, port->reply[i]);
        assert(news != RFC2217_DATA);
        client->reply_size = 0;
    }
    port->reply_size = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rfc2217 port, client;
    size_t received = 0;
    rfc2217_begin(&port, 115200, MODEM_ROBOT_READY);
    rfc2217_begin(&client, 115200, 0);
    client.speech = RFC2217_TELNET;
    for (size_t i = 0; i < size; i++) {
        if (rfc2217_push(&port, data[i]) == RFC2217_DATA)
            received += port.data_size;
        assert(received <= i + 1);
        check_settings(&port);
        check_reply(&port, &client);
        rfc2217_set_lines(&port, data[i] & MODEM_ROBOT_LINES);
        check_reply(&port, &client);
    }
    assert(port.speech != RFC2217_RAW || (port.errors == 0 && received == size));
    return 0;
}
