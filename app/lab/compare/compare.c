#include "app/lab/compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"

/* Chosen: a field differs if a larger share of its pairs exceeds the tolerance. One packet that is
 * a step late has no effect. */
#define BEYOND_SHARE 0.01
enum {
    BEYOND_MIN = 3,
    STEADY_MIN = 10, /* chosen: packets of one kind that are sufficient to measure a period */
};

#define DRIFT_MAX  0.002 /* chosen: the clocks of recorded robots differ by 0.0006 */
#define RATE_SHARE 0.02  /* chosen: clocks of robots are much more precise */
#define PRECISE_SHARE                                                                              \
    0.1                   /* chosen: of a period, the spread of the times of a precise recording   \
                           */
#define LATE_SHARE 0.25   /* chosen: of a period; more than scheduling delays a driver's reads */
#define LATE_S     0.0125 /* chosen: above half of a USB adapter's 16 ms, which delay all packets */

/* ---- Rules: the user's, that of the field's row, that of its unit ---- */

/* Chosen. Fields without a unit, such as flags and versions, must be equal. */
static const struct {
    const char *unit; /* NULL: any */
    double tolerance, share;
} units[] = {
    {"mm/s", 30, 0.03},  {"cm/s", 3, 0.03},    {"m/s", 0.03, 0.03},
    {"deg/s", 5, 0.03},  {"rad/s", 0.1, 0.03}, {"deg", 3, 0.01},
    {"rad", 0.05, 0.01}, {"", 0, 0},           {NULL, 0, 0.05},
};

static struct compare_rule default_rule(const struct compare_options *options,
                                        const struct wire_field *field)
{
    static const enum compare_kind kinds[] = {
        [WIRE_HELD_VALUE] = COMPARE_VALUE,
        [WIRE_HELD_COUNT] = COMPARE_COUNT,
        [WIRE_HELD_ROOM] = COMPARE_LEFT_OUT,
        [WIRE_HELD_NEVER] = COMPARE_LEFT_OUT,
    };
    const struct wire_tolerance *own = &field->tolerance;
    size_t i = 0;
    if (field->is_sign) // the amount behind it has it
        return (struct compare_rule){.kind = COMPARE_LEFT_OUT};
    if (own->how == WIRE_HELD_ROOM && options->has_room)
        return (struct compare_rule){"", COMPARE_VALUE, own->amount, own->share};
    if (own->how != WIRE_HELD_BY_UNIT)
        return (struct compare_rule){"", kinds[own->how], own->amount, own->share};
    while (units[i].unit && strcmp(units[i].unit, field->unit) != 0)
        i++;
    return (struct compare_rule){"", COMPARE_VALUE, units[i].tolerance, units[i].share};
}

/* Finds the rule of a field. A number from the user does not change how the field is compared: a
 * counter remains a counter. */
static struct compare_rule find_rule(const struct compare_options *options, const char *name,
                                     const struct wire_field *field)
{
    for (size_t i = 0; i < options->rule_count; i++) {
        struct compare_rule rule = options->rules[i];
        if (!strstr(name, rule.field))
            continue;
        if (rule.kind == COMPARE_VALUE && field->tolerance.how == WIRE_HELD_COUNT)
            rule.kind = COMPARE_COUNT;
        return rule;
    }
    return default_rule(options, field);
}

static bool read_rule(char *text, struct compare_rule *rule, struct error *error)
{
    char *value = text + strcspn(text, " \t");
    double number = 0;
    if (*value)
        *value++ = '\0';
    value += strspn(value, " \t");
    value[strcspn(value, " \t")] = '\0';
    if (strlen(text) >= sizeof rule->field)
        return error_set(error, "'%s' is too long for the name of a field", text);
    bool is_left_out = strcmp(value, "leave-out") == 0;
    if (!is_left_out && !(number_parse(value, &number) && number >= 0))
        return error_set(
            error, "'%s' is not a tolerance; allowed: a number from 0 on, or leave-out", value);
    *rule = (struct compare_rule){.kind = is_left_out ? COMPARE_LEFT_OUT : COMPARE_VALUE,
                                  .tolerance = number};
    snprintf(rule->field, sizeof rule->field, "%s", text);
    return true;
}

