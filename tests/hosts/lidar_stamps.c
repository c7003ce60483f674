/* Reads a base and its scanner together, and prints how well their times agree with one clock, that
 * of this process. The time stamp of a Kobuki and an LD06 is the milliseconds in each packet. An
 * RPLIDAR sends none: its points follow each other every 508 us. A PIBOT sends none either: the
 * time of its data is that of its answer. Each must agree with the clock to the millisecond. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/hosts/kobuki_client.h"
#include "tests/hosts/lidar_client.h"

enum { SETTLE_MS = 2000, ASK_MS = 20 };
#define SPREAD_MS    1.0
#define NODE_MS      0.508
#define KOBUKI_WRAPS 65536.0
#define LD06_WRAPS   30000.0

/* The deviation of the clock from the stamps. */
struct pace {
    const char *name;
    unsigned long count;
    double wraps_ms, turns_ms, last_ms; /* of the stamp, unwrapped with TURNS */
    double least_ms, most_ms;
};

/* Notes a stamp that has just arrived. */
static void note(struct pace *self, double now_ms, double stamp_ms)
{
    if (self->wraps_ms > 0 && self->count > 0 && stamp_ms < self->last_ms)
        self->turns_ms += self->wraps_ms;
    self->last_ms = stamp_ms;
    double off_ms = now_ms - (stamp_ms + self->turns_ms);
    if (self->count++ == 0)
        self->least_ms = self->most_ms = off_ms;
    self->least_ms = off_ms < self->least_ms ? off_ms : self->least_ms;
    self->most_ms = off_ms > self->most_ms ? off_ms : self->most_ms;
}

struct pair {
    bool is_kobuki, is_ld06;
    struct kobuki_client kobuki;
    int base, lidar;
    struct pace base_pace, lidar_pace;
    double asked_ms; /* of a PIBOT; 0: not sent yet */
    size_t answered; /* bytes of its answer so far */
    struct lidar_node node;
    size_t head; /* bytes of the descriptor so far */
    uint8_t packet[47];
    size_t used;
};

static void take_ld06(struct pair *self, uint8_t byte, double now_ms)
{
    self->packet[self->used++] = byte;
    bool is_good = self->packet[0] == 0x54 && (self->used < 2 || self->packet[1] == 0x2C);
    if (!is_good)
        self->used = 0;
    if (self->used < sizeof self->packet)
        return;
    self->used = 0;
    note(&self->lidar_pace, now_ms, self->packet[44] | self->packet[45] << 8);
}

static void take_node(struct pair *self, uint8_t byte, double now_ms)
{
    enum { HEAD = 7 };
    if (self->head < HEAD)
        self->head++;
    else if (lidar_node_push(&self->node, byte))
        note(&self->lidar_pace, now_ms, (double)self->lidar_pace.count * NODE_MS);
}

static void read_lidar(struct pair *self)
{
    uint8_t bytes[512];
    ssize_t size = read(self->lidar, bytes, sizeof bytes);
    double now_ms = lidar_now_ms();
    for (ssize_t i = 0; i < size; i++)
        (self->is_ld06 ? take_ld06 : take_node)(self, bytes[i], now_ms);
}

static void read_base(struct pair *self)
{
    uint8_t bytes[512];
    ssize_t size = read(self->base, bytes, sizeof bytes);
    double now_ms = lidar_now_ms();
    for (ssize_t i = 0; i < size && self->is_kobuki; i++)
        if (kobuki_client_push(&self->kobuki, bytes[i]))
            note(&self->base_pace, now_ms, self->kobuki.reading.timestamp_ms);
    enum { IMU_ANSWER = 4 + 36 };
    if (self->is_kobuki || size <= 0)
        return;
    self->answered += (size_t)size;
    if (self->answered == IMU_ANSWER)
        note(&self->base_pace, now_ms, self->asked_ms);
}

/* Requests the IMU data of a PIBOT. */
static bool ask(struct pair *self, double now_ms)
{
    static const uint8_t get_imu[] = {0x5A, 0x07, 0x00, 0x61};
    if (self->is_kobuki || now_ms - self->asked_ms < ASK_MS)
        return true;
    self->asked_ms = now_ms;
    self->answered = 0;
    return write(self->base, get_imu, sizeof get_imu) == (ssize_t)sizeof get_imu;
}

static bool listen_until(struct pair *self, double end_ms)
{
    for (double now_ms; (now_ms = lidar_now_ms()) < end_ms;) {
        struct pollfd ports[] = {{.fd = self->base, .events = POLLIN},
                                 {.fd = self->lidar, .events = POLLIN}};
        if (!ask(self, now_ms) || poll(ports, 2, ASK_MS) < 0)
            return false;
        if (ports[0].revents)
            read_base(self);
        if (ports[1].revents)
            read_lidar(self);
    }
    return true;
}

static bool tell(const struct pace *pace, double least)
{
    double spread_ms = pace->most_ms - pace->least_ms;
    printf("%s: %lu stamps, within %.3f ms of the clock\n", pace->name, pace->count, spread_ms);
    return (double)pace->count >= least && spread_ms <= SPREAD_MS;
}

int main(int argc, char **argv)
{
    struct pair pair = {0};
    double seconds = argc == 6 ? atof(argv[5]) : 0;
    if (seconds <= 0) {
        fprintf(stderr, "usage: lidar_stamps kobuki|pibot PORT a1|ld06 PORT SECONDS\n");
        return 2;
    }
    pair.is_kobuki = strcmp(argv[1], "kobuki") == 0;
    pair.is_ld06 = strcmp(argv[3], "ld06") == 0;
    kobuki_client_init(&pair.kobuki);
    pair.base = lidar_open(argv[2], 115200);
    pair.lidar = lidar_open(argv[4], pair.is_ld06 ? 230400 : 115200);
    if (pair.base < 0 || pair.lidar < 0)
        return EXIT_FAILURE;
    if (!listen_until(&pair, lidar_now_ms() + SETTLE_MS) ||
        (!pair.is_ld06 && !lidar_ask(pair.lidar, LIDAR_SCAN)))
        return EXIT_FAILURE;
    pair.base_pace = (struct pace){.name = argv[1], .wraps_ms = pair.is_kobuki ? KOBUKI_WRAPS : 0};
    pair.lidar_pace = (struct pace){.name = argv[3], .wraps_ms = pair.is_ld06 ? LD06_WRAPS : 0};
    pair.asked_ms = 0;
    if (!listen_until(&pair, lidar_now_ms() + 1e3 * seconds))
        return EXIT_FAILURE;
    bool is_base = tell(&pair.base_pace, 40 * seconds);
    bool is_lidar = tell(&pair.lidar_pace, 350 * seconds);
    return is_base && is_lidar ? EXIT_SUCCESS : EXIT_FAILURE;
}
