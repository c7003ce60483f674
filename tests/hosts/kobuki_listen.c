/* Reads packets of a Kobuki and checks them: exit code 0 only if all were complete, in order and 20
 * ms apart. Prints "listening" after the first. Can drive meanwhile, and can lock the port as some
 * serial libraries do (TIOCEXCL). */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "tests/hosts/kobuki_client.h"

enum { SILENCE_MS = 10000, PACKET_MS = 20 };

struct task {
    const char *port;
    unsigned packets;
    bool drives, is_exclusive;
    int16_t speed_mm_s, radius_mm;
};

static bool parse(int argc, char **argv, struct task *out)
{
    if (argc < 3)
        return false;
    out->port = argv[1];
    out->packets = (unsigned)strtoul(argv[2], NULL, 10);
    int at = 3;
    if (at < argc && strcmp(argv[at], "exclusive") == 0)
        out->is_exclusive = (at++, true);
    if (at + 2 == argc) {
        out->drives = true;
        out->speed_mm_s = (int16_t)strtol(argv[at], NULL, 10);
        out->radius_mm = (int16_t)strtol(argv[at + 1], NULL, 10);
        at += 2;
    }
    return at == argc && out->packets > 0;
}

/* Returns the number of missing or misordered packets; -1: the robot stopped sending. */
static long listen_to(struct kobuki_client *client, const struct task *task)
{
    long gaps = 0;
    uint16_t before_ms = 0;
    for (unsigned i = 0; i < task->packets; i++) {
        if (kobuki_client_wait(client, SILENCE_MS) != KOBUKI_PACKET)
            return -1;
        uint16_t now_ms = client->reading.timestamp_ms;
        if (i == 0)
            puts("listening");
        else if ((uint16_t)(now_ms - before_ms) != PACKET_MS)
            gaps++;
        before_ms = now_ms;
        if (task->drives && !kobuki_client_answer(client, task->speed_mm_s, task->radius_mm))
            return -1;
    }
    return gaps;
}

int main(int argc, char **argv)
{
    struct task task = {0};
    if (!parse(argc, argv, &task)) {
        fputs("usage: kobuki_listen PORT PACKETS [exclusive] [SPEED_MM_S RADIUS_MM]\n", stderr);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    struct kobuki_client client;
    const char *problem = kobuki_client_open(&client, task.port);
    if (!problem && task.is_exclusive && ioctl(client.descriptor, TIOCEXCL) != 0)
        problem = "cannot be claimed";
    if (problem) {
        fprintf(stderr, "kobuki_listen: %s: %s\n", task.port, problem);
        return 1;
    }
    long gaps = listen_to(&client, &task);
    const struct kobuki_counters *counters = &client.counters;
    printf("%llu packets, %ld gaps, %llu damaged, %llu stray bytes, %llu malformed parts\n",
           (unsigned long long)counters->packets, gaps, (unsigned long long)counters->bad_packets,
           (unsigned long long)counters->skipped, (unsigned long long)counters->malformed);
    kobuki_client_close(&client);
    return gaps || counters->bad_packets || counters->skipped || counters->malformed;
}