bool compare_rules_read(FILE *file, const char *name, struct compare_rule *rules, size_t room,
                        size_t *count, struct error *error)
{
    char line[256];
    for (unsigned number = 1; fgets(line, sizeof line, file); number++) {
        bool is_whole = strchr(line, '\n') || feof(file);
        line[strcspn(line, "#\r\n")] = '\0';
        char *text = line + strspn(line, " \t");
        if (!is_whole)
            return error_set(error, "%s:%u: the line is too long", name, number);
        if (*text == '\0')
            continue;
        if (*count == room)
            return error_set(error, "%s:%u: more than %zu tolerances", name, number, room);
        if (!read_rule(text, &rules[*count], error))
            return error_prefix(error, "%s:%u: ", name, number);
        ++*count;
    }
    return true;
}

/* ---- Pairs ---- */

/* The median time between two packets; 1 s if there are too few packets. */
static double period_s(const struct trace_series *series)
{
    if (series->count < STEADY_MIN)
        return 1;
    double *gaps = malloc(series->count * sizeof *gaps);
    if (!gaps)
        return 1;
    for (size_t i = 0; i + 1 < series->count; i++)
        gaps[i] = series->time_s[i + 1] - series->time_s[i];
    qsort(gaps, series->count - 1, sizeof *gaps, number_order);
    double median = gaps[(series->count - 1) / 2];
    free(gaps);
    return median > 0.001 ? median : 0.001;
}

/* The mean phase of the first packets within a period, as an angle relative to START_S. It is a
 * mean because each packet may have waited for others on the wire. */
static double find_angle(const struct trace_series *series, double start_s, double period)
{
    enum { FIRST = 100 }; /* chosen: two seconds of most robots */
    const double turn = 6.283185307179586;
    double sine = 0, cosine = 0;
    for (size_t i = 0; i < series->count && i < FIRST; i++) {
        double angle = turn * fmod(series->time_s[i] - start_s, period) / period;
        sine += sin(angle);
        cosine += cos(angle);
    }
    return atan2(sine, cosine);
}

/* Delay of the real packets behind the virtual packets within a period. The two start times are
 * unrelated. */
static double find_phase_s(const struct trace_series *real, const struct trace_series *ours,
                           double period)
{
    const double turn = 6.283185307179586;
    double start_s = ours->time_s[0];
    double apart = find_angle(real, start_s, period) - find_angle(ours, start_s, period);
    return period * remainder(apart, turn) / turn;
}

struct matcher {
    struct compare_packet *packet;
    double period_s, offset_s; /* of the real times relative to the virtual times; follows a
                                  drift */
    double reach_s;            /* packets further apart are not a pair */
    double *late_s;            /* delay of each real packet that has a partner */
};

static double apart_s(const struct matcher *matcher, size_t real, size_t ours)
{
    return matcher->packet->real->time_s[real] - matcher->packet->ours->time_s[ours] -
           matcher->offset_s;
}

static void pair_up(struct matcher *matcher, size_t real, size_t ours)
{
    struct compare_packet *packet = matcher->packet;
    double apart = apart_s(matcher, real, ours);
    packet->partner[real] = (int)ours;
    packet->pairs++;
    matcher->late_s[real] = apart;
    if (fabs(apart) < matcher->reach_s)
        matcher->offset_s += 0.02 * apart; /* chosen: follows 1000 ppm at 10 Hz within 5 ms */
    if (apart < LATE_S || apart < 0.5 * matcher->period_s)
        return;
    packet->late++;
    if (apart > packet->worst_late_s) {
        packet->worst_late_s = apart;
        packet->late_at_s = packet->real->time_s[real];
    }
}

/* Whether the real packet and the virtual packet are a pair although they are far apart: the real
 * packet was late if the next packets are pairs. */
static bool is_late(const struct matcher *matcher, size_t real, size_t ours)
{
    enum { NEXT = 4 }; /* chosen: largest number of packets that a late packet delays */
    const struct compare_packet *packet = matcher->packet;
    for (size_t i = 1; i <= NEXT; i++)
        if (real + i < packet->real->count && ours + i < packet->ours->count &&
            fabs(apart_s(matcher, real + i, ours + i)) < matcher->reach_s)
            return true;
    return false;
}

