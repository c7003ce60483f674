/* The settings of a serial port: its baud rate, and all other settings in one number, so that a
 * journal can store it; and the errors of its receiver. All robots here use 8N1 and a raw port;
 * that number is 0. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum serial_mode {
    /* Flags that change or swallow bytes, named as in termios. A raw port has none of these. */
    SERIAL_ICANON = 1 << 0,
    SERIAL_ECHO = 1 << 1,
    SERIAL_ISIG = 1 << 2,
    SERIAL_ICRNL = 1 << 3,
    SERIAL_INLCR = 1 << 4,
    SERIAL_IGNCR = 1 << 5,
    SERIAL_ISTRIP = 1 << 6,
    SERIAL_PARMRK = 1 << 7,
    SERIAL_IXON = 1 << 8,
    SERIAL_IXOFF = 1 << 9,
    SERIAL_OPOST = 1 << 10,
    SERIAL_NOT_RAW = (1 << 11) - 1,

    SERIAL_UNSET = 1 << 11, /* the driver set nothing: these are the settings at the time when it
                               opened the port */
    SERIAL_TWO_STOP_BITS = 1 << 12,
    SERIAL_PARITY = 7 << 13,       /* enum serial_parity, shifted */
    SERIAL_MISSING_BITS = 3 << 16, /* 8 minus the number of data bits */
    SERIAL_PARITY_SHIFT = 13,
    SERIAL_MISSING_BITS_SHIFT = 16,
    SERIAL_FRAMING = SERIAL_TWO_STOP_BITS | SERIAL_PARITY | SERIAL_MISSING_BITS, /* 0: 8N1 */

    /* Initial settings of a Linux port: tty_std_termios in drivers/tty/tty_io.c, with the speed of
     * drivers/usb/serial/usb-serial.c and drivers/tty/serial/serial_core.c. */
    SERIAL_START_BAUD = 9600,
    SERIAL_START = SERIAL_UNSET | SERIAL_ICANON | SERIAL_ECHO | SERIAL_ISIG | SERIAL_ICRNL |
                   SERIAL_IXON | SERIAL_OPOST,
};

enum serial_parity {
    SERIAL_PARITY_NONE,
    SERIAL_PARITY_ODD,
    SERIAL_PARITY_EVEN,
    SERIAL_PARITY_MARK,
    SERIAL_PARITY_SPACE,
};
extern const char *const serial_parity_words[]; /* ends with NULL */

/* Errors that a receiver finds: the bits of the 16550's line status register (its data sheet),
 * which RFC 2217 adopts (section 3, NOTIFY-LINESTATE). */
enum serial_error {
    SERIAL_OVERRUN_ERROR = 2, /* bytes were lost, or duplicated */
    SERIAL_PARITY_ERROR = 4,
    SERIAL_FRAMING_ERROR = 8, /* no stop bit */
    SERIAL_BREAK = 16,        /* low for longer than a byte */
    SERIAL_ERRORS =
        SERIAL_OVERRUN_ERROR | SERIAL_PARITY_ERROR | SERIAL_FRAMING_ERROR | SERIAL_BREAK,
};

struct serial_settings {
    uint32_t baud; /* 0: unknown */
    uint32_t mode; /* enum serial_mode */
};

bool serial_settings_equal(struct serial_settings a, struct serial_settings b);

enum serial_parity serial_mode_parity(uint32_t mode);
unsigned serial_mode_data_bits(uint32_t mode); /* 5 to 8 */
unsigned serial_mode_stop_bits(uint32_t mode); /* 1 or 2 */

enum { SERIAL_SETTINGS_TEXT_SIZE = 160 }; /* holds every text */

/* "57600 baud, 7E1, not raw (ICANON, ECHO)". Returns TEXT. */
const char *serial_settings_text(struct serial_settings settings,
                                 char text[static SERIAL_SETTINGS_TEXT_SIZE]);
