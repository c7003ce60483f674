/* Any bytes over any line of any robot, and as a text log: each byte appears in exactly one piece,
 * and each frame can be described in words and as JSON. The first two bytes choose line and
 * chunks. */
#define _GNU_SOURCE
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "app/lab/recording/decoder.h"
#include "app/lab/recording/line_report.h"
#include "app/lab/recording/text_log.h"
#include "base/hash.h"
#include "protocols/describe.h"
#include "protocols/registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char words[4096], json[1 << 18];

struct telling {
    const struct decoded *decoded;
    struct line_report *report;
    struct writer words, json;
    size_t parts; /* checksum of the parts, with the packets */
};

static void count_part(void *user, const struct wire_packet *packet, uint8_t id,
                       const uint8_t *body, size_t size)
{
    size_t *sum = user;
    // Not the address of the body: if there is no stuffing, it is a copy.
    *sum = *sum * 31 + (size_t)(uintptr_t)packet + id + (size_t)hash_bytes(HASH_START, body, size) +
           size;
}

static void report_part(void *user, const struct wire_packet *packet, uint8_t id,
                        const uint8_t *body, size_t size)
{
    struct telling *telling = user;
    count_part(&telling->parts, packet, id, body, size);
    line_report_part(telling->report, telling->decoded, packet, id);
    describe_part(&telling->words, packet, id, body, size);
    describe_part_json(&telling->json, packet, id, body, size);
}

static size_t tell(const struct decoder *decoder, const struct decoded *decoded,
                   struct line_report *report)
{
    const struct wire_piece *piece = &decoded->piece;
    struct telling telling = {decoded, report, writer_begin(words, sizeof words),
                              writer_begin(json, sizeof json), 0};
    size_t parts = 0;
    assert(piece->size > 0 && piece->kind < WIRE_PIECE_KINDS);
    line_report_frame(report, decoded);
    bool is_known = decoder_walk(decoder, decoded, report_part, &telling);
    bool is_found = robot_walk(decoded->type, decoded->channel, decoded->direction, piece->promised,
                               piece->bytes, piece->size, count_part, &parts);
    // Lookup by its index finds the same as the search.
    assert(is_known == (is_found && piece->kind == WIRE_PIECE_FRAME));
    assert(!is_known || parts == telling.parts);
    assert(writer_end(&telling.json) < sizeof json - 1);
    assert(writer_end(&telling.words) == strlen(words));
    return piece->size;
}

static void stream(const struct robot_type *type, unsigned channel, enum capture_kind kind,
                   size_t step, const uint8_t *data, size_t size)
{
    const struct capture_interface line = {.name = "line"};
    struct decoder *decoder = decoder_create(type, channel);
    struct line_report *report = line_report_create();
    struct decoded decoded;
    size_t told = 0;
    if (!decoder || !report)
        abort();
    for (size_t at = 0; at < size; at += step) {
        const struct capture_block block = {.kind = kind,
                                            .time_ns = (int64_t)(at * data[at]) * 1000000,
                                            .bytes = data + at,
                                            .size = size - at < step ? size - at : step,
                                            .comment = ""};
        decoder_push(decoder, &block, &line);
        while (decoder_next(decoder, &decoded))
            told += tell(decoder, &decoded, report);
    }
    while (decoder_rest(decoder, &decoded))
        told += tell(decoder, &decoded, report);
    assert(told == size);
    line_report_destroy(report);
    decoder_destroy(decoder);
}

static void read_log(const uint8_t *data, size_t size)
{
    struct error error = {0};
    struct capture_block block;
    char path[64];
    int fd = memfd_create("log", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct text_log *log = text_log_open(path, CAPTURE_TO_HOST, &error);
    assert(log);
    while (text_log_next(log, &block))
        assert(capture_is_data(&block) && block.size <= size && block.time_ns >= 0);
    text_log_close(log);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t count;
    const struct robot_type *const *types = registry_types(&count);
    if (size < 3 || size > 4096)
        return 0;
    const struct robot_type *type = types[data[0] / 8 % count];
    stream(type, (unsigned)(data[0] / 2 % type->channel_count),
           data[0] % 2 ? CAPTURE_TO_HOST : CAPTURE_TO_ROBOT, 1 + data[1] % 32u, data + 2, size - 2);
    read_log(data, size);
    return 0;
}
