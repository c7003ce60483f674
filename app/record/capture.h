/* The content of a recording of serial lines: interfaces, and blocks of bytes or events on them,
 * each with a direction and a time. On disk a recording is a pcapng file of link type RTAC serial
 * (LINKTYPE_RTAC_SERIAL, 250): tcpdump.org/linktypes/LINKTYPE_RTAC_SERIAL.html. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/modem_lines.h"

enum {
    CAPTURE_NAME_MAX = 128,       /* bytes of an interface's name, and of its description */
    CAPTURE_COMMENT_MAX = 256,    /* bytes of a block's comment */
    CAPTURE_INTERFACES_MAX = 512, /* chosen: four times the robots of the largest scene */
    CAPTURE_DATA_MAX = 1 << 16, /* chosen: bytes of one block, as many as a link accepts at once */
    CAPTURE_RUN_MAX = 1 << 20,  /* chosen: bytes of the largest block that a reader returns */
};

/* The numbers are the event types of an RTAC header. Its device is the driver, which sends TX. */
enum capture_kind {
    CAPTURE_STATUS = 0x00,   /* the modem lines or the baud rate changed */
    CAPTURE_TO_ROBOT = 0x01, /* bytes (DATA_TX_START) */
    CAPTURE_TO_HOST = 0x02,  /* bytes (DATA_RX_START) */
    CAPTURE_TX_END = 0x03,   /* a reader returns these two as the two above */
    CAPTURE_RX_END = 0x04,
    CAPTURE_DATA_LOST = 0x05,
    CAPTURE_COMPLETE = 0x06,
    CAPTURE_FRAMING_ERROR = 0x07,
    CAPTURE_PARITY_ERROR = 0x08,
    CAPTURE_BREAK = 0x09,
    CAPTURE_OVERFLOW = 0x0A,
    CAPTURE_KINDS,
};

/* A recorded line. */
struct capture_interface {
    char name[CAPTURE_NAME_MAX];        /* `robot.channel`; for a USB adapter `usbBUS.DEVICE` */
    char description[CAPTURE_NAME_MAX]; /* in ptybot's files: `TYPE CHANNEL`, such as `kobuki uart`;
                                           "": none */
    uint32_t baud;                      /* bit/s; 0: unknown, or no baud rate (TCP) */
};

struct capture_block {
    enum capture_kind kind;
    size_t interface;     /* number, counted from 0 over the whole recording */
    int64_t time_ns;      /* at least 0; in ptybot's files simulated time, else since 1970 */
    unsigned lines;       /* enum modem_line of the lines that are on from now on */
    uint32_t baud;        /* of a CAPTURE_STATUS that reports it, bit/s; otherwise 0 */
    const uint8_t *bytes; /* only of CAPTURE_TO_ROBOT and CAPTURE_TO_HOST, else NULL */
    size_t size;          /* number of bytes; 0 if they are NULL */
    const char *comment;  /* for people; never NULL */
};

/* Whether a block carries bytes; otherwise it is an event. */
static inline bool capture_is_data(const struct capture_block *block)
{
    return block->kind == CAPTURE_TO_ROBOT || block->kind == CAPTURE_TO_HOST;
}

/* Name of a kind: "to robot", "framing error". */
const char *capture_kind_name(enum capture_kind kind);

/* The comment of a status on disk with the baud rate; more may follow after "; ". */
#define CAPTURE_BAUD_COMMENT "%u baud"

/* ---- The 12 bytes before each block on disk ---- */

enum { CAPTURE_RTAC_SIZE = 12, CAPTURE_RTAC_LINKTYPE = 250 };

void capture_rtac_write(const struct capture_block *block, uint8_t out[CAPTURE_RTAC_SIZE]);

/* Fills kind, lines, bytes and size from a header and the bytes after it. False: too short, or an
 * unknown event type. */
bool capture_rtac_read(const uint8_t *bytes, size_t size, struct capture_block *block);
