#include "app/links/link.h"

#include <stdarg.h>
#include <stdio.h>

#include "app/cli/terminal.h"
#include "pty/link_kinds.h"

/* Messages for the user about the hosts of one link: up to eight at once, then one per second. The
 * number of omitted messages follows as soon as there is room for it. */

/* Chosen: a person cannot read more. */
#define EACH_NS INT64_C(1000000000)
enum { BURST = 8 };

/* Takes the room for one message. */
static bool take_room(struct notices *notices, int64_t now_ns)
{
    int64_t from_ns = now_ns - BURST * EACH_NS;
    if (notices->said_ns < from_ns)
        notices->said_ns = from_ns;
    bool has_room = notices->said_ns + EACH_NS <= now_ns;
    notices->said_ns += has_room ? EACH_NS : 0;
    return has_room;
}

/* Prints a message, printf-style, or counts it as omitted. */
static void __attribute__((format(printf, 3, 4)))
notices_say(struct notices *notices, int64_t now_ns, const char *format, ...)
{
    char text[512];
    va_list args;
    if (notices->unsaid > 0 || !take_room(notices, now_ns)) {
        notices->unsaid++;
        return;
    }
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    terminal_say("%s: %s", notices->name, text);
}

/* Reports how many messages were omitted, if any and if there is room. IS_LAST: reports them even
 * without room. */
static void notices_catch_up(struct notices *notices, int64_t now_ns, bool is_host, bool is_last)
{
    if (notices->unsaid == 0 || (!is_last && !take_room(notices, now_ns)))
        return;
    terminal_say("%s: %u messages about its drivers omitted; %s", notices->name, notices->unsaid,
                 is_host ? "a driver is connected" : "no driver is connected");
    notices->unsaid = 0;
}

enum { READ_MAX = 4096 }; /* chosen: bytes read at once */

static struct live_channel *live_of(const struct link *link)
{
    return &link->run->live->channels[link->channel];
}

static void count(const struct link *link)
{
    const struct byte_link_stats *stats = byte_link_stats(link->byte_link);
    struct live_channel *live = live_of(link);
    live->taken_frames = stats->frames_written;
    live->dropped_frames = stats->frames_dropped;
    live->hosts = stats->hosts_seen;
    live->refused_hosts = stats->hosts_refused;
    live->bad_requests = stats->bad_requests;
    live->host_baud = byte_link_host_settings(link->byte_link).baud;
}

/* Waits for the link's descriptors. A full link waits for steps, not for bytes: its descriptors
 * would be ready all the time. */
static void sleep_on(struct link *link)
{
    struct poller_set wanted = {.version = byte_link_fds_version(link->byte_link)};
    _Static_assert((int)POLLER_SET_MAX >= (int)BYTE_LINK_FDS_MAX,
                   "room for all descriptors of a link");
    wanted.count = link->is_full ? 0 : byte_link_fds(link->byte_link, wanted.fds);
    poller_follow(link->run->poller, &link->polled, &wanted, POLLER_LINK, link->index);
    bool is_awaited = !byte_link_host_present(link->byte_link);
    link->run->awaited = link->run->awaited + is_awaited - link->is_awaited;
    link->is_awaited = is_awaited;
}

/* ---- From outside ---- */

/* Passes the known settings of the host to the simulation, if they are new. */
static void enter_settings(struct link *link)
{
    struct serial_settings known = link->serial.known;
    if (known.baud != link->entered_baud)
        sim_host_baud(link->run->sim, link->channel, known.baud);
    link->entered_baud = known.baud;
    if (known.baud > 0)
        sim_host_mode(link->run->sim, link->channel, known.mode);
}

static void check_settings(struct link *link, bool has_bytes, int64_t now_ns)
{
    struct sim *sim = link->run->sim;
    char text[SERIAL_CHECK_TEXT_SIZE];
    link->serial.robot.baud = sim_channel_baud(sim, link->channel);
    bool is_due = serial_check_count(&link->serial, has_bytes, now_ns, sim_now_us(sim));
    enter_settings(link);
    if (!is_due || !link->is_serial_checked)
        return;
    serial_check_text(&link->serial, link->serial.now, text);
    notices_say(&link->notices, now_ns, "%s", text);
}

