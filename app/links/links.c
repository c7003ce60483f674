/* The byte links of a run, between descriptors and simulation. */
#include "app/links/links.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/terminal.h"
#include "app/links/reading.h"
#include "pty/byte_link.h"
#include "pty/tcp/tcp_link.h"
#include "pty/terminal/host_watch.h"
#include "pty/terminal/pty_link.h"
#include "pty/uart/uart_link.h"
#include "sim/scene/scene.h"

enum {
    READ_MAX = 4096, /* chosen: bytes read at once */
    READINGS = 4,    /* chosen: links of which a visit looks how their hosts read, at most */
};

/* Chosen: a link says SAY_BURST things at once, and from then on one a second. */
#define SAY_EACH_NS INT64_C(1000000000)
enum { SAY_BURST = 8 };

/* What all links of a run share. */
struct carrier_shared {
    const char *ports;            /* as in links_open */
    struct host_watches *watches; /* of all ptys; NULL: each has its own */
};

struct carrier_request {
    const struct scene_link *link; /* as the scene asks for it */
    const struct carrier_shared *shared;
    enum channel_kind kind; /* of the channel */
    uint32_t baud;          /* of the channel; 0: none */
};

struct link_entry {
    struct byte_link *link;
    size_t channel; /* of the simulation */
    char name[96];
    struct serial_check serial;
    bool is_serial_checked; /* the scene does not turn it off */
    bool is_serial_told;    /* the present host was warned about it */
    int64_t said_ns;        /* up to when what it may say is used up */
    unsigned unsaid;        /* left out since it said something */
    bool is_replug_told;
    bool is_patient;        /* a host that does not read holds the robot up */
    bool is_unread;         /* and does so now */
    struct reading reading; /* its host's */
    uint64_t received, written;
    int64_t heard_ns; /* when it was listened to, of a turn that served its descriptors */
    unsigned lines;   /* of the robot, as of the last step */
    bool is_full;
    bool is_undelivered;                    /* written since links_deliver */
    struct pollfd slept[BYTE_LINK_FDS_MAX]; /* in the poller now */
    size_t slept_count;
    unsigned slept_version; /* of when they were put there */
};

struct links {
    struct sim *sim;
    struct live *live;
    struct poller *poller;
    struct carrier_shared shared;
    struct link_entry *entries;
    uint64_t traffic;   /* as in links_traffic */
    size_t count, room; /* in the poller, index ROOM is what all ptys share */
    size_t next_visit;
};

static struct live_channel *live_of(const struct links *links, const struct link_entry *entry)
{
    return &links->live->channels[entry->channel];
}

static void note_frames(const struct links *links, const struct link_entry *entry)
{
    const struct byte_link_stats *stats = byte_link_stats(entry->link);
    live_of(links, entry)->taken_frames = stats->frames_written;
    live_of(links, entry)->dropped_frames = stats->frames_dropped;
}

/* ---- What hosts do, for people ---- */

/* Whether a link may say one thing more now. */
static bool may_say(struct link_entry *entry, int64_t now_ns)
{
    int64_t from_ns = now_ns - SAY_BURST * SAY_EACH_NS;
    if (entry->said_ns < from_ns)
        entry->said_ns = from_ns;
    if (entry->said_ns + SAY_EACH_NS > now_ns)
        return false;
    entry->said_ns += SAY_EACH_NS;
    return true;
}

/* Says how much was left out. */
static void say_unsaid(struct link_entry *entry)
{
    terminal_say("%s: %u messages about its hosts left out; %s", entry->name, entry->unsaid,
                 byte_link_host_present(entry->link) ? "a host is there" : "no host is there");
    entry->unsaid = 0;
}

/* Says what a host did, printf-style, unless hosts do so much that nobody could read it. */
__attribute__((format(printf, 3, 4))) static void say(struct link_entry *entry, int64_t now_ns,
                                                      const char *format, ...)
{
    char text[512];
    va_list args;
    if (entry->unsaid > 0 || !may_say(entry, now_ns)) {
        entry->unsaid++;
        return;
    }
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    terminal_say("%s: %s", entry->name, text);
}

/* ---- The sleeping set ---- */

static bool is_in(const struct pollfd *fds, size_t count, int fd)
{
    for (size_t i = 0; i < count; i++)
        if (fds[i].fd == fd)
            return true;
    return false;
}