/* Pairs the packets of both sides in their order. */
static void match(struct matcher *matcher)
{
    struct compare_packet *packet = matcher->packet;
    size_t real = 0, ours = 0;
    double end_s = packet->ours->time_s[packet->ours->count - 1] + matcher->period_s;
    // Packets before the start of the other side have no partner.
    while (ours < packet->ours->count && apart_s(matcher, 0, ours) > matcher->reach_s)
        ours++;
    while (real < packet->real->count && ours < packet->ours->count) {
        double apart = apart_s(matcher, real, ours);
        if (fabs(apart) < matcher->reach_s || (apart > 0 && is_late(matcher, real, ours))) {
            pair_up(matcher, real++, ours++);
        } else if (apart > 0) {
            if (packet->missing++ == 0)
                packet->first_missing_s = packet->ours->time_s[ours] + matcher->offset_s;
            ours++;
        } else {
            if (packet->extra++ == 0)
                packet->first_extra_s = packet->real->time_s[real];
            real++;
        }
    }
    for (; real < packet->real->count; real++)
        if (packet->real->time_s[real] - matcher->offset_s < end_s)
            packet->extra++;
}

/* Finds late packets that are still pairs. In a precise recording, most packets are close to their
 * time. Behind a USB adapter, which delivers bytes every 16 ms, such a delay has no meaning. */
static bool find_late(struct matcher *matcher)
{
    struct compare_packet *packet = matcher->packet;
    size_t count = 0, late = 0;
    double *sorted = calloc(packet->pairs + 1, sizeof *sorted);
    if (!sorted)
        return false;
    for (size_t i = 0; i < packet->real->count; i++)
        if (packet->partner[i] >= 0)
            sorted[count++] = matcher->late_s[i];
    qsort(sorted, count, sizeof *sorted, number_order);
    double usual_s = sorted[count / 2], spread_s = sorted[count * 3 / 4] - sorted[count / 4];
    bool is_precise = count >= STEADY_MIN && spread_s < PRECISE_SHARE * matcher->period_s;
    free(sorted);
    for (size_t i = 0; i < packet->real->count && is_precise && packet->late == 0; i++) {
        double more_s = packet->partner[i] >= 0 ? matcher->late_s[i] - usual_s : 0;
        late += more_s > LATE_SHARE * matcher->period_s;
        if (more_s > packet->worst_late_s) {
            packet->worst_late_s = more_s;
            packet->late_at_s = packet->real->time_s[i];
        }
    }
    packet->late += (double)late > BEYOND_SHARE * (double)count ? late : 0;
    return true;
}

/* ---- Packets ---- */

static void judge_rate(const struct trace_series *series, double *hz, double *jitter_s)
{
    if (series->count < 3)
        return;
    double n = (double)(series->count - 1);
    double mean = (series->time_s[series->count - 1] - series->time_s[0]) / n, square = 0;
    for (size_t i = 0; i + 1 < series->count; i++) {
        double off = series->time_s[i + 1] - series->time_s[i] - mean;
        square += off * off;
    }
    *hz = mean > 0 ? 1 / mean : 0;
    *jitter_s = sqrt(square / n);
}

static void judge_packet(struct compare_packet *packet)
{
    char *why = packet->why;
    bool is_steady = packet->real_hz > 0 && packet->our_hz > 0;
    size_t few = packet->pairs / 500; // chosen: 0.2 %: what begins and ends with the recording
    if (!packet->real)
        snprintf(why, COMPARE_WHY_MAX, "the real robot never sent this packet");
    else if (!packet->ours)
        snprintf(why, COMPARE_WHY_MAX, "the virtual robot never sent this packet");
    else if (is_steady && packet->pairs > 50 &&
             fabs(packet->real_hz / packet->our_hz - 1) > RATE_SHARE)
        snprintf(why, COMPARE_WHY_MAX, "rate: %.2f Hz, virtual %.2f Hz", packet->real_hz,
                 packet->our_hz);
    else if (packet->missing > few)
        snprintf(why, COMPARE_WHY_MAX, "%zu missing in the recording, the first at %.3f s",
                 packet->missing, packet->first_missing_s);
    else if (packet->extra > few)
        snprintf(why, COMPARE_WHY_MAX,
                 "%zu additional packets in the recording, the first at %.3f s", packet->extra,
                 packet->first_extra_s);
    else if (packet->late > 0)
        snprintf(why, COMPARE_WHY_MAX, "%zu late, at most by %.0f ms, at %.3f s", packet->late,
                 packet->worst_late_s * 1e3, packet->late_at_s);
    packet->is_beyond = *why;
}

