/* Extracts serial bytes from USB packets: usbmon's header, requests to the adapters, FTDI's status
 * bytes. */
#include "app/lab/recording/usb_serial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"

enum {
    DEVICES_MAX = 64, /* chosen: more than a bus has serial adapters */
    PORTS_MAX = 4,    /* ports of an FT4232 and of a CP2108 */
    PENDING_MAX = 8,  /* more than one packet produces: a status, four errors, the data */
    HEADER = 48,      /* usbmon.rst: struct usbmon_packet, without ... */
    HEADER_MMAP = 64, /* ... and with its last four members */
    FULL_SPEED = 64,  /* bytes of a bulk packet, USB 2.0 chapter 5.8.3 */
    HIGH_SPEED = 512,
};

enum adapter { ADAPTER_UNKNOWN, ADAPTER_FTDI, ADAPTER_CP210X };

struct port {
    unsigned lines; /* bits of enum modem_line */
    uint32_t baud;
};

struct device {
    unsigned bus, number;
    enum adapter adapter;
    size_t packet_max; /* FTDI only; 0: not known yet */
    struct port ports[PORTS_MAX];
};

struct pending {
    struct capture_block block;
    size_t device;
    unsigned port;
};

struct usb_serial {
    struct device devices[DEVICES_MAX];
    size_t count;
    struct pending pending[PENDING_MAX];
    size_t pending_count, handed;
    uint8_t *data; /* without status bytes; size of the largest packet so far */
    size_t data_max;
};

/* The needed data of one packet. */
struct packet {
    int64_t time_ns;
    bool is_submission; /* a request of the driver; otherwise its completion */
    enum { TRANSFER_CONTROL = 2, TRANSFER_BULK = 3 } transfer;
    bool is_in;
    unsigned endpoint;
    size_t device;
    const uint8_t *setup; /* eight bytes, or NULL */
    const uint8_t *bytes;
    size_t size;
};

struct usb_serial *usb_serial_create(void)
{
    return calloc(1, sizeof(struct usb_serial));
}

void usb_serial_destroy(struct usb_serial *usb)
{
    if (usb)
        free(usb->data);
    free(usb);
}

static void give(struct usb_serial *usb, const struct packet *packet, unsigned port,
                 enum capture_kind kind, const uint8_t *bytes, size_t size)
{
    if (usb->pending_count == PENDING_MAX)
        return;
    const struct port *at = &usb->devices[packet->device].ports[port];
    usb->pending[usb->pending_count++] =
        (struct pending){.device = packet->device,
                         .port = port,
                         .block = {.kind = kind,
                                   .time_ns = packet->time_ns,
                                   .lines = at->lines,
                                   .baud = kind == CAPTURE_STATUS ? at->baud : 0,
                                   .bytes = bytes,
                                   .size = size,
                                   .comment = ""}};
}

static void set_lines(struct usb_serial *usb, const struct packet *packet, unsigned port,
                      unsigned which, unsigned lines)
{
    struct port *at = &usb->devices[packet->device].ports[port];
    unsigned now = (at->lines & ~which) | (lines & which);
    if (now == at->lines)
        return;
    at->lines = now;
    give(usb, packet, port, CAPTURE_STATUS, NULL, 0);
}

static void set_baud(struct usb_serial *usb, const struct packet *packet, unsigned port,
                     uint32_t baud)
{
    struct port *at = &usb->devices[packet->device].ports[port];
    if (baud == 0 || baud == at->baud)
        return;
    at->baud = baud;
    give(usb, packet, port, CAPTURE_STATUS, NULL, 0);
}

/* ---- FTDI ---- */

/* The intended baud of a divisor: a usual baud within 3 %, which is the tolerance of UARTs. */
static uint32_t usual_baud(double baud)
{
    static const uint32_t usual[] = {300,   600,   1200,   2400,   4800,   9600,   19200,  38400,
                                     57600, 76800, 115200, 230400, 460800, 500000, 921600, 1000000};
    for (size_t i = 0; i < COUNT(usual); i++)
        if (baud > 0.97 * usual[i] && baud < 1.03 * usual[i])
            return usual[i];
    return (uint32_t)(baud + 0.5);
}

/* Inverse of ftdi_232bm_baud_base_to_divisor and similar functions in ftdi_sio.c. The third bit of
 * the fraction is the lowest bit of the index. If the low byte of the index is the port, it is the
 * lowest bit of the high byte. */
static uint32_t ftdi_baud(unsigned value, unsigned index, bool has_ports)
{
    static const uint8_t eighths[8] = {0, 4, 2, 1, 3, 5, 6, 7};
    unsigned high = has_ports ? index >> 8 : index;
    unsigned whole = value & 0x3FFF, fraction = eighths[(value >> 14 & 3) | (high & 1) << 2];
    bool is_fast = (high & 2) != 0; // H chips: 12 MHz instead of 3 MHz
    double clock = is_fast ? 12e6 : 3e6, divisor = whole + fraction / 8.0;
    if (whole == 0)
        return (uint32_t)clock;
    if (whole == 1)
        return (uint32_t)(clock / 1.5);
    return usual_baud(clock / divisor);
}

