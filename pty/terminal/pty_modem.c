/* The owner's side of the shared memory of the modem. */
#include "pty/terminal/pty_modem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/modem_lines.h"
#include "pty/shared_memory.h"
#include "pty/shim/modem_shm.h"

static const struct {
    unsigned line;
    uint32_t bit; /* of TIOCMGET */
} robot_lines[] = {
    {MODEM_CTS, TIOCM_CTS},
    {MODEM_DSR, TIOCM_DSR},
    {MODEM_DCD, TIOCM_CAR},
    {MODEM_RI, TIOCM_RNG},
};

static uint32_t bits_of(unsigned lines)
{
    uint32_t bits = 0;

    for (size_t i = 0; i < COUNT(robot_lines); i++)
        if ((lines & robot_lines[i].line) != 0)
            bits |= robot_lines[i].bit;
    return bits;
}

static bool fail(const struct pty_modem *modem, const char *step, struct error *error)
{
    bool is_room = errno != ENOSPC && errno != EDQUOT;

    return error_environment(
        error, "%s: cannot %s: %s; drivers with the shim have no modem lines%s", modem->path, step,
        strerror(errno), is_room ? "" : ": make room in its folder (docker run --shm-size=1m)");
}

/* Makes the file under a temporary name and renames it when it is complete and locked. */
static bool shm_make(struct pty_modem *modem, const char *node, unsigned lines, struct error *error)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char fresh[PTY_PATH_MAX + 8];
    struct stat terminal;

    snprintf(fresh, sizeof fresh, "%s.new", modem->path);
    unlink(fresh);
    modem->file = open(fresh, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (modem->file < 0)
        return fail(modem, "make it", error);
    if (stat(node, &terminal) != 0 || fcntl(modem->file, F_OFD_SETLK, &whole) != 0)
        return fail(modem, "lock it", error);
    modem->shm = shared_memory_map(modem->file, sizeof *modem->shm);
    if (modem->shm == NULL)
        return fail(modem, "reserve it", error);
    modem->seen = MODEM_DTR | MODEM_RTS;
    *modem->shm = (struct modem_shm){
        .magic = MODEM_SHM_MAGIC,
        .version = MODEM_SHM_VERSION,
        .pid = (uint32_t)getpid(),
        .node_device = terminal.st_dev,
        .node_number = terminal.st_rdev,
        .host = modem->seen,
        .robot = bits_of(lines),
        .framing = MODEM_SHM_FRAMING_START,
    };
    return rename(fresh, modem->path) == 0 || fail(modem, "put it in place", error);
}

bool pty_modem_open(struct pty_modem *modem, const char *node, unsigned lines, struct error *error)
{
    char folder[PTY_PATH_MAX], fresh[PTY_PATH_MAX + 8];
    unsigned number = (unsigned)strtoul(strrchr(node, '/') + 1, NULL, 10);

    *modem = (struct pty_modem){.file = -1};
    if (!pty_path_folder(NULL, folder, sizeof folder, error))
        return false;
    int size = snprintf(modem->path, sizeof modem->path, "%s/" MODEM_SHM_NAME, folder, number);
    if (size < 0 || (size_t)size >= sizeof modem->path)
        return error_environment(error, "%s: the path of the folder is too long", folder);
    if (shm_make(modem, node, lines, error))
        return true;
    snprintf(fresh, sizeof fresh, "%s.new", modem->path);
    unlink(fresh);
    pty_modem_close(modem);
    return false;
}

void pty_modem_close(struct pty_modem *modem)
{
    if (modem->shm != NULL) {
        unlink(modem->path);
        shared_memory_unmap(modem->shm, sizeof *modem->shm);
    }
    modem->shm = NULL;
    if (modem->file >= 0)
        close(modem->file);
    modem->file = -1;
}

bool pty_modem_has_news(const struct pty_modem *modem)
{
    return modem->shm != NULL && (atomic_load(&modem->shm->host) != modem->seen ||
                                  atomic_load(&modem->shm->settings) != modem->settings_seen);
}

bool pty_modem_is_lost(const struct pty_modem *modem)
{
    return modem->shm != NULL && modem->shm->magic != MODEM_SHM_MAGIC;
}

/* Whether a line changed between two words and is back where it was. */
static bool is_pulse(uint32_t before, uint32_t after, uint32_t line, int shift)
{
    bool is_same = ((before ^ after) & line) == 0;

    return is_same && ((before ^ after) >> shift & MODEM_SHM_CHANGES_MASK) != 0;
}

unsigned pty_modem_take(struct pty_modem *modem, unsigned *pulsed)
{
    *pulsed = 0;
    if (modem->shm == NULL)
        return MODEM_HOST_LINES;
    uint32_t before = modem->seen, after = atomic_load(&modem->shm->host);

    if (is_pulse(before, after, MODEM_DTR, MODEM_SHM_DTR_CHANGES_SHIFT))
        *pulsed |= MODEM_DTR;
    if (is_pulse(before, after, MODEM_RTS, MODEM_SHM_RTS_CHANGES_SHIFT))
        *pulsed |= MODEM_RTS;
    modem->seen = after;
    return after & MODEM_HOST_LINES;
}

const uint32_t *pty_modem_framing(struct pty_modem *modem, uint32_t *count)
{
    *count = 0;
    if (modem->shm == NULL)
        return NULL;
    /* In this order: a later change then counts as news. */
    *count = modem->settings_seen = atomic_load(&modem->shm->settings);
    modem->framing = atomic_load(&modem->shm->framing) & MODEM_SHM_FRAMING;
    return &modem->framing;
}

void pty_modem_renew(struct pty_modem *modem)
{
    if (modem->shm == NULL)
        return;
    modem->seen = MODEM_DTR | MODEM_RTS;
    atomic_store(&modem->shm->host, modem->seen);
    atomic_store(&modem->shm->serial_flags, 0);
    modem->settings_seen = 0;
    atomic_store(&modem->shm->settings, 0);
    atomic_store(&modem->shm->framing, MODEM_SHM_FRAMING_START);
}

void pty_modem_set(struct pty_modem *modem, unsigned lines)
{
    if (modem->shm == NULL)
        return;
    struct modem_shm *shm = modem->shm;
    uint32_t changed = atomic_exchange(&shm->robot, bits_of(lines)) ^ bits_of(lines);

    atomic_fetch_add(&shm->cts, (changed & TIOCM_CTS) != 0);
    atomic_fetch_add(&shm->dsr, (changed & TIOCM_DSR) != 0);
    atomic_fetch_add(&shm->dcd, (changed & TIOCM_CAR) != 0);
    atomic_fetch_add(&shm->ri, (changed & TIOCM_RNG) != 0);
}

void pty_modem_count(struct pty_modem *modem, uint64_t received, uint64_t sent)
{
    if (modem->shm == NULL)
        return;
    atomic_store_explicit(&modem->shm->received, (uint32_t)received, memory_order_relaxed);
    atomic_store_explicit(&modem->shm->sent, (uint32_t)sent, memory_order_relaxed);
}
