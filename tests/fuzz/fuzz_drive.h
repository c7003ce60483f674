/* What an input of fuzz_drive means: byte 0 chooses the robot, then come operations of one byte,
 * each followed by what it needs. */
#pragma once

enum {
    FUZZ_DRIVE_HEAD = 1,
    FUZZ_DRIVE_KIND = 0xe0,
    FUZZ_DRIVE_NUMBER = 0x1f,

    FUZZ_DRIVE_RUN = 0x00,      /* so many milliseconds and one */
    FUZZ_DRIVE_RUN_LONG = 0x20, /* the same, times 16 */
    FUZZ_DRIVE_BYTES = 0x40,    /* so many bytes and one, which follow */
    FUZZ_DRIVE_FRAME = 0x60,    /* a frame for that channel, made from the four bytes that follow */
    FUZZ_DRIVE_FRAME_TOO = 0x80,
    FUZZ_DRIVE_HOST = 0xa0,     /* 0x10: present */
    FUZZ_DRIVE_SETTINGS = 0xc0, /* baud, modem lines, reading, mode; a byte chooses the channel */
    FUZZ_DRIVE_COMMAND = 0xe0,  /* made from the four bytes that follow */
};
