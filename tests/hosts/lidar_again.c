/* Opens an RPLIDAR as a driver does, is killed at some point, and opens it again, COUNT times: each
 * time in a new process, which SIGKILL ends in the middle of its work. Each driver must cope with
 * the state left by the previous one, and in the end the scanner must be as new. */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "tests/hosts/lidar_client.h"

enum { TIMEOUT_MS = 5000, QUIET_MS = 20, BOOT_MS = 1000, INFO_BYTES = 27 };

enum end { OPENED, ASKED, SCANNING, CUT_OFF, ENDS }; /* point of the kill */

static const uint8_t info_head[] = {0xA5, 0x5A, 0x14, 0, 0, 0, 0x04, 0x18};
static const uint8_t scan_head[] = {0xA5, 0x5A, 0x05, 0, 0, 0x40, 0x81};

/* Waits for SIZE bytes. */
static bool get(int port, uint8_t *bytes, size_t size)
{
    struct pollfd wait = {.fd = port, .events = POLLIN};
    for (size_t used = 0; used < size;) {
        if (poll(&wait, 1, TIMEOUT_MS) != 1)
            return false;
        ssize_t got = read(port, bytes + used, size - used);
        if (got <= 0)
            return false;
        used += (size_t)got;
    }
    return true;
}

/* Whether no more data arrives. */
static bool is_quiet(int port)
{
    struct pollfd wait = {.fd = port, .events = POLLIN};
    return poll(&wait, 1, QUIET_MS) == 0;
}

/* The start of a strict driver: it stops a running scan, then each answer must be the next
 * bytes. Three times: the rest of an incomplete request consumes the following bytes. */
static bool start(int port)
{
    uint8_t bytes[INFO_BYTES];
    for (int i = 0; i < 3; i++)
        if (!lidar_ask(port, LIDAR_STOP))
            return false;
    usleep(QUIET_MS * 1000);
    tcflush(port, TCIFLUSH);
    if (!is_quiet(port)) {
        printf("it goes on after STOP\n");
        return false;
    }
    bool has_come = lidar_ask(port, LIDAR_INFO) && get(port, bytes, sizeof bytes);
    if (has_come && memcmp(bytes, info_head, sizeof info_head) == 0)
        return true;
    printf("%s\n", has_come ? "the answer is another" : "no answer");
    return false;
}

static bool scan(int port, size_t count)
{
    uint8_t bytes[sizeof scan_head];
    struct lidar_node node = {.used = 0};
    if (!lidar_ask(port, LIDAR_SCAN) || !get(port, bytes, sizeof bytes) ||
        memcmp(bytes, scan_head, sizeof bytes) != 0)
        return false;
    for (size_t points = 0; points < count;) {
        uint8_t byte;
        if (!get(port, &byte, 1))
            return false;
        points += lidar_node_push(&node, byte);
    }
    if (node.stray > 0)
        printf("%lu bytes are no nodes\n", node.stray);
    return node.stray == 0;
}

/* Returns only after an error. */
static void drive(const char *path, enum end end)
{
    static const uint8_t half[] = {0xA5, 0x82, 0x05, 0x01};
    int port = lidar_open(path, 115200);
    bool is_good = port >= 0;
    if (is_good && end != OPENED)
        is_good = start(port);
    if (is_good && (end == SCANNING || end == CUT_OFF))
        is_good = scan(port, 20);
    if (is_good && end == ASKED)
        is_good = lidar_ask(port, LIDAR_SCAN);
    if (is_good && end == CUT_OFF)
        is_good = write(port, half, sizeof half) == (ssize_t)sizeof half;
    if (is_good)
        raise(SIGKILL);
}

static bool is_killed_at(const char *path, enum end end)
{
    fflush(stdout);
    pid_t driver = fork();
    if (driver == 0) {
        drive(path, end);
        fflush(stdout);
        _exit(1);
    }
    int status;
    return driver > 0 && waitpid(driver, &status, 0) == driver && WIFSIGNALED(status) &&
           WTERMSIG(status) == SIGKILL;
}

int main(int argc, char **argv)
{
    int count = argc == 3 ? atoi(argv[2]) : 0;
    if (count <= 0) {
        fprintf(stderr, "usage: lidar_again PORT COUNT\n");
        return 2;
    }
    usleep(BOOT_MS * 1000);
    for (int i = 0; i < count; i++)
        if (!is_killed_at(argv[1], (enum end)(i % ENDS))) {
            printf("driver %d, to be killed at stage %d, did not get there\n", i + 1, i % ENDS);
            return EXIT_FAILURE;
        }
    int port = lidar_open(argv[1], 115200);
    bool is_good = port >= 0 && start(port) && scan(port, 400);
    printf("killed and opened again %d times, then %s\n", count, is_good ? "a turn" : "no turn");
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
