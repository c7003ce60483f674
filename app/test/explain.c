#include "app/test/explain.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/angle.h"

/* Chosen: a driver that commands less than this part of a robot's speed uses another unit. */
static const double TINY = 0.05;
/* Chosen: a driver that knows the robot does not command more; robots limit it themselves. */
static const double HUGE_SPEED = 1.5;

enum { ROBOTS_MAX = 8 }; /* chosen: robots with a separate explanation */

struct cause {
    struct judgement *judgement;
    const struct scene *scene;
    const struct sim *sim;
    const struct wire_log *log;
    bool is_thorough; /* nothing has failed */
};

#define FIND(cause, ...) diagnoses_add(&(cause)->judgement->diagnoses, __VA_ARGS__)

static bool has_failed_host(const struct judgement *judgement)
{
    for (size_t i = 0; i < judgement->count; i++)
        if (judgement->cases[i].verdict != JUDGEMENT_PASSED && judgement->cases[i].is_host)
            return true;
    return false;
}

static bool has_failed_expectation(const struct judgement *judgement)
{
    for (size_t i = 0; i < judgement->count; i++)
        if (judgement->cases[i].verdict == JUDGEMENT_FAILED && !judgement->cases[i].is_host)
            return true;
    return false;
}

/* ---- Refused bytes ---- */

static void find_refusals(const struct cause *cause)
{
    const struct wire_report *wires = &cause->judgement->wires;
    bool has_failed = cause->judgement->failures + cause->judgement->errors > 0;
    for (size_t i = 0; i < wires->count; i++) {
        const struct wire_report_channel *row = &wires->channels[i];
        if (row->refused > 0)
            FIND(cause, row->is_faulty ? DIAGNOSIS_SCENE : DIAGNOSIS_WIRE,
                 has_failed ? DIAGNOSIS_FAILURE : DIAGNOSIS_WARNING,
                 row->is_faulty ? "troubleshooting.md#faults-on-the-wire"
                                : "troubleshooting.md#refused-bytes",
                 "%s: %" PRIu64 " frame%s came, %" PRIu64 " understood%s: %s", row->name, row->came,
                 row->came == 1 ? "" : "s", row->understood,
                 row->is_faulty ? "; the scene has faults on this channel" : "", row->refusals);
    }
}

/* ---- A host that does not read ---- */

/* Chosen: a driver that leaves bytes unread for longer uses outdated data. */
#define SILENCE_US INT64_C(500000)
/* Chosen: a driver that was stopped and reads again reads the waiting bytes in fewer polls. */
enum { SLOW_POLLS = 8 };

static void find_reading(const struct cause *cause, const struct wire_report_channel *row)
{
    const struct reading *reading = &row->reading;
    // In virtual time, the speed of the machine has no effect. Without it, half of the test is
    // chosen as the limit: on any machine, a driver can read within that time.
    bool is_sure =
        *cause->judgement->time.text != '\0' || 2 * reading->silence_us > sim_now_us(cause->sim);
    bool has_failed = cause->judgement->failures + cause->judgement->errors > 0;
    char lost[64] = "", steady[WIRE_REPORT_NAME + 128];
    if (reading->silence_us <= SILENCE_US && row->dropped == 0)
        return;
    if (reading->silence_us <= SILENCE_US && reading->taken > 0) {
        FIND(cause, DIAGNOSIS_MACHINE, DIAGNOSIS_WARNING,
             "troubleshooting.md#frames-lost-by-the-machine",
             "%s: %" PRIu64
             " frames were lost although the driver had read all bytes from the kernel: the "
             "machine is too busy to deliver bytes (a low priority of ptybot or the driver has the "
             "same effect)",
             row->name, row->dropped);
        return;
    }
    if (row->dropped > 0)
        snprintf(lost, sizeof lost, "; %" PRIu64 " frames were lost", row->dropped);
    FIND(cause, DIAGNOSIS_DRIVER, has_failed && is_sure ? DIAGNOSIS_FAILURE : DIAGNOSIS_WARNING,
         "troubleshooting.md#driver-did-not-read",
         "%s: the driver %s for %.1f s, from %.1f s on: up to %" PRIu64
         " bytes unread (%s.host_silence_s, %s.unread_bytes)%s%s",
         row->name, reading->slow_polls > SLOW_POLLS ? "read too slowly" : "did not read",
         (double)reading->silence_us * 1e-6, (double)reading->silence_from_us * 1e-6,
         reading->unread_most, row->name, row->name, lost,
         is_sure ? "" : "; without virtual time, --speed or a busy machine has the same effect");
    // The measured duration depends on the time of the polls, so the steady text omits it.
    snprintf(steady, sizeof steady, "%s: the driver did not read in time%s", row->name, lost);
    diagnoses_steady(&cause->judgement->diagnoses, steady);
}

/* ---- What the driver commanded ---- */

