/* The server's side of one RFC 2217 connection: a serial port over telnet, without descriptors.
 * Command numbers and their values: RFC 2217; telnet: RFC 854, 855, 856 and 858. A client that does
 * not begin with telnet is taken for one that sends and reads bare bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RFC2217_SUB_MAX = 64,    /* bytes of one request; a longer one is an error (chosen: all known
                                ones have at most 5, apart from the client's name) */
    RFC2217_REPLY_MAX = 256, /* bytes that one byte of the client can cause, at most */
};

enum rfc2217_speech {
    RFC2217_UNDECIDED, /* no byte has shown yet which */
    RFC2217_RAW,       /* bare bytes both ways */
    RFC2217_TELNET,
};

/* What a byte of the client meant. */
enum rfc2217_news {
    RFC2217_NOTHING,
    RFC2217_DATA,   /* `data` has bytes for the robot */
    RFC2217_BAUD,   /* `baud` was set */
    RFC2217_FORMAT, /* `data_bits`, `parity` or `stop_bits` was set */
    RFC2217_LINES,  /* `lines` were set */
    RFC2217_BREAK,  /* a break began */
    RFC2217_PURGE,  /* what the robot has not received yet is to be dropped */
};

enum rfc2217_parity {
    RFC2217_PARITY_NONE = 1,
    RFC2217_PARITY_ODD,
    RFC2217_PARITY_EVEN,
    RFC2217_PARITY_MARK,
    RFC2217_PARITY_SPACE,
};

struct rfc2217 {
    enum rfc2217_speech speech;

    /* The port as the client has set it. */
    uint32_t baud;
    uint8_t data_bits; /* 5..8 */
    uint8_t parity;    /* enum rfc2217_parity */
    uint8_t stop_bits; /* 1, 2, or 3 for one and a half */
    unsigned lines;    /* MODEM_HOST_LINES */
    bool is_suspended;

    uint64_t errors; /* commands and requests that nobody understands */

    uint8_t data[2];
    size_t data_size;
    uint8_t reply[RFC2217_REPLY_MAX]; /* for the client, to be sent between two frames */
    size_t reply_size;

    /* Inside. */
    int state;
    uint8_t subcommand;
    bool is_serial;       /* the client knows the serial commands */
    uint8_t ours, theirs; /* telnet options in force, a bit each */
    uint8_t controls[5];  /* the value of SET-CONTROL that is the state of each */
    uint8_t line_mask, modem_mask;
    unsigned robot_lines, reported_lines;
    uint8_t sub[RFC2217_SUB_MAX];
    size_t sub_size;
};

/* A client has connected to a robot of BAUD (bit/s) whose lines are ROBOT_LINES. The port begins
 * with 8N1, DTR and RTS on. */
void rfc2217_begin(struct rfc2217 *self, uint32_t baud, unsigned robot_lines);

/* Takes one byte of the client. The caller sends `reply` and sets reply_size to 0 before the next.
 */
enum rfc2217_news rfc2217_push(struct rfc2217 *self, uint8_t byte);

/* Sets the robot's lines; `reply` then tells the client, if it wants to know. */
void rfc2217_set_lines(struct rfc2217 *self, unsigned robot_lines);

/* The robot's bytes came with these errors, enum serial_error; `reply` then tells the client, if
 * its mask wants to know. */
void rfc2217_report_errors(struct rfc2217 *self, unsigned errors);

/* Writes SIZE bytes for the client, as it reads them, to OUT, which has room for twice as many.
 * Returns how many. */
size_t rfc2217_escape(const struct rfc2217 *self, const uint8_t *bytes, size_t size, uint8_t *out);
