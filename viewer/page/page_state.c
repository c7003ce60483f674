/* What the page's panels say. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/angle.h"
#include "protocols/describe.h"
#include "viewer/model/actions.h"
#include "viewer/page/json.h"
#include "viewer/page/page.h"

static struct json *begin(char bracket)
{
    static struct json json;
    json_clear(&json);
    json_begin(&json, NULL, bracket);
    return &json;
}

static const char *end(struct json *json, char bracket)
{
    json_end(json, bracket);
    return json->text;
}

const double *page_values(void)
{
    const struct snapshot *snapshot = page_view()->snapshot;
    return snapshot ? snapshot_at(snapshot, snapshot->values) : NULL;
}

/* ---- What fails, what is to come, what is expected ---- */

static void write_faults(struct json *json, const struct snapshot *snapshot)
{
    const struct snapshot_fault *faults = snapshot_at(snapshot, snapshot->faults);
    json_begin(json, "faults", '[');
    for (uint32_t i = 0; i < snapshot->fault_count; i++) {
        json_begin(json, NULL, '{');
        json_number(json, "robot", faults[i].robot);
        json_string(json, "part", faults[i].part);
        json_string(json, "what", faults[i].what);
        json_number(json, "left_s", (double)faults[i].left_s);
        json_end(json, '{');
    }
    json_end(json, '[');
    json_begin(json, "events", '[');
    for (uint32_t i = 0; i < snapshot->event_count && i < SNAPSHOT_EVENTS_MAX; i++) {
        json_begin(json, NULL, '{');
        json_string(json, "when", snapshot->events[i].when);
        json_string(json, "command", snapshot->events[i].command);
        json_end(json, '{');
    }
    json_end(json, '[');
    json_number(json, "event_count", snapshot->event_count);
}

static void write_verdicts(struct json *json, const struct snapshot *snapshot)
{
    static const char *const words[] = {"pending", "passed", "failed", "skipped"};
    const struct snapshot_verdict *verdicts = snapshot_at(snapshot, snapshot->verdicts);
    json_begin(json, "verdicts", '[');
    for (uint32_t i = 0; i < snapshot->verdicts.count; i++) {
        json_begin(json, NULL, '{');
        json_string(json, "name", snapshot_text(snapshot, verdicts[i].name));
        json_string(json, "that", snapshot_text(snapshot, verdicts[i].that));
        json_string(json, "when", snapshot_text(snapshot, verdicts[i].when));
        json_string(json, "verdict", words[verdicts[i].verdict % 4]);
        json_number(json, "at_s", (double)verdicts[i].at_us * 1e-6);
        json_string(json, "found", verdicts[i].found);
        json_end(json, '{');
    }
    json_end(json, '[');
}

/* The kinds of faults that can befall each part of a robot, for a menu. */
static void write_fault_parts(struct json *json, const struct snapshot *snapshot,
                              const struct snapshot_robot *robot)
{
    const struct snapshot_fault_kind *kinds = snapshot_at(snapshot, snapshot->fault_kinds);
    const struct snapshot_fault_part *parts = snapshot_at(snapshot, robot->parts);
    json_begin(json, "fault_parts", '[');
    for (uint32_t i = 0; i < robot->parts.count; i++) {
        json_begin(json, NULL, '{');
        json_string(json, "name", snapshot_text(snapshot, parts[i].name));
        json_begin(json, "kinds", '[');
        for (uint32_t k = 0; k < snapshot->fault_kinds.count; k++) {
            if (!(parts[i].kinds >> k & 1))
                continue;
            json_begin(json, NULL, '{');
            json_string(json, "name", snapshot_text(snapshot, kinds[k].name));
            json_string(json, "arguments", snapshot_text(snapshot, kinds[k].arguments));
            json_string(json, "note", snapshot_text(snapshot, kinds[k].note));
            json_end(json, '{');
        }
        json_end(json, '[');
        json_end(json, '{');
    }
    json_end(json, '[');
}

