/* Polls a PIBOT chassis board as the vendor's drivers do (pibotek/pibot_bringup: pibot_driver,
 * tools/pypibot): reads the version, resets odometry, reads the parameters, and then sends
 * velocity, odometry, PID data and IMU requests in a loop, one at a time. Unlike those drivers it
 * checks every received byte, and at the end reports lost and misordered data. Plain libc;
 * needs only the path of the port. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum {
    HEADER = 0x5a,
    BLOCK_SIZE = 64,

    ID_VERSION = 0,
    ID_SET_PARAMETERS,
    ID_GET_PARAMETERS,
    ID_INIT_ODOMETRY,
    ID_SET_VELOCITY,
    ID_ODOMETRY,
    ID_PID,
    ID_IMU,
    ID_COUNT,
};

/* Size of the reply to each id, which the drivers require. */
static const uint8_t reply_sizes[ID_COUNT] = {32, 0, BLOCK_SIZE, 0, 0, 16, 32, 36};

struct arguments {
    const char *port;
    double rate_hz; /* of the loop, in simulated time */
    double speed;   /* seconds of simulated time per second */
    double seconds; /* of the loop, in simulated time; 0: until a signal */
    double boot_s;  /* silence after opening, for a board that boots then */
    speed_t baud;
    int timeout_ms; /* without a reply; the drivers use 150 */
};

struct host {
    int descriptor;
    const struct arguments *arguments;
    uint64_t requests, replies, lost, strange; /* strange: another id or length than requested */
    uint64_t stray;                            /* bytes outside frames, or after the reply */
    uint8_t body[255];
    double slowest_s;
};

static volatile sig_atomic_t is_over;