static bool compare_packet(struct comparison *comparison, struct compare_packet *packet)
{
    if (packet->real)
        judge_rate(packet->real, &packet->real_hz, &packet->real_jitter_s);
    if (packet->ours)
        judge_rate(packet->ours, &packet->our_hz, &packet->our_jitter_s);
    if (packet->real && packet->ours) {
        struct matcher matcher = {.packet = packet, .period_s = period_s(packet->ours)};
        bool is_periodic = packet->ours->count >= STEADY_MIN;
        packet->partner = malloc(packet->real->count * sizeof *packet->partner);
        if (!packet->partner)
            return false;
        for (size_t i = 0; i < packet->real->count; i++)
            packet->partner[i] = COMPARE_PAIRS_UNMATCHED;
        matcher.reach_s = 0.6 * matcher.period_s; // chosen: a USB adapter's 16 ms around 1/64 s
        matcher.offset_s = is_periodic ? find_phase_s(packet->real, packet->ours, matcher.period_s)
                                       : comparison->offset_s;
        matcher.late_s = calloc(packet->real->count + 1, sizeof *matcher.late_s);
        if (matcher.late_s)
            match(&matcher);
        bool is_right = matcher.late_s && find_late(&matcher);
        free(matcher.late_s);
        if (!is_right)
            return false;
    }
    judge_packet(packet);
    comparison->beyond += packet->is_beyond;
    return true;
}

/* Fits a line through the times of all pairs of the packet with the most pairs. */
static void fit_clock(struct comparison *comparison)
{
    const struct compare_packet *most = NULL;
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < comparison->packet_count; i++)
        if (!most || comparison->packets[i].pairs > most->pairs)
            most = &comparison->packets[i];
    for (size_t i = 0; most && most->partner && i < most->real->count; i++) {
        if (most->partner[i] < 0)
            continue;
        double real = most->real->time_s[i], ours = most->ours->time_s[most->partner[i]];
        n++, x += ours, y += real - ours, xx += ours * ours;
        xy += ours * (real - ours);
    }
    double spread = n * xx - x * x;
    if (n < 2 || spread <= 0)
        return;
    comparison->drift = (n * xy - x * y) / spread;
    comparison->offset_s = (y - comparison->drift * x) / n;
    comparison->has_drift = fabs(comparison->drift) <= DRIFT_MAX;
}

/* ---- Fields ---- */

static double wrap_of(const struct wire_field *field)
{
    static const double ranges[] = {
        [WIRE_U8] = 256,         [WIRE_I8] = 256,         [WIRE_U16] = 65536, [WIRE_I16] = 65536,
        [WIRE_U32] = 4294967296, [WIRE_I32] = 4294967296, [WIRE_F32] = 0,     [WIRE_CHAR] = 0,
    };
    return ranges[field->type];
}

/* The advance of a counter between two raw values, in the direction of the shorter way. A heading
 * wraps at 360 degrees, not at the end of its number range. */
static double advance(const struct wire_field *field, double from, double to)
{
    double wrap = strcmp(field->unit, "deg") == 0 ? 360 / field->scale : wrap_of(field);
    return wrap > 0 ? remainder(to - from, wrap) : to - from;
}

/* A raw value with its two bytes swapped. */
static double exchanged(const struct wire_field *field, double raw)
{
    unsigned bits = (unsigned)(int)raw & 0xffff, other = (bits >> 8 | bits << 8) & 0xffff;
    return field->type == WIRE_I16 ? (double)(int16_t)other : (double)other;
}

/* The values of one field on one side. For a counter: its advance since FIRST. IS_EXCHANGED: in the
 * other byte order. The caller frees the result. */
static double *column(const struct trace_series *series, const struct compare_field *field,
                      size_t first, bool is_exchanged)
{
    double *values = calloc(series->count + 1, sizeof *values), before = 0;
    for (size_t i = 0; values && i < series->count; i++) {
        double raw = series->raw[i * series->width + field->column];
        if (is_exchanged)
            raw = exchanged(field->field, raw);
        if (field->rule.kind != COMPARE_COUNT)
            values[i] = raw * field->field->scale;
        else if (i > first)
            values[i] = values[i - 1] + field->field->scale * advance(field->field, before, raw);
        before = raw;
    }
    return values;
}

struct sides {
    const struct compare_packet *packet;
    double *real, *ours; /* columns */
};

/* Distance of a real value from the range of the virtual values at about the same time. */
static double distance_to_band(const struct sides *sides, size_t real)
{
    size_t at = (size_t)sides->packet->partner[real];
    double low = sides->ours[at], high = low;
    size_t from = at > 0 ? at - 1 : 0;
    size_t to = at + 1 < sides->packet->ours->count ? at + 1 : at;
    for (size_t i = from; i <= to; i++) {
        low = sides->ours[i] < low ? sides->ours[i] : low;
        high = sides->ours[i] > high ? sides->ours[i] : high;
    }
    double value = sides->real[real];
    return value < low ? low - value : value > high ? value - high : 0;
}

