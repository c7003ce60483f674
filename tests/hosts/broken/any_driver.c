/* A driver of any robot with one defect: `any_driver PORT ROBOT FAULT`. Without a defect (good) it
 * drives straight until a signal comes, then stops the robot. If the port hangs up, it opens the
 * port again; it initializes a silent robot again. Based on the public protocols. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { PERIOD_MS = 50, SILENT_MS = 1000 };

/* A literal and its size; empty: there is no such message. */
struct message {
    const char *bytes;
    size_t size;
};
#define MESSAGE(text)                                                                              \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }

struct robot {
    const char *name;
    speed_t baud;
    struct message start, drive, ask, stop;
};

static const struct robot robots[] = {
    {"create2", B115200, MESSAGE("\x80\x83"), MESSAGE("\x91\x00\xc8\x00\xc8"), MESSAGE("\x8e\x07"),
     MESSAGE("\x91\x00\x00\x00\x00")},
    {"cobot", B115200, MESSAGE(""), MESSAGE("\xcd\x0a\x01\x00\x00\xc8\x00\x00\x00\x00\x00\x00\xc9"),
     MESSAGE(""), MESSAGE("\xcd\x0a\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01")},
    {"diff_board", B115200, MESSAGE(""), MESSAGE("\x5a\x04\x06\x0f\x00\x00\x00\x00\x00\x73"),
     MESSAGE("\x5a\x05\x00\x5f"), MESSAGE("\x5a\x04\x06\x00\x00\x00\x00\x00\x00\x64")},
    {"ros_arduino_bridge", B57600, MESSAGE(""), MESSAGE("m 20 20\r"), MESSAGE("e\r"),
     MESSAGE("m 0 0\r")},
    {"epuck2", B0, MESSAGE(""), MESSAGE("\x80\x02\x00\xc8\x00\xc8\x00\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
     MESSAGE(""), MESSAGE("\x80\x00\x00\x00\x00\x00\x00\0\0\0\0\0\0\0\0\0\0\0\0\0\0")},
    {"rplidar_a1", B115200, MESSAGE("\xa5\x20"), MESSAGE(""), MESSAGE(""), MESSAGE("\xa5\x25")},
    {"ld06", B230400, MESSAGE(""), MESSAGE(""), MESSAGE(""), MESSAGE("")},
};

static const char *place, *fault;
static volatile sig_atomic_t is_over;

static bool is(const char *name)
{
    return strcmp(fault, name) == 0;
}

static void end(int number)
{
    (void)number;
    is_over = 1;
}

static void wait_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static int open_serial(speed_t baud)
{
    struct termios mode;
    int port = open(place, O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (port < 0 || tcgetattr(port, &mode) != 0)
        return port;
    cfmakeraw(&mode);
    cfsetspeed(&mode, baud);
    mode.c_cflag |= CLOCAL | CREAD;
    tcsetattr(port, TCSANOW, &mode);
    return port;
}

static int open_tcp(void)
{
    char host[64];
    struct addrinfo *found = NULL;
    const char *colon = strrchr(place, ':');
    snprintf(host, sizeof host, "%.*s", (int)(colon - place), place);
    if (getaddrinfo(host, colon + 1, &(struct addrinfo){.ai_socktype = SOCK_STREAM}, &found) != 0)
        return -1;
    int port = socket(found->ai_family, SOCK_STREAM, 0);
    if (connect(port, found->ai_addr, found->ai_addrlen) != 0) {
        close(port);
        port = -1;
    }
    freeaddrinfo(found);
    return port;
}

static int open_port(const struct robot *robot)
{
    return robot->baud == B0 ? open_tcp() : open_serial(robot->baud);
}

static void say(int port, struct message message)
{
    if (message.size > 0 && write(port, message.bytes, message.size) < 0)
        return; // the next check finds that the port is gone
}

/* Handles a hangup of the port. Returns the new port, or -1. */
static int lose(int port)
{
    if (is("success"))
        exit(0);
    if (is("crash"))
        abort();
    if (is("deaf") || is("spin"))
        return port;
    close(port);
    return -1;
}

/* Reads all available bytes; false: the port is gone. */
static bool hear(int port, bool *has_come)
{
    char bytes[4096];
    struct pollfd ready = {.fd = port, .events = POLLIN};
    *has_come = false;
    // The defect "blocked": waits for an answer that was lost.
    while (poll(&ready, 1, is("blocked") && !*has_come ? -1 : 0) == 1) {
        ssize_t got = read(port, bytes, sizeof bytes);
        if (got == 0 || (got < 0 && errno != EAGAIN))
            return false;
        *has_come |= got > 0;
    }
    return true;
}

static void drive(const struct robot *robot)
{
    int port = -1;
    long silent_ms = 0;
    while (!is_over) {
        bool has_come = false;
        if (port < 0 && (port = open_port(robot)) >= 0)
            silent_ms = SILENT_MS; // set it up
        if (port >= 0) {
            if (silent_ms >= SILENT_MS) {
                say(port, robot->start);
                silent_ms = 0;
            }
            say(port, robot->drive);
            say(port, robot->ask);
            while (!hear(port, &has_come) && (port = lose(port)) >= 0 && is("spin")) {
            }
        }
        silent_ms = has_come ? 0 : silent_ms + PERIOD_MS;
        wait_ms(PERIOD_MS);
    }
    if (port >= 0 && !is("leaves"))
        say(port, robot->stop);
    wait_ms(PERIOD_MS);
}

int main(int argc, char **argv)
{
    const struct robot *robot = NULL;
    for (size_t i = 0; argc == 4 && i < sizeof robots / sizeof *robots; i++)
        if (strcmp(robots[i].name, argv[2]) == 0)
            robot = &robots[i];
    if (!robot)
        return 2;
    place = argv[1];
    fault = argv[3];
    signal(SIGPIPE, SIG_IGN);
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = end}, NULL);
    sigaction(SIGINT, &(struct sigaction){.sa_handler = end}, NULL);
    drive(robot);
    return 0;
}
