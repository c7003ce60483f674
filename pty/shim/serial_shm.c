/* Finds the shared memory of the modem for a terminal. */
#include "pty/shim/serial_shm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { PTS_MAJOR = 136 }; /* Linux: Documentation/admin-guide/devices.txt, UNIX98 pty slaves */

/* Read once, because the program may change its environment. */
static char runtime_folder[256];

__attribute__((constructor)) static void note_runtime_folder(void)
{
    const char *runtime = secure_getenv("XDG_RUNTIME_DIR");

    if (runtime != NULL && strlen(runtime) < sizeof runtime_folder)
        memcpy(runtime_folder, runtime, strlen(runtime) + 1);
}

/* By system call: this library replaces open(), and others may too. */
static int file_open(const char *path)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
                        0);
}

static int open_shm(const struct stat *terminal)
{
    char path[512];
    unsigned user = (unsigned)terminal->st_uid, number = minor(terminal->st_rdev);

    snprintf(path, sizeof path, MODEM_SHM_SHARED_FOLDER "/" MODEM_SHM_NAME, user, number);
    int file = file_open(path);
    if (file >= 0 || runtime_folder[0] == '\0')
        return file;
    snprintf(path, sizeof path, "%s/" MODEM_SHM_RUNTIME_FOLDER "/" MODEM_SHM_NAME, runtime_folder,
             number);
    return file_open(path);
}

/* Whether its owner is alive: the kernel releases the lock of a dead process. */
static bool is_owned(int file)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    return fcntl(file, F_OFD_GETLK, &whole) == 0 && whole.l_type == F_WRLCK;
}

static struct modem_shm *shm_map(int file, const struct stat *terminal)
{
    struct stat found;

    /* Only shared memory of the terminal's owner is accepted, even if other users can make files in
     * that folder. */
    if (fstat(file, &found) != 0 || !S_ISREG(found.st_mode) || found.st_uid != terminal->st_uid ||
        found.st_size < (off_t)sizeof(struct modem_shm) || !is_owned(file))
        return NULL;
    struct modem_shm *shm = mmap(NULL, sizeof *shm, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (shm == MAP_FAILED)
        return NULL;
    if (shm->magic == MODEM_SHM_MAGIC && shm->version == MODEM_SHM_VERSION &&
        shm->node_device == terminal->st_dev && shm->node_number == terminal->st_rdev)
        return shm;
    munmap(shm, sizeof *shm);
    return NULL;
}

static bool is_pts(const struct stat *about)
{
    return S_ISCHR(about->st_mode) && major(about->st_rdev) == PTS_MAJOR;
}

static struct modem_shm *serial_shm_map(const struct stat *terminal)
{
    int reason = errno;
    struct modem_shm *shm = NULL;

    if (is_pts(terminal)) {
        int file = open_shm(terminal);

        if (file >= 0) {
            shm = shm_map(file, terminal);
            close(file);
        }
    }
    errno = reason;
    return shm;
}

struct modem_shm *serial_shm_of(int fd)
{
    int reason = errno;
    struct stat terminal;
    bool is_there = fstat(fd, &terminal) == 0;

    errno = reason;
    return is_there ? serial_shm_map(&terminal) : NULL;
}

void serial_shm_unmap(struct modem_shm *shm)
{
    int reason = errno;

    munmap(shm, sizeof *shm);
    errno = reason;
}

bool serial_is_ours(const char *path)
{
    int reason = errno;
    struct stat terminal;
    struct modem_shm *shm = NULL;

    if (fstatat(AT_FDCWD, path, &terminal, 0) == 0)
        shm = serial_shm_map(&terminal);
    if (shm != NULL)
        serial_shm_unmap(shm);
    errno = reason;
    return shm != NULL;
}

bool serial_is_terminal(const char *path)
{
    int reason = errno;
    struct stat about;
    bool is_there = fstatat(AT_FDCWD, path, &about, 0) == 0;
    bool is_gone = !is_there && errno == ENOENT;

    errno = reason;
    return is_gone || (is_there && is_pts(&about));
}
