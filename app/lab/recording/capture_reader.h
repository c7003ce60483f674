/* Reads a recording of serial lines, one block at a time, in constant memory: pcapng and pcap files
 * with RTAC serial headers (ours and others'), what usbmon recorded of FTDI and CP210x adapters
 * (usb_serial.h), and bytes that other programs wrote (text_log.h). Files of both byte orders, of
 * any time resolution, with any number of sections. */
#pragma once

#include "app/record/capture.h"
#include "base/error.h"

struct capture_reader;

/* Opens a file, or stdin by the name `-`. NULL with ERROR: it
 * cannot be read, or is no such recording. */
struct capture_reader *capture_reader_open(const char *path, struct error *error);

struct block_format {
    bool is_raw;                 /* a text log or bare bytes: their interface is `raw` */
    enum capture_kind direction; /* of raw bytes that do not tell theirs */
};

/* The same of a file in a format. */
struct capture_reader *capture_reader_open_format(const char *path,
                                                  const struct block_format *format,
                                                  struct error *error);

/* The next block. What it points to is valid until the next call. False: there are no more, and
 * capture_reader_trouble says whether that is the proper end. */
bool capture_reader_next(struct capture_reader *reader, struct capture_block *block);

/* Interfaces known so far: those of all blocks that were handed out, at least. One that is read
 * again in a later section of the file, with the same name, is the same. */
size_t capture_reader_interface_count(const struct capture_reader *reader);
const struct capture_interface *capture_reader_interface(const struct capture_reader *reader,
                                                         size_t index);

/* Why reading ended before the proper end, and at which byte; "": it did not. */
const char *capture_reader_trouble(const struct capture_reader *reader);

/* Packets so far that are not of a serial line, or not whole; of raw bytes: lines without bytes. */
uint64_t capture_reader_skipped(const struct capture_reader *reader);

void capture_reader_close(struct capture_reader *reader);