/* Sums over the pairs, for a line real = scale x virtual + offset. */
struct line_sums {
    double n, x, y, xx, xy, yy;
};

static struct line_sums sum_up(const struct sides *sides)
{
    struct line_sums sums = {0};
    for (size_t i = 0; i < sides->packet->real->count; i++) {
        if (sides->packet->partner[i] < 0)
            continue;
        double x = sides->ours[sides->packet->partner[i]], y = sides->real[i];
        sums.n++, sums.x += x, sums.y += y, sums.xx += x * x, sums.xy += x * y, sums.yy += y * y;
    }
    return sums;
}

static size_t first_pair(const struct compare_packet *packet)
{
    size_t i = 0;
    while (i < packet->real->count && packet->partner[i] < 0)
        i++;
    return i;
}

/* Whether the real values match after their two bytes are swapped. */
static bool is_swapped(const struct compare_field *field, const struct sides *sides)
{
    const struct compare_packet *packet = sides->packet;
    size_t fits = 0, pairs = 0;
    if (field->field->type != WIRE_I16 && field->field->type != WIRE_U16)
        return false;
    struct sides other = {packet, column(packet->real, field, first_pair(packet), true),
                          sides->ours};
    for (size_t i = 0; other.real && i < packet->real->count; i++) {
        if (packet->partner[i] < 0)
            continue;
        double x = fabs(other.ours[packet->partner[i]]);
        pairs++;
        fits += distance_to_band(&other, i) <= field->rule.tolerance + field->rule.share * x;
    }
    free(other.real);
    return fits > pairs * 9 / 10;
}

/* Describes the difference of a field. */
static void name_difference(struct compare_field *field, const struct sides *sides)
{
    struct line_sums s = sum_up(sides);
    double spread_x = s.n * s.xx - s.x * s.x, spread_y = s.n * s.yy - s.y * s.y;
    double both = s.n * s.xy - s.x * s.y;
    bool is_line = spread_x > 0 && spread_y > 0 && both * both > 0.9 * spread_x * spread_y;
    double scale = is_line ? both / spread_x : 1;
    double offset = s.n > 0 ? (s.y - scale * s.x) / s.n : 0;
    if (is_swapped(field, sides))
        snprintf(field->why, sizeof field->why, "byte order: high and low byte swapped");
    else if (is_line && fabs(scale + 1) < 0.1)
        snprintf(field->why, sizeof field->why, "sign reversed");
    else if (is_line && fabs(scale - 1) > 0.005)
        snprintf(field->why, sizeof field->why, "scale: %.4g of the virtual robot's", scale);
    else if (is_line || spread_y <= 1e-9 * s.yy * s.n + 1e-12)
        snprintf(field->why, sizeof field->why, "offset: %+.4g %s", offset, field->field->unit);
    else
        snprintf(field->why, sizeof field->why, "differs in %zu of %zu packets", field->beyond,
                 field->pairs);
}

static void judge_field(struct compare_field *field, const struct sides *sides)
{
    double squares = 0, all = 0;
    for (size_t i = 0; i < sides->packet->real->count; i++) {
        if (sides->packet->partner[i] < 0)
            continue;
        double off = distance_to_band(sides, i);
        double allowed = field->rule.tolerance +
                         field->rule.share * fabs(sides->ours[sides->packet->partner[i]]);
        double unit = allowed > 0 ? allowed : field->field->scale;
        field->pairs++;
        field->beyond += off > allowed + 1e-9;
        squares += off / unit * (off / unit);
        double whole = sides->real[i] - sides->ours[sides->packet->partner[i]];
        all += whole / unit * (whole / unit);
        if (off > field->worst) {
            field->worst = off;
            field->worst_at_s = sides->packet->real->time_s[i];
        }
    }
    field->square = field->pairs > 0 ? all / (double)field->pairs : 0;
    field->score = field->pairs > 0 ? squares / (double)field->pairs : 0;
    field->is_beyond =
        field->beyond >= BEYOND_MIN && (double)field->beyond > BEYOND_SHARE * (double)field->pairs;
    if (field->is_beyond)
        name_difference(field, sides);
}

