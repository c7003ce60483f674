#include "app/lab/compare/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "app/lab/recording/decoder.h"
#include "base/array.h"
#include "base/modem_lines.h"
#include "sim/sim.h"

enum {
    STRUCT_MAX = 1 << 16, /* bytes of a message struct; chosen: more than a camera image has */
    TRACE_MAX = 1 << 30,  /* bytes of a trace; chosen: about ten hours of a Kobuki */
    /* Chosen: a driver sends a request at least every 10 s. Longer gaps must be simulated as well,
     * so their excess may add up to 10 minutes, which takes a quarter of a second. */
    QUIET_S = 10,
    QUIET_SUM_S = 600,
};

#define WARM_US INT64_C(3000000) /* chosen: every robot has booted by then */
/* Chosen: time per byte in recordings without times, a sixteenth of the rate at 115200 baud. */
#define QUIET_BYTE_NS INT64_C(1388889)
#define SINCE_1970_NS                                                                              \
    INT64_C(100000000000000000) /* chosen: three years; no simulation is longer                    \
                                 */

/* ---- Packets ---- */

static struct trace_series *find_series(struct trace *trace, const struct wire_packet *packet)
{
    for (size_t i = 0; i < trace->count; i++)
        if (trace->series[i].packet == packet)
            return &trace->series[i];
    return NULL;
}

static struct trace_series *series_of(struct trace *trace, const struct wire_packet *packet)
{
    struct trace_series *series = find_series(trace, packet);
    if (series || trace->count == TRACE_SERIES_MAX)
        return series;
    series = &trace->series[trace->count++];
    *series = (struct trace_series){.packet = packet};
    for (size_t i = 0; i < packet->field_count; i++)
        series->width += packet->fields[i].count;
    return series;
}

static bool series_grow(struct trace *trace, struct trace_series *series)
{
    if (series->count < series->room)
        return true;
    size_t room = series->room ? 2 * series->room : 256;
    size_t size = trace->size + (room - series->room) * (series->width + 2) * sizeof(double);
    trace->is_full |= size > TRACE_MAX;
    if (trace->is_full)
        return false;
    double *time_s = realloc(series->time_s, room * sizeof *time_s);
    if (time_s)
        series->time_s = time_s;
    double *raw = realloc(series->raw, room * (series->width + 1) * sizeof *raw);
    if (raw)
        series->raw = raw;
    trace->is_full |= !time_s || !raw;
    if (trace->is_full)
        return false;
    series->room = room;
    trace->size = size;
    return true;
}

struct collector {
    struct trace *trace;
    double time_s;
};

/* Repeated elements of a packet become one packet with their mean, because their number depends on
 * the phase of two clocks. */
static void collect_elements(struct collector *to, const struct wire_packet *packet,
                             const uint8_t *body, size_t size)
{
    static _Alignas(16) uint8_t element[STRUCT_MAX];
    const struct wire_packet *repeat = packet->repeat;
    size_t step = wire_size(repeat), first = wire_size(packet);
    size_t count = step > 0 && size > first ? (size - first) / step : 0;
    struct trace_series *series = count > 0 ? series_of(to->trace, repeat) : NULL;
    if (!series || repeat->struct_size > sizeof element || !series_grow(to->trace, series))
        return;
    double *raw = series->raw + series->count * series->width;
    for (size_t i = 0; i < repeat->field_count; i++)
        for (size_t k = 0; k < repeat->fields[i].count; k++) {
            double sum = 0;
            for (size_t at = first; at + step <= size; at += step) {
                wire_decode(repeat, body + at, step, element);
                sum += wire_raw(&repeat->fields[i], element, k);
            }
            *raw++ = sum / (double)count;
        }
    series->time_s[series->count++] = to->time_s;
}

/* Adds a packet to a trace. A wire_visit. */
static void collect(void *user, const struct wire_packet *packet, uint8_t id, const uint8_t *body,
                    size_t size)
{
    static _Alignas(16) uint8_t message[STRUCT_MAX];
    struct collector *to = user;
    (void)id;
    if (!packet || packet->struct_size > sizeof message ||
        !wire_decode(packet, body, size, message))
        return;
    struct trace_series *series = series_of(to->trace, packet);
    if (!series || !series_grow(to->trace, series))
        return;
    double *raw = series->raw + series->count * series->width;
    bool is_negative = false; // says the field in front
    for (size_t i = 0; i < packet->field_count; i++) {
        double number = 0;
        for (size_t k = 0; k < packet->fields[i].count; k++) {
            number = wire_raw(&packet->fields[i], message, k);
            *raw++ = is_negative ? -number : number;
        }
        is_negative = packet->fields[i].is_sign && number != 0;
    }
    series->time_s[series->count++] = to->time_s;
    if (packet->repeat)
        collect_elements(to, packet, body, size);
}