/* ---- The run and its robots ---- */

static void write_pose(struct json *json, const char *key, struct snapshot_pose pose)
{
    json_begin(json, key, '{');
    json_number(json, "x_m", pose.x_m);
    json_number(json, "y_m", pose.y_m);
    json_number(json, "heading_deg", remainder(pose.heading_rad / ANGLE_RAD_DEG, 360));
    json_end(json, '{');
}

static void write_channel(struct json *json, const struct snapshot_channel *channel)
{
    json_begin(json, NULL, '{');
    json_string(json, "name", channel->name);
    json_string(json, "place", channel->place);
    json_bool(json, "host", channel->is_host);
    json_bool(json, "plugged", channel->is_plugged);
    json_number(json, "baud", channel->baud);
    json_number(json, "host_baud", channel->host_baud);
    json_number(json, "to_host_frames", (double)channel->to_host_frames);
    json_number(json, "to_host_bytes", (double)channel->to_host_bytes);
    json_number(json, "from_host_frames", (double)channel->stats.frames);
    json_number(json, "from_host_bytes", (double)channel->from_host_bytes);
    json_number(json, "bad_frames", (double)channel->stats.bad_frames);
    json_number(json, "noise_bytes", (double)channel->stats.noise_bytes);
    json_number(json, "unknown_ids", (double)channel->stats.unknown_ids);
    json_number(json, "bad_lengths", (double)channel->stats.bad_lengths);
    json_number(json, "dropped", (double)channel->dropped_frames);
    json_end(json, '{');
}

/* What a click on the robot in the picture would do, for those who use no mouse. */
static void write_parts(struct json *json, const struct snapshot *snapshot,
                        const struct snapshot_robot *robot)
{
    json_begin(json, "parts", '[');
    for (size_t i = 0; i < robot->looks.count; i++) {
        const char *click = snapshot_look(snapshot, robot, i).click;
        bool is_again = !click;
        for (size_t k = 0; click && k < i; k++) {
            const char *other = snapshot_look(snapshot, robot, k).click;
            is_again |= other && strcmp(other, click) == 0;
        }
        if (!is_again)
            json_string(json, NULL, click);
    }
    json_end(json, '[');
}

static void write_selected(struct json *json, const struct view *view)
{
    const struct snapshot_robot *robot = view_robot(view);
    if (!robot)
        return;
    json_begin(json, "robot", '{');
    write_pose(json, "pose", robot->pose);
    if (robot->has_odometry)
        write_pose(json, "odometry", robot->odometry);
    json_number(json, "speed_m_s", (double)robot->speed_m_s);
    json_number(json, "turn_deg_s", (double)robot->turn_rad_s / ANGLE_RAD_DEG);
    json_number(json, "first_signal", robot->first_signal);
    json_number(json, "signals", robot->signals.count);
    json_number(json, "image_at", robot->image.at);
    json_number(json, "image_width", robot->image_width);
    json_number(json, "image_height", robot->image_height);
    write_parts(json, view->snapshot, robot);
    write_fault_parts(json, view->snapshot, robot);
    json_begin(json, "channels", '[');
    for (uint32_t i = 0; i < robot->channel_count; i++)
        write_channel(json, view_channel(view, robot, i));
    json_end(json, '[');
    json_end(json, '{');
}

