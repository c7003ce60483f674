/* Sums over the frames of a recording, in memory of fixed size. */
#include "app/lab/recording/line_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/table.h"

enum {
    ROWS_MAX = 1 << 12, /* chosen: 256 lines with 16 packets; further kinds are not counted */
    PLACES = 2 * ROWS_MAX,
};

/* One kind of packet on one line in one direction. */
struct packet_row {
    size_t interface;
    enum wire_direction direction;
    const struct wire_packet *packet; /* NULL: unknown ID */
    uint8_t id;
    uint64_t count;
    int64_t first_ns, last_ns, gap_ns; /* GAP_NS: the longest gap */
    double mean_s, square_s2;          /* of gaps: mean, and sum of squared deviations (Welford) */
};

struct way_sums {
    uint64_t bytes, pieces[WIRE_PIECE_KINDS];
};

struct line_report {
    struct packet_row rows[ROWS_MAX]; /* in order of arrival, so that a short recording uses few
                                         memory pages */
    size_t row_count;
    uint16_t places[PLACES]; /* hash table: a row's number from 1 on; 0: free */
    struct way_sums ways[CAPTURE_INTERFACES_MAX][2];
    uint64_t events[CAPTURE_INTERFACES_MAX][CAPTURE_KINDS];
};

struct line_report *line_report_create(void)
{
    return calloc(1, sizeof(struct line_report));
}

void line_report_destroy(struct line_report *report)
{
    free(report);
}

/* ---- Counting ---- */

/* The row of a packet, which is added if necessary. NULL: there are too many rows. */
static struct packet_row *find_row(struct line_report *report, const struct decoded *decoded,
                                   const struct wire_packet *packet, uint8_t id)
{
    size_t hash = (uintptr_t)packet / 16 * 31 + id + decoded->interface * 1021 +
                  (size_t)decoded->direction * 7;
    size_t place = hash % PLACES;
    for (; report->places[place]; place = (place + 1) % PLACES) {
        struct packet_row *row = &report->rows[report->places[place] - 1];
        if (row->packet == packet && row->id == id && row->interface == decoded->interface &&
            row->direction == decoded->direction)
            return row;
    }
    if (report->row_count == ROWS_MAX)
        return NULL;
    struct packet_row *row = &report->rows[report->row_count++];
    *row = (struct packet_row){.interface = decoded->interface,
                               .direction = decoded->direction,
                               .packet = packet,
                               .id = id,
                               .first_ns = decoded->piece.time_ns,
                               .last_ns = decoded->piece.time_ns};
    report->places[place] = (uint16_t)report->row_count;
    return row;
}

void line_report_part(struct line_report *report, const struct decoded *decoded,
                      const struct wire_packet *packet, uint8_t id)
{
    int64_t now_ns = decoded->piece.time_ns;
    struct packet_row *row = find_row(report, decoded, packet, packet ? 0 : id);
    if (!row)
        return;
    if (row->count++ > 0) {
        int64_t gap_ns = now_ns - row->last_ns;
        double gap_s = (double)gap_ns * 1e-9, before_s = row->mean_s;
        row->mean_s += (gap_s - before_s) / (double)(row->count - 1);
        row->square_s2 += (gap_s - before_s) * (gap_s - row->mean_s);
        row->gap_ns = gap_ns > row->gap_ns ? gap_ns : row->gap_ns;
    }
    row->last_ns = now_ns;
}

void line_report_frame(struct line_report *report, const struct decoded *decoded)
{
    struct way_sums *way = &report->ways[decoded->interface][decoded->direction];
    way->bytes += decoded->piece.size;
    way->pieces[decoded->piece.kind]++;
}

void line_report_event(struct line_report *report, const struct capture_block *block)
{
    report->events[block->interface][block->kind]++;
}

/* ---- Printing ---- */

static const char *way_name(enum wire_direction direction)
{
    return direction == WIRE_TO_HOST ? "to host" : "to robot"; // words: off note-start
}

static double rate_hz(const struct packet_row *row)
{
    double span_s = (double)(row->last_ns - row->first_ns) * 1e-9;
    return span_s > 0 ? (double)(row->count - 1) / span_s : 0;
}

static double jitter_ms(const struct packet_row *row)
{
    return row->count > 2 ? sqrt(row->square_s2 / (double)(row->count - 1)) * 1e3 : 0;
}

