/* The serial devices of this machine, as libserialport lists them. */
#include "pty/uart_ports.h"
#include "pty/byte_link_kind.h"

#include <libserialport.h>
#include <unistd.h>

static const char *text_or(const char *text, const char *otherwise)
{
    return text != NULL ? text : otherwise;
}

static void show(const struct sp_port *port, void (*visit)(void *, const struct uart_port *),
                 void *user)
{
    static const char *const buses[] = {
        [SP_TRANSPORT_NATIVE] = "built in",
        [SP_TRANSPORT_USB] = "usb",
        [SP_TRANSPORT_BLUETOOTH] = "bluetooth",
    };
    const char *path = sp_get_port_name(port);

    visit(user, &(struct uart_port){
                    .path = path,
                    .description = text_or(sp_get_port_description(port), path),
                    .bus = buses[sp_get_port_transport(port)],
                    .serial = text_or(sp_get_port_usb_serial(port), ""),
                    .is_allowed = access(path, R_OK | W_OK) == 0,
                });
}

bool uart_ports_list(void (*visit)(void *user, const struct uart_port *port), void *user,
                     struct byte_link_error *error)
{
    struct sp_port **ports;

    if (sp_list_ports(&ports) != SP_OK)
        return byte_link_fail(error, true,
                              "cannot list the serial devices: see that /sys/class/tty is there");
    for (size_t i = 0; ports[i] != NULL; i++)
        show(ports[i], visit, user);
    sp_free_port_list(ports);
    return true;
}