static void write_robot(struct json *json, const struct view *view,
                        const struct snapshot_robot *robot)
{
    bool is_host = false, is_unplugged = false;
    double refused = 0;
    for (uint32_t i = 0; i < robot->channel_count; i++) {
        const struct snapshot_channel *channel = view_channel(view, robot, i);
        is_host |= channel->is_host;
        is_unplugged |= !channel->is_plugged;
        refused += (double)(channel->stats.bad_frames + channel->stats.noise_bytes +
                            channel->stats.unknown_ids + channel->stats.bad_lengths);
    }
    json_begin(json, NULL, '{');
    json_string(json, "name", robot->name);
    json_string(json, "label", robot->label);
    json_string(json, "type", snapshot_text(view->snapshot, robot->title));
    json_bool(json, "lifted", robot->is_lifted);
    json_bool(json, "docked", robot->is_docked);
    json_bool(json, "adapter", robot->has_adapter);
    json_bool(json, "host", is_host);
    json_bool(json, "unplugged", is_unplugged);
    json_number(json, "refused", refused);
    json_number(json, "charge", (double)robot->charge);
    json_number(json, "collisions", robot->collisions);
    json_number(json, "faults", robot->fault_count);
    json_end(json, '{');
}

static void write_tools(struct json *json, const struct view *view)
{
    json_number(json, "selected", view->viewport.selected);
    json_number(json, "tool", view->tool);
    json_number(json, "shows", view->viewport.shows);
    json_number(json, "px_per_m", view->viewport.px_per_m);
    json_bool(json, "fitted", view->is_fitted);
    json_bool(json, "following", view->is_following);
    json_bool(json, "dark", view->viewport.theme == THEME_DARK);
    json_bool(json, "can_undo", view->undo.done > 0);
    json_bool(json, "can_redo", view->undo.done < view->undo.count);
    json_string(json, "notice", view->notice_until_ms > view->now_ms ? view->notice : "");
}

const char *page_state(void)
{
    const struct view *view = page_view();
    const struct snapshot *snapshot = view->snapshot;
    struct json *json = begin('{');
    write_tools(json, view);
    json_bool(json, "shown", snapshot != NULL);
    if (!snapshot)
        return end(json, '{');
    json_number(json, "time_s", (double)snapshot->now_us * 1e-6);
    json_bool(json, "paused", snapshot->is_paused);
    json_bool(json, "lockstep", snapshot->is_lockstep);
    json_number(json, "speed", snapshot->speed);
    json_number(json, "length_s", (double)snapshot->length_us * 1e-6);
    json_number(json, "mark_count", snapshot->marks.count);
    json_string(json, "title", snapshot->title);
    json_number(json, "generation", (double)snapshot->generation);
    const struct snapshot_robot *robots = snapshot_at(snapshot, snapshot->robots);
    json_begin(json, "robots", '[');
    for (uint32_t i = 0; i < snapshot->robots.count; i++)
        write_robot(json, view, &robots[i]);
    json_end(json, '[');
    write_faults(json, snapshot);
    write_verdicts(json, snapshot);
    write_selected(json, view);
    return end(json, '{');
}

/* ---- Marks of a replay ---- */

const char *page_marks(void)
{
    const struct snapshot *snapshot = page_view()->snapshot;
    const struct snapshot_mark *marks = snapshot ? snapshot_at(snapshot, snapshot->marks) : NULL;
    struct json *json = begin('[');
    for (uint32_t i = 0; marks && i < snapshot->marks.count; i++) {
        json_begin(json, NULL, '{');
        json_number(json, "at_s", (double)marks[i].at_us * 1e-6);
        json_string(json, "kind", snapshot_mark_word(marks[i].kind));
        json_string(json, "text", marks[i].text);
        json_end(json, '{');
    }
    return end(json, '[');
}

/* ---- Signals ---- */

const char *page_signals(void)
{
    const struct view *view = page_view();
    const struct snapshot_robot *robot = view_robot(view);
    struct json *json = begin('[');
    const struct snapshot_signal *signals =
        robot ? snapshot_at(view->snapshot, robot->signals) : NULL;
    for (uint32_t i = 0; signals && i < robot->signals.count; i++) {
        json_begin(json, NULL, '{');
        json_number(json, "number", robot->first_signal + i);
        json_string(json, "name", snapshot_text(view->snapshot, signals[i].name));
        json_string(json, "unit", snapshot_text(view->snapshot, signals[i].unit));
        json_string(json, "note", snapshot_text(view->snapshot, signals[i].note));
        json_begin(json, "words", '[');
        const char *word = signals[i].words ? snapshot_text(view->snapshot, signals[i].words) : "";
        for (; *word; word += strlen(word) + 1)
            json_string(json, NULL, word);
        json_end(json, '[');
        json_end(json, '{');
    }
    return end(json, '[');
}

