/* The reading end of shared snapshots: a copy counts if nobody wrote meanwhile. */
#include "viewer/window/feed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct feed {
    int file;
    struct snapshot_share *share;
    const void *shared; /* the snapshot; MAPPED bytes, or NULL */
    size_t mapped;
    uint32_t taken;     /* its sequence */
    void *copy, *spare; /* the last one, and room for the next; ROOM bytes each */
    size_t room;
    bool is_taken; /* COPY is whole */
};

static struct feed *fail(struct feed *feed, const char *path, const char *why)
{
    fprintf(stderr, "ptybot: %s: %s\n", path, why);
    feed_close(feed);
    return NULL;
}

struct feed *feed_open(const char *path)
{
    struct feed *feed = calloc(1, sizeof *feed);
    if (!feed)
        return fail(NULL, path, "out of memory");
    feed->file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    struct stat about;
    if (feed->file < 0 || fstat(feed->file, &about) != 0)
        return fail(feed, path, strerror(errno));
    if (about.st_size <= SNAPSHOT_SHARE_AT)
        return fail(feed, path, "it holds no snapshots");
    void *head = mmap(NULL, SNAPSHOT_SHARE_AT, PROT_READ | PROT_WRITE, MAP_SHARED, feed->file, 0);
    if (head == MAP_FAILED)
        return fail(feed, path, strerror(errno));
    feed->share = head;
    if (feed->share->magic != SNAPSHOT_SHARE_MAGIC || feed->share->version != SNAPSHOT_VERSION)
        return fail(feed, path, "it is of another version of ptybot; install both again");
    __atomic_store_n(&feed->share->wanted, 1, __ATOMIC_RELEASE);
    return feed;
}

static void unmap(struct feed *feed)
{
    if (feed->shared)
        munmap((void *)(uintptr_t)feed->shared, feed->mapped);
    feed->shared = NULL;
    feed->mapped = 0;
}

void feed_close(struct feed *feed)
{
    if (!feed)
        return;
    unmap(feed);
    if (feed->share)
        munmap(feed->share, SNAPSHOT_SHARE_AT);
    if (feed->file >= 0)
        close(feed->file);
    free(feed->copy);
    free(feed->spare);
    free(feed);
}

/* Follows the file where it has grown. */
static bool map(struct feed *feed)
{
    size_t size = (size_t)__atomic_load_n(&feed->share->size, __ATOMIC_RELAXED);
    if (feed->shared && size == feed->mapped)
        return true;
    unmap(feed);
    const void *shared = mmap(NULL, size, PROT_READ, MAP_SHARED, feed->file, SNAPSHOT_SHARE_AT);
    if (shared == MAP_FAILED)
        return false;
    feed->shared = shared;
    feed->mapped = size;
    return true;
}

/* The one that was taken last goes, where the room has become too small for the next. */
static bool make_room(struct feed *feed)
{
    if (feed->room >= feed->mapped)
        return true;
    size_t size = (feed->mapped + 15) & ~(size_t)15;
    void *spare = aligned_alloc(16, size), *copy = aligned_alloc(16, size);
    if (!spare || !copy) {
        free(spare);
        free(copy);
        return false;
    }
    if (feed->is_taken)
        memcpy(copy, feed->copy, feed->room);
    free(feed->copy);
    free(feed->spare);
    feed->copy = copy;
    feed->spare = spare;
    feed->room = feed->mapped;
    return true;
}

static bool is_same(const struct feed *feed, size_t size)
{
    return feed->is_taken && ((const struct snapshot *)feed->copy)->size == size &&
           memcmp(feed->copy, feed->spare, size) == 0;
}

enum feed_news feed_take(struct feed *feed)
{
    uint32_t before = __atomic_load_n(&feed->share->sequence, __ATOMIC_ACQUIRE);
    if (before % 2 == 1 || before == feed->taken)
        return FEED_NOTHING;
    if (!map(feed) || !make_room(feed))
        return FEED_BROKEN;
    const struct snapshot *head = feed->shared;
    size_t size = (size_t)head->size;
    if (size <= feed->mapped)
        memcpy(feed->spare, feed->shared, size);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (__atomic_load_n(&feed->share->sequence, __ATOMIC_RELAXED) != before)
        return FEED_NOTHING; // half of this and half of that
    if (size > feed->mapped || !snapshot_is_whole(feed->spare, size))
        return FEED_BROKEN;
    feed->taken = before;
    __atomic_store_n(&feed->share->wanted, 1, __ATOMIC_RELEASE);
    if (is_same(feed, size))
        return FEED_NOTHING;
    void *last = feed->copy;
    feed->copy = feed->spare;
    feed->spare = last;
    feed->is_taken = true;
    return FEED_NEW;
}

const struct snapshot *feed_snapshot(const struct feed *feed)
{
    return feed->is_taken ? feed->copy : NULL;
}