static void collect_frames(struct trace *trace, struct decoder *decoder, int64_t from_ns)
{
    struct decoded decoded;
    while (decoder_next(decoder, &decoded)) {
        struct collector to = {trace, (double)(decoded.piece.time_ns - from_ns) * 1e-9};
        if (decoded.direction != WIRE_TO_HOST || !decoded.type)
            continue;
        if (decoded.piece.kind == WIRE_PIECE_FRAME)
            decoder_walk(decoder, &decoded, collect, &to);
    }
}

static bool fits(const struct trace *trace, struct error *error)
{
    return !trace->is_full || error_environment(error,
                                                "its packets need more memory than available, or "
                                                "more than %d MiB; use a part of the recording",
                                                TRACE_MAX >> 20);
}

const struct trace_series *trace_find(const struct trace *trace, const struct wire_packet *packet)
{
    return find_series((struct trace *)(uintptr_t)trace, packet);
}

void trace_free(struct trace *trace)
{
    for (size_t i = 0; i < trace->count; i++) {
        free(trace->series[i].time_s);
        free(trace->series[i].raw);
    }
    *trace = (struct trace){0};
}

/* ---- A recording ---- */

static bool add_input(struct recording *recording, const struct capture_block *block,
                      int64_t first_ns)
{
    if (!array_reserve(&recording->inputs, &recording->input_room, recording->input_count + 1,
                       sizeof *recording->inputs))
        return false;
    struct trace_input *input = &recording->inputs[recording->input_count++];
    *input = (struct trace_input){
        .time_ns = block->time_ns - first_ns,
        .is_bytes = block->kind == CAPTURE_TO_ROBOT,
        .size = block->size,
        .lines = block->lines & MODEM_HOST_LINES,
        .baud = block->baud,
        // The words of capture_file.c. The tap and version 0.1.0 write " came" and " left".
        .comes = strstr(block->comment, " connected") || strstr(block->comment, " came"),
        .leaves = strstr(block->comment, " disconnected") || strstr(block->comment, " left"),
    };
    if (!input->is_bytes)
        return true;
    input->bytes = malloc(block->size + 1);
    if (input->bytes)
        memcpy(input->bytes, block->bytes, block->size);
    return input->bytes;
}

/* Whether a line is the requested one. */
static bool is_wanted(const struct recording *recording, const struct capture_interface *interface)
{
    const struct robot_type *type = NULL;
    unsigned channel = 0;
    if (*recording->line)
        return strcmp(interface->name, recording->line) == 0;
    return !decoder_find_type(interface, &type, &channel) ||
           (type == recording->type && channel == recording->channel);
}

/* Whether the gaps up to a block are short enough for a simulation. */
static bool is_near(struct recording *recording, const struct capture_block *block,
                    int64_t first_ns, struct error *error)
{
    const int64_t second_ns = 1000000000;
    int64_t quiet_ns = block->time_ns - first_ns - recording->length_ns;
    if (quiet_ns > QUIET_S * second_ns)
        recording->quiet_ns += quiet_ns - QUIET_S * second_ns;
    if (recording->quiet_ns <= QUIET_SUM_S * second_ns)
        return true;
    return error_set(error,
                     "the recording has a gap of %.0f s before this packet; allowed: gaps above %d "
                     "s that add up to %d s. Cut the recording there, or correct its clock",
                     (double)quiet_ns * 1e-9, QUIET_S, QUIET_SUM_S);
}

static bool take_block(struct recording *recording, struct decoder *decoder,
                       const struct capture_block *block, const struct capture_interface *interface,
                       int64_t *first_ns, struct error *error)
{
    if (!is_wanted(recording, interface))
        return true;
    if (!*recording->line || *first_ns == INT64_MIN) {
        memcpy(recording->line, interface->name, sizeof recording->line);
        recording->is_simulated = block->time_ns < SINCE_1970_NS && !recording->is_raw;
        *first_ns = recording->is_simulated ? 0 : block->time_ns;
    }
    if (!is_near(recording, block, *first_ns, error))
        return false;
    if (block->time_ns - *first_ns > recording->length_ns)
        recording->length_ns = block->time_ns - *first_ns;
    bool is_input = block->kind == CAPTURE_STATUS || block->kind == CAPTURE_TO_ROBOT;
    if (!(is_input ? add_input(recording, block, *first_ns)
                   : decoder_push(decoder, block, interface)))
        return error_environment(error, "not enough memory");
    if (!is_input)
        collect_frames(&recording->trace, decoder, *first_ns);
    return fits(&recording->trace, error);
}

void recording_take_times(struct recording *recording, struct trace *ours)
{
    for (size_t i = 0; recording->is_untimed && i < recording->trace.count; i++) {
        struct trace_series *real = &recording->trace.series[i];
        struct trace_series *virtual = find_series(ours, real->packet);
        if (!virtual)
            continue;
        size_t both = real->count < virtual->count ? real->count : virtual->count;
        real->count = virtual->count = both;
        memcpy(real->time_s, virtual->time_s, both * sizeof *real->time_s);
    }
}

