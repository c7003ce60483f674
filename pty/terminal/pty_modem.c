/* The owner's side of a modem page. */
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
#include "pty/shared_page.h"
#include "pty/shim/modem_page.h"

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

    return error_environment(error, "%s: cannot %s: %s; hosts with the shim have no modem lines%s",
                             modem->path, step, strerror(errno),
                             is_room ? "" : ": make room in its folder (docker run --shm-size=1m)");
}

/* Makes the file under another name and renames it when it is complete and locked. */
static bool page_make(struct pty_modem *modem, const char *node, unsigned lines,
                      struct error *error)
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
    modem->page = shared_page_map(modem->file, sizeof *modem->page);
    if (modem->page == NULL)
        return fail(modem, "reserve it", error);
    modem->seen = MODEM_DTR | MODEM_RTS;
    *modem->page = (struct modem_page){
        .magic = MODEM_PAGE_MAGIC,
        .version = MODEM_PAGE_VERSION,
        .pid = (uint32_t)getpid(),
        .node_device = terminal.st_dev,
        .node_number = terminal.st_rdev,
        .host = modem->seen,
        .robot = bits_of(lines),
        .framing = MODEM_PAGE_FRAMING_START,
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
    int size = snprintf(modem->path, sizeof modem->path, "%s/" MODEM_PAGE_NAME, folder, number);
    if (size < 0 || (size_t)size >= sizeof modem->path)
        return error_environment(error, "%s: the path of the folder is too long", folder);
    if (page_make(modem, node, lines, error))
        return true;
    snprintf(fresh, sizeof fresh, "%s.new", modem->path);
    unlink(fresh);
    pty_modem_close(modem);
    return false;
}

void pty_modem_close(struct pty_modem *modem)
{
    if (modem->page != NULL) {
        unlink(modem->path);
        shared_page_unmap(modem->page, sizeof *modem->page);
    }
    modem->page = NULL;
    if (modem->file >= 0)
        close(modem->file);
    modem->file = -1;
}

bool pty_modem_has_news(const struct pty_modem *modem)
{
    return modem->page != NULL && (atomic_load(&modem->page->host) != modem->seen ||
                                   atomic_load(&modem->page->settings) != modem->settings_seen);
}

bool pty_modem_is_lost(const struct pty_modem *modem)
{
    return modem->page != NULL && modem->page->magic != MODEM_PAGE_MAGIC;
}

/* Whether a line changed between two words and is back where it was. */
static bool is_pulse(uint32_t before, uint32_t after, uint32_t line, int shift)
{
    bool is_same = ((before ^ after) & line) == 0;

    return is_same && ((before ^ after) >> shift & MODEM_PAGE_CHANGES_MASK) != 0;
}

unsigned pty_modem_take(struct pty_modem *modem, unsigned *pulsed)
{
    *pulsed = 0;
    if (modem->page == NULL)
        return MODEM_HOST_LINES;
    uint32_t before = modem->seen, after = atomic_load(&modem->page->host);

    if (is_pulse(before, after, MODEM_DTR, MODEM_PAGE_DTR_CHANGES_SHIFT))
        *pulsed |= MODEM_DTR;
    if (is_pulse(before, after, MODEM_RTS, MODEM_PAGE_RTS_CHANGES_SHIFT))
        *pulsed |= MODEM_RTS;
    modem->seen = after;
    return after & MODEM_HOST_LINES;
}

const uint32_t *pty_modem_framing(struct pty_modem *modem, uint32_t *count)
{
    *count = 0;
    if (modem->page == NULL)
        return NULL;
    /* In this order: a later change is news. */
    *count = modem->settings_seen = atomic_load(&modem->page->settings);
    modem->framing = atomic_load(&modem->page->framing) & MODEM_PAGE_FRAMING;
    return &modem->framing;
}

void pty_modem_renew(struct pty_modem *modem)
{
    if (modem->page == NULL)
        return;
    modem->seen = MODEM_DTR | MODEM_RTS;
    atomic_store(&modem->page->host, modem->seen);
    atomic_store(&modem->page->serial_flags, 0);
    modem->settings_seen = 0;
    atomic_store(&modem->page->settings, 0);
    atomic_store(&modem->page->framing, MODEM_PAGE_FRAMING_START);
}

void pty_modem_set(struct pty_modem *modem, unsigned lines)
{
    if (modem->page == NULL)
        return;
    struct modem_page *page = modem->page;
    uint32_t changed = atomic_exchange(&page->robot, bits_of(lines)) ^ bits_of(lines);

    atomic_fetch_add(&page->cts, (changed & TIOCM_CTS) != 0);
    atomic_fetch_add(&page->dsr, (changed & TIOCM_DSR) != 0);
    atomic_fetch_add(&page->dcd, (changed & TIOCM_CAR) != 0);
    atomic_fetch_add(&page->ri, (changed & TIOCM_RNG) != 0);
}

void pty_modem_count(struct pty_modem *modem, uint64_t received, uint64_t sent)
{
    if (modem->page == NULL)
        return;
    atomic_store_explicit(&modem->page->received, (uint32_t)received, memory_order_relaxed);
    atomic_store_explicit(&modem->page->sent, (uint32_t)sent, memory_order_relaxed);
}
