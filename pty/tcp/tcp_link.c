/* The byte link over TCP: a listener, and the connection of its one host. */
#include "pty/tcp/tcp_link.h"

#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pty/byte_link_kind.h"
#include "pty/tcp/rfc2217.h"
#include "pty/tcp/tcp_address.h"

/* ---- An RFC 2217 connection: converts bytes from its socket to bytes and events of the link, and
 * frames to the form that the client reads ---- */

struct rfc2217_port {
    struct rfc2217 speech;
    uint32_t baud;          /* of the robot */
    unsigned robot_lines;   /* MODEM_ROBOT_LINES that are on */
    int64_t decide_at_ms;   /* a host that is silent until then only reads */
    uint64_t errors_before; /* errors of earlier clients */
    uint8_t in[1024];       /* bytes from the socket that are not processed yet; chosen: small
                             * compared with the rings */
    size_t in_at, in_size;
    uint8_t out[BYTE_LINK_TAIL_MAX];
};

enum {
    DECIDE_MS = 250,  /* chosen: a client that negotiates does so immediately, and a robot takes
                       * longer to start */
    READS_MAX = 64,   /* chosen: a client that floods the link with requests must wait for its
                       * turn */
    DRAIN_MAX = 8192, /* chosen: 8 MB, twice the bytes that Linux keeps for a sender (tcp_wmem) */
    KEPT_MAX = 4096,  /* the output queue of a serial port of Linux, one page (UART_XMIT_SIZE) */
};

/* A client has connected. It counts as a host of the link as soon as it shows whether it speaks
 * telnet, or has been silent for a while. Until then it is unknown how it reads bytes. */
static void rfc2217_port_begin(struct rfc2217_port *self)
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

/* Whether the client must read its answers before more bytes are taken from it. */
static bool rfc2217_port_is_stuck(const struct rfc2217_port *self, const struct byte_link *base)
{
    return self->in_at < self->in_size && !has_answer_room(base);
}

/* The caller has checked that there is room. */
static void answer(struct rfc2217_port *self, struct byte_link *base)
{
    byte_link_append(base, self->speech.reply, self->speech.reply_size);
    self->speech.reply_size = 0;
}

static void receive(struct byte_link *base, const uint8_t *bytes, size_t size)
{
    base->rx_pushed += byte_ring_push(&base->rx, bytes, size);
}

/* Drops all bytes except the last KEPT. */
static void drop_unread(struct byte_link *base, size_t kept)
{
    uint8_t dropped[1024];

    while (base->rx.size > kept) {
        size_t excess = base->rx.size - kept;
        base->rx_popped +=
            byte_ring_pop(&base->rx, dropped, excess < sizeof dropped ? excess : sizeof dropped);
    }
}

/* The settings of the port except the terminal mode, which RFC 2217 does not contain. 1.5 stop bits
 * count as 2. */
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

/* Whether a client that does not read its answers is still connected. */
static bool is_connected(int fd)
{
    struct pollfd readable = {.fd = fd};

    return poll(&readable, 1, 0) <= 0;
}

/* Like byte_link_fill. Reads nothing while the client does not read its answers. */
static bool rfc2217_port_fill(struct rfc2217_port *self, struct byte_link *base, int fd)
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

/* Whether the client has closed its end. Called when another client connects. If a client is far
 * ahead of the robot, megabytes precede its end of file, so bytes without room are lost. */
static bool rfc2217_port_has_ended(struct rfc2217_port *self, const struct byte_link *base, int fd)
{
    ssize_t size = 1;

    if (self->in_at == self->in_size || has_data_room(self, base))
        return false;
    for (int reads = 0; reads < DRAIN_MAX && size > 0; reads++)
        size = recv(fd, self->in, sizeof self->in, MSG_DONTWAIT);
    return size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR);
}

/* Called after a client has left. Keeps only the last of its unread bytes, as many as a serial port
 * would hold, so that the next client does not wait for the rest. */
static void rfc2217_port_end(struct byte_link *base)
{
    if (base->rx.size > KEPT_MAX)
        byte_link_notice(
            base,
            "a driver left %zu bytes that the robot had not read; only the last %d bytes reach it",
            base->rx.size, KEPT_MAX);
    drop_unread(base, KEPT_MAX);
}

/* Like byte_link_send. */
static bool rfc2217_port_send(struct rfc2217_port *self, struct byte_link *base, int fd,
                              const void *bytes, size_t size)
{
    if (self->speech.is_suspended && !base->keeps_unread) {
        base->stats.frames_dropped++;
        return false;
    }
    return byte_link_send(base, fd, self->out,
                          rfc2217_escape(&self->speech, bytes, size, self->out));
}

/* Reports to the client the robot's lines, if they have changed, and the errors (enum serial_error)
 * that it has requested. */
