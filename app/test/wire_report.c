#include "app/test/wire_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/table.h"
#include "base/text.h"

enum { ROWS_MAX = 16 }; /* chosen: as many as fit on a screen with the other output */

/* ---- Sentences ---- */

/* Appends to a text of WIRE_REPORT_TEXT bytes, which is truncated at its end. */
#define ADD(text, ...) text_add(text, WIRE_REPORT_TEXT, "", __VA_ARGS__)

static const char *times(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* Names packets with a wrong length, if their frames could be decoded. Returns the number of these
 * packets. */
static uint64_t add_lengths(char *text, const struct wire_account *account)
{
    uint64_t named = 0;
    for (size_t i = 0; i < account->packet_count; i++) {
        const struct wire_account_packet *row = &account->packets[i];
        if (row->refused == 0)
            continue;
        ADD(text, "%s%s with a wrong length, %zu bytes instead of %u, %" PRIu64 " time%s",
            named > 0 ? ", " : "", row->packet->name, row->wrong_size, row->packet->size,
            row->refused, times(row->refused));
        named += row->refused;
    }
    return named;
}

static void add_unknown(char *text, const struct wire_account *account, uint64_t count)
{
    ADD(text, "%" PRIu64 " part%s with an unknown id", count, times(count));
    for (size_t i = 0; i < account->unknown_count; i++)
        ADD(text, "%s0x%02x", i > 0 ? ", " : " ", account->unknown[i]);
}

static void add_bad_frames(char *text, const struct wire_account *account, uint64_t count)
{
    struct wire_mistake mistake;
    ADD(text, "%" PRIu64 " frame%s with a wrong checksum or length", count, times(count));
    if (wire_account_meant(account, &account->samples[REFUSAL_BAD_FRAME], &mistake))
        ADD(text, ": %s with the %s %02x where %02x is right", mistake.packet->name, mistake.byte,
            mistake.found, mistake.wanted);
}

static void add_bad_lengths(char *text, const struct wire_account *account, uint64_t count)
{
    uint64_t named = add_lengths(text, account);
    if (named >= count)
        return;
    const struct wire_packet *packet =
        wire_account_misfit(account, &account->samples[REFUSAL_BAD_LENGTH]);
    ADD(text, "%s%s with a wrong length, %" PRIu64 " time%s", named > 0 ? ", " : "",
        packet ? packet->name : "a part", count - named, times(count - named));
}

static void add_bytes(char *text, const struct wire_sample *sample)
{
    if (sample->size == 0)
        return;
    ADD(text, ", first at %.3f s:", (double)sample->at_us * 1e-6);
    for (size_t i = 0; i < sample->size && i < 16; i++)
        ADD(text, " %02x", sample->bytes[i]);
    ADD(text, sample->size > 16 ? " ..." : "");
}

static void add_noise(char *text, const struct wire_account *account, uint64_t count)
{
    uint64_t deaf = account->deaf_bytes < count ? account->deaf_bytes : count;
    uint64_t unframed = count - deaf;
    if (unframed > 0)
        ADD(text, "%" PRIu64 " byte%s outside any frame%s", unframed, times(unframed),
            deaf > 0 ? ", " : "");
    if (deaf > 0)
        ADD(text, "%" PRIu64 " byte%s while it %s", deaf, times(deaf), account->deaf);
}

static void write_refusals(struct wire_report_channel *row, const struct robot_stats *stats,
                           const struct wire_account *account)
{
    for (unsigned cause = 0; cause < REFUSALS; cause++) {
        uint64_t count = refusal_count(stats, cause);
        if (count == 0)
            continue;
        row->refused += count;
        ADD(row->refusals, *row->refusals ? "; " : "");
        if (cause == REFUSAL_BAD_LENGTH)
            add_bad_lengths(row->refusals, account, count);
        else if (cause == REFUSAL_UNKNOWN_ID)
            add_unknown(row->refusals, account, count);
        else if (cause == REFUSAL_BAD_FRAME)
            add_bad_frames(row->refusals, account, count);
        else
            add_noise(row->refusals, account, count);
        ADD(row->refusals, " (%s.%s", row->name, refusal_signal(cause));
        add_bytes(row->refusals, &account->samples[cause]);
        ADD(row->refusals, ")");
    }
}

/* `speed 200 mm/s` or `speed -100 to 200 mm/s`. */
static void add_value(char *text, const struct wire_account_packet *row, size_t value)
{
    char least[32], most[32];
    size_t element;
    const struct wire_field *field = wire_account_field(row->packet, value, &element);
    table_number(row->values[value].least, least, sizeof least);
    table_number(row->values[value].most, most, sizeof most);
    ADD(text, "%s%s", value > 0 ? ", " : "", field->name);
    if (field->count > 1)
        ADD(text, "_%zu", element);
    ADD(text, " %s", least);
    if (strcmp(least, most) != 0)
        ADD(text, " to %s", most);
    ADD(text, "%s%s", *field->unit ? " " : "", field->unit);
}

static void write_reported(char *text, const struct wire_account *account)
{
    for (size_t i = 0; i < account->packet_count; i++) {
        const struct wire_account_packet *row = &account->packets[i];
        size_t values = wire_account_values(row->packet);
        if (row->count == 0)
            continue;
        ADD(text, "%s%s %" PRIu64 " time%s", *text ? ", " : "", row->packet->name, row->count,
            times(row->count));
        for (size_t j = 0; j < values; j++) {
            ADD(text, j == 0 ? " (" : "");
            add_value(text, row, j);
        }
        ADD(text, values > 0 ? ")" : "");
    }
}

/* ---- Channels ---- */

static bool is_any_fault(const struct line_stats *line)
{
    uint64_t all = line->fault_overruns;
    for (size_t i = 0; i < LINE_FAULT_KINDS; i++)
        all += line->faults[i];
    return all > 0;
}

static void fill(struct wire_report_channel *row, const struct sim *sim, size_t channel,
                 const struct wire_account *account)
{
    const struct robot_stats *stats = sim_channel_stats(sim, channel);
    const struct line_stats *line = sim_channel_line(sim, channel);
    unsigned of_robot;
    size_t robot = sim_channel_robot(sim, channel, &of_robot);
    uint64_t refused = account->refused_frames, stray = stats->unknown_ids;
    snprintf(row->name, sizeof row->name, "%s.%s", sim_robot_name(sim, robot),
             sim_robot_type(sim, robot)->channels[of_robot].name);
    row->channel = channel;
    // With some robots an unknown ID ends the frame, which then does not count as a frame.
    stray -= account->unknown_parts < stray ? account->unknown_parts : stray;
    row->came = stats->frames + stats->bad_frames + stray;
    if (refused == 0)
        refused = stats->bad_lengths; // in frames that nobody could take apart
    row->understood = stats->frames > refused ? stats->frames - refused : 0;
    row->bytes_in = line->from_host_bytes;
    row->frames_out = line->to_host_frames;
    row->bytes_out = line->to_host_bytes;
    row->is_faulty = is_any_fault(line);
    write_refusals(row, stats, account);
    write_reported(row->reported, account);
}

/* Adds data that only the link of a channel has. */
static void fill_link(struct wire_report_channel *row, const struct links *links)
{
    struct links_view view;
    size_t index = links_find(links, row->name);
    if (index == SIZE_MAX)
        return;
    links_view(links, index, &view);
    row->dropped = view.dropped;
    row->reading = *view.reading;
}

bool wire_report_make(struct wire_report *report, const struct sim *sim, const struct links *links,
                      const struct wire_log *log)
{
    size_t count = sim_channel_count(sim);
    *report = (struct wire_report){0};
    report->channels = calloc(count + 1, sizeof *report->channels);
    if (!report->channels)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct line_stats *line = sim_channel_line(sim, i);
        if (line->from_host_bytes + line->to_host_bytes > 0)
            fill(&report->channels[report->count++], sim, i, wire_log_account(log, i));
    }
    for (size_t i = 0; i < report->count; i++)
        fill_link(&report->channels[i], links);
    return true;
}