bool recording_read(struct recording *recording, const char *path,
                    const struct block_format *format, const struct robot_type *type,
                    unsigned channel, const char *line, struct error *error)
{
    uint64_t bytes = 0;
    struct capture_block block;
    int64_t first_ns = INT64_MIN;
    struct capture_reader *reader = capture_reader_open_format(path, format, error);
    struct decoder *decoder = reader ? decoder_create(type, channel) : NULL;
    *recording = (struct recording){.type = type, .channel = channel, .is_raw = format->is_raw};
    strncat(recording->line, line, sizeof recording->line - 1);
    bool is_right = decoder || (reader && error_environment(error, "not enough memory"));
    for (uint64_t number = 1; is_right && capture_reader_next(reader, &block); number++) {
        bytes += block.size;
        recording->is_untimed = recording->is_raw && block.time_ns == 0;
        is_right =
            take_block(recording, decoder, &block,
                       capture_reader_interface(reader, block.interface), &first_ns, error) ||
            error_prefix(error, "%s: block %" PRIu64 " at %.6f s: ", path, number,
                         (double)block.time_ns * 1e-9);
    }
    if (recording->is_untimed)
        recording->length_ns = (int64_t)bytes * QUIET_BYTE_NS;
    if (is_right && recording->trace.count == 0)
        is_right = error_set(error, "%s: no packet of a %s%s%s", path, type->name,
                             *line ? " for the line " : "", line);
    capture_reader_close(reader);
    decoder_destroy(decoder);
    return is_right;
}

void recording_free(struct recording *recording)
{
    trace_free(&recording->trace);
    for (size_t i = 0; i < recording->input_count; i++)
        free(recording->inputs[i].bytes);
    free(recording->inputs);
    *recording = (struct recording){0};
}

/* ---- The virtual robot ---- */

static void feed(struct sim *sim, size_t channel, const struct trace_input *input)
{
    if (input->comes || input->is_bytes)
        sim_host_present(sim, channel, true);
    if (input->leaves)
        sim_host_present(sim, channel, false);
    else
        sim_host_lines(sim, channel, input->lines);
    if (input->baud)
        sim_host_baud(sim, channel, input->baud);
    for (size_t at = 0; at < input->size;) {
        size_t room = sim_host_room(sim, channel);
        size_t size = input->size - at < room ? input->size - at : room;
        if (size == 0)
            return; // a line that is full loses what comes
        sim_host_bytes(sim, channel, input->bytes + at, size);
        at += size;
    }
}

/* Passes the host's bytes to the decoder, because a request may determine the format of replies. */
static void overhear(struct decoder *decoder, const struct capture_interface *interface,
                     const struct trace_input *input)
{
    const struct capture_block block = {.kind = CAPTURE_TO_ROBOT,
                                        .time_ns = input->time_ns,
                                        .bytes = input->bytes,
                                        .size = input->size,
                                        .comment = ""};
    struct decoded decoded;
    if (input->size > 0 && decoder_push(decoder, &block, interface))
        while (decoder_next(decoder, &decoded))
            continue;
}

static void take_output(struct sim *sim, size_t channel, struct decoder *decoder,
                        const struct capture_interface *interface, struct trace *trace,
                        int64_t start_us)
{
    const uint8_t *bytes;
    size_t size;
    while (sim_output(sim, channel, &bytes, &size)) {
        const struct capture_block block = {.kind = CAPTURE_TO_HOST,
                                            .time_ns = (sim_now_us(sim) - start_us) * 1000,
                                            .bytes = bytes,
                                            .size = size,
                                            .comment = ""};
        if (sim_now_us(sim) < start_us || !decoder_push(decoder, &block, interface))
            continue;
        collect_frames(trace, decoder, 0);
    }
}

bool trace_run(struct trace *trace, const struct recording *recording, const struct scene *scene,
               size_t robot, struct error *error)
{
    const struct capture_interface interface = {.name = ""};
    struct decoder *decoder = decoder_create(recording->type, recording->channel);
    struct sim *sim = decoder ? sim_create(scene, NULL, NULL, error) : NULL;
    int64_t start_us = recording->is_simulated ? 0 : WARM_US;
    *trace = (struct trace){0};
    if (!decoder)
        error_environment(error, "not enough memory to compare");
    if (!sim) {
        decoder_destroy(decoder);
        return false;
    }
    size_t channel = sim_channel_index(sim, robot, recording->channel), next = 0;
    if (!recording->is_simulated)
        sim_host_present(sim, channel, true);
    while (!trace->is_full && sim_now_us(sim) - start_us <= recording->length_ns / 1000) {
        int64_t now_ns = (sim_now_us(sim) - start_us) * 1000;
        while (next < recording->input_count && recording->inputs[next].time_ns <= now_ns) {
            overhear(decoder, &interface, &recording->inputs[next]);
            feed(sim, channel, &recording->inputs[next++]);
        }
        sim_step(sim);
        take_output(sim, channel, decoder, &interface, trace, start_us);
    }
    sim_destroy(sim);
    decoder_destroy(decoder);
    if (fits(trace, error))
        return true;
    trace_free(trace);
    return error_prefix(error, "the virtual robot: ");
}