/* Tells the poller what a link waits for. A full one waits for steps, not for bytes: its
 * descriptors would be ready all the time. */
static void sleep_on(struct links *links, struct link_entry *entry)
{
    struct pollfd fds[BYTE_LINK_FDS_MAX];
    size_t count = entry->is_full ? 0 : byte_link_fds(entry->link, fds, BYTE_LINK_FDS_MAX);
    unsigned version = byte_link_fds_version(entry->link);
    bool is_same = count == entry->slept_count && version == entry->slept_version;
    for (size_t i = 0; is_same && i < count; i++)
        is_same = fds[i].fd == entry->slept[i].fd && fds[i].events == entry->slept[i].events;
    if (is_same)
        return;

    for (size_t i = 0; i < entry->slept_count; i++)
        if (!is_in(fds, count, entry->slept[i].fd))
            poller_drop(links->poller, entry->slept[i].fd);
    // A refusal (the kernel is out of memory) costs speed only: visits go on.
    for (size_t i = 0; i < count; i++)
        poller_set(links->poller, fds[i].fd, (uint32_t)fds[i].events, POLLER_LINK,
                   (size_t)(entry - links->entries));
    memcpy(entry->slept, fds, count * sizeof *fds);
    entry->slept_count = count;
    entry->slept_version = version;
}

/* ---- From the outside world ---- */

/* Tells the simulation what is known of the host's settings, if that is new. */
static void enter_settings(struct links *links, const struct link_entry *entry,
                           struct serial_settings before)
{
    struct serial_settings known = entry->serial.known;
    if (known.baud != before.baud)
        sim_host_baud(links->sim, entry->channel, known.baud);
    if (known.baud > 0)
        sim_host_mode(links->sim, entry->channel, known.mode);
}

static void check_settings(struct links *links, struct link_entry *entry, bool has_bytes,
                           int64_t now_ns)
{
    struct serial_settings before = entry->serial.known;
    entry->serial.robot.baud = sim_channel_baud(links->sim, entry->channel);
    bool is_wrong = serial_check_count(&entry->serial, has_bytes, now_ns, sim_now_us(links->sim));
    enter_settings(links, entry, before);
    if (!is_wrong || !entry->is_serial_checked || entry->is_serial_told)
        return;
    char text[SERIAL_CHECK_TEXT_SIZE];
    serial_check_text(&entry->serial, entry->serial.now, text);
    say(entry, now_ns, "%s", text);
    entry->is_serial_told = true;
}

static void handle(struct links *links, struct link_entry *entry,
                   const struct byte_link_event *event, int64_t now_ns)
{
    struct live_channel *live = live_of(links, entry);
    links->traffic++;
    struct serial_settings before = entry->serial.known;
    live->hosts = byte_link_stats(entry->link)->hosts_seen;
    live->host_baud = event->settings.baud;
    switch (event->kind) {
    case BYTE_LINK_HOST_CAME:
        entry->is_serial_told = false;
        serial_check_came(&entry->serial);
        serial_check_set(&entry->serial, event->settings, now_ns, sim_now_us(links->sim));
        sim_host_present(links->sim, entry->channel, true);
        say(entry, now_ns, "host came");
        break;
    case BYTE_LINK_HOST_LEFT:
        note_frames(links, entry); // of a frame under way
        serial_check_left(&entry->serial, now_ns, sim_now_us(links->sim));
        enter_settings(links, entry, before);
        before = entry->serial.known;
        serial_check_came(&entry->serial);
        sim_host_present(links->sim, entry->channel, false);
        say(entry, now_ns, "host left%s", byte_link_is_plugged(entry->link) ? "" : ", unplugged");
        break;
    case BYTE_LINK_SETTINGS_CHANGED:
        serial_check_set(&entry->serial, event->settings, now_ns, sim_now_us(links->sim));
        break;
    case BYTE_LINK_LINES_CHANGED:
        break;
    }
    enter_settings(links, entry, before);
    sim_host_lines(links->sim, entry->channel, event->lines);
}

/* Hands what the link holds to the simulation, in order, as far as there is room. */
static void pump(struct links *links, struct link_entry *entry, int64_t now_ns)
{
    struct byte_link_event event;
    bool is_event;
    size_t room;
    do {
        while ((room = sim_host_room(links->sim, entry->channel)) > 0) {
            uint8_t bytes[READ_MAX];
            size_t size =
                byte_link_read(entry->link, bytes, room < sizeof bytes ? room : sizeof bytes);
            if (size == 0)
                break;
            entry->received += size;
            links->traffic += size;
            check_settings(links, entry, true, now_ns);
            sim_host_bytes(links->sim, entry->channel, bytes, size);
        }
        is_event = byte_link_next_event(entry->link, &event);
        if (is_event)
            handle(links, entry, &event, now_ns);
    } while (is_event);
    entry->is_full = room == 0;
    sleep_on(links, entry);
}

