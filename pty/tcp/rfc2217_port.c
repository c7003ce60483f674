#include "pty/tcp/rfc2217_port.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    DECIDE_MS = 250,  /* chosen: a client that negotiates does so at once, and a robot's start lasts
                         longer */
    READS_MAX = 64,   /* chosen: a client that floods the link with requests waits for its turn */
    DRAIN_MAX = 8192, /* chosen: 8 MB, twice what Linux keeps for a sender (tcp_wmem) */
    KEPT_MAX = 4096,  /* the output queue of a serial port of Linux, one page (UART_XMIT_SIZE) */
};

void rfc2217_port_begin(struct rfc2217_port *self)
{
    self->errors_before += self->speech.errors;
    rfc2217_begin(&self->speech, self->baud, self->robot_lines);
    self->decide_at_ms = byte_link_now_ms() + DECIDE_MS;
    self->in_at = self->in_size = 0;
}

static bool has_answer_room(const struct byte_link *base)
{
    return base->tail_size + RFC2217_REPLY_MAX <= BYTE_LINK_TAIL_MAX;
}

bool rfc2217_port_is_stuck(const struct rfc2217_port *self, const struct byte_link *base)
{
    return self->in_at < self->in_size && !has_answer_room(base);
}

/* There is room. */
static void answer(struct rfc2217_port *self, struct byte_link *base)
{
    byte_link_append(base, self->speech.reply, self->speech.reply_size);
    self->speech.reply_size = 0;
}

static void receive(struct byte_link *base, const uint8_t *bytes, size_t size)
{
    base->rx_pushed += byte_ring_push(&base->rx, bytes, size);
}

/* All but the last bytes. */
static void drop_unread(struct byte_link *base, size_t kept)
{
    uint8_t dropped[1024];

    while (base->rx.size > kept) {
        size_t excess = base->rx.size - kept;
        base->rx_popped +=
            byte_ring_pop(&base->rx, dropped, excess < sizeof dropped ? excess : sizeof dropped);
    }
}

/* All but raw, of which a client's port says nothing. One and a half stop bits count as two. */
static struct serial_settings settings_of(const struct rfc2217 *speech)
{
    uint32_t parity = (uint32_t)(speech->parity - RFC2217_PARITY_NONE);
    uint32_t missing_bits = 8U - speech->data_bits;

    return (struct serial_settings){
        .baud = speech->baud,
        .mode = parity << SERIAL_PARITY_SHIFT | missing_bits << SERIAL_MISSING_BITS_SHIFT |
                (speech->stop_bits > 1 ? (uint32_t)SERIAL_TWO_STOP_BITS : 0U),
    };
}

static void take(struct rfc2217_port *self, struct byte_link *base, enum rfc2217_news news)
{
    static const uint8_t zero;

    switch (news) {
    case RFC2217_NOTHING:
        break;
    case RFC2217_DATA:
        receive(base, self->speech.data, self->speech.data_size);
        break;
    case RFC2217_BAUD:
    case RFC2217_FORMAT:
        byte_link_settings_seen(base, base->rx_pushed, settings_of(&self->speech));
        break;
    case RFC2217_LINES:
        byte_link_lines_seen(base, base->rx_pushed, self->speech.lines);
        break;
    case RFC2217_BREAK: /* a receiver finds one zero (data sheet of the 16550, line status) */
        receive(base, &zero, 1);
        break;
    case RFC2217_PURGE:
        drop_unread(base, 0);
        break;
    }
}

static bool has_data_room(const struct rfc2217_port *self, const struct byte_link *base)
{
    return base->rx.capacity - base->rx.size >= sizeof self->speech.data;
}

static bool may_take(const struct rfc2217_port *self, const struct byte_link *base)
{
    return self->in_at < self->in_size && has_answer_room(base) && byte_link_has_event_room(base) &&
           has_data_room(self, base);
}

static void digest(struct rfc2217_port *self, struct byte_link *base, int fd)
{
    while (may_take(self, base)) {
        enum rfc2217_news news = rfc2217_push(&self->speech, self->in[self->in_at++]);
        bool is_decided = self->speech.speech != RFC2217_UNDECIDED;

        if (is_decided && !base->is_present)
            byte_link_host_came(base, base->rx_pushed, 0);
        take(self, base, news);
        answer(self, base);
    }
    byte_link_send_tail(base, fd);
    base->stats.bad_requests = self->errors_before + self->speech.errors;
}

/* Whether a client is still there that does not read its answers. */
static bool is_connected(int fd)
{
    struct pollfd readable = {.fd = fd};

    return poll(&readable, 1, 0) <= 0;
}

bool rfc2217_port_fill(struct rfc2217_port *self, struct byte_link *base, int fd)
{
    for (int reads = 0; reads < READS_MAX; reads++) {
        digest(self, base, fd);
        if (self->in_at < self->in_size)
            return !rfc2217_port_is_stuck(self, base) || is_connected(fd);
        ssize_t size = read(fd, self->in, sizeof self->in);
        if (size < 0 && errno == EINTR)
            continue;
        if (size == 0 || (size < 0 && errno != EAGAIN))
            return false;
        self->in_at = 0;
        self->in_size = size > 0 ? (size_t)size : 0;
        if (size < 0)
            break;
    }
    digest(self, base, fd);
    if (!base->is_present && byte_link_now_ms() >= self->decide_at_ms)
        byte_link_host_came(base, base->rx_pushed, 0);
    return true;
}

bool rfc2217_port_has_ended(struct rfc2217_port *self, const struct byte_link *base, int fd)
{
    ssize_t size = 1;

    if (self->in_at == self->in_size || has_data_room(self, base))
        return false;
    for (int reads = 0; reads < DRAIN_MAX && size > 0; reads++)
        size = recv(fd, self->in, sizeof self->in, MSG_DONTWAIT);
    return size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR);
}

void rfc2217_port_end(struct byte_link *base)
{
    if (base->rx.size > KEPT_MAX)
        byte_link_notice(
            base,
            "a driver left %zu bytes that the robot had not read; only the last %d bytes reach it",
            base->rx.size, KEPT_MAX);
    drop_unread(base, KEPT_MAX);
}

bool rfc2217_port_send(struct rfc2217_port *self, struct byte_link *base, int fd, const void *bytes,
                       size_t size)
{
    if (self->speech.is_suspended && !base->keeps_unread) {
        base->stats.frames_dropped++;
        return false;
    }
    return byte_link_send(base, fd, self->out,
                          rfc2217_escape(&self->speech, bytes, size, self->out));
}

void rfc2217_port_report(struct rfc2217_port *self, struct byte_link *base, int fd, unsigned errors)
{
    if (!has_answer_room(base))
        return;
    rfc2217_set_lines(&self->speech, self->robot_lines);
    rfc2217_report_errors(&self->speech, errors);
    answer(self, base);
    byte_link_send_tail(base, fd);
}

bool rfc2217_port_has_news(const struct rfc2217_port *self, const struct byte_link *base)
{
    return (self->in_at < self->in_size && !rfc2217_port_is_stuck(self, base)) ||
           (!base->is_present && byte_link_now_ms() >= self->decide_at_ms);
}
