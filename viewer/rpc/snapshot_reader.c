/* The reading side of a sequence lock: a copy counts only if nothing was written meanwhile.
 *
 * The file is read, not mapped: if it is truncated, a read returns fewer bytes, whereas an access
 * to a mapping would kill this process. */
#include "viewer/rpc/snapshot_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"

struct snapshot_reader {
    int file;
    struct snapshot_share share; /* as last read */
    uint32_t taken;              /* sequence of COPY */
    struct buffer {
        void *bytes; /* NULL: nothing yet */
        size_t room;
    } copy, spare; /* the latest snapshot, and room for the next */
};

static struct snapshot_reader *fail(struct snapshot_reader *reader, const char *path,
                                    const char *why)
{
    fprintf(stderr, "ptybot: %s: %s\n", path, why);
    snapshot_reader_close(reader);
    return NULL;
}

/* False: the file is truncated. */
static bool read_head(struct snapshot_reader *reader)
{
    struct snapshot_share head;
    if (pread(reader->file, &head, sizeof head, 0) != (ssize_t)sizeof head)
        return false;
    reader->share = head;
    return true;
}

/* Asks for the next snapshot. */
static void ask(struct snapshot_reader *reader)
{
    const uint32_t wanted = 1;
    // If the write fails, the window shows nothing new, and the next update requests it again.
    if (pwrite(reader->file, &wanted, sizeof wanted, offsetof(struct snapshot_share, wanted)) < 0)
        return;
}

struct snapshot_reader *snapshot_reader_open(const char *path)
{
    struct snapshot_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return fail(NULL, path, "out of memory");
    reader->file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    struct stat about;
    if (reader->file < 0 || fstat(reader->file, &about) != 0)
        return fail(reader, path, strerror(errno));
    if (about.st_size <= SNAPSHOT_SHARE_AT)
        return fail(reader, path, "no snapshots");
    if (!read_head(reader))
        return fail(reader, path, "no snapshots");
    if (reader->share.magic != SNAPSHOT_SHARE_MAGIC || reader->share.version != SNAPSHOT_VERSION)
        return fail(reader, path, "snapshots of another version of ptybot; install both again");
    ask(reader);
    return reader;
}

void snapshot_reader_close(struct snapshot_reader *reader)
{
    if (!reader)
        return;
    if (reader->file >= 0)
        close(reader->file);
    free(reader->copy.bytes);
    free(reader->spare.bytes);
    free(reader);
}

static bool is_same(const struct snapshot_reader *reader, size_t size)
{
    const struct snapshot *copy = reader->copy.bytes;
    return copy && copy->size == size && memcmp(copy, reader->spare.bytes, size) == 0;
}

/* Copies the snapshot into SPARE. False: the file is truncated or was just restored, or the copy
 * mixes two snapshots. */
static bool copy(struct snapshot_reader *reader, size_t *size)
{
    uint32_t before = reader->share.sequence;
    const struct snapshot *spare = reader->spare.bytes;
    ssize_t got =
        pread(reader->file, reader->spare.bytes, (size_t)reader->share.size, SNAPSHOT_SHARE_AT);
    *size = got >= (ssize_t)sizeof *spare ? (size_t)spare->size : 0;
    return *size > 0 && got == (ssize_t)reader->share.size && read_head(reader) &&
           reader->share.sequence == before;
}

enum reader_news snapshot_reader_update(struct snapshot_reader *reader)
{
    // The run restores a truncated file.
    if (!read_head(reader) || reader->share.magic != SNAPSHOT_SHARE_MAGIC)
        return READER_NOTHING;
    uint32_t before = reader->share.sequence;
    if (before % 2 == 1 || before == reader->taken)
        return READER_NOTHING;
    size_t room = (size_t)reader->share.size, size;
    if (!array_reserve(&reader->spare.bytes, &reader->spare.room, room, 1))
        return READER_BROKEN;
    if (!copy(reader, &size))
        return READER_NOTHING;
    if (size > room || !snapshot_is_whole(reader->spare.bytes, size))
        return READER_BROKEN;
    reader->taken = before;
    ask(reader);
    if (is_same(reader, size))
        return READER_NOTHING;
    const struct buffer last = reader->copy;
    reader->copy = reader->spare;
    reader->spare = last;
    return READER_NEW;
}

const struct snapshot *snapshot_reader_latest(const struct snapshot_reader *reader)
{
    return reader->copy.bytes;
}

bool snapshot_reader_is_outdated(const struct snapshot_reader *reader)
{
    return reader->share.is_outdated != 0;
}