static void ftdi_request(struct usb_serial *usb, const struct packet *packet)
{
    enum { SET_MODEM_CTRL = 1, SET_BAUD = 3 };
    const uint8_t *setup = packet->setup;
    unsigned value = setup[2] | (unsigned)setup[3] << 8, index = setup[4] | (unsigned)setup[5] << 8;
    // If a chip has several ports, the low byte of the index is the port, from 1 on. Otherwise it
    // is 0, or belongs to the fraction of the baud.
    size_t packet_max = usb->devices[packet->device].packet_max;
    bool has_ports = setup[1] == SET_BAUD ? index > 0xFF || packet_max == HIGH_SPEED : index > 0;
    unsigned port = has_ports && (index & 0xFF) > 0 ? (index & 0xFF) - 1 : 0;
    if (port >= PORTS_MAX)
        return;
    if (setup[1] == SET_BAUD)
        set_baud(usb, packet, port, ftdi_baud(value, index, has_ports));
    if (setup[1] == SET_MODEM_CTRL)
        set_lines(usb, packet, port, value >> 8 & (MODEM_DTR | MODEM_RTS), value & 0xFF);
}

/* Whether these two bytes may be a status (ftdi_sio.h). Bits 0..3 of the first byte must be 1 0 0
 * 0. The second byte may contain errors, a break, and the two bits of the transmitter, but not bits
 * 0 and 7. */
static bool is_ftdi_status(const uint8_t *bytes)
{
    return (bytes[0] & 0x0F) == 0x01 && (bytes[1] & 0x81) == 0;
}

/* The packet size. It is detected by the status at the start of each packet of a transfer. */
static size_t ftdi_packet_max(const uint8_t *bytes, size_t size)
{
    for (size_t at = FULL_SPEED; at < size; at += FULL_SPEED)
        if (size - at < 2 || !is_ftdi_status(bytes + at))
            return HIGH_SPEED;
    return FULL_SPEED;
}

static void ftdi_status(struct usb_serial *usb, const struct packet *packet, unsigned port,
                        const uint8_t *status)
{
    static const struct {
        uint8_t bit;
        unsigned what;
    } lines[] = {{0x10, MODEM_CTS}, {0x20, MODEM_DSR}, {0x40, MODEM_RI}, {0x80, MODEM_DCD}},
      errors[] = {{0x02, CAPTURE_OVERFLOW},
                  {0x04, CAPTURE_PARITY_ERROR},
                  {0x08, CAPTURE_FRAMING_ERROR},
                  {0x10, CAPTURE_BREAK}};
    unsigned on = 0;
    for (size_t i = 0; i < COUNT(lines); i++)
        on |= status[0] & lines[i].bit ? lines[i].what : 0;
    set_lines(usb, packet, port, MODEM_ROBOT_LINES, on);
    for (size_t i = 0; i < COUNT(errors); i++)
        if (status[1] & errors[i].bit)
            give(usb, packet, port, errors[i].what, NULL, 0);
}

static void ftdi_in(struct usb_serial *usb, const struct packet *packet, unsigned port)
{
    struct device *device = &usb->devices[packet->device];
    if (device->packet_max == 0 && packet->size > FULL_SPEED)
        device->packet_max = ftdi_packet_max(packet->bytes, packet->size);
    size_t step = device->packet_max ? device->packet_max : FULL_SPEED, used = 0;
    if (!array_reserve(&usb->data, &usb->data_max, packet->size, 1))
        return;
    for (size_t at = 0; packet->size - at >= 2; at += step) {
        size_t part = packet->size - at < step ? packet->size - at : step;
        ftdi_status(usb, packet, port, packet->bytes + at);
        memcpy(usb->data + used, packet->bytes + at + 2, part - 2);
        used += part - 2;
        if (part < step || packet->size - at - part == 0)
            break;
    }
    if (used > 0)
        give(usb, packet, port, CAPTURE_TO_HOST, usb->data, used);
}

/* ---- CP210x ---- */

static void cp210x_request(struct usb_serial *usb, const struct packet *packet)
{
    enum { SET_BAUDDIV = 0x01, SET_MHS = 0x07, SET_BAUDRATE = 0x1E };
    const uint8_t *setup = packet->setup, *bytes = packet->bytes;
    unsigned value = setup[2] | (unsigned)setup[3] << 8, port = setup[4];
    if (port >= PORTS_MAX)
        return;
    if (setup[1] == SET_BAUDRATE && packet->size >= 4)
        set_baud(usb, packet, port,
                 bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
                     (uint32_t)bytes[3] << 24);
    if (setup[1] == SET_BAUDDIV && value > 0)
        set_baud(usb, packet, port, usual_baud(3686400.0 / value));
    if (setup[1] == SET_MHS)
        set_lines(usb, packet, port, value >> 8 & (MODEM_DTR | MODEM_RTS), value & 0xFF);
}

/* ---- Packets ---- */