static void handle(struct link *link, const struct byte_link_event *event, int64_t now_ns)
{
    struct sim *sim = link->run->sim;
    bool has_come = event->kind == BYTE_LINK_HOST_CAME,
         has_left = event->kind == BYTE_LINK_HOST_LEFT;
    link->run->traffic++;
    if (has_left) {
        serial_check_left(&link->serial, now_ns, sim_now_us(sim));
        enter_settings(link);
    }
    if (has_come || has_left) {
        serial_check_came(&link->serial);
        sim_host_present(sim, link->channel, has_come);
        notices_say(&link->notices, now_ns, "driver %s%s", has_come ? "connected" : "disconnected",
                    has_come || byte_link_is_plugged(link->byte_link) ? "" : ", unplugged");
    }
    if (event->kind != BYTE_LINK_LINES_CHANGED)
        serial_check_set(&link->serial, event->settings, now_ns, sim_now_us(sim));
    enter_settings(link);
    sim_host_lines(sim, link->channel, event->lines);
}

/* Passes bytes and events of the byte link to the simulation, in order, as far as there is room. */
static void pump(struct link *link, int64_t now_ns)
{
    struct sim *sim = link->run->sim;
    struct byte_link_event event;
    uint8_t bytes[READ_MAX];
    size_t size, room;
    bool is_event;
    do {
        while ((room = sim_host_room(sim, link->channel)) > 0 &&
               (size = byte_link_read(link->byte_link, bytes,
                                      room < sizeof bytes ? room : sizeof bytes)) > 0) {
            link->received += size;
            link->run->traffic += size;
            check_settings(link, true, now_ns);
            sim_host_bytes(sim, link->channel, bytes, size);
        }
        is_event = byte_link_next_event(link->byte_link, &event);
        if (is_event)
            handle(link, &event, now_ns);
    } while (is_event);
    link->is_full = room == 0;
    sleep_on(link);
}

static void notify(struct link *link, int64_t now_ns)
{
    char text[256];
    while (byte_link_take_notice(link->byte_link, text, sizeof text))
        notices_say(&link->notices, now_ns, "%s", text);
    notices_catch_up(&link->notices, now_ns, byte_link_host_present(link->byte_link), false);
}

/* Passes the results of an update to the simulation. */
static void pass_on(struct link *link, int64_t now_ns)
{
    notify(link, now_ns);
    pump(link, now_ns);
    check_settings(link, false, now_ns);
    count(link);
}

static bool is_plug_moved(const struct link *link)
{
    return sim_channel_is_plugged(link->run->sim, link->channel) !=
           byte_link_is_plugged(link->byte_link);
}

/* Plugs or unplugs as the simulation asks. */
static void move_plug(struct link *link)
{
    const char *name = link->notices.name;
    struct error error;
    bool was_reported = link->is_replug_reported;
    link->run->traffic++;
    link->is_replug_reported = false;
    if (byte_link_is_plugged(link->byte_link)) {
        byte_link_unplug(link->byte_link);
        terminal_say("%s: unplugged", name);
    } else if (byte_link_replug(link->byte_link, &error)) {
        terminal_say("%s: plugged in again", name);
    } else {
        // Each visit tries again.
        if (!was_reported)
            terminal_say("%s: cannot be plugged in again: %s", name, error.text);
        link->is_replug_reported = true;
    }
}

void link_serve(struct link *link, bool has_bytes, int64_t now_ns)
{
    if (is_plug_moved(link))
        move_plug(link);
    if (has_bytes)
        byte_link_hear(link->byte_link, true);
    else
        byte_link_update(link->byte_link);
    pass_on(link, now_ns);
}