/* The unit of a field in m/s, if the field is a speed over the floor; otherwise 0. */
static double speed_unit_m_s(const struct wire_field *field)
{
    return strcmp(field->unit, "mm/s") == 0   ? 1e-3
           : strcmp(field->unit, "cm/s") == 0 ? 1e-2
           : strcmp(field->unit, "m/s") == 0  ? 1
                                              : 0;
}

/* The value that the bytes of a field would have in the other byte order. The same value for one
 * byte. */
static double exchanged(const struct wire_field *field, double value)
{
    double scale = field->scale != 0 ? field->scale : 1;
    double raw = value / scale;
    if (field->type != WIRE_I16 && field->type != WIRE_U16)
        return value;
    uint16_t bits = (uint16_t)(int32_t)lrint(raw);
    bits = (uint16_t)(bits >> 8 | bits << 8);
    return (field->type == WIRE_I16 ? (double)(int16_t)bits : (double)bits) * scale;
}

/* The commanded speed farthest from 0. */
struct asked {
    const struct wire_packet *packet;
    const struct wire_field *field; /* NULL: no packet commands a speed */
    double value, value_m_s;
};

static void add_packet(const struct wire_account_packet *row, struct asked *asked)
{
    for (size_t i = 0; row->count > 0 && i < wire_account_values(row->packet); i++) {
        size_t element;
        const struct wire_field *field = wire_account_field(row->packet, i, &element);
        double unit_m_s = speed_unit_m_s(field);
        bool is_least = fabs(row->values[i].least) > fabs(row->values[i].most);
        double value = is_least ? row->values[i].least : row->values[i].most;
        if (unit_m_s > 0 && (!asked->field || fabs(value) * unit_m_s > fabs(asked->value_m_s)))
            *asked = (struct asked){row->packet, field, value, value * unit_m_s};
    }
}

static void find_speeds(const struct cause *cause, const char *name, double most_m_s,
                        const struct wire_account *account)
{
    struct asked asked = {0};
    for (size_t i = 0; i < account->packet_count; i++)
        add_packet(&account->packets[i], &asked);
    if (!asked.field || most_m_s <= 0)
        return;
    double speed_m_s = fabs(asked.value_m_s);
    double other = exchanged(asked.field, asked.value);
    double other_m_s = fabs(other * speed_unit_m_s(asked.field));
    if (speed_m_s == 0)
        FIND(cause, DIAGNOSIS_DRIVER, DIAGNOSIS_FAILURE, "troubleshooting.md#no-motion-command",
             "%s received no motion command: %s was 0 in every %s", name, asked.field->name,
             asked.packet->name);
    else if (speed_m_s > HUGE_SPEED * most_m_s && other_m_s <= most_m_s && other != asked.value)
        FIND(cause, DIAGNOSIS_DRIVER, DIAGNOSIS_FAILURE, "troubleshooting.md#byte-order",
             "%s received %s %g %s in %s; its maximum is %.3g m/s. With swapped bytes the value is "
             "%g %s: check the byte order",
             name, asked.field->name, asked.value, asked.field->unit, asked.packet->name, most_m_s,
             other, asked.field->unit);
    else if (speed_m_s > HUGE_SPEED * most_m_s || speed_m_s < TINY * most_m_s)
        FIND(cause, DIAGNOSIS_DRIVER, DIAGNOSIS_FAILURE, "troubleshooting.md#speed-unit",
             "%s received at most %s %g %s in %s; its maximum is %.3g m/s: check the unit", name,
             asked.field->name, asked.value, asked.field->unit, asked.packet->name, most_m_s);
}

/* ---- What the robot did ---- */

static void find_watchdog(const struct cause *cause, const struct wire_report_channel *row)
{
    unsigned of_robot;
    const char *name =
        sim_robot_name(cause->sim, sim_channel_robot(cause->sim, row->channel, &of_robot));
    const struct wire_account *account = wire_log_account(cause->log, row->channel);
    char signal[96];
    snprintf(signal, sizeof signal, "%s.watchdog_stops", name);
    size_t found = sim_signal_find(cause->sim, signal);
    double stops = found == SIZE_MAX ? 0 : sim_signal_value(cause->sim, found);
    int64_t end_us = sim_now_us(cause->sim), pause_us = account->pause_us;
    int64_t from_us = account->pause_from_us;
    if (end_us - account->last_us > pause_us) {
        pause_us = end_us - account->last_us;
        from_us = account->last_us;
    }
    bool has_failed = cause->judgement->failures + cause->judgement->errors > 0;
    // A robot that still moves when its driver ends is stopped once by its watchdog.
    if (stops > (has_failed ? 0 : 1))
        FIND(cause, DIAGNOSIS_DRIVER,
             has_failed || cause->is_thorough ? DIAGNOSIS_FAILURE : DIAGNOSIS_WARNING,
             "troubleshooting.md#watchdog",
             "the watchdog stopped %s %g time%s (%s): repeat the command before the watchdog "
             "expires; the longest gap between commands was %.3g s, from %.3f s on",
             name, stops, stops == 1 ? "" : "s", signal, (double)pause_us * 1e-6,
             (double)from_us * 1e-6);
}

