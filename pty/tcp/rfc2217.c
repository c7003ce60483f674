/* RFC 2217: telnet commands byte by byte, and the answers of a serial port. */
#include "pty/tcp/rfc2217.h"

#include <string.h>

#include "base/array.h"
#include "base/modem_lines.h"
#include "base/serial_settings.h"

/* Telnet (RFC 854). */
enum {
    SE = 240,
    NOP = 241,
    BREAK = 243,
    GO_AHEAD = 249,
    SB = 250,
    WILL = 251,
    WONT = 252,
    DO = 253,
    DONT = 254,
    IAC = 255,
};

/* Serial commands (RFC 2217). An answer has the number of its request plus FROM_SERVER. */
enum {
    COM_PORT_OPTION = 44,
    SIGNATURE = 0,
    SET_BAUD = 1,
    SET_DATA_BITS = 2,
    SET_PARITY = 3,
    SET_STOP_BITS = 4,
    SET_CONTROL = 5,
    NOTIFY_ERRORS = 6,
    NOTIFY_LINES_OF_ROBOT = 7,
    FLOW_SUSPEND = 8,
    FLOW_RESUME = 9,
    SET_LINE_MASK = 10,
    SET_MODEM_MASK = 11,
    PURGE = 12,
    FROM_SERVER = 100,
};

/* The controls of SET-CONTROL. */
enum control { OUTBOUND_FLOW, INBOUND_FLOW, SENT_BREAK, DTR, RTS };

enum state { PLAIN, FIRST_IAC, COMMAND, OPTION, SUB, SUB_COMMAND };

/* The supported telnet options. The index of an option is also its bit number. */
static const uint8_t known_options[] = {0 /* binary */, 3 /* no go-aheads */, COM_PORT_OPTION};
static const char name[] = "ptybot";

void rfc2217_begin(struct rfc2217 *self, uint32_t baud, unsigned robot_lines)
{
    *self = (struct rfc2217){
        .baud = baud,
        .data_bits = 8,
        .parity = RFC2217_PARITY_NONE,
        .stop_bits = 1,
        .lines = MODEM_HOST_LINES,
        .controls =
            {[OUTBOUND_FLOW] = 1, [INBOUND_FLOW] = 14, [SENT_BREAK] = 6, [DTR] = 8, [RTS] = 11},
        .modem_mask = 255, /* the RFC's default */
        .robot_lines = robot_lines,
    };
}

/* ---- Replies to the client ---- */

static void reply(struct rfc2217 *self, const uint8_t *bytes, size_t size)
{
    if (size > sizeof self->reply - self->reply_size)
        return; /* the caller did not take the last one */
    memcpy(self->reply + self->reply_size, bytes, size);
    self->reply_size += size;
}

static void reply_option(struct rfc2217 *self, uint8_t subcommand, uint8_t option)
{
    reply(self, (const uint8_t[]){IAC, subcommand, option}, 3);
}

static size_t double_iac(const uint8_t *bytes, size_t size, uint8_t *out)
{
    size_t used = 0;

    for (size_t i = 0; i < size; i++) {
        out[used++] = bytes[i];
        if (bytes[i] == IAC)
            out[used++] = IAC;
    }
    return used;
}

static void reply_serial(struct rfc2217 *self, uint8_t command, const uint8_t *value, size_t size)
{
    uint8_t frame[6 + 2 * RFC2217_SUB_MAX] = {IAC, SB, COM_PORT_OPTION,
                                              (uint8_t)(command + FROM_SERVER)};
    size_t used = 4 + double_iac(value, size, frame + 4);

    frame[used++] = IAC;
    frame[used++] = SE;
    reply(self, frame, used);
}

static void reply_value(struct rfc2217 *self, uint8_t command, uint8_t value)
{
    reply_serial(self, command, &value, 1);
}

/* The upper half has the lines that are on; the lower half has the lines that have changed. For RI,
 * only its end counts as a change. */