static void on_signal(int number)
{
    (void)number;
    is_over = 1;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void sleep_until(double until_s)
{
    for (double left_s; !is_over && (left_s = until_s - now_s()) > 0;) {
        if (left_s > 0.1)
            left_s = 0.1;
        nanosleep(&(struct timespec){.tv_nsec = (long)(left_s * 1e9)}, NULL);
    }
}

/* ---- The port ---- */

static bool open_port(struct host *host)
{
    const struct arguments *arguments = host->arguments;
    struct termios mode;
    host->descriptor = open(arguments->port, O_RDWR | O_NDELAY | O_NOCTTY | O_CLOEXEC);
    if (host->descriptor < 0 || tcgetattr(host->descriptor, &mode) != 0)
        return false;
    cfmakeraw(&mode);
    mode.c_cflag |= CLOCAL | CREAD;
    return cfsetspeed(&mode, arguments->baud) == 0 && tcflush(host->descriptor, TCIOFLUSH) == 0 &&
           tcsetattr(host->descriptor, TCSANOW, &mode) == 0;
}

/* One byte within TIMEOUT_MS; -1: timeout, -2: the port is gone. */
static int next_byte(const struct host *host, int timeout_ms)
{
    struct pollfd port = {.fd = host->descriptor, .events = POLLIN};
    uint8_t byte;
    double end_s = now_s() + timeout_ms / 1000.0;
    for (;;) {
        int left_ms = (int)ceil((end_s - now_s()) * 1000);
        int ready = poll(&port, 1, left_ms > 0 ? left_ms : 0);
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            return -1;
        ssize_t got = read(host->descriptor, &byte, 1);
        if (got == 1)
            return byte;
        if (got == 0 || (errno != EAGAIN && errno != EINTR))
            return -2;
    }
}

static bool send_request(struct host *host, uint8_t id, const uint8_t *body, uint8_t size)
{
    uint8_t frame[4 + 255] = {HEADER, id, size};
    unsigned sum = 0;
    if (size > 0)
        memcpy(frame + 3, body, size);
    for (size_t i = 0; i < 3u + size; i++)
        sum += frame[i];
    frame[3 + size] = (uint8_t)(sum & 0xff);
    return write(host->descriptor, frame, 4u + size) == 4 + size;
}

/* Waits for the next good frame. Returns its id; -1: silence, -2: the port is gone. */
static int receive(struct host *host, uint8_t *size)
{
    int timeout_ms = host->arguments->timeout_ms;
    for (;;) {
        int byte = next_byte(host, timeout_ms);
        if (byte < 0)
            return byte;
        if (byte != HEADER) {
            host->stray++;
            continue;
        }
        int id = next_byte(host, timeout_ms);
        int length = id < 0 ? id : next_byte(host, timeout_ms);
        unsigned sum = (unsigned)(HEADER + id + length);
        for (int i = 0; i <= length; i++) {
            byte = next_byte(host, timeout_ms);
            if (byte < 0)
                return byte;
            if (i < length) {
                host->body[i] = (uint8_t)byte;
                sum += (unsigned)byte;
            }
        }
        if (length < 0)
            return length;
        *size = (uint8_t)length;
        if ((uint8_t)(sum & 0xff) == byte)
            return id;
        host->stray += (uint64_t)length + 4;
    }
}

/* Sends one request and reads its reply, which must be the next frame, complete and without other
 * bytes. False: the port is gone. */
static bool ask(struct host *host, uint8_t id, const uint8_t *body, uint8_t size)
{
    double start_s = now_s();
    uint8_t came = 0;
    host->requests++;
    if (!send_request(host, id, body, size))
        return false;
    int answer = receive(host, &came);
    if (answer == -2)
        return false;
    host->lost += answer == -1;
    host->strange += answer >= 0 && (answer != id || came != reply_sizes[id]);
    host->replies += answer == id && came == reply_sizes[id];
    double took_s = now_s() - start_s;
    host->slowest_s = took_s > host->slowest_s ? took_s : host->slowest_s;
    return true;
}

/* ---- The conversation ---- */

static bool start(struct host *host, uint8_t block[BLOCK_SIZE])
{
    sleep_until(now_s() + host->arguments->boot_s / host->arguments->speed);
    for (int i = 0; i < 3 && !is_over; i++) {
        if (!ask(host, ID_VERSION, NULL, 0))
            return false;
        printf("version %.16s of %.16s\n", (const char *)host->body, (const char *)host->body + 16);
        sleep_until(now_s() + 1 / host->arguments->speed);
    }
    if (!ask(host, ID_INIT_ODOMETRY, NULL, 0) || !ask(host, ID_GET_PARAMETERS, NULL, 0))
        return false;
    memcpy(block, host->body, BLOCK_SIZE);
    printf("wheels %d mm, track %d mm, kp %d, ki %d, kd %d, ko %d, a velocity holds %d ms\n",
           block[0] | block[1] << 8, block[2] | block[3] << 8, block[7] | block[8] << 8,
           block[9] | block[10] << 8, block[11] | block[12] << 8, block[13] | block[14] << 8,
           block[15] | block[16] << 8);
    return true;
}

/* Drives around a circle of 1/3 m, in both directions, with pauses. */
static bool send_velocity(struct host *host, uint64_t loop)
{
    static const int8_t phases[4][2] = {{15, 50}, {0, 0}, {-15, 50}, {0, 0}};
    const int8_t *phase = phases[loop / 200 % 4];
    uint8_t body[6] = {0};
    for (size_t i = 0; i < 2; i++) {
        uint16_t value = (uint16_t)(int16_t)phase[i];
        body[4 * i] = (uint8_t)(value & 0xff);
        body[4 * i + 1] = (uint8_t)(value >> 8);
    }
    return ask(host, ID_SET_VELOCITY, body, sizeof body);
}

static bool run(struct host *host, const uint8_t block[BLOCK_SIZE], uint64_t *loops)
{
    const struct arguments *arguments = host->arguments;
    double period_s = 1 / (arguments->rate_hz * arguments->speed);
    double due_s = now_s();
    double end_s = due_s + arguments->seconds / arguments->speed;
    for (*loops = 0; !is_over && (arguments->seconds <= 0 || now_s() < end_s); ++*loops) {
        /* From time to time a user moves a slider: the whole block is written again. */
        bool is_good = *loops % 500 != 499 || ask(host, ID_SET_PARAMETERS, block, BLOCK_SIZE);
        is_good = is_good && ask(host, ID_ODOMETRY, NULL, 0) && ask(host, ID_PID, NULL, 0) &&
                  send_velocity(host, *loops) && ask(host, ID_IMU, NULL, 0);
        if (!is_good)
            return false;
        due_s += period_s;
        if (due_s < now_s()) /* the wire is slower than the loop */
            due_s = now_s();
        sleep_until(due_s);
    }
    return true;
}

static bool tell(struct host *host, uint64_t loops, double took_s)
{
    while (next_byte(host, 200) >= 0) /* a board never sends without a request */
        host->stray++;
    printf("%llu loops, %.1f a second of the robot's time\n", (unsigned long long)loops,
           (double)loops / took_s / host->arguments->speed);
    printf(
        "%llu requests, %llu replies, %llu lost, %llu out of order, %llu stray bytes; the slowest "
        "took %.1f ms\n",
        (unsigned long long)host->requests, (unsigned long long)host->replies,
        (unsigned long long)host->lost, (unsigned long long)host->strange,
        (unsigned long long)host->stray, host->slowest_s * 1000);
    return host->requests == host->replies && host->stray == 0;
}

/* ---- Arguments ---- */

static bool parse(int argc, char **argv, struct arguments *out)
{
    *out = (struct arguments){.rate_hz = 100, .speed = 1, .baud = B115200, .timeout_ms = 150};
    for (int i = 1; i < argc; i++) {
        bool has_value = i + 1 < argc;
        if (argv[i][0] != '-' && !out->port)
            out->port = argv[i];
        else if (strcmp(argv[i], "--rate") == 0 && has_value)
            out->rate_hz = strtod(argv[++i], NULL);
        else if (strcmp(argv[i], "--speed") == 0 && has_value)
            out->speed = strtod(argv[++i], NULL);
        else if (strcmp(argv[i], "--seconds") == 0 && has_value)
            out->seconds = strtod(argv[++i], NULL);
        else if (strcmp(argv[i], "--boot") == 0 && has_value)
            out->boot_s = strtod(argv[++i], NULL);
        else if (strcmp(argv[i], "--timeout") == 0 && has_value)
            out->timeout_ms = (int)strtol(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--fast-line") == 0)
            out->baud = B921600;
        else
            return false;
    }
    return out->port && out->rate_hz > 0 && out->speed > 0 && out->timeout_ms > 0;
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    if (!parse(argc, argv, &arguments)) {
        fprintf(stderr, "usage: diff_board_poll PORT [--rate HZ] [--seconds S] [--fast-line]\n"
                        "                            [--speed X] [--timeout MS] [--boot S]\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    // A signal during a request must not look like a closed port.
    const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);

    struct host host = {.arguments = &arguments};
    uint8_t block[BLOCK_SIZE];
    uint64_t loops = 0;
    if (!open_port(&host)) {
        fprintf(stderr, "diff_board_poll: %s: %s\n", arguments.port, strerror(errno));
        return 1;
    }
    double start_s = now_s();
    bool is_whole = start(&host, block);
    start_s = is_whole ? now_s() : start_s;
    is_whole = is_whole && run(&host, block, &loops);
    if (!is_whole)
        printf("The port is gone: was the cable pulled?\n");
    bool is_clean = tell(&host, loops, now_s() - start_s);
    close(host.descriptor);
    return is_whole && is_clean ? EXIT_SUCCESS : EXIT_FAILURE;
}
