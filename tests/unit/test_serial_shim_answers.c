/* All answers of the serial shim, which is preloaded into this program: each line, each entry in
 * sysfs, each failure, and no memory left behind. */
#define _GNU_SOURCE
#include "tests/unit/test_shim_support.h"

#include <limits.h>
#include <linux/serial.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

#include "base/modem_lines.h"
#include "pty/shim/modem_shm.h"
#include "tests/support/link_lines.h"

/* Programs built with _FORTIFY_SOURCE call these. */
extern ssize_t __readlink_chk(const char *path, char *out, size_t size, size_t room);
extern char *__realpath_chk(const char *path, char *out, size_t room);

static void page_path(char path[128])
{
    struct stat about;
    assert_int_equal(fstat(host, &about), 0);
    snprintf(path, 128, MODEM_SHM_SHARED_FOLDER "/" MODEM_SHM_NAME, (unsigned)about.st_uid,
             minor(about.st_rdev));
}

/* ---- Lines ---- */

static void each_line_is_shown_alone(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        int bit;
    } lines[] = {{MODEM_CTS, TIOCM_CTS},
                 {MODEM_DSR, TIOCM_DSR},
                 {MODEM_DCD, TIOCM_CAR},
                 {MODEM_RI, TIOCM_RNG}};
    assert_int_equal(ioctl(host, TIOCMSET, &(int){0}), 0);
    for (size_t i = 0; i < 4; i++) {
        byte_link_set_lines(opened, lines[i].line);
        assert_int_equal(lines_of(host), lines[i].bit);
    }
    byte_link_set_lines(opened, 0);
    assert_int_equal(ioctl(host, TIOCMBIS, &(int){TIOCM_RTS}), 0);
    assert_int_equal(lines_of(host), TIOCM_RTS);
    assert_int_equal(ioctl(host, TIOCMSET, &(int){TIOCM_DTR}), 0);
    assert_int_equal(lines_of(host), TIOCM_DTR);
}

/* Changes the lines to ONCE during the wait, and then to WANTED until it ends. */
static void assert_waits(unsigned mask, unsigned once, unsigned wanted)
{
    struct wait wait = {.mask = mask};
    pthread_t thread;
    byte_link_set_lines(opened, 0);
    assert_int_equal(pthread_create(&thread, NULL, wait_for_line, &wait), 0);
    test_pause_ms(10);
    byte_link_set_lines(opened, once);
    test_pause_ms(15);
    assert_false(wait.is_over);
    for (unsigned lines = wanted; !wait.is_over; lines ^= wanted) {
        byte_link_set_lines(opened, once | lines);
        test_pause_ms(10);
    }
    pthread_join(thread, NULL);
    assert_int_equal(wait.result, 0);
}

static void a_wait_is_for_the_lines_of_its_mask(void **state)
{
    (void)state;
    assert_waits(TIOCM_CTS, MODEM_DSR | MODEM_DCD | MODEM_RI, MODEM_CTS);
    assert_waits(TIOCM_DSR, MODEM_CTS | MODEM_DCD | MODEM_RI, MODEM_DSR);
    assert_waits(TIOCM_CAR, MODEM_CTS | MODEM_DSR | MODEM_RI, MODEM_DCD);
    assert_waits(TIOCM_RNG, MODEM_CTS | MODEM_DSR | MODEM_DCD, MODEM_RI);
}

/* A change of one line does not hide that of another. */
static void a_wait_ends_with_two_lines_at_once(void **state)
{
    (void)state;
    assert_waits(TIOCM_CTS | TIOCM_DSR, 0, MODEM_CTS | MODEM_DSR);
    assert_waits(TIOCM_CTS | TIOCM_CAR, 0, MODEM_CTS | MODEM_DCD);
    assert_waits(TIOCM_CTS | TIOCM_RNG, 0, MODEM_CTS | MODEM_RI);
}

static void hear(int number)
{
    (void)number;
}

