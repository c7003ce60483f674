/* Start of the clock shim: its environment variables and the shared memory.
 *
 * The other half is app/drivers/warp.c in ptybot, which makes the shared memory and sets the
 * environment variables (clock_shm.h). */
#include "pty/shim/clock.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pty/shim/clock_shm.h"

/* Maps the shared memory of this run. NULL: there is none, or it does not match. By system call:
 * other libraries may replace these functions, and their versions may ask this library for the
 * time. */
static struct clock_shm *map_shm(const char *path)
{
    struct stat about;
    int file =
        path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0) : -1;
    if (file < 0)
        return NULL;
    struct clock_shm *found = MAP_FAILED;
    if (fstat(file, &about) == 0 && about.st_size >= (off_t)sizeof *found)
        found = mmap(NULL, sizeof *found, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (found == MAP_FAILED)
        return NULL;
    if (found->magic != CLOCK_SHM_MAGIC || found->version != CLOCK_SHM_VERSION) {
        munmap(found, sizeof *found);
        return NULL;
    }
    atomic_fetch_add(&found->programs, 1);
    return found;
}

/* The origin of virtual time for all programs of a run: "M:R", CLOCK_MONOTONIC and
 * CLOCK_REALTIME. */
static void read_origin(const char *text, int64_t *monotonic_ns, int64_t *realtime_ns)
{
    char *colon, *end;
    *monotonic_ns = clock_real_ns(CLOCK_MONOTONIC);
    *realtime_ns = clock_real_ns(CLOCK_REALTIME);
    if (text == NULL)
        return;
    long long monotonic = strtoll(text, &colon, 10);
    long long realtime = *colon == ':' ? strtoll(colon + 1, &end, 10) : 0;
    if (monotonic <= 0 || realtime <= 0 || *end != '\0')
        return;
    *monotonic_ns = monotonic;
    *realtime_ns = realtime;
}

__attribute__((constructor)) static void load(void)
{
    int64_t monotonic_ns, realtime_ns;
    const char *text = getenv(CLOCK_SHM_FACTOR);
    char *end;
    double factor = text != NULL ? strtod(text, &end) : 0;
    if (text == NULL || end == text || *end != '\0' || !(factor >= 1e-3) || !(factor <= 1e3))
        return;
    struct clock_shm *shm = map_shm(getenv(CLOCK_SHM_PATH));
    read_origin(getenv(CLOCK_SHM_ORIGIN), &monotonic_ns, &realtime_ns);
    // The origin of a held run may be in the future: without its shared memory, time would stand.
    if (!shm && monotonic_ns > clock_real_ns(CLOCK_MONOTONIC))
        read_origin(NULL, &monotonic_ns, &realtime_ns);
    clock_begin(shm, factor, monotonic_ns, realtime_ns);
    clock_hold_start();
}
