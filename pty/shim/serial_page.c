/* From a terminal to its modem page. */
#include "pty/shim/serial_page.h"

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

/* Read once, since the program may change its environment. */
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

static int page_open(const struct stat *terminal)
{
    char path[512];
    unsigned user = (unsigned)terminal->st_uid, number = minor(terminal->st_rdev);

    snprintf(path, sizeof path, MODEM_PAGE_SHARED_FOLDER "/" MODEM_PAGE_NAME, user, number);
    int file = file_open(path);
    if (file >= 0 || runtime_folder[0] == '\0')
        return file;
    snprintf(path, sizeof path, "%s/" MODEM_PAGE_RUNTIME_FOLDER "/" MODEM_PAGE_NAME, runtime_folder,
             number);
    return file_open(path);
}

/* Whether its owner is alive: the kernel drops a dead one's lock. */
static bool is_owned(int file)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    return fcntl(file, F_OFD_GETLK, &whole) == 0 && whole.l_type == F_WRLCK;
}

static struct modem_page *page_map(int file, const struct stat *terminal)
{
    struct stat found;

    /* Only a page by the terminal's owner counts, whoever else may make files in that folder. */
    if (fstat(file, &found) != 0 || !S_ISREG(found.st_mode) || found.st_uid != terminal->st_uid ||
        found.st_size < (off_t)sizeof(struct modem_page) || !is_owned(file))
        return NULL;
    struct modem_page *page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (page == MAP_FAILED)
        return NULL;
    if (page->magic == MODEM_PAGE_MAGIC && page->version == MODEM_PAGE_VERSION &&
        page->node_device == terminal->st_dev && page->node_number == terminal->st_rdev)
        return page;
    munmap(page, sizeof *page);
    return NULL;
}

static bool is_pts(const struct stat *about)
{
    return S_ISCHR(about->st_mode) && major(about->st_rdev) == PTS_MAJOR;
}

struct modem_page *serial_page_map(const struct stat *terminal)
{
    int reason = errno;
    struct modem_page *page = NULL;

    if (is_pts(terminal)) {
        int file = page_open(terminal);

        if (file >= 0) {
            page = page_map(file, terminal);
            close(file);
        }
    }
    errno = reason;
    return page;
}

struct modem_page *serial_page_of(int fd)
{
    int reason = errno;
    struct stat terminal;
    bool is_there = fstat(fd, &terminal) == 0;

    errno = reason;
    return is_there ? serial_page_map(&terminal) : NULL;
}

void serial_page_unmap(struct modem_page *page)
{
    int reason = errno;

    munmap(page, sizeof *page);
    errno = reason;
}

bool serial_is_ours(const char *path)
{
    int reason = errno;
    struct stat terminal;
    struct modem_page *page = NULL;

    if (fstatat(AT_FDCWD, path, &terminal, 0) == 0)
        page = serial_page_map(&terminal);
    if (page != NULL)
        serial_page_unmap(page);
    errno = reason;
    return page != NULL;
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