static void packet_name(const struct packet_row *row, char *out, size_t size)
{
    if (row->packet)
        snprintf(out, size, "%s", row->packet->name);
    else
        snprintf(out, size, "unknown 0x%02x", row->id);
}

static int compare_rows(const void *left, const void *right)
{
    const struct packet_row *a = *(const struct packet_row *const *)left;
    const struct packet_row *b = *(const struct packet_row *const *)right;
    if (a->interface != b->interface)
        return a->interface < b->interface ? -1 : 1;
    if (a->direction != b->direction)
        return a->direction < b->direction ? -1 : 1;
    const char *a_name = a->packet ? a->packet->name : "",
               *b_name = b->packet ? b->packet->name : "";
    int order = strcmp(a_name, b_name);
    return order != 0 ? order : (int)a->id - (int)b->id;
}

static void print_packets(const struct line_report *report, const struct capture_reader *source,
                          bool is_json)
{
    static const struct packet_row *rows[ROWS_MAX];
    struct table table;
    size_t count = 0;
    for (; count < report->row_count; count++)
        rows[count] = &report->rows[count];
    qsort(rows, count, sizeof *rows, compare_rows);
    table_init(&table, (const char *const[]){"line", "", "packet", ">count", ">1/s", ">gap ms",
                                             ">jitter ms", NULL});
    for (size_t i = 0; i < count; i++) {
        const struct packet_row *row = rows[i];
        char name[64], number[4][32];
        packet_name(row, name, sizeof name);
        snprintf(number[0], sizeof number[0], "%" PRIu64, row->count);
        snprintf(number[1], sizeof number[1], "%.2f", rate_hz(row));
        snprintf(number[2], sizeof number[2], "%.3f", (double)row->gap_ns * 1e-6);
        snprintf(number[3], sizeof number[3], "%.3f", jitter_ms(row));
        const char *line = capture_reader_interface(source, row->interface)->name;
        if (is_json)
            printf("{\"line\":\"%s\",\"to\":\"%s\",\"packet\":\"%s\",\"count\":%s,\"rate_hz\":%s,"
                   "\"gap_ms\":%s,\"jitter_ms\":%s}\n",
                   line, way_name(row->direction) + 3, name, number[0], number[1], number[2],
                   number[3]);
        else
            table_row(&table, (const char *const[]){line, way_name(row->direction), name, number[0],
                                                    number[1], number[2], number[3]});
    }
    if (count > 0 && !is_json)
        putchar('\n');
    if (!is_json)
        table_print(&table, 0, stdout);
}

/* Prints the frames of one line and direction, the kinds of errors, and their number. */
static void print_way(const struct way_sums *way, const char *line, enum wire_direction direction,
                      bool is_json)
{
    if (way->bytes == 0)
        return;
    printf(is_json ? "{\"line\":\"%s\",\"to\":\"%s\",\"bytes\":%" PRIu64 ",\"frames\":%" PRIu64
                   : "%s %s: %" PRIu64 " bytes, %" PRIu64 " frames",
           line, way_name(direction) + (is_json ? 3 : 0), way->bytes,
           way->pieces[WIRE_PIECE_FRAME]);
    for (size_t i = 0; i < WIRE_PIECE_KINDS; i++)
        if (i != WIRE_PIECE_FRAME && (is_json || way->pieces[i] > 0))
            printf(is_json ? ",\"%s\":%" PRIu64 : ", %s %" PRIu64,
                   wire_piece_name((enum wire_piece_kind)i), way->pieces[i]);
    puts(is_json ? "}" : "");
}

static void print_events(const uint64_t *events, const char *line, bool is_json)
{
    for (size_t i = 0; i < CAPTURE_KINDS; i++)
        if (events[i] > 0)
            printf(is_json ? "{\"line\":\"%s\",\"event\":\"%s\",\"count\":%" PRIu64 "}\n"
                           : "%s %s: %" PRIu64 " events\n",
                   line, capture_kind_name((enum capture_kind)i), events[i]);
}

void line_report_print(const struct line_report *report, const struct capture_reader *source,
                       bool is_json)
{
    size_t count = capture_reader_interface_count(source);
    print_packets(report, source, is_json);
    if (!is_json)
        putchar('\n');
    for (size_t i = 0; i < count; i++) {
        const char *line = capture_reader_interface(source, i)->name;
        for (int way = 0; way < 2; way++)
            print_way(&report->ways[i][way], line, (enum wire_direction)way, is_json);
        print_events(report->events[i], line, is_json);
    }
}
