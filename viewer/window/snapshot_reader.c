/* The reading side of a sequence lock: a copy counts only if nothing was written meanwhile. */
#include "viewer/window/snapshot_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct snapshot_reader {
    int file;
    struct snapshot_share *share;
    const void *shared; /* the snapshot in the file; MAPPED bytes, or NULL */
    size_t mapped;
    uint32_t taken;     /* sequence of COPY */
    void *copy, *spare; /* the latest, and a buffer for the next; ROOM bytes each */
    size_t room;
    bool is_taken; /* COPY holds a snapshot */
};

static struct snapshot_reader *fail(struct snapshot_reader *reader, const char *path,
                                    const char *why)
{
    fprintf(stderr, "ptybot: %s: %s\n", path, why);
    snapshot_reader_close(reader);
    return NULL;
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
        return fail(reader, path, "it holds no snapshots");
    void *head = mmap(NULL, SNAPSHOT_SHARE_AT, PROT_READ | PROT_WRITE, MAP_SHARED, reader->file, 0);
    if (head == MAP_FAILED)
        return fail(reader, path, strerror(errno));
    reader->share = head;
    if (reader->share->magic != SNAPSHOT_SHARE_MAGIC || reader->share->version != SNAPSHOT_VERSION)
        return fail(reader, path, "it is of another version of ptybot; install both again");
    __atomic_store_n(&reader->share->wanted, 1, __ATOMIC_RELEASE);
    return reader;
}

static void unmap(struct snapshot_reader *reader)
{
    if (reader->shared)
        munmap((void *)(uintptr_t)reader->shared, reader->mapped);
    reader->shared = NULL;
    reader->mapped = 0;
}

void snapshot_reader_close(struct snapshot_reader *reader)
{
    if (!reader)
        return;
    unmap(reader);
    if (reader->share)
        munmap(reader->share, SNAPSHOT_SHARE_AT);
    if (reader->file >= 0)
        close(reader->file);
    free(reader->copy);
    free(reader->spare);
    free(reader);
}

/* Maps the snapshot, again when the file has grown. */
static bool map(struct snapshot_reader *reader)
{
    size_t size = (size_t)__atomic_load_n(&reader->share->size, __ATOMIC_RELAXED);
    if (reader->shared && size == reader->mapped)
        return true;
    unmap(reader);
    const void *shared = mmap(NULL, size, PROT_READ, MAP_SHARED, reader->file, SNAPSHOT_SHARE_AT);
    if (shared == MAP_FAILED)
        return false;
    reader->shared = shared;
    reader->mapped = size;
    return true;
}

/* Makes both buffers large enough for the next snapshot. */
static bool make_room(struct snapshot_reader *reader)
{
    if (reader->room >= reader->mapped)
        return true;
    size_t size = (reader->mapped + 15) & ~(size_t)15;
    void *spare = aligned_alloc(16, size), *copy = aligned_alloc(16, size);
    if (!spare || !copy) {
        free(spare);
        free(copy);
        return false;
    }
    if (reader->is_taken)
        memcpy(copy, reader->copy, reader->room);
    free(reader->copy);
    free(reader->spare);
    reader->copy = copy;
    reader->spare = spare;
    reader->room = reader->mapped;
    return true;
}

static bool is_same(const struct snapshot_reader *reader, size_t size)
{
    return reader->is_taken && ((const struct snapshot *)reader->copy)->size == size &&
           memcmp(reader->copy, reader->spare, size) == 0;
}

enum reader_news snapshot_reader_update(struct snapshot_reader *reader)
{
    uint32_t before = __atomic_load_n(&reader->share->sequence, __ATOMIC_ACQUIRE);
    if (before % 2 == 1 || before == reader->taken)
        return READER_NOTHING;
    if (!map(reader) || !make_room(reader))
        return READER_BROKEN;
    const struct snapshot *head = reader->shared;
    size_t size = (size_t)head->size;
    if (size <= reader->mapped)
        memcpy(reader->spare, reader->shared, size);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (__atomic_load_n(&reader->share->sequence, __ATOMIC_RELAXED) != before)
        return READER_NOTHING; // parts of two snapshots
    if (size > reader->mapped || !snapshot_is_whole(reader->spare, size))
        return READER_BROKEN;
    reader->taken = before;
    __atomic_store_n(&reader->share->wanted, 1, __ATOMIC_RELEASE);
    if (is_same(reader, size))
        return READER_NOTHING;
    void *last = reader->copy;
    reader->copy = reader->spare;
    reader->spare = last;
    reader->is_taken = true;
    return READER_NEW;
}

const struct snapshot *snapshot_reader_latest(const struct snapshot_reader *reader)
{
    return reader->is_taken ? reader->copy : NULL;
}

bool snapshot_reader_is_outdated(const struct snapshot_reader *reader)
{
    return __atomic_load_n(&reader->share->is_outdated, __ATOMIC_RELAXED) != 0;
}