static void a_signal_ends_a_wait(void **state)
{
    (void)state;
    struct wait wait = {.mask = TIOCM_CTS};
    pthread_t thread;
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = hear}, NULL);
    assert_int_equal(pthread_create(&thread, NULL, wait_for_line, &wait), 0);
    while (!wait.is_over) {
        pthread_kill(thread, SIGUSR1);
        test_pause_ms(1);
    }
    pthread_join(thread, NULL);
    assert_int_equal(wait.result, -1);
    assert_int_equal(wait.reason, EINTR);
}

/* ---- Settings ---- */

static void a_serial_driver_shows_a_uart(void **state)
{
    (void)state;
    struct serial_struct settings;
    struct stat about;
    assert_int_equal(fstat(host, &about), 0);
    assert_int_equal(ioctl(host, TIOCGSERIAL, &settings), 0);
    assert_int_equal(settings.type, PORT_16550A);
    assert_int_equal(settings.line, minor(about.st_rdev));
    assert_true(settings.baud_base >= 115200);
    assert_int_equal(settings.close_delay, 50); // hundredths, as of each tty_port
    assert_int_equal(settings.closing_wait, 3000);
    assert_int_equal(settings.irq, 0);
}

static void parity_and_size_read_as_they_were_set(void **state)
{
    (void)state;
    struct termios mode, found;
    assert_int_equal(tcgetattr(host, &mode), 0);
    assert_int_equal(mode.c_cflag & (CSIZE | PARENB), CS8);
    mode.c_cflag = (mode.c_cflag & ~(tcflag_t)CSIZE) | CS7 | PARENB;
    assert_int_equal(tcsetattr(host, TCSANOW, &mode), 0);
    assert_int_equal(tcgetattr(host, &found), 0);
    assert_int_equal(found.c_cflag, mode.c_cflag);
    mode.c_cflag = (mode.c_cflag & ~(tcflag_t)(CSIZE | PARENB)) | CS8;
    mode.c_cc[VTIME] = 7;
    assert_int_equal(tcsetattr(host, TCSADRAIN, &mode), 0);
    assert_int_equal(tcgetattr(host, &found), 0);
    assert_int_equal(found.c_cflag, mode.c_cflag);
    assert_int_equal(found.c_cc[VTIME], 7);
}

/* Not by the C library, as some libraries do for speeds that it does not know. */
static void parity_and_size_are_kept_by_ioctl_too(void **state)
{
    (void)state;
    static const unsigned long sets[] = {TCSETS, TCSETSW, TCSETSF};
    static const tcflag_t frames[] = {CS7 | PARENB, CS5, CS6 | PARENB};
    char mode[256]; /* of the kernel; it begins as that of the C library */
    struct termios *head = (struct termios *)(void *)mode, found;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(ioctl(host, TCGETS, mode), 0);
        head->c_cflag = (head->c_cflag & ~(tcflag_t)(CSIZE | PARENB)) | frames[i];
        assert_int_equal(ioctl(host, sets[i], mode), 0);
        head->c_cflag = 0;
        assert_int_equal(ioctl(host, TCGETS, mode), 0);
        assert_int_equal(head->c_cflag & (CSIZE | PARENB), frames[i]);
        assert_int_equal(tcgetattr(host, &found), 0);
        assert_int_equal(found.c_cflag & (CSIZE | PARENB), frames[i]);
    }
}

static void a_call_that_succeeds_leaves_errno_alone(void **state)
{
    (void)state;
    struct termios mode;
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    errno = 77;
    assert_int_equal(tcgetattr(master, &mode), 0);
    assert_int_equal(tcsetattr(master, TCSANOW, &mode), 0);
    assert_int_equal(tcgetattr(host, &mode), 0);
    assert_int_equal(tcsetattr(host, TCSANOW, &mode), 0);
    assert_true(lines_of(host) > 0);
    unlockpt(master);
    int other = open(ptsname(master), O_RDWR | O_NOCTTY);
    errno = 77;
    assert_int_equal(tcgetattr(other, &mode), 0);
    assert_int_equal(errno, 77);
    close(other);
    close(master);
}

