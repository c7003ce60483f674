/* Writes a recording as a pcapng file. Complete blocks are collected in a buffer of fixed size. All
 * numbers are little-endian on every machine. */
#include "app/record/capture_writer.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/program.h"
#include "app/cli/terminal.h"
#include "app/files/file_bytes.h"
#include "app/record/pcapng.h"

enum {
    BUFFER_MAX = 1 << 18, /* chosen: as much as many robots send between two flushes */
    BLOCK_EXTRA = 1024,   /* more than header, options and end of any block */
};

struct capture_writer {
    char *path;
    const char *flag;
    int fd;
    int reason;  /* errno of the first failed write; 0: no failure */
    off_t whole; /* bytes in the file, all in complete blocks */
    size_t interfaces;
    size_t used, block; /* bytes in the buffer; start of the current block */
    uint8_t buffer[BUFFER_MAX];
};

/* ---- Numbers, padding, options. block_begin makes sure that they fit into the buffer. ---- */

static void put(struct capture_writer *writer, const void *bytes, size_t size)
{
    assert(size <= sizeof writer->buffer - writer->used);
    memcpy(writer->buffer + writer->used, bytes, size);
    writer->used += size;
}

static void put_number(struct capture_writer *writer, size_t size, uint64_t value)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    put(writer, bytes, size);
}

static void put_padded(struct capture_writer *writer, const void *bytes, size_t size)
{
    put(writer, bytes, size);
    put(writer, "\0\0", -size & 3);
}

static void put_option(struct capture_writer *writer, unsigned code, const void *bytes, size_t size)
{
    put_number(writer, 2, code);
    put_number(writer, 2, size);
    put_padded(writer, bytes, size);
}

static void put_text_option(struct capture_writer *writer, unsigned code, const char *text)
{
    if (*text)
        put_option(writer, code, text, strlen(text));
}

/* ---- The file ---- */

/* Bytes of the complete blocks in the first SIZE bytes of the buffer. */
static size_t whole_blocks(const struct capture_writer *writer, size_t size)
{
    size_t whole = 0;
    while (size - whole >= 8) {
        const uint8_t *at = writer->buffer + whole + 4;
        size_t next = at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16;
        if (next > size - whole)
            break;
        whole += next;
    }
    return whole;
}

/* Stops recording after a failure: the run is more important and continues. DONE bytes of the
 * buffer were written. */
static void give_up(struct capture_writer *writer, size_t done, int reason)
{
    writer->reason = reason;
    writer->whole += (off_t)whole_blocks(writer, done);
    // Removes the incomplete block. If that fails, a reader sees a truncated file.
    if (ftruncate(writer->fd, writer->whole) != 0)
        errno = 0;
    terminal_say("%s %s: writing stopped: %s; the run continues", writer->flag, writer->path,
                 strerror(reason));
}

void capture_writer_flush(struct capture_writer *writer)
{
    size_t used = writer->reason == 0 ? writer->used : 0;
    size_t done = file_bytes_write(writer->fd, writer->buffer, used);
    if (done < used)
        give_up(writer, done, errno);
    else
        writer->whole += (off_t)used;
    writer->used = 0;
}

/* ---- Blocks ---- */

static void block_begin(struct capture_writer *writer, uint32_t type, size_t most)
{
    if (most + BLOCK_EXTRA > sizeof writer->buffer - writer->used)
        capture_writer_flush(writer);
    writer->block = writer->used;
    put_number(writer, 4, type);
    put_number(writer, 4, 0); // its size, in block_end
}

static void block_end(struct capture_writer *writer)
{
    size_t size = writer->used + 4 - writer->block;
    put_number(writer, 4, size);
    memcpy(writer->buffer + writer->block + 4, writer->buffer + writer->used - 4, 4);
}

static void put_section(struct capture_writer *writer)
{
    char program[64];
    snprintf(program, sizeof program, "ptybot %s", program_version());
    block_begin(writer, PCAPNG_SECTION, 0);
    put_number(writer, 4, PCAPNG_MAGIC);
    put_number(writer, 2, 1); // version 1.0
    put_number(writer, 2, 0);
    put_number(writer, 8, UINT64_MAX); // the section's length is not known
    put_text_option(writer, PCAPNG_SECTION_PROGRAM, program);
    put_number(writer, 4, PCAPNG_OPTION_END);
    block_end(writer);
}

