/* A driver on libserialport, as in its manual: finds the port by name, opens and configures it,
 * flushes, requests packets and drives. Exit code 0 only if the robot answered with complete
 * packets. usage: kobuki_serialport PORT PACKETS */
#define _GNU_SOURCE
#include <libserialport.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/hosts/kobuki_client.h"

enum { SILENCE_MS = 10000, DRIVE_MM_S = 100 };

static bool try(enum sp_return result, const char *what)
{
    if (result >= SP_OK)
        return true;
    char *reason = result == SP_ERR_FAIL ? sp_last_error_message() : NULL;
    fprintf(stderr, "kobuki_serialport: %s: %s\n", what, reason ? reason : "refused as impossible");
    sp_free_error_message(reason);
    return false;
}

static bool configure(struct sp_port *port)
{
    return try(sp_set_baudrate(port, 115200), "baud") && try(sp_set_bits(port, 8), "bits") &&
           try(sp_set_parity(port, SP_PARITY_NONE), "parity") &&
           try(sp_set_stopbits(port, 1), "stop bits") &&
           try(sp_set_flowcontrol(port, SP_FLOWCONTROL_NONE), "flow control") &&
           try(sp_flush(port, SP_BUF_INPUT), "flush");
}

/* Reads the modem lines of the ready robot, and switches DTR and the break condition. */
static bool use_lines(struct sp_port *port)
{
    enum sp_signal lines;
    if (!try(sp_get_signals(port, &lines), "lines") ||
        !try(sp_set_dtr(port, SP_DTR_OFF), "DTR off") ||
        !try(sp_set_dtr(port, SP_DTR_ON), "DTR on") || !try(sp_start_break(port), "break") ||
        !try(sp_end_break(port), "end of the break"))
        return false;
    printf("lines%s%s%s%s\n", lines & SP_SIG_CTS ? " cts" : "", lines & SP_SIG_DSR ? " dsr" : "",
           lines & SP_SIG_DCD ? " dcd" : "", lines & SP_SIG_RI ? " ri" : "");
    return true;
}

/* Reads packets, and drives while they come. */
static bool talk(struct sp_port *port, unsigned packets)
{
    struct kobuki_client protocol;
    uint8_t bytes[256], command[KOBUKI_COMMAND_MAX];
    size_t size = kobuki_base_control(command, DRIVE_MM_S, 0);
    kobuki_client_init(&protocol);
    while (protocol.counters.packets < packets) {
        int got = sp_blocking_read_next(port, bytes, sizeof bytes, SILENCE_MS);
        if (got <= 0) {
            fprintf(stderr, "kobuki_serialport: the robot is silent\n");
            return false;
        }
        for (int i = 0; i < got; i++)
            kobuki_client_push(&protocol, bytes[i]);
        if (!try(sp_blocking_write(port, command, size, SILENCE_MS), "write"))
            return false;
    }
    printf("%llu packets, %llu damaged, left wheel at %u\n",
           (unsigned long long)protocol.counters.packets,
           (unsigned long long)protocol.counters.bad_packets, protocol.reading.left_ticks);
    return protocol.counters.bad_packets == 0 && try(sp_drain(port), "drain");
}

int main(int argc, char **argv)
{
    struct sp_port *port = NULL;
    if (argc != 3) {
        fputs("usage: kobuki_serialport PORT PACKETS\n", stderr);
        return 2;
    }
    bool is_open = try(sp_get_port_by_name(argv[1], &port), argv[1]) &&
                   try(sp_open(port, SP_MODE_READ_WRITE), argv[1]);
    bool is_well = is_open && configure(port) && use_lines(port) &&
                   talk(port, (unsigned)strtoul(argv[2], NULL, 10));
    if (is_open)
        is_well = try(sp_close(port), "close") && is_well;
    sp_free_port(port);
    return is_well ? 0 : 1;
}
