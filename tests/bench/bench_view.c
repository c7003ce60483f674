/* Does the window affect the wire? Measures the lateness of a Kobuki's packets (50 per second) at
 * the host's end of the pty, without and with a window at 60 frames per second. The reference is a
 * bare timer that writes the same number of bytes into a pty at the same rate and at the same time.
 * Lateness is the delay of a packet relative to the most punctual packet. Prints lines like
 * bench.c. Its argument is the duration of the measurement in seconds.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "sim/watch/snapshot.h"
#include "tests/places.h"

enum {
    PERIOD_MS = 20,
    PACKET = 81, /* bytes of a Kobuki's packet: AA 55, LEN, LEN bytes, a sum */
    COUNT_MAX = 6000,
    WARM_UP = 50, /* packets that are not measured */
    TIMEOUT_MS = 20000,
};

/* The packets that one host has received. */
struct track {
    int port;
    size_t place, rest; /* in the packet: bytes of its head so far; of the rest to come */
    size_t seen, count;
    int64_t at_us[COUNT_MAX];
};

static int64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void sleep_ms(int ms)
{
    nanosleep(&(struct timespec){ms / 1000, (long)(ms % 1000) * 1000000}, NULL);
}

static void give_up(const char *why)
{
    fprintf(stderr, "bench view: %s\n", why);
    exit(1);
}

static pid_t start(const char *const words[], int out)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int nothing = open("/dev/null", O_RDWR);
    dup2(out >= 0 ? out : nothing, 1);
    dup2(nothing, 2);
    execv(words[0], (char *const *)(uintptr_t)words);
    _exit(127);
}

static void end(pid_t pid)
{
    kill(pid, SIGTERM);
    waitpid(pid, NULL, 0);
}

/* ---- The other side ---- */

/* Starts a bare timer that writes into a pty, in a separate process; PORT receives the host's end.
 */
static pid_t start_timer(int *port)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    struct termios mode;
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
        give_up("no pty");
    *port = open(ptsname(master), O_RDWR | O_NOCTTY | O_NONBLOCK);
    tcgetattr(*port, &mode);
    cfmakeraw(&mode);
    tcsetattr(*port, TCSANOW, &mode);
    pid_t pid = fork();
    if (pid != 0) {
        close(master);
        return pid;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const struct timespec period = {0, PERIOD_MS * 1000000L};
    static const uint8_t bytes[PACKET] = {0xAA, 0x55, PACKET - 4};
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    timerfd_settime(timer, 0, &(struct itimerspec){period, period}, NULL);
    for (uint64_t ticks; read(timer, &ticks, sizeof ticks) == sizeof ticks;)
        for (; ticks > 0; ticks--)
            if (write(master, bytes, sizeof bytes) < 0)
                _exit(1);
    _exit(1);
}

static pid_t start_server(char *display, size_t size)
{
    int pipe_ends[2];
    char text[16] = "";
    if (pipe(pipe_ends) != 0)
        give_up("no pipe");
    const char *const words[] = {XVFB_BINARY, "-screen",    "0", "1280x800x24", "-nolisten",
                                 "tcp",       "-displayfd", "1", "-noreset",    NULL};
    pid_t pid = start(words, pipe_ends[1]);
    close(pipe_ends[1]);
    if (read(pipe_ends[0], text, sizeof text - 1) <= 0)
        give_up("Xvfb does not start");
    snprintf(display, size, ":%d", atoi(text));
    return pid;
}

/* ---- Listening ---- */

/* Takes one byte; true for the byte with a packet's length. The time of this byte is the packet's
 * time. */
static bool is_head(struct track *track, uint8_t byte)
{
    if (track->rest > 0) {
        track->rest--;
        return false;
    }
    bool is_in_place = (track->place == 0 && byte == 0xAA) || (track->place == 1 && byte == 0x55);
    if (track->place < 2) {
        track->place = is_in_place ? track->place + 1 : 0;
        return false;
    }
    track->place = 0;
    track->rest = (size_t)byte + 1;
    return true;
}

static void take(struct track *track)
{
    uint8_t bytes[512];
    ssize_t got;
    while ((got = read(track->port, bytes, sizeof bytes)) > 0) {
        int64_t at_us = now_us();
        for (ssize_t i = 0; i < got; i++)
            if (is_head(track, bytes[i]) && track->seen++ >= WARM_UP && track->count < COUNT_MAX)
                track->at_us[track->count++] = at_us;
    }
}

static void listen_to(struct track tracks[2], double seconds)
{
    int64_t end_us = now_us() + (int64_t)((seconds + WARM_UP * PERIOD_MS * 1e-3) * 1e6);
    while (now_us() < end_us) {
        struct pollfd polled[] = {{.fd = tracks[0].port, .events = POLLIN},
                                  {.fd = tracks[1].port, .events = POLLIN}};
        poll(polled, 2, 100);
        for (int i = 0; i < 2; i++)
            if (polled[i].revents)
                take(&tracks[i]);
    }
}

static int compare(const void *a, const void *b)
{
    int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;
    return (one > other) - (one < other);
}