static void rfc2217_port_report(struct rfc2217_port *self, struct byte_link *base, int fd,
                                unsigned errors)
{
    if (!has_answer_room(base))
        return;
    rfc2217_set_lines(&self->speech, self->robot_lines);
    rfc2217_report_errors(&self->speech, errors);
    answer(self, base);
    byte_link_send_tail(base, fd);
}

/* Whether an update is due although the socket is not ready. */
static bool rfc2217_port_has_news(const struct rfc2217_port *self, const struct byte_link *base)
{
    return (self->in_at < self->in_size && !rfc2217_port_is_stuck(self, base)) ||
           (!base->is_present && byte_link_now_ms() >= self->decide_at_ms);
}

/* ---- The link ---- */

enum {
    RX_CAPACITY = 131072, /* bytes; chosen: as for a pty link */
    SEND_BUFFER = 65536,  /* bytes; chosen: a host that paused reading finds recent frames; Linux
                           * alone would keep frames of several minutes */
    REST_MS = 10,         /* chosen: a robot that is a server notices one packet later that its
                           * client has gone; the next client does not receive the rest */
    WAITING_MAX = 64,     /* chosen: hosts that wait or are to be refused */
    KEEP_IDLE_S = 2,      /* these three together give TCP_LINK_SILENCE_MS */
    KEEP_INTERVAL_S = 1,
    KEEP_PROBES = 3,
};

struct tcp_link {
    struct byte_link base;
    bool is_server;             /* the robot is a TCP server: further hosts wait for their turn */
    struct tcp_address address; /* with the port that replaces "auto" */
    int listener;               /* -1: unplugged */
    int host;                   /* -1: none */
    struct rfc2217_port *port;  /* NULL: raw bytes */
    char host_name[TCP_ADDRESS_TEXT_MAX];
    bool is_refusal_reported; /* a notice has reported a second host while the present one is
                               * connected */
    bool is_resting;          /* waiting hosts are not accepted yet */
    unsigned old_calls;       /* waiting hosts that connected while the link was unplugged; they are
                               * the first in the queue */
    int64_t rest_until_ms;
};

static struct tcp_link *tcp_of(struct byte_link *self)
{
    return (struct tcp_link *)self;
}

static void set_option(int fd, int level, int name, int value)
{
    /* An option may fail: the link works without it. */
    setsockopt(fd, level, name, &value, sizeof value);
}

static bool listener_open(struct tcp_link *tcp, struct error *error)
{
    int fd = socket(tcp->address.family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return error_environment(error, "%s: cannot make a socket: %s", tcp->address.text,
                                 strerror(errno));
    /* The port is free immediately after a run. Two runs on one port remain impossible. */
    set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    /* Accepted connections inherit these options. */
    set_option(fd, SOL_SOCKET, SO_SNDBUF, SEND_BUFFER);
    set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, KEEP_IDLE_S);
    set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, KEEP_INTERVAL_S);
    set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, KEEP_PROBES);
    if (!tcp_address_bind(&tcp->address, fd, error)) {
        close(fd);
        return false;
    }
    if (listen(fd, WAITING_MAX) != 0) {
        tcp_address_fail(&tcp->address, errno, error);
        close(fd);
        return false;
    }
    tcp->listener = fd;
    tcp->base.fds_version++;
    return true;
}

static void listener_close(struct tcp_link *tcp)
{
    if (tcp->listener >= 0)
        close(tcp->listener);
    tcp->listener = -1;
}

static void host_close(struct tcp_link *tcp)
{
    if (tcp->host >= 0)
        close(tcp->host);
    tcp->host = -1;
}

/* Whether the host has acknowledged nothing for too long. Keep-alive works only while no bytes are
 * in transit; otherwise the kernel would retry for a quarter of an hour. TCP_USER_TIMEOUT does not
 * help: it also ends the connection of a host that is alive but does not read, such as a host
 * stopped in a debugger. */
static bool is_vanished(const struct tcp_link *tcp)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof info;

    if (getsockopt(tcp->host, IPPROTO_TCP, TCP_INFO, &info, &size) != 0)
        return false;
    /* A single probe to a host with a full buffer may still be in transit. */
    bool is_unanswered = info.tcpi_retransmits > 0 || info.tcpi_probes > 1;
    return is_unanswered && info.tcpi_last_ack_recv >= TCP_LINK_SILENCE_MS;
}

/* Like byte_link_fill. */
static bool fill(struct tcp_link *tcp)
{
    if (tcp->port != NULL)
        return rfc2217_port_fill(tcp->port, &tcp->base, tcp->host);
    return byte_link_fill(&tcp->base, tcp->host);
}

