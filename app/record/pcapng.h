/* Numbers of the pcapng and pcap formats that we write and read (draft-ietf-opsawg-pcapng,
 * draft-ietf-opsawg-pcap). */
#pragma once

enum pcapng_block_type {
    PCAPNG_SECTION = 0x0A0D0D0A, /* the same in both byte orders */
    PCAPNG_INTERFACE = 1,
    PCAPNG_OLD_PACKET = 2,
    PCAPNG_SIMPLE_PACKET = 3,
    PCAPNG_PACKET = 6, /* "enhanced" */
};

#define PCAPNG_MAGIC     0x1A2B3C4Du
#define PCAP_MAGIC_MICRO 0xA1B2C3D4u
#define PCAP_MAGIC_NANO  0xA1B23C4Du

enum pcapng_option {
    PCAPNG_OPTION_END = 0,
    PCAPNG_COMMENT = 1,
    PCAPNG_SECTION_PROGRAM = 4,
    PCAPNG_INTERFACE_NAME = 2,
    PCAPNG_INTERFACE_DESCRIPTION = 3,
    PCAPNG_INTERFACE_SPEED = 8,      /* bit/s, 8 bytes */
    PCAPNG_INTERFACE_RESOLUTION = 9, /* of times; bit 7: a power of two, else of ten, negative */
    PCAPNG_INTERFACE_OFFSET = 14,    /* added to times, seconds, 8 bytes */
};