static void notify_robot_lines(struct rfc2217 *self)
{
    static const struct {
        unsigned line;
        uint8_t on, change;
    } bits[] = {{MODEM_CTS, 16, 1}, {MODEM_DSR, 32, 2}, {MODEM_RI, 64, 4}, {MODEM_DCD, 128, 8}};
    unsigned changed = self->robot_lines ^ self->reported_lines;
    uint8_t value = 0;

    for (size_t i = 0; i < COUNT(bits); i++) {
        bool is_on = (self->robot_lines & bits[i].line) != 0;
        bool is_reported = (changed & bits[i].line) != 0 && (bits[i].line != MODEM_RI || !is_on);
        value |= (uint8_t)((is_on ? bits[i].on : 0) | (is_reported ? bits[i].change : 0));
    }
    self->reported_lines = self->robot_lines;
    if ((value & self->modem_mask) != 0 || changed == 0)
        reply_value(self, NOTIFY_LINES_OF_ROBOT, value & self->modem_mask);
}

static void begin_serial(struct rfc2217 *self)
{
    if (self->is_serial)
        return;
    self->is_serial = true;
    self->reported_lines = self->robot_lines;
    notify_robot_lines(self);
}

void rfc2217_set_lines(struct rfc2217 *self, unsigned robot_lines)
{
    self->robot_lines = robot_lines;
    if (self->is_serial && robot_lines != self->reported_lines)
        notify_robot_lines(self);
}

/* The bits of a UART's line status. This UART has always sent all bytes. */
static void notify_status(struct rfc2217 *self, unsigned errors)
{
    enum { ALL_SENT = 32 | 64 };

    reply_value(self, NOTIFY_ERRORS, (uint8_t)((ALL_SENT | errors) & self->line_mask));
}

void rfc2217_report_errors(struct rfc2217 *self, unsigned errors)
{
    if (self->is_serial && (errors & self->line_mask) != 0)
        notify_status(self, errors);
}

size_t rfc2217_escape(const struct rfc2217 *self, const uint8_t *bytes, size_t size, uint8_t *out)
{
    if (self->speech == RFC2217_TELNET)
        return double_iac(bytes, size, out);
    memcpy(out, bytes, size);
    return size;
}

/* ---- Serial requests ---- */

/* 0 only queries the setting. Another value outside LOW..HIGH is an error and leaves the setting
 * unchanged. */
static enum rfc2217_news set_small(struct rfc2217 *self, uint8_t *setting, uint8_t low,
                                   uint8_t high)
{
    uint8_t wanted = self->sub[2];
    bool is_set = wanted >= low && wanted <= high && wanted != *setting;

    if (wanted != 0 && (wanted < low || wanted > high))
        self->errors++;
    if (is_set)
        *setting = wanted;
    reply_value(self, self->sub[1], *setting);
    return is_set ? RFC2217_FORMAT : RFC2217_NOTHING;
}

static enum rfc2217_news set_baud(struct rfc2217 *self)
{
    const uint8_t *at = self->sub + 2;
    uint32_t wanted =
        (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | (uint32_t)at[3];

    if (wanted != 0)
        self->baud = wanted;
    const uint8_t now[] = {(uint8_t)(self->baud >> 24), (uint8_t)(self->baud >> 16),
                           (uint8_t)(self->baud >> 8), (uint8_t)self->baud};
    reply_serial(self, SET_BAUD, now, sizeof now);
    return wanted != 0 ? RFC2217_BAUD : RFC2217_NOTHING;
}

/* Each value queries or sets one control; the answer is its state. Outbound flow: 0 query, 1 none,
 * 2 XON/XOFF, 3 RTS and CTS, 17 DCD, 19 DSR. Break: 4 query, 5 on, 6 off. DTR: 7 to 9, and RTS: 10
 * to 12, in the same order. Inbound flow: 13 query, 14 none, 15 XON/XOFF, 16 RTS and CTS, 18 DTR.
 * Flow control is accepted and has no effect: a robot never stops the host. */
static enum rfc2217_news set_control(struct rfc2217 *self)
{
    static const uint8_t controls[] = {OUTBOUND_FLOW, OUTBOUND_FLOW, OUTBOUND_FLOW, OUTBOUND_FLOW,
                                       SENT_BREAK,    SENT_BREAK,    SENT_BREAK,    DTR,
                                       DTR,           DTR,           RTS,           RTS,
                                       RTS,           INBOUND_FLOW,  INBOUND_FLOW,  INBOUND_FLOW,
                                       INBOUND_FLOW,  OUTBOUND_FLOW, INBOUND_FLOW,  OUTBOUND_FLOW};
    static const uint8_t asks[] = {
        [OUTBOUND_FLOW] = 0, [INBOUND_FLOW] = 13, [SENT_BREAK] = 4, [DTR] = 7, [RTS] = 10};
    uint8_t wanted = self->sub[2];

