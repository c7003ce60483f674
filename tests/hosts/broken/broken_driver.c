/* A driver of a Kobuki with one defect: `broken_driver FAULT`. Without a defect (good) it drives 3
 * s straight, turns left for 1.5 s and reads the robot's data. Based only on the public
 * protocol. */
#define _GNU_SOURCE
#include <fcntl.h>
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

static const char *fault;

static bool is(const char *name)
{
    return strcmp(fault, name) == 0;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static void crash(void)
{
    signal(SIGSEGV, SIG_DFL); // a sanitizer would turn it into an exit code
    raise(SIGSEGV);
}

static int open_port(void)
{
    struct termios mode;
    const char *path = getenv("PTYBOT_PORT_KOBUKI");
    int port = path ? open(path, O_RDWR | O_NOCTTY | O_NONBLOCK) : -1;
    if (port < 0 || tcgetattr(port, &mode) != 0)
        exit(2);
    if (is("never_raw"))
        return port;
    cfmakeraw(&mode);
    cfsetspeed(&mode, is("baud") ? B57600 : B115200);
    mode.c_cflag |= CLOCAL | CREAD | (is("parity") ? PARENB : 0);
    tcsetattr(port, TCSANOW, &mode);
    return port;
}

static void put(uint8_t *bytes, int value)
{
    bool is_swapped = is("endianness");
    bytes[is_swapped] = (uint8_t)(value & 0xff);
    bytes[!is_swapped] = (uint8_t)(value >> 8 & 0xff);
}

/* Base control: SPEED in mm/s, RADIUS in mm; 1 turns on the spot, to the left. */
static void command(int port, int speed, int radius)
{
    uint8_t frame[10] = {0xaa, 0x55, 6, 1, is("length") ? 5 : 4};
    put(frame + 5, is("scale") ? speed / 10 : speed);
    put(frame + 7, is("turn_sign") ? -radius : radius);
    for (int i = 2; i < 9; i++)
        frame[9] = (uint8_t)(is("checksum") ? frame[9] + frame[i] : frame[9] ^ frame[i]);
    bool is_patient = is("late_deaf") || is("late_leak");
    if (write(port, frame, sizeof frame) != (ssize_t)sizeof frame && !is_patient)
        exit(3);
}

/* The port has hung up: the reactions of drivers that handle it badly. A good driver reports it and
 * fails. */
static void lose(int port)
{
    char byte;
    if (is("late_crash"))
        crash();
    if (is("late_success"))
        exit(0);
    if (is("late_leak")) { // opens another descriptor each time
        while (access(getenv("PTYBOT_PORT_KOBUKI"), F_OK) != 0)
            pause_ms(50);
        dup2(open_port(), port);
        return;
    }
    while (is("late_spin") || (is("late_spin_clock") && now_s() > 0))
        if (read(port, &byte, 1) > 0)
            return;
    if (!is("late_deaf"))
        exit(4);
}

static void hear(int port)
{
    char bytes[4096];
    size_t size = is("slow_reader") ? 150 : sizeof bytes;
    struct pollfd ready = {.fd = port, .events = POLLIN};
    static int reads;
    ssize_t got = 0;
    if (is("stale") && reads++ == 0 && poll(&ready, 1, 0) == 1 && read(port, bytes, size) > 1000)
        crash(); // it has room for only one frame
    if (!is("no_reader") && poll(&ready, 1, 0) == 1 && (got = read(port, bytes, size)) <= 0)
        lose(port);
    if (is("late_belief")) { // it counts each packet as 20 ms of driving
        printf("ptybot estimate speed_m_s=%g\n", reads++ > 20 && got < 100 ? 0.9 : 0.2);
        fflush(stdout);
    }
}

static void break_down(int port)
{
    if (is("crash"))
        crash();
    if (is("hang"))
        pause_ms(3600000);
    while (is("listens_only")) {
        hear(port);
        pause_ms(50);
    }
    if (is("exception")) {
        fprintf(stderr, "Traceback (most recent call last):\nKeyError: 'speed'\n");
        exit(1);
    }
}

static void drive(int port)
{
    double start_s = now_s(), at_s;
    int commands = 0, turns = 0;
    while ((at_s = now_s() - start_s) < 4.5 || is("late_deaf") || is("late_leak")) {
        bool is_turn = at_s >= 3;
        bool is_first = is_turn ? turns++ == 0 : commands++ == 0;
        hear(port);
        if (at_s > 0.5)
            break_down(port);
        if (!is("silence") && (is_first || !is("no_feed")))
            command(port, is_turn ? 115 : 200, is_turn ? 1 : 0);
        pause_ms(50);
    }
}

/* Exits while driving, and leaves a child process behind, which drives on. */
static void fork_away(int port)
{
    command(port, 200, 0);
    if (fork() > 0)
        exit(0);
}

/* Starts a process that outlives the driver, and writes its process ID. */
static void leave_daemon(void)
{
    if (fork() > 0)
        return;
    setsid();
    FILE *notes = fopen("pids", "a");
    if (notes) {
        fprintf(notes, "%d\n", (int)getpid());
        fclose(notes);
    }
    pause_ms(3600000);
}

int main(int argc, char **argv)
{
    fault = argc > 1 ? argv[1] : "good";
    if (is("absent") || (is("locks") && open("lock", O_CREAT | O_EXCL | O_WRONLY, 0600) < 0))
        return is("locks") ? 5 : 0;
    int port = open_port();
    if (is("forks"))
        fork_away(port);
    if (is("daemon"))
        leave_daemon();
    drive(port);
    close(port);
    unlink("lock");
    return 0;
}
