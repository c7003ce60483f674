/* Format of an input of fuzz_drive: byte 0 chooses the robot, followed by operations of one byte,
 * each with its data. */
#pragma once

enum {
    FUZZ_DRIVE_HEAD = 1,
    FUZZ_DRIVE_KIND = 0xe0,
    FUZZ_DRIVE_NUMBER = 0x1f,

    FUZZ_DRIVE_RUN = 0x00,      /* number + 1 milliseconds */
    FUZZ_DRIVE_RUN_LONG = 0x20, /* the same, times 16 */
    FUZZ_DRIVE_BYTES = 0x40,    /* number + 1 bytes, which follow */
    FUZZ_DRIVE_FRAME = 0x60,    /* a frame for that channel, made from the next four bytes */
    FUZZ_DRIVE_FRAME_TOO = 0x80,
    FUZZ_DRIVE_HOST = 0xa0,     /* 0x10: connected */
    FUZZ_DRIVE_SETTINGS = 0xc0, /* baud, modem lines, reading, mode; a byte chooses the channel */
    FUZZ_DRIVE_COMMAND = 0xe0,  /* made from the next four bytes */
};