/* Identifies the adapter by the vendor in a device descriptor. */
static void read_descriptor(struct device *device, const struct packet *packet)
{
    if (packet->size < 18 || packet->bytes[0] != 18 || packet->bytes[1] != 1)
        return;
    unsigned vendor = packet->bytes[8] | (unsigned)packet->bytes[9] << 8;
    if (vendor == 0x0403)
        device->adapter = ADAPTER_FTDI;
    if (vendor == 0x10C4)
        device->adapter = ADAPTER_CP210X;
}

static void control(struct usb_serial *usb, const struct packet *packet)
{
    enum { FTDI_OUT = 0x40, CP210X_OUT = 0x41 }; // vendor requests, to a device or an interface
    struct device *device = &usb->devices[packet->device];
    if (!packet->is_submission && packet->is_in)
        read_descriptor(device, packet);
    if (!packet->is_submission || !packet->setup)
        return;
    if (device->adapter == ADAPTER_UNKNOWN)
        device->adapter = packet->setup[0] == FTDI_OUT     ? ADAPTER_FTDI
                          : packet->setup[0] == CP210X_OUT ? ADAPTER_CP210X
                                                           : ADAPTER_UNKNOWN;
    if (device->adapter == ADAPTER_FTDI && packet->setup[0] == FTDI_OUT)
        ftdi_request(usb, packet);
    if (device->adapter == ADAPTER_CP210X && packet->setup[0] == CP210X_OUT)
        cp210x_request(usb, packet);
}

static void bulk(struct usb_serial *usb, const struct packet *packet)
{
    struct device *device = &usb->devices[packet->device];
    // Outgoing data is in the submission of a transfer, incoming data is in its completion.
    if (packet->is_submission == packet->is_in || packet->size == 0)
        return;
    if (device->adapter == ADAPTER_UNKNOWN && packet->is_in && packet->size >= 2 &&
        is_ftdi_status(packet->bytes))
        device->adapter = ADAPTER_FTDI;
    // Endpoints: FTDI 81/02, 83/04 ...; CP210x 81/01, 82/02 ...
    unsigned port = packet->endpoint == 0               ? 0
                    : device->adapter == ADAPTER_FTDI   ? (packet->endpoint - 1) / 2
                    : device->adapter == ADAPTER_CP210X ? packet->endpoint - 1
                                                        : 0;
    if (port >= PORTS_MAX)
        return;
    if (packet->is_in && device->adapter == ADAPTER_FTDI)
        ftdi_in(usb, packet, port);
    else
        give(usb, packet, port, packet->is_in ? CAPTURE_TO_HOST : CAPTURE_TO_ROBOT, packet->bytes,
             packet->size);
}

/* The index of a device, which is added if necessary. SIZE_MAX: there are too many. */
static size_t find_device(struct usb_serial *usb, unsigned bus, unsigned number)
{
    for (size_t i = 0; i < usb->count; i++)
        if (usb->devices[i].bus == bus && usb->devices[i].number == number)
            return i;
    if (usb->count == DEVICES_MAX)
        return SIZE_MAX;
    usb->devices[usb->count] = (struct device){.bus = bus, .number = number};
    return usb->count++;
}

void usb_serial_packet(struct usb_serial *usb, const struct usb_serial_source *source,
                       const uint8_t *bytes, size_t size)
{
    size_t header = source->linktype == USB_SERIAL_LINKTYPE ? HEADER : HEADER_MMAP;
    usb->pending_count = usb->handed = 0;
    if (size < header)
        return;
    unsigned bus = source->is_big_endian ? (unsigned)bytes[12] << 8 | bytes[13]
                                         : bytes[12] | (unsigned)bytes[13] << 8;
    struct packet packet = {
        .time_ns = source->time_ns,
        .is_submission = bytes[8] == 'S',
        .transfer = bytes[9],
        .is_in = (bytes[10] & 0x80) != 0,
        .endpoint = bytes[10] & 0x0F,
        .device = find_device(usb, bus, bytes[11]),
        .setup = bytes[14] == 0 ? bytes + 40 : NULL,
        .bytes = bytes + header,
        .size = size - header,
    };
    if (packet.device == SIZE_MAX || (!packet.is_submission && bytes[8] != 'C'))
        return;
    if (packet.transfer == TRANSFER_CONTROL)
        control(usb, &packet);
    if (packet.transfer == TRANSFER_BULK)
        bulk(usb, &packet);
}

bool usb_serial_next(struct usb_serial *usb, struct capture_block *block,
                     char name[static CAPTURE_NAME_MAX], const char **adapter, uint32_t *baud)
{
    static const char *const names[] = {"USB", "FTDI", "CP210x"};
    if (usb->handed == usb->pending_count)
        return false;
    const struct pending *next = &usb->pending[usb->handed++];
    const struct device *device = &usb->devices[next->device];
    *block = next->block;
    *adapter = names[device->adapter];
    *baud = device->ports[next->port].baud;
    snprintf(name, CAPTURE_NAME_MAX, "usb%u.%u", device->bus, device->number);
    if (next->port > 0)
        text_add(name, CAPTURE_NAME_MAX, ".", "%u", next->port);
    return true;
}