static void lose_host(struct tcp_link *tcp)
{
    struct byte_link *base = &tcp->base;

    host_close(tcp);
    if (tcp->port != NULL)
        rfc2217_port_end(base);
    if (base->is_present)
        byte_link_host_left(base, base->rx_pushed);
    tcp->is_resting = tcp->is_server;
    tcp->rest_until_ms = byte_link_now_ms() + REST_MS;
}

static void look_at_host(struct tcp_link *tcp)
{
    struct byte_link *base = &tcp->base;

    byte_link_send_tail(base, tcp->host);
    bool is_alive = fill(tcp);
    if (is_alive && is_vanished(tcp)) {
        byte_link_notice(base, "the driver at %s disconnected without closing the connection",
                         tcp->host_name);
        is_alive = false;
    }
    /* A host that stops sending (shutdown) counts as gone, as if it had closed a serial port. */
    if (!is_alive)
        lose_host(tcp);
}

static void refuse(struct tcp_link *tcp, int fd, const char *name)
{
    /* A reset instead of an orderly end shows the host that it was refused. */
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};

    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(fd);
    tcp->base.stats.hosts_refused++;
    if (!tcp->is_refusal_reported)
        byte_link_notice(
            &tcp->base,
            "the driver at %s was rejected: only one driver at a time, and %s is connected", name,
            tcp->host_name);
    tcp->is_refusal_reported = true;
}

/* Whether a host that waited for its turn has left. Bytes that it sent still count, such as the
 * stop command of a short connection while another host was connected. Bytes sent to an unplugged
 * robot do not count. */