/* The lateness that the share PART of all packets does not exceed, ms. */
static double late_ms(const struct track *track, double part)
{
    static int64_t late_us[COUNT_MAX];
    int64_t least_us = INT64_MAX, period_us = PERIOD_MS * 1000;
    if (track->count == 0)
        give_up("nothing was heard");
    for (size_t i = 0; i < track->count; i++) {
        late_us[i] = track->at_us[i] - track->at_us[0] - (int64_t)i * period_us;
        least_us = late_us[i] < least_us ? late_us[i] : least_us;
    }
    for (size_t i = 0; i < track->count; i++)
        late_us[i] -= least_us;
    qsort(late_us, track->count, sizeof late_us[0], compare);
    return (double)late_us[(size_t)(part * (double)(track->count - 1))] * 1e-3;
}

/* ---- One measurement ---- */

static struct snapshot_share *find_share(pid_t run)
{
    char path[128];
    snprintf(path, sizeof path, "/dev/shm/ptybot-%u/run-%d/snapshot", (unsigned)getuid(), (int)run);
    int file = open(path, O_RDWR);
    void *share =
        file < 0 ? MAP_FAILED : mmap(NULL, SNAPSHOT_SHARE_AT, PROT_READ, MAP_SHARED, file, 0);
    return share == MAP_FAILED ? NULL : share;
}

static void await(const char *path)
{
    for (int i = 0; access(path, F_OK) != 0; i++, sleep_ms(10))
        if (i > TIMEOUT_MS / 10)
            give_up("ptybot does not start");
}

/* Fills both tracks: of the robot and of the timer. Returns the number of snapshots per second. */
static double measure(const char *folder, bool is_viewed, double seconds, struct track tracks[2])
{
    char scene[128], port[128], control[128];
    snprintf(scene, sizeof scene, "%s/bench.yaml", folder);
    snprintf(port, sizeof port, "%s/kobuki", folder);
    snprintf(control, sizeof control, "%s/control", folder);
    FILE *file = fopen(scene, "w");
    if (!file)
        give_up("no file");
    fprintf(file,
            "robots:\n  - {name: kobuki, type: kobuki, pose: {x: 2, y: 2, heading: 0}, "
            "links: [{pty: %s}]}\n"
            "world:\n  size: {x: 6, y: 4}\n  docks: [{name: dock, pose: {x: 5.7, y: 2, heading: "
            "180}}]\n",
            port);
    fclose(file);
    pid_t run =
        start((const char *const[]){PTYBOT_BINARY, "run", scene, "--control", control, NULL}, -1);
    await(port);
    await(control);
    struct snapshot_share *share = NULL;
    pid_t view = 0;
    if (is_viewed)
        view = start((const char *const[]){PTYBOT_BINARY, "view", "--control", control, NULL}, -1);
    for (int i = 0; is_viewed && (!share || share->sequence < 200); i++, sleep_ms(10)) {
        share = share ? share : find_share(run);
        if (i > TIMEOUT_MS / 10)
            give_up("the window does not open");
    }
    memset(tracks, 0, 2 * sizeof tracks[0]);
    tracks[0].port = open(port, O_RDWR | O_NOCTTY | O_NONBLOCK);
    pid_t timer = start_timer(&tracks[1].port);
    uint32_t from = share ? share->sequence : 0;
    int64_t from_us = now_us();
    listen_to(tracks, seconds);
    double rate = share ? (share->sequence - from) / 2.0 * 1e6 / (double)(now_us() - from_us) : 0;
    end(timer);
    close(tracks[0].port);
    close(tracks[1].port);
    end(run);
    if (view)
        waitpid(view, NULL, 0);
    return rate;
}

static void print(const char *name, double value, const char *unit, double ratio, const char *to)
{
    printf("%s\t%.4g\t%s\t%.3f\t%s\n", name, value, unit, ratio, to);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static struct track bare[2], viewed[2];
    double seconds = argc > 1 ? atof(argv[1]) : 20;
    char folder[] = "/tmp/ptybot-bench-XXXXXX", display[16];
    if (!mkdtemp(folder))
        give_up("no folder");
    pid_t server = start_server(display, sizeof display);
    setenv("DISPLAY", display, 1);
    setenv("SDL_AUDIODRIVER", "dummy", 1);
    measure(folder, false, seconds, bare);
    double rate = measure(folder, true, seconds, viewed);
    end(server);
    print("view.rate", rate, "frames a second", rate / 60, "60");
    print("view.late_median", late_ms(&viewed[0], 0.5), "ms",
          late_ms(&viewed[0], 0.5) / late_ms(&bare[0], 0.5), "median without a window");
    print("view.timer_median", late_ms(&viewed[1], 0.5), "ms",
          late_ms(&viewed[1], 0.5) / late_ms(&bare[1], 0.5), "the bare timer without a window");
    print("view.late_p99", late_ms(&viewed[0], 0.99), "ms",
          late_ms(&viewed[0], 0.99) / late_ms(&viewed[1], 0.99),
          "p99 of a bare timer beside the same window");
    print("view.bare_p99", late_ms(&bare[0], 0.99), "ms",
          late_ms(&bare[0], 0.99) / late_ms(&bare[1], 0.99), "p99 of a bare timer, no window");
    char path[64];
    snprintf(path, sizeof path, "%s/bench.yaml", folder);
    unlink(path);
    rmdir(folder);
    return 0;
}
