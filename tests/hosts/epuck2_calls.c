/* Connects to an e-puck2 as GCtronic's ROS driver does (gctronic/epuck_driver_cpp, branch
 * e-puck2_wifi): one non-blocking socket, three connection attempts at intervals of three seconds;
 * then one command per packet, the first with a calibration. When the connection ends it connects
 * again, and it gives up after three failed attempts.
 *
 *     epuck2_calls HOST:PORT CONNECTIONS
 *
 * Prints the time of each connection until its first and its hundredth packet. Exit code 0: all
 * connections were made, each with a hundred packets; 1: it gave up. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 3, TRY_S = 3, SILENCE_S = 10, PACKETS = 100, COMMAND = 21, SENSORS = 105 };

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A connected, blocking socket; -1: three attempts failed. */
static int call(const struct sockaddr_in *robot)
{
    const struct timeval silence = {.tv_sec = SILENCE_S};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int tries = 0;
    while (connect(fd, (const struct sockaddr *)robot, sizeof *robot) != 0) {
        tries++;
        sleep(TRY_S);
        if (tries == TRIES) {
            close(fd);
            return -1;
        }
    }
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &silence, sizeof silence);
    return fd;
}

/* Sends a command and reads the next packet. False: the connection has ended, or no data came. */
static bool exchange(int fd, bool calibrates)
{
    const uint8_t command[COMMAND] = {0x80, 2, calibrates};
    uint8_t packet[SENSORS];
    return send(fd, command, sizeof command, MSG_NOSIGNAL) == (ssize_t)sizeof command &&
           recv(fd, packet, sizeof packet, MSG_WAITALL) == (ssize_t)sizeof packet;
}

int main(int argc, char **argv)
{
    char host[64];
    unsigned port;
    if (argc < 3 || sscanf(argv[1], "%63[0-9.]:%u", host, &port) != 2)
        return 2;
    struct sockaddr_in robot = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    inet_pton(AF_INET, host, &robot.sin_addr);
    int wanted = atoi(argv[2]);
    for (int i = 0; i < wanted; i++) {
        double from_s = now_s(), first_s = 0;
        int fd = call(&robot), packets = 0;
        if (fd < 0) {
            fprintf(stderr, "connection %d: gave up\n", i + 1);
            return 1;
        }
        // This program ends the last connection, the robot ends the others.
        while ((i + 1 < wanted || packets < PACKETS) && exchange(fd, packets == 0)) {
            packets++;
            first_s = packets == 1 ? now_s() - from_s : first_s;
            if (packets == PACKETS)
                printf("connection %d: first packet after %.2f s, the hundredth after %.2f s\n",
                       i + 1, first_s, now_s() - from_s);
        }
        close(fd);
        if (packets < PACKETS) {
            fprintf(stderr, "connection %d: only %d packets\n", i + 1, packets);
            return 1;
        }
    }
    return 0;
}