/* ---- Frames ---- */

/* `field=value unit, field=value unit {sample x=1, y=2} {sample x=3, y=4}` */
static void write_fields(struct json *json, char *text)
{
    for (char *brace; (brace = strstr(text, " {"));) {
        brace[0] = ',';
        brace[1] = ' ';
    }
    for (char *brace; (brace = strchr(text, '}'));)
        *brace = ' ';
    for (char *rest = text; rest && *rest;) {
        char *next = strstr(rest, ", ");
        if (next)
            *next = '\0';
        json_string(json, NULL, rest + strspn(rest, " "));
        rest = next ? next + 2 : NULL;
    }
}

static void visit(void *user, const struct wire_packet *packet, uint8_t id, const uint8_t *body,
                  size_t size)
{
    struct json *json = user;
    char text[2048], word[32];
    snprintf(word, sizeof word, "id %u, %zu bytes", id, size);
    json_begin(json, NULL, '{');
    json_string(json, "name", packet ? packet->name : word);
    json_begin(json, "fields", '[');
    if (packet) {
        describe_packet(packet, body, size, text, sizeof text);
        write_fields(json, text + strlen(packet->name));
    }
    json_end(json, '[');
    json_end(json, '{');
}

static void write_frame(struct json *json, const struct robot_type *type, uint32_t channel,
                        enum wire_direction direction, const struct frame_record *frame)
{
    char text[2048];
    size_t used = 0;
    json_begin(json, NULL, '{');
    json_number(json, "at_s", (double)frame->at_us * 1e-6);
    json_number(json, "size", frame->size);
    json_bool(json, "good", frame->is_good);
    for (size_t i = 0; i < frame->kept; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%02x ", frame->bytes[i]);
    snprintf(text + used, sizeof text - used, "%s", frame->kept < frame->size ? "..." : "");
    json_string(json, "hex", text);
    json_begin(json, "packets", '[');
    bool is_whole = type && frame->is_good && frame->kept == frame->size;
    bool is_walked = is_whole && robot_walk(type, channel, direction, frame->promised, frame->bytes,
                                            frame->kept, visit, json);
    json_end(json, '[');
    if (is_whole && !is_walked) {
        describe_frame(type, channel, direction, frame->promised, frame->bytes, frame->kept, text,
                       sizeof text);
        json_string(json, "text", text);
    }
    json_end(json, '{');
}

const char *page_frames(uint32_t channel, uint32_t direction)
{
    const struct view *view = page_view();
    const struct snapshot_robot *robot = view_robot(view);
    const struct snapshot_channel *one = robot ? view_channel(view, robot, channel) : NULL;
    struct json *json = begin('[');
    if (one && direction < 2) {
        const struct frame_ring *ring = &one->frames[direction];
        uint64_t count = ring->total < FRAME_RING_COUNT ? ring->total : FRAME_RING_COUNT;
        for (uint64_t i = 0; i < count; i++)
            write_frame(json, registry_find(robot->wire), channel, (enum wire_direction)direction,
                        &ring->records[(ring->total - 1 - i) % FRAME_RING_COUNT]);
    }
    return end(json, '[');
}

/* ---- Keys ---- */

const char *page_actions(void)
{
    struct json *json = begin('[');
    for (size_t i = 0; i < action_count; i++) {
        json_begin(json, NULL, '{');
        json_number(json, "action", action_rows[i].action);
        json_string(json, "group", action_rows[i].group);
        json_string(json, "keys", action_rows[i].keys);
        json_string(json, "note", action_rows[i].note);
        json_end(json, '{');
    }
    return end(json, '[');
}
