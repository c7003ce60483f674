/* The blocks of a recording in any format: capture files, and text logs or bare bytes of other
 * programs. */
#pragma once

#include "app/lab/recording/capture_reader.h"

struct block_format {
    bool is_raw;                 /* a text log or bare bytes, as text_log.h reads them */
    enum capture_kind direction; /* of raw bytes that do not tell theirs */
};

struct block_source;

/* Opens a file, or stdin by the name `-`. NULL with ERROR. */
struct block_source *block_source_open(const char *path, const struct block_format *format,
                                       struct error *error);

/* The next block, valid until the next call. False: there are no more. */
bool block_source_next(struct block_source *source, struct capture_block *block);

/* Interfaces known so far; raw bytes have one interface, `raw`. */
size_t block_source_interface_count(const struct block_source *source);
const struct capture_interface *block_source_interface(const struct block_source *source,
                                                       size_t index);

/* Why reading ended before the proper end; "": it did not. */
const char *block_source_trouble(const struct block_source *source);

/* Packets or lines that were skipped so far. */
uint64_t block_source_skipped(const struct block_source *source);

void block_source_close(struct block_source *source);