size_t capture_writer_interface(struct capture_writer *writer,
                                const struct capture_interface *interface)
{
    const uint8_t nanoseconds = 9; // a negative power of ten
    block_begin(writer, PCAPNG_INTERFACE, 0);
    put_number(writer, 2, CAPTURE_RTAC_LINKTYPE);
    put_number(writer, 2, 0);
    put_number(writer, 4, 0); // blocks of any length
    put_text_option(writer, PCAPNG_INTERFACE_NAME, interface->name);
    put_text_option(writer, PCAPNG_INTERFACE_DESCRIPTION, interface->description);
    if (interface->baud > 0) {
        put_number(writer, 2, PCAPNG_INTERFACE_SPEED);
        put_number(writer, 2, 8);
        put_number(writer, 8, interface->baud);
    }
    put_option(writer, PCAPNG_INTERFACE_RESOLUTION, &nanoseconds, 1);
    put_number(writer, 4, PCAPNG_OPTION_END);
    block_end(writer);
    return writer->interfaces++;
}

static void put_packet(struct capture_writer *writer, const struct capture_block *block)
{
    char comment[CAPTURE_COMMENT_MAX];
    uint8_t header[CAPTURE_RTAC_SIZE];
    size_t size = CAPTURE_RTAC_SIZE + block->size;
    capture_rtac_write(block, header);
    block_begin(writer, PCAPNG_PACKET, size);
    put_number(writer, 4, block->interface);
    put_number(writer, 4, (uint64_t)block->time_ns >> 32);
    put_number(writer, 4, (uint64_t)block->time_ns & UINT32_MAX);
    put_number(writer, 4, size);
    put_number(writer, 4, size);
    put(writer, header, sizeof header);
    if (block->size > 0)
        put_padded(writer, block->bytes, block->size);
    if (block->baud)
        snprintf(comment, sizeof comment, CAPTURE_BAUD_COMMENT "%s%s", (unsigned)block->baud,
                 *block->comment ? "; " : "", block->comment);
    else
        snprintf(comment, sizeof comment, "%s", block->comment);
    if (*comment) {
        put_text_option(writer, PCAPNG_COMMENT, comment);
        put_number(writer, 4, PCAPNG_OPTION_END);
    }
    block_end(writer);
}

void capture_writer_add(struct capture_writer *writer, const struct capture_block *block)
{
    assert(block->interface < writer->interfaces && block->time_ns >= 0);
    size_t done = 0;
    do {
        struct capture_block part = *block;
        part.size = block->size - done < CAPTURE_DATA_MAX ? block->size - done : CAPTURE_DATA_MAX;
        part.bytes = block->size > 0 ? block->bytes + done : NULL;
        if (writer->reason == 0)
            put_packet(writer, &part);
        done += part.size;
    } while (done < block->size);
}

/* ---- Opening and closing ---- */

static void destroy(struct capture_writer *writer)
{
    if (writer->fd >= 0)
        close(writer->fd);
    free(writer->path);
    free(writer);
}

struct capture_writer *capture_writer_open(const char *path, const char *flag, struct error *error)
{
    struct capture_writer *writer = calloc(1, sizeof *writer);
    if (!writer || !(writer->path = strdup(path))) {
        free(writer);
        return error_null(error_environment(error, "not enough memory for %s", flag));
    }
    writer->flag = flag;
    // The bytes of PCAPNG_SECTION.
    if (!file_bytes_replace(path, flag, "pcapng file", "\n\r\r\n", &writer->fd, error)) {
        destroy(writer);
        return NULL;
    }
    put_section(writer);
    capture_writer_flush(writer);
    // If recording cannot start, the run does not start either.
    if (writer->reason == 0)
        return writer;
    error_environment(error, "%s %s: %s", flag, path, strerror(writer->reason));
    destroy(writer);
    return NULL;
}

bool capture_writer_close(struct capture_writer *writer, struct error *error)
{
    if (!writer)
        return true;
    capture_writer_flush(writer);
    // Some file systems report write errors only on close.
    if (close(writer->fd) != 0 && writer->reason == 0)
        writer->reason = errno;
    writer->fd = -1;
    bool is_whole = writer->reason == 0;
    if (!is_whole)
        error_environment(
            error, "%s %s: could not be written completely: %s; the written part is readable",
            writer->flag, writer->path, strerror(writer->reason));
    destroy(writer);
    return is_whole;
}
