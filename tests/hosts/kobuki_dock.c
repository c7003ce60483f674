/* Docks a Kobuki, guided by the bytes of its packets (dock_drive.h), and prints events line by
 * line. Needs only the path of the serial port. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/hosts/dock_drive.h"
#include "tests/hosts/kobuki_client.h"

static const double PACKET_S = 0.02;
enum {
    SILENCE_MS = 4000,     /* same as the vendor's driver */
    TELL_PACKETS = 250,    /* at least one line every five seconds */
    PACKETS_MAX = 600 * 50 /* chosen: ten minutes; the search has no time limit */
};

struct docking {
    struct kobuki_client client;
    struct dock_drive drive;
    unsigned packets, reported_packets;
    enum dock_state told;
};

static volatile sig_atomic_t is_interrupted;

static void on_signal(int number)
{
    (void)number;
    is_interrupted = 1;
}

/* ---- Words ---- */

static const char *const meanings[DOCK_STATES] = {
    [DOCK_SCAN] = "turning until the front receiver sees the center light",
    [DOCK_FIND_STREAM] = "turning until a side receiver sees the dock",
    [DOCK_GET_STREAM] = "driving across until it sees the other side",
    [DOCK_ALIGNED_FAR] = "steering by the far lights",
    [DOCK_ALIGNED_NEAR] = "steering by the near lights",
    [DOCK_BUMPED] = "there is no charge; a little back, then again",
    [DOCK_BUMPED_DOCK] = "there is charge; back until the bumper is free",
    [DOCK_DOCKED_IN] = "the bumper is free and there is charge; waiting a moment",
    [DOCK_RETREAT] = "bumped twice without charge; making room for another approach",
    [DOCK_LOST_CONTACT] = "standing still",
};

/* Appends "near left+center" for the bits of one zone. PLACES: the bits of left, center and
 * right. */
static size_t add_zone(char *text, size_t used, size_t size, const char *zone, uint8_t bits,
                       const uint8_t places[3])
{
    static const char *const sides[] = {"left", "center", "right"};
    bool is_first = true;
    for (int i = 0; i < 3; i++) {
        if (!(bits & places[i]))
            continue;
        if (is_first)
            used += (size_t)snprintf(text + used, size - used, "%s%s ", used ? " and " : "", zone);
        used += (size_t)snprintf(text + used, size - used, "%s%s", is_first ? "" : "+", sides[i]);
        is_first = false;
    }
    return used;
}

enum { LIGHTS_SIZE = 64 };

/* The bits of one receiver in words (protocol.rst, Docking IR). */
static const char *lights(uint8_t bits, char text[static LIGHTS_SIZE])
{
    static const uint8_t near_places[3] = {0x01, 0x02, 0x04}, far_places[3] = {0x10, 0x08, 0x20};
    size_t used = add_zone(text, 0, LIGHTS_SIZE, "near", bits, near_places);
    used = add_zone(text, used, LIGHTS_SIZE, "far", bits, far_places);
    return used ? text : "nothing";
}

static void tell(struct docking *self)
{
    const struct kobuki_reading *reading = &self->client.reading;
    enum dock_state state = self->drive.state;
    bool is_due = self->packets - self->reported_packets >= TELL_PACKETS;
    if ((state == self->told && !is_due) || state == DOCK_ALIGNED || state == DOCK_DONE)
        return;
    char texts[3][LIGHTS_SIZE];
    printf("%6.2f s  %s: %s.\n", self->packets * PACKET_S, dock_state_name(state), meanings[state]);
    printf("          Lights: front %s, left %s, right %s.%s%s\n",
           lights(reading->dock_ir[1], texts[1]), lights(reading->dock_ir[2], texts[2]),
           lights(reading->dock_ir[0], texts[0]), reading->bumper ? " The bumper is pressed." : "",
           reading->charger ? " The charger has contact." : "");
    self->told = state;
    self->reported_packets = self->packets;
}

static void print_end(const struct docking *self)
{
    const struct kobuki_reading *reading = &self->client.reading;
    const struct kobuki_counters *counters = &self->client.counters;
    printf("%6.2f s  done: the robot stands in its dock and is %s at %.1f V (charger byte %d).\n",
           self->packets * PACKET_S, reading->charger == 6 ? "charging" : "charged",
           reading->battery_v, reading->charger);
    printf("%llu packets came, %llu of them damaged.\n", (unsigned long long)counters->packets,
           (unsigned long long)counters->bad_packets);
}

/* ---- The approach ---- */

/* One packet and its answer. */
static bool step(struct docking *self)
{
    int16_t speed, radius;
    enum kobuki_wait heard = kobuki_client_wait(&self->client, SILENCE_MS);
    if (is_interrupted)
        return false;
    if (heard != KOBUKI_PACKET) {
        puts(heard == KOBUKI_SILENCE ? "The robot is silent. Is it switched on?"
                                     : "The port is gone: was the cable pulled?");
        return false;
    }
    dock_drive_step(&self->drive, &self->client.reading);
    tell(self);
    self->packets++;
    kobuki_encode_velocity(self->drive.v_m_s, self->drive.w_rad_s, &speed, &radius);
    if (!kobuki_client_answer(&self->client, speed, radius)) {
        puts("The port is gone: was the cable pulled?");
        return false;
    }
    return true;
}

static bool dock(struct docking *self)
{
    while (self->drive.state != DOCK_DONE) {
        if (!step(self))
            return false;
        if (self->packets > PACKETS_MAX || self->drive.state == DOCK_LOST_CONTACT) {
            printf("Given up while %s.\n", dock_state_name(self->drive.state));
            return false;
        }
    }
    print_end(self);
    return true;
}

int main(int argc, char **argv)
{
    bool is_vendor = argc == 3 && strcmp(argv[1], "--vendor") == 0;
    if (argc != 2 + is_vendor || argv[argc - 1][0] == '-') {
        fprintf(stderr, "usage: kobuki_dock [--vendor] PORT (such as /dev/kobuki)\n"
                        "--vendor: just as the vendor's program, which may search for ever\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    sigaction(SIGINT, &(struct sigaction){.sa_handler = on_signal}, NULL);
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = on_signal}, NULL);

    struct docking docking = {.drive.is_wary = !is_vendor};
    const char *port = argv[argc - 1];
    const char *problem = kobuki_client_open(&docking.client, port);
    if (problem) {
        fprintf(stderr, "kobuki_dock: %s: %s\n", port, problem);
        return 1;
    }
    bool is_charging = dock(&docking);
    kobuki_client_close(&docking.client);
    return is_charging ? EXIT_SUCCESS : EXIT_FAILURE;
}
