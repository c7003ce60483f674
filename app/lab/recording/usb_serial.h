/* Serial bytes in USB packets, as recorded by Linux's usbmon from FTDI and CP210x adapters. The
 * status bytes that an FTDI chip inserts are removed, and converted to modem lines and errors.
 * Requests of the driver are converted to baud and modem lines. Each adapter, and each port of an
 * adapter, is a separate line. Sources: Documentation/usb/usbmon.rst,
 * drivers/usb/serial/ftdi_sio.[ch] and cp210x.c of Linux. Not supported: the event mode of CP210x,
 * which marks parity errors inside the data. */
#pragma once

#include "app/record/capture.h"

enum { USB_SERIAL_LINKTYPE = 189, USB_SERIAL_LINKTYPE_MMAP = 220 };

struct usb_serial;

struct usb_serial_source {
    unsigned linktype; /* one of the two above */
    bool is_big_endian;
    int64_t time_ns;
};

struct usb_serial *usb_serial_create(void);
void usb_serial_destroy(struct usb_serial *usb);

/* Adds one packet. Take its blocks before the next packet; their bytes are valid until then. */
void usb_serial_packet(struct usb_serial *usb, const struct usb_serial_source *source,
                       const uint8_t *bytes, size_t size);

/* The next block of the packet, without its interface. NAME: name of the interface. ADAPTER:
 * "FTDI", "CP210x" or "USB". BAUD: last set value, 0: not seen. False: there are no more blocks. */
bool usb_serial_next(struct usb_serial *usb, struct capture_block *block,
                     char name[static CAPTURE_NAME_MAX], const char **adapter, uint32_t *baud);
