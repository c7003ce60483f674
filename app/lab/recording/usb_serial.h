/* Serial bytes in USB packets, as Linux's usbmon records them of FTDI and CP210x adapters: the
 * status bytes that an FTDI chip puts in front are taken out, and become modem lines and errors;
 * requests of the driver become baud and lines. Each adapter, and each port of it, is a line of
 * its own. Sources: Documentation/usb/usbmon.rst, drivers/usb/serial/ftdi_sio.[ch] and cp210x.c of
 * Linux. The event mode of CP210x (it marks parity errors inside the data) is left out. */
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

/* Takes one packet. Then take its blocks; their bytes are valid until the next packet. */
void usb_serial_packet(struct usb_serial *usb, const struct usb_serial_source *source,
                       const uint8_t *bytes, size_t size);

/* The next block of the packet, but for its interface; NAME: of the interface; ADAPTER: "FTDI",
 * "CP210x" or "USB"; BAUD: as last set, 0: not seen. False: there are no more. */
bool usb_serial_next(struct usb_serial *usb, struct capture_block *block,
                     char name[static CAPTURE_NAME_MAX], const char **adapter, uint32_t *baud);
