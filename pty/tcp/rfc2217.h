/* The server's side of an RFC 2217 connection: a serial port over telnet, without descriptors.
 * Command numbers and values: RFC 2217. Telnet: RFC 854, 855, 856 and 858. A client that does not
 * begin with telnet is assumed to send and read plain bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RFC2217_SUB_MAX = 64,    /* bytes of one request; a longer request is an error (chosen: all
                              * known requests have at most 5, except the client's name) */
    RFC2217_REPLY_MAX = 256, /* most bytes of reply to one byte of the client */
};

enum rfc2217_speech {
    RFC2217_UNDECIDED, /* no received byte has decided it yet */
    RFC2217_RAW,       /* plain bytes in both directions */
    RFC2217_TELNET,
};

/* Meaning of a byte from the client. */
enum rfc2217_news {
    RFC2217_NOTHING,
    RFC2217_DATA,   /* `data` has bytes for the robot */
    RFC2217_BAUD,   /* `baud` was set */
    RFC2217_FORMAT, /* `data_bits`, `parity` or `stop_bits` was set */
    RFC2217_LINES,  /* `lines` were set */
    RFC2217_BREAK,  /* a break began */
    RFC2217_PURGE,  /* bytes that the robot has not received yet must be dropped */
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

    /* The port as the client set it. */
    uint32_t baud;
    uint8_t data_bits; /* 5..8 */
    uint8_t parity;    /* enum rfc2217_parity */
    uint8_t stop_bits; /* 1, 2, or 3 for 1.5 */
    unsigned lines;    /* MODEM_HOST_LINES */
    bool is_suspended;

    uint64_t errors; /* invalid or unknown commands and requests */

    uint8_t data[2];
    size_t data_size;
    uint8_t reply[RFC2217_REPLY_MAX]; /* for the client, to be sent between two frames */
    size_t reply_size;

    /* Internal. */
    int state;
    uint8_t subcommand;
    bool is_serial;       /* the client supports the serial commands */
    uint8_t ours, theirs; /* telnet options in force, one bit each */
    uint8_t controls[5];  /* for each control, the value of SET-CONTROL that is its present state */
    uint8_t line_mask, modem_mask;
    unsigned robot_lines, reported_lines;
    uint8_t sub[RFC2217_SUB_MAX];
    size_t sub_size;
};

/* A client has connected to a robot of BAUD (bit/s) whose lines are ROBOT_LINES. The port begins
 * with 8N1, DTR and RTS on. */
void rfc2217_begin(struct rfc2217 *self, uint32_t baud, unsigned robot_lines);

/* Takes one byte of the client. Before the next call, the caller sends `reply` and sets reply_size
 * to 0. */
enum rfc2217_news rfc2217_push(struct rfc2217 *self, uint8_t byte);

/* Sets the robot's lines. If the client requested them, `reply` reports the change. */
void rfc2217_set_lines(struct rfc2217 *self, unsigned robot_lines);

/* The robot's bytes came with these errors, enum serial_error. `reply` reports those in the
 * client's mask. */
void rfc2217_report_errors(struct rfc2217 *self, unsigned errors);

/* Writes SIZE bytes into OUT in the form that the client reads. OUT has room for twice as many
 * bytes. Returns the number of bytes written. */
size_t rfc2217_escape(const struct rfc2217 *self, const uint8_t *bytes, size_t size, uint8_t *out);