void link_hear(struct link *link, int64_t now_ns)
{
    if (link->heard_ns == now_ns)
        return;
    link->heard_ns = now_ns;
    byte_link_hear(link->byte_link, false);
    pass_on(link, now_ns);
}

void link_note_reading(struct link *link)
{
    uint64_t unread, sent = byte_link_stats(link->byte_link)->bytes_out;
    if (!byte_link_unread(link->byte_link, &unread))
        return;
    reading_note(&link->reading, sent, unread, sim_now_us(link->run->sim));
    live_of(link)->unread_bytes = unread;
    live_of(link)->host_silence_s = (double)link->reading.silence_us * 1e-6;
}

/* ---- From the simulation ---- */

/* Sends everything that this step produced, whether the link has room or not. The amount must not
 * depend on the kernel, or a replay would differ. With keeps_unread, the link stores the rest. */
static bool drain(struct link *link)
{
    const uint8_t *bytes;
    size_t size;
    bool is_any = false;
    while (sim_output(link->run->sim, link->channel, &bytes, &size)) {
        is_any = link->is_undelivered = true;
        link->run->traffic++;
        if (byte_link_write(link->byte_link, bytes, size))
            link->written += size;
    }
    bool is_unread = link->keeps_unread && byte_link_is_busy(link->byte_link);
    if (is_unread != link->is_unread)
        sim_host_reads(link->run->sim, link->channel, !is_unread);
    link->is_unread = is_unread;
    return is_any;
}

void link_after_step(struct link *link, int64_t now_ns)
{
    struct sim *sim = link->run->sim;
    bool is_moved = is_plug_moved(link);
    if (is_moved)
        move_plug(link);
    unsigned lines = sim_channel_lines(sim, link->channel);
    link->run->traffic += lines != link->lines;
    link->lines = lines;
    byte_link_set_lines(link->byte_link, lines);
    byte_link_report_errors(link->byte_link, sim_take_errors(sim, link->channel));
    bool has_news = byte_link_has_news(link->byte_link);
    if (has_news)
        byte_link_hear(link->byte_link, false);
    // Writing may have read bytes too: no descriptor will announce them again.
    if (!drain(link) && !has_news && !link->is_full && !is_moved)
        return;
    pump(link, now_ns);
    count(link);
}

/* ---- Opening and closing ---- */

bool link_open(struct link *link, const struct scene_robot *robot, size_t robot_index,
               const struct scene_link *from, struct error *error)
{
    struct link_run *run = link->run;
    const struct channel_spec *channel = &robot->type->channels[from->channel];
    // Simultaneous runs must not use the same standard port of a robot.
    bool is_auto = run->ports && from->is_default && link_kinds[from->kind].syntax->host;
    link->kind = from->kind;
    link->channel = sim_channel_index(run->sim, robot_index, from->channel);
    link->is_serial_checked = from->baud_check != SCENE_BAUD_OFF;
    link->keeps_unread = from->unread == SCENE_UNREAD_WAIT;
    link->serial.robot.baud = sim_channel_baud(run->sim, link->channel);
    snprintf(link->notices.name, sizeof link->notices.name, "%s.%s", robot->name, channel->name);
    link->byte_link = byte_link_open(
        link->kind,
        &(struct byte_link_config){.address = is_auto ? LINK_ADDRESS_AUTO : from->address,
                                   .sub_folder = run->ports,
                                   .baud = link->serial.robot.baud,
                                   .is_server = channel->kind == CHANNEL_TCP_SERVER,
                                   .watches = run->watches},
        error);
    if (!link->byte_link)
        return error_prefix(error, "%s: ", link->notices.name);
    live_of(link)->place = byte_link_name(link->byte_link);
    byte_link_set_unread_kept(link->byte_link, link->keeps_unread);
    notify(link, poller_now_ns());
    sleep_on(link);
    return true;
}

void link_close(struct link *link)
{
    notices_catch_up(&link->notices, 0, byte_link_host_present(link->byte_link), true);
    live_of(link)->place = NULL;
    byte_link_close(link->byte_link);
}