    if (wanted >= sizeof controls) {
        self->errors++;
        return RFC2217_NOTHING;
    }
    enum control control = controls[wanted];
    uint8_t before = self->controls[control];
    bool is_set = wanted != asks[control];
    if (is_set)
        self->controls[control] = wanted;
    reply_value(self, SET_CONTROL, self->controls[control]);
    self->lines = (self->controls[DTR] == 8 ? (unsigned)MODEM_DTR : 0U) |
                  (self->controls[RTS] == 11 ? (unsigned)MODEM_RTS : 0U);
    if (control == SENT_BREAK)
        return wanted == 5 && before != 5 ? RFC2217_BREAK : RFC2217_NOTHING;
    return is_set && (control == DTR || control == RTS) ? RFC2217_LINES : RFC2217_NOTHING;
}

/* Drops bytes: 1 those that the host has not read, 2 those that the robot has not read, 3 both.
 * This server holds no bytes for the host. */
static enum rfc2217_news purge(struct rfc2217 *self)
{
    uint8_t which = self->sub[2];

    if (which < 1 || which > 3) {
        self->errors++;
        return RFC2217_NOTHING;
    }
    reply_value(self, PURGE, which);
    return which >= 2 ? RFC2217_PURGE : RFC2217_NOTHING;
}

static enum rfc2217_news set_mask(struct rfc2217 *self, uint8_t *mask)
{
    *mask = self->sub[2];
    reply_value(self, self->sub[1], *mask);
    return RFC2217_NOTHING;
}

/* `sub` has a complete request: the telnet option, the command, its value. */
static enum rfc2217_news serial_request(struct rfc2217 *self)
{
    /* Size of the value, bytes; 0: any size. */
    static const uint8_t value_sizes[] = {
        [SIGNATURE] = 0,     [SET_BAUD] = 4,       [SET_DATA_BITS] = 1,
        [SET_PARITY] = 1,    [SET_STOP_BITS] = 1,  [SET_CONTROL] = 1,
        [SET_LINE_MASK] = 1, [SET_MODEM_MASK] = 1, [PURGE] = 1,
    };
    size_t value_size = self->sub_size - 2;
    uint8_t command = self->sub[1];