static bool compare_field(struct comparison *comparison, struct compare_field *field)
{
    const struct compare_packet *packet = &comparison->packets[field->packet];
    size_t first = first_pair(packet);
    if (first == packet->real->count || field->rule.kind == COMPARE_LEFT_OUT)
        return true;
    struct sides sides = {packet, column(packet->real, field, first, false),
                          column(packet->ours, field, (size_t)packet->partner[first], false)};
    bool is_right = sides.real && sides.ours;
    if (is_right)
        judge_field(field, &sides);
    comparison->square += field->square;
    comparison->beyond += field->is_beyond;
    free(sides.real);
    free(sides.ours);
    return is_right;
}

bool compare_columns_take(struct compare_columns *columns, const struct comparison *comparison,
                          const struct compare_field *field)
{
    const struct compare_packet *packet = &comparison->packets[field->packet];
    size_t first = first_pair(packet);
    double *real = column(packet->real, field, first, false);
    double *ours = column(packet->ours, field, (size_t)packet->partner[first], false);
    *columns = (struct compare_columns){
        .time_s = malloc((packet->pairs + 1) * sizeof *columns->time_s),
        .real = malloc((packet->pairs + 1) * sizeof *columns->real),
        .ours = malloc((packet->pairs + 1) * sizeof *columns->ours),
    };
    bool is_right = real && ours && columns->time_s && columns->real && columns->ours;
    for (size_t i = first; is_right && i < packet->real->count; i++) {
        if (packet->partner[i] < 0)
            continue;
        columns->time_s[columns->count] = packet->real->time_s[i];
        columns->real[columns->count] = real[i];
        columns->ours[columns->count++] = ours[packet->partner[i]];
    }
    free(real);
    free(ours);
    if (!is_right)
        compare_columns_free(columns);
    return is_right;
}

void compare_columns_free(struct compare_columns *columns)
{
    free(columns->time_s);
    free(columns->real);
    free(columns->ours);
    *columns = (struct compare_columns){0};
}

/* ---- All ---- */

static bool add_fields(struct comparison *comparison, size_t packet,
                       const struct compare_options *options)
{
    const struct wire_packet *wire = comparison->packets[packet].real->packet;
    size_t column_number = 0;
    for (size_t i = 0; i < wire->field_count; i++) {
        for (size_t k = 0; k < wire->fields[i].count; k++) {
            char name[128];
            snprintf(name, sizeof name, "%s.%s", wire->name, wire->fields[i].name);
            const struct compare_field field = {.packet = packet,
                                                .field = &wire->fields[i],
                                                .element = k,
                                                .column = column_number++,
                                                .rule = find_rule(options, name, &wire->fields[i])};
            if (!array_append(&comparison->fields, &comparison->field_count, &field, sizeof field))
                return false;
        }
    }
    return true;
}

static void add_packet(struct comparison *comparison, const struct trace_series *real,
                       const struct trace_series *ours)
{
    if (comparison->packet_count < COUNT(comparison->packets))
        comparison->packets[comparison->packet_count++] = (struct compare_packet){
            .wire = real ? real->packet : ours->packet, .real = real, .ours = ours};
}

static bool compare_packets(struct comparison *comparison, bool is_steady)
{
    for (size_t i = 0; i < comparison->packet_count; i++) {
        struct compare_packet *packet = &comparison->packets[i];
        bool is_this_steady = packet->ours && packet->ours->count >= STEADY_MIN;
        if (is_this_steady == is_steady && !compare_packet(comparison, packet))
            return false;
    }
    return true;
}

bool compare_traces(struct comparison *comparison, const struct trace *real,
                    const struct trace *ours, const struct compare_options *options)
{
    *comparison = (struct comparison){0};
    for (size_t i = 0; i < real->count; i++)
        add_packet(comparison, &real->series[i], trace_find(ours, real->series[i].packet));
    for (size_t i = 0; i < ours->count; i++)
        if (!trace_find(real, ours->series[i].packet))
            add_packet(comparison, NULL, &ours->series[i]);
    // Frequent packets determine the clock, which is needed to match the others.
    if (!compare_packets(comparison, true))
        return false;
    fit_clock(comparison);
    if (!compare_packets(comparison, false))
        return false;
    for (size_t i = 0; i < comparison->packet_count; i++)
        if (comparison->packets[i].partner && !add_fields(comparison, i, options))
            return false;
    for (size_t i = 0; i < comparison->field_count; i++)
        if (!compare_field(comparison, &comparison->fields[i]))
            return false;
    return true;
}

void compare_free(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->packet_count; i++)
        free(comparison->packets[i].partner);
    free(comparison->fields);
    *comparison = (struct comparison){0};
}
