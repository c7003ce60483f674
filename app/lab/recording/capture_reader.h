/* Reads a recording of serial lines, one block at a time, in constant memory. Formats: pcapng and
 * pcap files with RTAC serial headers (from ptybot and others), recordings of FTDI and CP210x
 * adapters by usbmon (usb_serial.h), and bytes that other programs wrote (text_log.h). Files may
 * have any byte order, time resolution and number of sections. */
#pragma once

#include "app/record/capture.h"
#include "base/error.h"

struct capture_reader;

/* Opens a file, or stdin if PATH is `-`. NULL with ERROR: the file cannot be read, or is not such a
 * recording. */
struct capture_reader *capture_reader_open(const char *path, struct error *error);

struct block_format {
    bool is_raw;                 /* a text log or bare bytes: their interface is `raw` */
    enum capture_kind direction; /* of raw bytes, if the file does not contain it */
};

/* Opens a file with a given format. */
struct capture_reader *capture_reader_open_format(const char *path,
                                                  const struct block_format *format,
                                                  struct error *error);

/* Reads the next block. Its pointers are valid until the next call. False: there are no more
 * blocks; capture_reader_trouble returns whether the recording is complete. */
bool capture_reader_next(struct capture_reader *reader, struct capture_block *block);

/* Number of interfaces known so far, at least those of all returned blocks. An interface in a later
 * section of the file is the same if it has the same name. */
size_t capture_reader_interface_count(const struct capture_reader *reader);
const struct capture_interface *capture_reader_interface(const struct capture_reader *reader,
                                                         size_t index);

/* The reason why reading ended early, with the byte position; "": the recording is complete. */
const char *capture_reader_trouble(const struct capture_reader *reader);

/* Number of packets so far that are not of a serial line or not complete. With raw bytes: lines
 * without bytes. */
uint64_t capture_reader_skipped(const struct capture_reader *reader);

void capture_reader_close(struct capture_reader *reader);