/* Plugs or unplugs as the simulation asks. */
static void move_plug(struct links *links, struct link_entry *entry)
{
    bool wanted = sim_channel_is_plugged(links->sim, entry->channel);
    struct error error;
    if (wanted == byte_link_is_plugged(entry->link))
        return;
    links->traffic++;
    if (!wanted) {
        byte_link_unplug(entry->link);
        terminal_say("%s: unplugged", entry->name);
        entry->is_replug_told = false;
    } else if (byte_link_replug(entry->link, &error)) {
        terminal_say("%s: plugged in again", entry->name);
        entry->is_replug_told = false;
    } else if (!entry->is_replug_told) {
        // Tried again at each visit.
        terminal_say("%s: cannot be plugged in again: %s", entry->name, error.text);
        entry->is_replug_told = true;
    }
}

static void tell(struct links *links, struct link_entry *entry, int64_t now_ns)
{
    char text[256];
    struct live_channel *live = live_of(links, entry);
    live->refused_hosts = byte_link_stats(entry->link)->hosts_refused;
    live->bad_requests = byte_link_stats(entry->link)->bad_requests;
    while (byte_link_take_notice(entry->link, text, sizeof text))
        say(entry, now_ns, "%s", text);
    if (entry->unsaid > 0 && may_say(entry, now_ns))
        say_unsaid(entry);
}

/* Hands on what an update has found. */
static void pass_on(struct links *links, struct link_entry *entry, int64_t now_ns)
{
    tell(links, entry, now_ns);
    pump(links, entry, now_ns);
    check_settings(links, entry, false, now_ns);
}

static void serve(struct links *links, struct link_entry *entry, int64_t now_ns)
{
    move_plug(links, entry);
    byte_link_update(entry->link);
    pass_on(links, entry, now_ns);
}

/* The same where bytes may have come and all else has time; once in a turn is enough. */
static void hear(struct links *links, struct link_entry *entry, int64_t now_ns)
{
    if (entry->heard_ns == now_ns)
        return;
    entry->heard_ns = now_ns;
    byte_link_hear(entry->link);
    pass_on(links, entry, now_ns);
}

static void note_reading(struct links *links, struct link_entry *entry)
{
    uint64_t unread, sent = byte_link_stats(entry->link)->bytes_out;
    struct live_channel *live = live_of(links, entry);
    if (!byte_link_unread(entry->link, &unread))
        return;
    reading_note(&entry->reading, sent, unread, sim_now_us(links->sim));
    live->unread_bytes = unread;
    live->host_silence_s = (double)entry->reading.silence_us * 1e-6;
}

/* Ptys share one descriptor: serving one of them may bring news for another. */
static void serve_news(struct links *links, int64_t now_ns)
{
    for (size_t i = 0; i < links->count; i++)
        if (byte_link_has_news(links->entries[i].link))
            hear(links, &links->entries[i], now_ns);
}

void links_ready(struct links *links, size_t index, uint32_t events, int64_t now_ns)
{
    if (index < links->count && events == EPOLLIN)
        hear(links, &links->entries[index], now_ns);
    else if (index < links->count)
        serve(links, &links->entries[index], now_ns);
    else if (index == links->room)
        host_watches_take(links->shared.watches);
    serve_news(links, now_ns);
}

void links_note_readings(struct links *links)
{
    for (size_t i = 0; i < links->count; i++)
        note_reading(links, &links->entries[i]);
}

void links_visit(struct links *links, int64_t now_ns)
{
    // A tenth each time, so that many links do not cause one long pause.
    size_t some = (links->count + 9) / 10;
    for (size_t i = 0; i < some; i++) {
        links->next_visit = (links->next_visit + 1) % links->count;
        serve(links, &links->entries[links->next_visit], now_ns);
        // Costs more than the rest: of very many links, not all each time.
        if (i < READINGS)
            note_reading(links, &links->entries[links->next_visit]);
    }
    serve_news(links, now_ns);
}