    if (self->sub_size >= 2 && self->sub[0] == COM_PORT_OPTION)
        begin_serial(self);
    if (self->sub_size < 2 || self->sub[0] != COM_PORT_OPTION || command >= sizeof value_sizes ||
        (value_sizes[command] > 0 && value_sizes[command] != value_size)) {
        self->errors++;
        return RFC2217_NOTHING;
    }
    switch (command) {
    case SIGNATURE: /* with a value it is the client's name */
        if (value_size == 0)
            reply_serial(self, SIGNATURE, (const uint8_t *)name, strlen(name));
        break;
    case SET_BAUD:
        return set_baud(self);
    case SET_DATA_BITS:
        return set_small(self, &self->data_bits, 5, 8);
    case SET_PARITY:
        return set_small(self, &self->parity, RFC2217_PARITY_NONE, RFC2217_PARITY_SPACE);
    case SET_STOP_BITS:
        return set_small(self, &self->stop_bits, 1, 3);
    case SET_CONTROL:
        return set_control(self);
    case NOTIFY_ERRORS:
        notify_status(self, 0);
        break;
    case NOTIFY_LINES_OF_ROBOT: /* pyserial asks so (poll_modem) */
        self->reported_lines = self->robot_lines;
        notify_robot_lines(self);
        break;
    case FLOW_SUSPEND:
    case FLOW_RESUME:
        self->is_suspended = command == FLOW_SUSPEND;
        break;
    case SET_LINE_MASK:
        return set_mask(self, &self->line_mask);
    case SET_MODEM_MASK:
        return set_mask(self, &self->modem_mask);
    case PURGE:
        return purge(self);
    }
    return RFC2217_NOTHING;
}

/* ---- Telnet ---- */

/* Offers and requests the options that binary data needs, once: 8 bits in both directions, and no
 * go-aheads. */
static void begin_telnet(struct rfc2217 *self)
{
    self->speech = RFC2217_TELNET;
    for (size_t i = 0; known_options[i] != COM_PORT_OPTION; i++) {
        reply_option(self, WILL, known_options[i]);
        reply_option(self, DO, known_options[i]);
        self->ours |= (uint8_t)(1U << i);
        self->theirs |= (uint8_t)(1U << i);
    }
}

/* The client agrees, requests or refuses an option. An answer to our own request needs no reply. */
static void negotiate(struct rfc2217 *self, uint8_t subcommand, uint8_t option)
{
    bool is_theirs = subcommand == WILL || subcommand == WONT;
    bool is_wanted = subcommand == WILL || subcommand == DO;
    uint8_t *set = is_theirs ? &self->theirs : &self->ours;
    const uint8_t *known = memchr(known_options, option, sizeof known_options);

    if (known == NULL) {
        if (is_wanted)
            reply_option(self, is_theirs ? DONT : WONT, option);
        return;
    }
    uint8_t bit = (uint8_t)(1U << (known - known_options));
    bool is_on = (*set & bit) != 0;
    if (is_wanted != is_on) {
        *set ^= bit;
        if (is_theirs)
            reply_option(self, is_wanted ? DO : DONT, option);
        else
            reply_option(self, is_wanted ? WILL : WONT, option);
    }
    if (option == COM_PORT_OPTION && is_wanted)
        begin_serial(self);
}

static enum rfc2217_news give(struct rfc2217 *self, uint8_t byte)
{
    self->data[self->data_size++] = byte;
    return RFC2217_DATA;
}

static enum rfc2217_news take_plain(struct rfc2217 *self, uint8_t byte)
{
    if (byte != IAC || self->speech == RFC2217_RAW) {
        self->speech = self->speech == RFC2217_UNDECIDED ? RFC2217_RAW : self->speech;
        return give(self, byte);
    }
    self->state = self->speech == RFC2217_UNDECIDED ? FIRST_IAC : COMMAND;
    return RFC2217_NOTHING;
}

/* Frames of robots may also begin with 255, but not followed by an offer or a request of telnet. */
static enum rfc2217_news take_first(struct rfc2217 *self, uint8_t byte)
{
    if (byte != WILL && byte != DO && byte != SB) {
        self->speech = RFC2217_RAW;
        self->state = PLAIN;
        give(self, IAC);
        return give(self, byte);
    }
    begin_telnet(self);
    self->state = COMMAND;
    return RFC2217_NOTHING;
}

static enum rfc2217_news take_command(struct rfc2217 *self, uint8_t byte)
{
    self->state = PLAIN;
    if (byte == IAC)
        return give(self, byte);
    if (byte == BREAK)
        return RFC2217_BREAK;
    if (byte >= WILL) {
        self->subcommand = byte;
        self->state = OPTION;
    } else if (byte == SB) {
        self->sub_size = 0;
        self->state = SUB;
    } else if (byte < NOP || byte > GO_AHEAD) {
        self->errors++;
    }
    return RFC2217_NOTHING;
}

static void keep_sub(struct rfc2217 *self, uint8_t byte)
{
    self->state = SUB;
    if (self->sub_size < sizeof self->sub)
        self->sub[self->sub_size] = byte;
    if (self->sub_size <= sizeof self->sub)
        self->sub_size++;
}

static enum rfc2217_news take_sub_command(struct rfc2217 *self, uint8_t byte)
{
    if (byte == IAC) {
        keep_sub(self, byte);
        return RFC2217_NOTHING;
    }
    self->state = PLAIN;
    if (byte == SE && self->sub_size <= sizeof self->sub)
        return serial_request(self);
    self->errors++;
    return RFC2217_NOTHING;
}

enum rfc2217_news rfc2217_push(struct rfc2217 *self, uint8_t byte)
{
    self->data_size = 0;
    switch ((enum state)self->state) {
    case PLAIN:
        return take_plain(self, byte);
    case FIRST_IAC:
        if (take_first(self, byte) == RFC2217_DATA)
            return RFC2217_DATA;
        return take_command(self, byte);
    case COMMAND:
        return take_command(self, byte);
    case OPTION:
        self->state = PLAIN;
        negotiate(self, self->subcommand, byte);
        return RFC2217_NOTHING;
    case SUB:
        if (byte == IAC)
            self->state = SUB_COMMAND;
        else
            keep_sub(self, byte);
        return RFC2217_NOTHING;
    case SUB_COMMAND:
        return take_sub_command(self, byte);
    }
    return RFC2217_NOTHING;
}