void wire_report_free(struct wire_report *report)
{
    free(report->channels);
    *report = (struct wire_report){0};
}

/* ---- For people ---- */

static void add_row(struct table *table, const struct wire_report_channel *row)
{
    const uint64_t numbers[] = {row->came, row->understood, row->bytes_in, row->frames_out,
                                row->bytes_out};
    char cells[5][24];
    const char *texts[6] = {row->name};
    for (size_t i = 0; i < 5; i++) {
        snprintf(cells[i], sizeof cells[i], "%" PRIu64, numbers[i]);
        texts[i + 1] = cells[i];
    }
    table_row(table, texts);
}

bool wire_report_print(const struct wire_report *report, bool with_reported, FILE *out)
{
    struct table table;
    size_t shown = report->count < ROWS_MAX ? report->count : ROWS_MAX;
    if (shown == 0)
        return true;
    table_init(&table, (const char *const[]){"channel", ">frames in", ">understood", ">bytes in",
                                             ">frames out", ">bytes out", NULL});
    for (size_t i = 0; i < shown; i++)
        add_row(&table, &report->channels[i]);
    fputc('\n', out);
    bool is_whole = table_print(&table, 2, out);
    if (shown < report->count)
        fprintf(out, "  and %zu more channels\n", report->count - shown);
    for (size_t i = 0; with_reported && i < shown; i++)
        if (*report->channels[i].reported)
            fprintf(out, "%s  %s received: %s\n", i == 0 ? "\n" : "", report->channels[i].name,
                    report->channels[i].reported);
    return is_whole;
}