/* Whole degrees, without -0. */
static double degrees(double rad)
{
    return rint(rad / ANGLE_RAD_DEG) + 0.0;
}

static void find_way(const struct cause *cause, size_t robot, const char *reported)
{
    struct pose from = cause->scene->robots[robot].pose;
    struct pose to = sim_robot_pose(cause->sim, robot);
    FIND(cause, DIAGNOSIS_DRIVER, DIAGNOSIS_FAILURE, "troubleshooting.md#executed-all-commands",
         "%s executed all commands it received: %s; it moved from x %.2f m, y %.2f m, heading %.0f "
         "deg to x %.2f m, y %.2f m, heading %.0f deg; compare with your intention",
         sim_robot_name(cause->sim, robot), reported, from.x_m, from.y_m, degrees(from.heading_rad),
         to.x_m, to.y_m, degrees(to.heading_rad));
}

static void explain_robot(const struct cause *cause, const struct wire_report_channel *row)
{
    unsigned of_robot;
    size_t robot = sim_channel_robot(cause->sim, row->channel, &of_robot);
    const char *name = sim_robot_name(cause->sim, robot);
    const struct wire_account *account = wire_log_account(cause->log, row->channel);
    struct robot_body body = {0};
    size_t before = cause->judgement->diagnoses.count;
    if (row->bytes_in == 0)
        FIND(cause, DIAGNOSIS_DRIVER, DIAGNOSIS_FAILURE, "troubleshooting.md#never-sent-a-byte",
             "%s: the driver never sent a byte", row->name);
    if (row->understood == 0)
        return;
    robot_type_body(sim_robot_type(cause->sim, robot), cause->scene->robots[robot].options, &body);
    find_speeds(cause, name, body.speed_max_m_s, account);
    find_watchdog(cause, row);
    // If this robot has another diagnosis, its commands would only distract.
    bool is_explained = row->refused > 0 || cause->judgement->diagnoses.count > before;
    if (!is_explained && *row->reported && has_failed_expectation(cause->judgement) &&
        !has_failed_host(cause->judgement))
        find_way(cause, robot, row->reported);
}

void explain(struct judgement *judgement, const struct scene *scene, const struct sim *sim,
             const struct wire_log *log, bool is_thorough)
{
    const struct cause cause = {
        .judgement = judgement, .scene = scene, .sim = sim, .log = log, .is_thorough = is_thorough};
    const struct wire_report *wires = &judgement->wires;
    find_refusals(&cause);
    for (size_t i = 0; i < wires->count; i++)
        find_reading(&cause, &wires->channels[i]);
    bool is_wanted = is_thorough || has_failed_expectation(judgement);
    bool is_passed = judgement->failures + judgement->errors == 0;
    for (size_t i = 0; i < wires->count && i < ROBOTS_MAX; i++)
        if (is_wanted)
            explain_robot(&cause, &wires->channels[i]);
        else if (is_passed)
            find_watchdog(&cause, &wires->channels[i]);
}

/* ---- The host ---- */

/* The last non-empty line of a log. */
static void last_line(const char *log, char *text, size_t size)
{
    const char *end = log + strlen(log), *from;
    while (end > log && (end[-1] == '\n' || end[-1] == ' '))
        end--;
    for (from = end; from > log && from[-1] != '\n'; from--) {
    }
    snprintf(text, size, "%.*s", (int)(end - from), from);
}

static void find_survivor(struct judgement *judgement)
{
    if (has_failed_expectation(judgement))
        diagnoses_add(&judgement->diagnoses, DIAGNOSIS_DRIVER, DIAGNOSIS_FAILURE,
                      "troubleshooting.md#process-left-running",
                      "the driver command exited while a process it had started was still "
                      "running; that process was killed. Keep the command in the foreground until "
                      "the driver is done");
}

void explain_host(struct judgement *judgement, bool is_survived)
{
    char said[240] = "";
    const struct judgement_case *host = NULL;
    for (size_t i = 0; i < judgement->count && !host; i++)
        if (judgement->cases[i].is_host && judgement->cases[i].verdict == JUDGEMENT_FAILED)
            host = &judgement->cases[i];
    if (is_survived)
        find_survivor(judgement);
    if (!host)
        return;
    if (host->printed)
        last_line(host->printed, said, sizeof said);
    diagnoses_add(&judgement->diagnoses, DIAGNOSIS_DRIVER, DIAGNOSIS_FAILURE,
                  "troubleshooting.md#driver-failed", "the driver %s%s%s", host->found,
                  *said ? "; its last line: " : "", said);
}
