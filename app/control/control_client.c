/* One connection of the control socket. */
#include "app/control/control_client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/array.h"
#include "pty/shared_memory.h"

/* ---- The watch of a client ---- */

void control_watch_set(struct control_watch *watch, size_t *wanted, size_t count, int64_t every_us,
                       int64_t now_us)
{
    control_watch_drop(watch);
    *watch = (struct control_watch){
        .wanted = wanted,
        .count = count,
        .every_us = every_us,
        .next_us = now_us + every_us,
    };
}

void control_watch_drop(struct control_watch *watch)
{
    free(watch->wanted);
    *watch = (struct control_watch){0};
}

bool control_watch_is_due(struct control_watch *watch, int64_t now_us)
{
    if (!watch->wanted || now_us < watch->next_us)
        return false;
    watch->next_us += watch->every_us;
    return true;
}

char *control_watch_line(const struct control_watch *watch, const struct sim *sim)
{
    json_t *values = json_object(), *texts = NULL;
    for (size_t i = 0; i < watch->count; i++) {
        const struct sim_signal info = sim_signal_info(sim, watch->wanted[i]);
        double value = sim_signal_value(sim, watch->wanted[i]);
        const char *word = sim_signal_word(&info, value);
        json_object_set_new(values, info.name, rpc_number(value));
        if (word && !texts)
            texts = json_object();
        if (word)
            json_object_set_new(texts, info.name, json_string(word));
    }
    return rpc_notification("watch", json_pack("{s:o, s:I, s:o, s:o*}", "time_s",
                                               rpc_number((double)sim_now_us(sim) * 1e-6),
                                               "dropped", (json_int_t)watch->dropped, "values",
                                               values, "texts", texts));
}

/* ---- The connection ---- */

enum { READ_SOME = 65536 }; /* chosen: about the default size of a socket's buffer */

void control_client_close(struct control_client *client)
{
    if (client->fd >= 0)
        close(client->fd);
    rpc_later_drop(&client->later);
    control_watch_drop(&client->watch);
    shared_memory_unmap(client->page, client->page_size);
    if (client->page)
        close(client->page_file);
    free(client->in);
    free(client->out);
    *client = (struct control_client){.fd = -1};
}

bool control_client_waits(const struct control_client *client)
{
    return client->later.kind != RPC_NOT_LATER;
}

/* ---- In ---- */

/* Examines each byte only once, however slowly a long line arrives. */
static const char *find_newline(struct control_client *client)
{
    if (client->plain >= client->in_size) {
        client->plain = client->in_size;
        return NULL;
    }
    const char *line = client->in + client->in_start;
    const char *end = memchr(line + client->plain, '\n', client->in_size - client->plain);
    client->plain = end ? (size_t)(end - line) : client->in_size;
    return end;
}

static void refuse_long_line(struct control_client *client)
{
    if (client->in_size <= CONTROL_LINE_MAX || find_newline(client))
        return;
    client->in_size = 0;
    client->is_ended = client->is_doomed = true;
    control_client_send(
        client, rpc_answer_error(RPC_INVALID_REQUEST, "a line must not be longer than 256 KiB"));
}

void control_client_read(struct control_client *client, size_t most)
{
    if (client->in_size > 0 && client->in_start > 0)
        memmove(client->in, client->in + client->in_start, client->in_size);
    client->in_start = 0;
    for (size_t taken = 0;
         !client->is_ended && client->in_size <= CONTROL_LINE_MAX && taken < most;) {
        if (!array_reserve(&client->in, &client->in_cap, client->in_size + READ_SOME, 1)) {
            client->is_gone = true;
            return;
        }
        ssize_t size = recv(client->fd, client->in + client->in_size, READ_SOME, MSG_DONTWAIT);
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0 && errno == EAGAIN)
            break;
        client->is_ended = size <= 0;
        if (size < 0)
            control_client_hang_up(client); // it has closed without reading what it was sent
        client->traffic += size > 0 ? (uint64_t)size : 0;
        client->in_size += size > 0 ? (size_t)size : 0;
        taken += size > 0 ? (size_t)size : 0;
        // The poller would report more events, but reports none for a client that has disconnected.
        if (size < READ_SOME && most != SIZE_MAX)
            break;
    }
    refuse_long_line(client);
}

bool control_client_has_line(struct control_client *client)
{
    bool is_ready = client->in_size > 0 && !control_client_waits(client) && !client->is_doomed &&
                    !client->is_gone && client->out_size < CONTROL_REPLIES_PAUSE;
    // Bytes without a newline before the end of the input count as a line, too.
    return is_ready && (client->is_ended || find_newline(client));
}

bool control_client_line(struct control_client *client, const char **line, size_t *size)
{
    if (!control_client_has_line(client))
        return false;
    const char *end = find_newline(client);
    *line = client->in + client->in_start;
    *size = end ? (size_t)(end - *line) : client->in_size;
    size_t taken = end ? *size + 1 : *size;
    client->in_start += taken;
    client->in_size -= taken;
    client->plain = 0;
    return true;
}

/* ---- Out ---- */

void control_client_flush(struct control_client *client)
{
    while (client->out_size > 0) {
        ssize_t size = send(client->fd, client->out + client->out_start, client->out_size,
                            MSG_DONTWAIT | MSG_NOSIGNAL);
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0) {
            if (errno != EAGAIN)
                control_client_hang_up(client);
            return;
        }
        client->traffic += (uint64_t)size;
        client->out_start += (size_t)size;
        client->out_size -= (size_t)size;
    }
    client->out_start = 0;
}

void control_client_send(struct control_client *client, char *line)
{
    if (!line || client->is_hung_up) {
        free(line);
        return;
    }
    size_t size = strlen(line);
    if (client->out_size > 0)
        memmove(client->out, client->out + client->out_start, client->out_size);
    client->out_start = 0;
    if (client->out_size + size > CONTROL_REPLIES_MAX ||
        !array_reserve(&client->out, &client->out_cap, client->out_size + size, 1)) {
        client->is_gone = true;
    } else {
        memcpy(client->out + client->out_size, line, size);
        client->out_size += size;
        control_client_flush(client);
    }
    free(line);
}

void control_client_hang_up(struct control_client *client)
{
    if (client->is_hung_up)
        return;
    client->is_hung_up = true;
    if (!client->is_ended)
        control_client_read(client, SIZE_MAX);
    client->is_ended = true;
    client->out_size = 0;
    control_watch_drop(&client->watch);
    if (control_client_waits(client))
        client->is_gone = true;
}

uint32_t control_client_events(const struct control_client *client)
{
    uint32_t events = 0;
    bool is_open = !client->is_ended && !client->is_doomed;
    if (is_open && !control_client_waits(client) && client->in_size <= CONTROL_LINE_MAX &&
        client->out_size < CONTROL_REPLIES_PAUSE)
        events |= EPOLLIN;
    if (client->out_size > 0)
        events |= EPOLLOUT;
    return events;
}

bool control_client_is_done(const struct control_client *client)
{
    bool is_idle = client->out_size == 0 && !control_client_waits(client);
    return client->is_gone || (is_idle && client->is_doomed) ||
           (is_idle && client->is_ended && client->in_size == 0 && !client->watch.wanted);
}
