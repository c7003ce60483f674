/* Format of an input of fuzz_rx: byte 0 chooses the robot, byte 1 its options (0: defaults),
 * followed by operations of one byte, each with its data. */
#pragma once

enum {
    FUZZ_RX_HEAD = 2,
    FUZZ_RX_KIND = 0xe0,
    FUZZ_RX_COUNT = 0x1f, /* minus 1: bytes to receive, or milliseconds to run */

    FUZZ_RX_BYTES = 0x00,  /* then the bytes, for the first channel */
    FUZZ_RX_SECOND = 0x20, /* the same for the second channel */
    FUZZ_RX_RUN = 0x80,
    FUZZ_RX_HOST = 0xa0,  /* 0x08: connected, 0x10: the wire accepts nothing */
    FUZZ_RX_SHAKE = 0xc0, /* change the sensor values */
};
