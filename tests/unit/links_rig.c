/* Messages, inputs and a driver of a link. */
#include "tests/unit/links_rig.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- Messages ---- */

static int kept_stderr, said_fd;

void listen_to_stderr(void)
{
    fflush(stderr);
    kept_stderr = dup(STDERR_FILENO);
    said_fd = memfd_create("said", MFD_CLOEXEC);
    assert_true(kept_stderr >= 0 && said_fd >= 0);
    assert_int_equal(dup2(said_fd, STDERR_FILENO), STDERR_FILENO);
}

/* The messages since the last call. */
const char *said(void)
{
    static char text[8192];
    fflush(stderr);
    ssize_t size = pread(said_fd, text, sizeof text - 1, 0);
    assert_true(size >= 0 && (size_t)size < sizeof text - 1);
    text[size] = '\0';
    assert_int_equal(ftruncate(said_fd, 0), 0);
    assert_int_equal(lseek(said_fd, 0, SEEK_SET), 0);
    return text;
}

void restore_stderr(void)
{
    fflush(stderr);
    dup2(kept_stderr, STDERR_FILENO);
    close(kept_stderr);
    close(said_fd);
}

int open_rig(void **state)
{
    int failed = set_up(state);
    listen_to_stderr();
    return failed;
}

int close_rig(void **state)
{
    restore_stderr();
    return tear_down(state);
}

size_t count_of(const char *text, const char *word)
{
    size_t count = 0;
    for (; (text = strstr(text, word)); text += strlen(word))
        count++;
    return count;
}

/* ---- A driver ---- */

struct links_view view_of(const struct fixture *f)
{
    struct links_view view;
    links_view(f->links, 0, &view);
    return view;
}

/* Visits the link until the driver is connected, or is not, as of NOW_NS. */
void await_driver(struct fixture *f, bool is_there, int64_t now_ns)
{
    int64_t end_ns = poller_now_ns() + TIMEOUT_NS;
    while (view_of(f).is_host != is_there) {
        assert_true(poller_now_ns() < end_ns);
        links_visit(f->links, now_ns);
    }
    links_visit(f->links, now_ns);
}

int open_driver(struct fixture *f, int64_t now_ns)
{
    int fd = open(f->pty_path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    struct termios raw;
    assert_true(fd >= 0);
    assert_int_equal(tcgetattr(fd, &raw), 0);
    cfmakeraw(&raw);
    cfsetspeed(&raw, B115200);
    assert_int_equal(tcsetattr(fd, TCSANOW, &raw), 0);
    await_driver(f, true, now_ns);
    return fd;
}

void read_all(int fd, uint64_t size)
{
    uint8_t heard[4096];
    int64_t end_ns = poller_now_ns() + TIMEOUT_NS;
    while (size > 0) {
        ssize_t some = read(fd, heard, sizeof heard);
        size -= some > 0 ? (size_t)some : 0;
        assert_true(poller_now_ns() < end_ns);
    }
}
void step_until_written(struct fixture *f)
{
    for (uint64_t written = view_of(f).written; view_of(f).written == written;) {
        sim_step(f->sim);
        links_after_step(f->links, NOW_NS);
    }
}

/* ---- Inputs ---- */

char told[512];

void note_input(void *context, const struct sim_input *input)
{
    static const char *const names[] = {
        [SIM_INPUT_HOST] = "host", [SIM_INPUT_LINES] = "lines", [SIM_INPUT_BAUD] = "baud",
        [SIM_INPUT_MODE] = "mode", [SIM_INPUT_BYTES] = "bytes", [SIM_INPUT_READS] = "reads"};
    size_t size = strlen(told);
    uint32_t value = input->kind == SIM_INPUT_BYTES ? (uint32_t)input->size : input->value;
    (void)context;
    snprintf(told + size, sizeof told - size, "%s %u; ", names[input->kind], value);
}
