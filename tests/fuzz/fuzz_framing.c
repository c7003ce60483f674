/* Any bytes over any line of any robot, and as a text log: each byte comes out in one piece, and
 * each frame can be told in words and as JSON. The first two bytes choose line and chunks. */
#define _GNU_SOURCE
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "app/capture/decoder.h"
#include "app/capture/line_report.h"
#include "app/capture/text_log.h"
#include "protocols/describe.h"
#include "protocols/registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char words[4096], json[1 << 18];

static size_t tell(const struct decoded *decoded, struct line_report *report)
{
    const struct wire_piece *piece = &decoded->piece;
    assert(piece->size > 0 && piece->kind < WIRE_PIECE_KINDS);
    line_report_frame(report, decoded);
    describe_frame(decoded->type, decoded->channel, decoded->direction, piece->promised,
                   piece->bytes, piece->size, words, sizeof words);
    size_t used =
        describe_frame_json(decoded->type, decoded->channel, decoded->direction, piece->promised,
                            piece->bytes, piece->size, json, sizeof json);
    assert(used < sizeof json && strlen(words) < sizeof words);
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
            told += tell(&decoded, report);
    }
    while (decoder_rest(decoder, &decoded))
        told += tell(&decoded, report);
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