void links_visit_all(struct links *links, int64_t now_ns)
{
    for (size_t i = 0; i < links->count; i++)
        serve(links, &links->entries[i], now_ns);
}

/* ---- From the simulation ---- */

static bool drain(struct links *links, struct link_entry *entry)
{
    const uint8_t *bytes;
    size_t size;
    bool is_any = false;
    // All that this step produced, whether there is room or not: how much must not depend on the
    // kernel, or a replay would differ. A patient link keeps it.
    while (sim_output(links->sim, entry->channel, &bytes, &size)) {
        is_any = true;
        entry->is_undelivered = true;
        links->traffic++;
        if (byte_link_write(entry->link, bytes, size))
            entry->written += size;
    }
    if (is_any)
        note_frames(links, entry);
    bool is_unread = entry->is_patient && byte_link_is_busy(entry->link);
    if (is_unread != entry->is_unread)
        sim_host_reads(links->sim, entry->channel, !is_unread);
    entry->is_unread = is_unread;
    return is_any;
}

void links_settle(struct links *links, int64_t now_ns)
{
    for (size_t i = 0; i < links->count; i++)
        serial_check_left(&links->entries[i].serial, now_ns, sim_now_us(links->sim));
}

void links_after_step(struct links *links, int64_t now_ns)
{
    for (size_t i = 0; i < links->count; i++) {
        struct link_entry *entry = &links->entries[i];
        bool is_plug_moved =
            sim_channel_is_plugged(links->sim, entry->channel) != byte_link_is_plugged(entry->link);
        if (is_plug_moved)
            move_plug(links, entry);
        unsigned lines = sim_channel_lines(links->sim, entry->channel);
        links->traffic += lines != entry->lines;
        entry->lines = lines;
        byte_link_set_lines(entry->link, lines);
        byte_link_tell_errors(entry->link, sim_take_errors(links->sim, entry->channel));
        bool has_news = byte_link_has_news(entry->link);
        if (has_news)
            byte_link_hear(entry->link);
        // Writing may have read bytes too: no descriptor will announce them again.
        if (drain(links, entry) || has_news || entry->is_full || is_plug_moved)
            pump(links, entry, now_ns);
    }
}

uint64_t links_traffic(const struct links *links)
{
    return links->traffic;
}

void links_deliver(struct links *links, const pid_t *hosts, size_t count)
{
    for (size_t i = 0; i < links->count; i++) {
        struct link_entry *entry = &links->entries[i];
        if (entry->is_undelivered)
            byte_link_deliver(entry->link, hosts, count);
        entry->is_undelivered = false;
    }
}

/* ---- What carries a channel ---- */

static struct byte_link *open_pty(const struct carrier_request *request, struct error *error)
{
    const struct pty_link_config config = {
        .path = request->link->address,
        .sub_folder = request->shared->ports,
        .baud = request->baud,
        .watches = request->shared->watches,
    };
    return pty_link_open(&config, error);
}

/* TCP has no baud: the simulated wire alone paces the bytes. A robot that is a server itself lets
 * its clients wait. */
static struct byte_link *open_tcp(const struct carrier_request *request, struct error *error)
{
    bool is_server = request->kind == CHANNEL_TCP_SERVER;
    bool is_private = request->shared->ports && request->link->is_default;
    return tcp_link_open(is_private ? "auto" : request->link->address,
                         is_server ? TCP_LINK_WAIT : TCP_LINK_RESET, error);
}

static struct byte_link *open_rfc2217(const struct carrier_request *request, struct error *error)
{
    return tcp_link_open_rfc2217(request->link->address, request->baud, error);
}

static struct byte_link *open_uart(const struct carrier_request *request, struct error *error)
{
    const struct uart_link_config config = {.path = request->link->address, .baud = request->baud};
    return uart_link_open(&config, error);
}

/* Opens the link of a channel. NULL with ERROR. */
static struct byte_link *open_carrier(const struct carrier_request *request, struct error *error)
{
    static struct byte_link *(*const carriers[])(const struct carrier_request *request,
                                                 struct error *error) = {
        [SCENE_PTY] = open_pty,
        [SCENE_TCP] = open_tcp,
        [SCENE_RFC2217] = open_rfc2217,
        [SCENE_UART] = open_uart,
    };
    return carriers[request->link->carrier](request, error);
}

/* ---- Opening and closing ---- */