/* Then the next descriptor is 0. */
static void a_program_without_standard_input_has_the_lines(void **state)
{
    (void)state;
    int kept = dup(0);
    close(0);
    int lines = lines_of(host);
    if (kept >= 0) {
        dup2(kept, 0);
        close(kept);
    }
    assert_true(lines > 0);
}

static void failures_of_settings_are_reported(void **state)
{
    (void)state;
    struct termios mode;
    int ends[2];
    assert_int_equal(tcgetattr(host, &mode), 0);
    errno = 0;
    assert_int_equal(tcsetattr(-1, TCSANOW, &mode), -1);
    assert_int_equal(errno, EBADF);
    assert_int_equal(tcsetattr(host, 12345, &mode), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(tcgetattr(-1, &mode), -1);
    assert_int_equal(errno, EBADF);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(tcgetattr(ends[0], &mode), -1);
    assert_int_equal(errno, ENOTTY);
    assert_int_equal(ioctl(ends[0], TCSETS, &mode), -1);
    assert_int_equal(errno, ENOTTY);
    assert_int_equal(ioctl(host, TIOCGSERIAL, NULL), -1);
    assert_int_equal(errno, EFAULT);
    close(ends[0]);
    close(ends[1]);
}

/* ---- Memory ---- */

static unsigned mappings_of_a_page(void)
{
    char line[PATH_MAX + 128];
    unsigned count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps) != NULL)
        count += strstr(line, "/.pts-") != NULL;
    fclose(maps);
    return count;
}

static void no_call_leaves_memory_or_descriptors(void **state)
{
    (void)state;
    struct serial_struct settings;
    struct termios mode;
    struct stat about;
    struct wait wait = {.mask = TIOCM_CTS};
    char entry[PTY_PATH_MAX + 64];
    pthread_t thread;
    unsigned before = mappings_of_a_page();
    int first = dup(host);
    close(first);
    lines_of(host);
    ioctl(host, TIOCGSERIAL, &settings);
    ioctl(host, TIOCSSERIAL, &settings);
    ioctl(host, TIOCSBRK);
    ioctl(host, TIOCCBRK);
    tcgetattr(host, &mode);
    tcsetattr(host, TCSANOW, &mode);
    mode.c_cflag = (mode.c_cflag & ~(tcflag_t)CSIZE) | CS7;
    tcsetattr(host, TCSANOW, &mode);
    snprintf(entry, sizeof entry, "/sys/class/tty/%s", byte_link_name(opened) + 5);
    stat(entry, &about);
    pthread_create(&thread, NULL, wait_for_line, &wait);
    for (unsigned lines = 0; !wait.is_over; lines ^= MODEM_CTS) {
        byte_link_set_lines(opened, lines);
        test_pause_ms(5);
    }
    pthread_join(thread, NULL);
    assert_int_equal(mappings_of_a_page(), before);
    int last = dup(host);
    assert_int_equal(last, first);
    close(last);
}

/* ---- Pages ---- */

static void a_page_with_a_wrong_field_is_ignored(void **state)
{
    (void)state;
    char path[128];
    page_path(path);
    int file = open(path, O_RDWR);
    struct modem_shm *page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert_ptr_not_equal(page, MAP_FAILED);
    unsigned before = mappings_of_a_page();
    uint64_t *const nodes[] = {&page->node_device, &page->node_number};
    uint32_t *const words[] = {&page->magic, &page->version};
    for (size_t i = 0; i < 2; i++) {
        words[i][0]++;
        assert_int_equal(lines_of(host), -1);
        words[i][0]--;
        nodes[i][0]++;
        assert_int_equal(lines_of(host), -1);
        nodes[i][0]--;
        assert_true(lines_of(host) > 0);
    }
    assert_int_equal(mappings_of_a_page(), before);
    munmap(page, sizeof *page);
    close(file);
}

