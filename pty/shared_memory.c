/* Shared pages, and the handler of SIGBUS that replaces missing pages. */
#include "pty/shared_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct span {
    uintptr_t start, size;
};

/* Only accesses to such memory fault, and they never happen during a change of this list. The
 * handler therefore always finds a consistent list. */
static struct {
    struct span *spans;
    size_t count, room;
    uintptr_t page_size;
    struct sigaction before; /* earlier handler of SIGBUS */
} mapped;

static bool is_mapped(uintptr_t address)
{
    for (size_t i = 0; i < mapped.count; i++)
        if (address - mapped.spans[i].start < mapped.spans[i].size)
            return true;
    return false;
}

/* If the fault is in other memory, the earlier handler is restored, and the fault happens again. */
static void replace_shm(int number, siginfo_t *info, void *context)
{
    uintptr_t address = (uintptr_t)info->si_addr;
    int before = errno;

    (void)context;
    void *shm = (void *)(address & ~(mapped.page_size - 1));
    bool is_lost = info->si_code == BUS_ADRERR && is_mapped(address);
    if (!is_lost || mmap(shm, mapped.page_size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        sigaction(number, &mapped.before, NULL);
    errno = before;
}

static bool make_room(void)
{
    size_t room = mapped.room > 0 ? 2 * mapped.room : 16;
    struct span *spans;

    if (mapped.count < mapped.room)
        return true;
    spans = realloc(mapped.spans, room * sizeof *spans);
    if (spans == NULL)
        return false;
    mapped.spans = spans;
    mapped.room = room;
    return true;
}

static bool start_catching(void)
{
    struct sigaction action = {.sa_sigaction = replace_shm, .sa_flags = SA_SIGINFO | SA_RESTART};

    mapped.page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
    sigemptyset(&action.sa_mask);
    return sigaction(SIGBUS, &action, &mapped.before) == 0;
}

static void stop_catching(void)
{
    sigaction(SIGBUS, &mapped.before, NULL);
    free(mapped.spans);
    mapped.spans = NULL;
    mapped.room = 0;
}

void *shared_memory_map(int file, size_t size)
{
    int refused = posix_fallocate(file, 0, (off_t)size);
    void *shm = MAP_FAILED;

    if (refused != 0)
        errno = refused;
    else if (make_room() && (mapped.count > 0 || start_catching()))
        shm = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (shm != MAP_FAILED) {
        mapped.spans[mapped.count++] = (struct span){(uintptr_t)shm, size};
        return shm;
    }
    if (mapped.count == 0 && mapped.spans != NULL) {
        int reason = errno;

        stop_catching();
        errno = reason;
    }
    return NULL;
}

void shared_memory_unmap(void *shm, size_t size)
{
    if (shm == NULL)
        return;
    for (size_t i = 0; i < mapped.count; i++)
        if (mapped.spans[i].start == (uintptr_t)shm) {
            mapped.spans[i] = mapped.spans[--mapped.count];
            break;
        }
    munmap(shm, size);
    if (mapped.count == 0)
        stop_catching();
}