static bool open_one(struct links *links, const struct scene_robot *robot, size_t robot_index,
                     const struct scene_link *from, int *code, struct error *error)
{
    struct link_entry *entry = &links->entries[links->count];
    entry->channel = sim_channel_index(links->sim, robot_index, from->channel);
    entry->is_serial_checked = from->baud_check != SCENE_BAUD_OFF;
    entry->serial.robot.baud = sim_channel_baud(links->sim, entry->channel);
    snprintf(entry->name, sizeof entry->name, "%s.%s", robot->name,
             robot->type->channels[from->channel].name);
    entry->link = open_carrier(
        &(struct carrier_request){.link = from,
                                  .shared = &links->shared,
                                  .kind = robot->type->channels[from->channel].kind,
                                  .baud = sim_channel_baud(links->sim, entry->channel)},
        error);
    if (!entry->link) {
        *code = error->is_environment ? EXIT_CODE_ENVIRONMENT : EXIT_CODE_USAGE;
        return error_prefix(error, "%s: ", entry->name);
    }
    links->count++;
    live_of(links, entry)->place = byte_link_name(entry->link);
    entry->is_patient = from->unread == SCENE_UNREAD_WAIT;
    byte_link_set_patient(entry->link, entry->is_patient);
    tell(links, entry, poller_now_ns());
    sleep_on(links, entry);
    return true;
}

static bool open_all(struct links *links, const struct scene *scene, int *code, struct error *error)
{
    for (size_t i = 0; i < scene->robot_count; i++)
        for (size_t j = 0; j < scene->robots[i].link_count; j++)
            if (!open_one(links, &scene->robots[i], i, &scene->robots[i].links[j], code, error))
                return false;
    return true;
}

/* One instance of inotify for all ptys. If none is left, the links report it when they open. */
static void share_watches(struct links *links)
{
    links->shared.watches = host_watches_create();
    if (links->shared.watches)
        poller_set(links->poller, host_watches_fd(links->shared.watches), EPOLLIN, POLLER_LINK,
                   links->room);
}

struct links *links_open(const struct scene *scene, struct sim *sim, struct live *live,
                         struct poller *poller, const char *ports, int *code, struct error *error)
{
    struct links *links = calloc(1, sizeof *links);
    size_t channels = sim_channel_count(sim);
    *code = EXIT_CODE_ENVIRONMENT;
    if (links)
        links->entries = calloc(channels + 1, sizeof *links->entries);
    if (!links || !links->entries) {
        error_set(error, "not enough memory for %zu links", channels);
        free(links);
        return NULL;
    }
    links->sim = sim;
    links->live = live;
    links->poller = poller;
    links->room = channels;
    links->shared.ports = ports;
    share_watches(links);
    if (open_all(links, scene, code, error))
        return links;
    links_close(links);
    return NULL;
}

void links_close(struct links *links)
{
    if (!links)
        return;
    for (size_t i = 0; i < links->count; i++) {
        if (links->entries[i].unsaid > 0)
            say_unsaid(&links->entries[i]);
        live_of(links, &links->entries[i])->place = NULL;
        byte_link_close(links->entries[i].link);
    }
    host_watches_drop(links->shared.watches);
    free(links->entries);
    free(links);
}

/* ---- For people and the control socket ---- */

size_t links_count(const struct links *links)
{
    return links->count;
}

void links_view(const struct links *links, size_t index, struct links_view *view)
{
    const struct link_entry *entry = &links->entries[index];
    const struct byte_link_stats *stats = byte_link_stats(entry->link);
    *view = (struct links_view){
        .channel = entry->channel,
        .kind = byte_link_kind(entry->link),
        .place = byte_link_name(entry->link),
        .is_plugged = byte_link_is_plugged(entry->link),
        .is_host = byte_link_host_present(entry->link),
        .baud = sim_channel_baud(links->sim, entry->channel),
        .host_baud = byte_link_host_settings(entry->link).baud,
        .received = entry->received,
        .written = entry->written,
        .taken = stats->frames_written,
        .dropped = stats->frames_dropped,
        .hosts = stats->hosts_seen,
        .is_full = entry->is_full,
        .reading = entry->reading,
        .serial = entry->is_serial_checked ? &entry->serial : NULL,
    };
    memcpy(view->name, entry->name, sizeof view->name);
}

size_t links_find(const struct links *links, const char *name)
{
    for (size_t i = 0; i < links->count; i++)
        if (strcmp(links->entries[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}