static void a_page_of_another_user_is_ignored(void **state)
{
    (void)state;
    char path[128];
    page_path(path);
    if (geteuid() != 0)
        skip();
    assert_int_equal(chown(path, 65534, (gid_t)-1), 0);
    assert_int_equal(lines_of(host), -1);
    assert_int_equal(chown(path, 0, (gid_t)-1), 0);
    assert_true(lines_of(host) > 0);
}

static void a_page_behind_a_link_is_ignored(void **state)
{
    (void)state;
    char path[128], other[160];
    page_path(path);
    snprintf(other, sizeof other, "%s.other", path);
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(symlink(other, path), 0);
    assert_int_equal(lines_of(host), -1);
    unlink(path);
    assert_int_equal(rename(other, path), 0);
    assert_true(lines_of(host) > 0);
}

static char runtime[64];

static void a_page_in_the_runtime_folder_is_found(void **state)
{
    (void)state;
    char path[128], folder[96], moved[160];
    page_path(path);
    snprintf(folder, sizeof folder, "%s/" MODEM_SHM_RUNTIME_FOLDER, runtime);
    snprintf(moved, sizeof moved, "%s/%s", folder, strrchr(path, '/') + 1);
    mkdir(runtime, 0700);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(rename(path, moved), 0);
    assert_int_equal(lines_of(host), TIOCM_DTR | TIOCM_RTS | TIOCM_CTS | TIOCM_DSR | TIOCM_CAR);
    assert_int_equal(rename(moved, path), 0);
    rmdir(folder);
    rmdir(runtime);
}

/* ---- Sysfs ---- */

static const char *entry_of(const char *name)
{
    static char entry[PTY_PATH_MAX + 64];
    snprintf(entry, sizeof entry, "/sys/class/tty/%s", name + 5);
    return entry;
}

static void the_entry_of_the_port_is_a_link_to_a_folder(void **state)
{
    (void)state;
    static const char target[] = "../../devices/virtual/tty/ptybot";
    static const char resolved[] = "/sys/devices/virtual/tty/ptybot";
    const ssize_t size = sizeof target - 1;
    char out[PATH_MAX];
    const char *entry = entry_of(byte_link_name(opened));
    for (int i = 0; i < 2; i++) {
        memset(out, '#', sizeof out);
        assert_int_equal(i ? __readlink_chk(entry, out, 64, 64) : readlink(entry, out, 64), size);
        assert_memory_equal(out, target, (size_t)size);
        assert_int_equal(out[size], '#');
        memset(out, '#', sizeof out);
        assert_int_equal(readlink(entry, out, (size_t)size), size);
        assert_int_equal(i ? __readlink_chk(entry, out, 5, 64) : readlink(entry, out, 5), 5);
        out[0] = '\0';
        assert_ptr_equal(i ? __realpath_chk(entry, out, sizeof out) : realpath(entry, out), out);
        assert_string_equal(out, resolved);
    }
    char *made = realpath(entry, NULL);
    assert_string_equal(made, resolved);
    free(made);
    assert_int_equal(access(entry, F_OK), 0);
    assert_int_equal(access(entry, R_OK | X_OK), 0);
    assert_int_equal(access(entry, W_OK), -1);
    assert_int_equal(errno, ENOENT);
}