static bool has_given_up(const struct tcp_link *tcp, int fd)
{
    struct pollfd end = {.fd = fd, .events = POLLRDHUP};
    char byte;

    if (tcp->old_calls > 0)
        return poll(&end, 1, 0) > 0;
    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static void accept_hosts(struct tcp_link *tcp)
{
    if (tcp->is_server && (tcp->host >= 0 || byte_link_now_ms() < tcp->rest_until_ms))
        return;
    tcp->is_resting = false;
    for (int tries = 0; tries < 16; tries++) { /* chosen: hosts may come without end */
        struct sockaddr_storage from;
        socklen_t size = sizeof from;
        char name[TCP_ADDRESS_TEXT_MAX];
        int fd =
            accept4(tcp->listener, (struct sockaddr *)&from, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd < 0) {
            /* Without free descriptors, the listener would always be ready. */
            tcp->is_resting = errno != EAGAIN && errno != EWOULDBLOCK && errno != ECONNABORTED;
            return;
        }
        bool is_gone = tcp->is_server && has_given_up(tcp, fd);
        tcp->old_calls -= tcp->old_calls > 0;
        if (is_gone) {
            close(fd);
            continue;
        }
        tcp_address_write(&from, size, name);
        if (tcp->host >= 0 && tcp->port != NULL &&
            rfc2217_port_has_ended(tcp->port, &tcp->base, tcp->host))
            lose_host(tcp);
        if (tcp->host >= 0) {
            refuse(tcp, fd, name);
            continue;
        }
        tcp->host = fd;
        memcpy(tcp->host_name, name, sizeof name);
        tcp->is_refusal_reported = false;
        tcp->base.fds_version++;
        if (tcp->port != NULL)
            rfc2217_port_begin(tcp->port);
        else
            byte_link_host_came(&tcp->base, tcp->base.rx_pushed, 0);
        fill(tcp);
        if (tcp->is_server)
            return;
    }
}

static void tcp_update(struct byte_link *self)
{
    struct tcp_link *tcp = tcp_of(self);

    if (!self->is_plugged || !byte_link_has_event_room(self))
        return;
    if (tcp->host >= 0)
        look_at_host(tcp);
    accept_hosts(tcp);
}

static bool tcp_write(struct byte_link *self, const void *bytes, size_t size)
{
    struct tcp_link *tcp = tcp_of(self);

    if (tcp->port != NULL)
        return rfc2217_port_send(tcp->port, self, tcp->host, bytes, size);
    return byte_link_send(self, tcp->host, bytes, size);
}

static size_t tcp_fds(const struct byte_link *self, struct pollfd *out)
{
    const struct tcp_link *tcp = (const struct tcp_link *)self;
    size_t count = 0;

    /* While a host waits, the listener would always be ready. */
    bool is_closed = tcp->is_server && (tcp->host >= 0 || !self->is_plugged);
    if (tcp->listener >= 0 && !tcp->is_resting && !is_closed)
        out[count++] = (struct pollfd){.fd = tcp->listener, .events = POLLIN};
    if (tcp->host >= 0) {
        bool is_stuck = tcp->port != NULL && rfc2217_port_is_stuck(tcp->port, self);
        short events = is_stuck ? 0 : POLLIN;

        if (self->tail_size > 0)
            events |= POLLOUT;
        out[count++] = (struct pollfd){.fd = tcp->host, .events = events};
    }
    return count;
}

static void tcp_unplug(struct byte_link *self)
{
    struct tcp_link *tcp = tcp_of(self);

    /* The listener first: a host that sees the end and retries immediately must be refused. A robot
     * that is a server refuses no host while it is unplugged: its address does not answer the
     * connection request, and drivers treat a refusal as the end of the robot. */
    if (!tcp->is_server)
        listener_close(tcp);
    if (tcp->host >= 0)
        fill(tcp);
    host_close(tcp);
}

static void tcp_report_errors(struct byte_link *self, unsigned errors)
{
    struct tcp_link *tcp = tcp_of(self);

    if (tcp->port != NULL && tcp->host >= 0)
        rfc2217_port_report(tcp->port, self, tcp->host, errors);
}

static void tcp_set_lines(struct byte_link *self, unsigned lines)
{
    struct tcp_link *tcp = tcp_of(self);

    if (tcp->port != NULL)
        tcp->port->robot_lines = lines;
    tcp_report_errors(self, 0);
}

static bool tcp_unread(struct byte_link *self, uint64_t *bytes)
{
    int count = 0;
    bool is_known = ioctl(tcp_of(self)->host, SIOCOUTQ, &count) == 0 && count >= 0;

    *bytes = is_known ? (uint64_t)count : 0;
    return is_known;
}

/* Whether the pause after a host is over, so that the next host may be accepted; for RFC 2217,
 * whether the present host has news. */
static bool tcp_has_news(const struct byte_link *self)
{
    const struct tcp_link *tcp = (const struct tcp_link *)self;

    if (tcp->port != NULL && tcp->host >= 0)
        return rfc2217_port_has_news(tcp->port, self);
    return tcp->is_resting && tcp->is_server && tcp->host < 0 &&
           byte_link_now_ms() >= tcp->rest_until_ms;
}

static bool tcp_replug(struct byte_link *self, struct error *error)
{
    struct tcp_link *tcp = tcp_of(self);
    struct tcp_info info = {0};
    socklen_t size = sizeof info;

    if (tcp->listener < 0)
        return listener_open(tcp, error);
    /* For a listener, tcpi_unacked is the number of connections that wait to be accepted. */
    if (getsockopt(tcp->listener, IPPROTO_TCP, TCP_INFO, &info, &size) == 0)
        tcp->old_calls = info.tcpi_unacked;
    return true;
}

static void tcp_close(struct byte_link *self)
{
    struct tcp_link *tcp = tcp_of(self);

    listener_close(tcp);
    host_close(tcp);
    free(tcp->port);
}

static const struct byte_link_ops tcp_ops = {
    .update = tcp_update,
    .write = tcp_write,
    .fds = tcp_fds,
    .unplug = tcp_unplug,
    .replug = tcp_replug,
    .set_lines = tcp_set_lines,
    .report_errors = tcp_report_errors,
    .has_news = tcp_has_news,
    .unread = tcp_unread,
    .close = tcp_close,
};

/* Starts to listen. Returns NULL after closing the link on failure. */
static struct byte_link *listen_at(struct tcp_link *tcp, const char *address, struct error *error)
{
    tcp->base.name = tcp->address.text;
    if (!tcp_address_find(&tcp->address, address, error) || !listener_open(tcp, error)) {
        byte_link_close(&tcp->base);
        return NULL;
    }
    if (!tcp_address_is_loopback(&tcp->address))
        byte_link_notice(&tcp->base,
                         "warning: %s is not a loopback address: every machine that reaches it "
                         "over the network can drive the robot",
                         tcp->address.text);
    return &tcp->base;
}

static struct tcp_link *create(const struct byte_link_config *config, struct error *error)
{
    struct tcp_link *tcp =
        byte_link_create(sizeof *tcp, &tcp_ops, config->address, RX_CAPACITY, error);

    if (tcp != NULL) {
        tcp->base.is_socket = true;
        tcp->listener = tcp->host = -1;
        tcp->is_server = config->is_server;
    }
    return tcp;
}

struct byte_link *tcp_link_open(const struct byte_link_config *config, struct error *error)
{
    struct tcp_link *tcp = create(config, error);

    return tcp != NULL ? listen_at(tcp, config->address, error) : NULL;
}

struct byte_link *rfc2217_link_open(const struct byte_link_config *config, struct error *error)
{
    struct tcp_link *tcp = create(config, error);

    if (tcp == NULL)
        return NULL;
    tcp->port = calloc(1, sizeof *tcp->port);
    if (tcp->port != NULL) {
        tcp->port->baud = config->baud;
        return listen_at(tcp, config->address, error);
    }
    byte_link_close(&tcp->base);
    return error_null(error_environment(error, "%s: out of memory for the link", config->address));
}
