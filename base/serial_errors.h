/* What a receiver of a serial line finds wrong, as bits: those of the 16550's line status register
 * (its data sheet), which RFC 2217 takes over (section 3, NOTIFY-LINESTATE). */
#ifndef PTYBOT_BASE_SERIAL_ERRORS_H
#define PTYBOT_BASE_SERIAL_ERRORS_H

enum serial_error {
    SERIAL_OVERRUN_ERROR = 2, /* bytes were lost, or are there twice */
    SERIAL_PARITY_ERROR = 4,
    SERIAL_FRAMING_ERROR = 8, /* no stop bit */
    SERIAL_BREAK = 16,        /* low for longer than a byte */
    SERIAL_ERRORS =
        SERIAL_OVERRUN_ERROR | SERIAL_PARITY_ERROR | SERIAL_FRAMING_ERROR | SERIAL_BREAK,
};

#endif