static void other_paths_are_as_without_the_shim(void **state)
{
    (void)state;
    char out[PATH_MAX], link_path[64], far[PATH_MAX + 256];
    struct stat about;
    const char *const missing[] = {"/sys/class/tty/no-such-port", "/sys/class/ttyx/ptmx",
                                   "/no/such/file"};
    for (size_t i = 0; i < 3; i++) {
        errno = 0;
        assert_int_equal(readlink(missing[i], out, sizeof out), -1);
        assert_int_equal(errno, ENOENT);
        assert_int_equal(__readlink_chk(missing[i], out, 64, 64), -1);
        assert_null(realpath(missing[i], out));
        assert_null(__realpath_chk(missing[i], out, sizeof out));
        assert_int_equal(access(missing[i], F_OK), -1);
        assert_int_equal(lstat(missing[i], &about), -1);
        assert_int_equal(errno, ENOENT);
    }
    snprintf(link_path, sizeof link_path, "/dev/shm/unit-shim-answers-%ld", (long)getpid());
    assert_int_equal(symlink("/x", link_path), 0);
    assert_int_equal(readlink(link_path, out, sizeof out), 2);
    assert_int_equal(__readlink_chk(link_path, out, sizeof out, sizeof out), 2);
    assert_int_equal(readlink(link_path, out, 1), 1);
    unlink(link_path);
    assert_string_equal(realpath("/dev/.", out), "/dev");
    assert_string_equal(__realpath_chk("/proc/.", out, sizeof out), "/proc");
    assert_int_equal(access("/", R_OK), 0);
    assert_int_equal(stat("/", &about), 0);
    assert_true(S_ISDIR(about.st_mode));
    memset(far, 'x', sizeof far - 1);
    memcpy(far, "/sys/class/tty/", 15);
    far[sizeof far - 1] = '\0';
    assert_int_equal(stat(far, &about), -1);
    assert_int_equal(errno, ENAMETOOLONG);
    const char *volatile nowhere = NULL;
    assert_null(realpath(nowhere, out));
    assert_int_equal(errno, EINVAL);
    /* A name is that of a port only if it begins with the folder. */
    snprintf(far, 200, "/sys/class/ttz/%s", byte_link_name(opened) + 5);
    assert_int_equal(stat(far, &about), -1);
    snprintf(far, 200, "/sys/class/tty.%s", byte_link_name(opened) + 5);
    assert_int_equal(stat(far, &about), -1);
}

/* ---- Opening ---- */

static void files_get_the_mode_that_is_asked_for(void **state)
{
    (void)state;
    struct stat about;
    char name[64];
    mode_t before = umask(0);
    int file = open("/dev/shm", O_TMPFILE | O_RDWR, 0641);
    assert_true(file >= 0);
    assert_int_equal(fstat(file, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0641);
    close(file);
    snprintf(name, sizeof name, "/dev/shm/unit-shim-mode-%ld", (long)getpid());
    file = open64(name, O_CREAT | O_RDWR, 0612);
    assert_int_equal(fstat(file, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0612);
    close(file);
    unlink(name);
    umask(before);
}

int main(int argc, char **argv)
{
    (void)argc;
    // A process keeps its number when it starts itself again.
    snprintf(runtime, sizeof runtime, "/dev/shm/unit-shim-runtime-%ld", (long)getpid());
    setenv("XDG_RUNTIME_DIR", runtime, 1);
    signal(SIGHUP, SIG_IGN); // a terminal that the leader of a session opens becomes its own
    shim_preload(argv);
    const struct CMUnitTest tests[] = {
        TEST(each_line_is_shown_alone),
        TEST(a_wait_is_for_the_lines_of_its_mask),
        TEST(a_wait_ends_with_two_lines_at_once),
        TEST(a_signal_ends_a_wait),
        TEST(a_serial_driver_shows_a_uart),
        TEST(parity_and_size_read_as_they_were_set),
        TEST(parity_and_size_are_kept_by_ioctl_too),
        TEST(a_call_that_succeeds_leaves_errno_alone),
        TEST(a_program_without_standard_input_has_the_lines),
        TEST(failures_of_settings_are_reported),
        TEST(no_call_leaves_memory_or_descriptors),
        TEST(a_page_with_a_wrong_field_is_ignored),
        TEST(a_page_of_another_user_is_ignored),
        TEST(a_page_behind_a_link_is_ignored),
        TEST(a_page_in_the_runtime_folder_is_found),
        TEST(the_entry_of_the_port_is_a_link_to_a_folder),
        TEST(other_paths_are_as_without_the_shim),
        TEST(files_get_the_mode_that_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
