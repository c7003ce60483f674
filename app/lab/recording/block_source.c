#include "app/lab/recording/block_source.h"

#include <stdlib.h>

#include "app/lab/recording/text_log.h"

struct block_source {
    struct capture_reader *reader; /* or LOG */
    struct text_log *log;
};

static const struct capture_interface raw_interface = {.name = "raw"};

struct block_source *block_source_open(const char *path, const struct block_format *format,
                                       struct error *error)
{
    struct block_source *source = calloc(1, sizeof *source);
    if (!source) {
        error_environment(error, "not enough memory to read %s", path);
        return NULL;
    }
    if (format->is_raw)
        source->log = text_log_open(path, format->direction, error);
    else
        source->reader = capture_reader_open(path, error);
    if (source->log || source->reader)
        return source;
    free(source);
    return NULL;
}

bool block_source_next(struct block_source *source, struct capture_block *block)
{
    return source->reader ? capture_reader_next(source->reader, block)
                          : text_log_next(source->log, block);
}

size_t block_source_interface_count(const struct block_source *source)
{
    return source->reader ? capture_reader_interface_count(source->reader) : 1;
}

const struct capture_interface *block_source_interface(const struct block_source *source,
                                                       size_t index)
{
    return source->reader ? capture_reader_interface(source->reader, index) : &raw_interface;
}

const char *block_source_trouble(const struct block_source *source)
{
    return source->reader ? capture_reader_trouble(source->reader) : text_log_trouble(source->log);
}

uint64_t block_source_skipped(const struct block_source *source)
{
    return source->reader ? capture_reader_skipped(source->reader) : text_log_skipped(source->log);
}

void block_source_close(struct block_source *source)
{
    if (!source)
        return;
    if (source->reader)
        capture_reader_close(source->reader);
    text_log_close(source->log);
    free(source);
}
