#include "tests/support/kobuki_host.h"

#include <string.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/serial_port.h"

enum {
    PACKET_MS = 20,
    LONG_GAP_MS = 32768
}; /* an increase above half the range means that time went back */

void kobuki_host_use(struct kobuki_host *self, int port)
{
    *self = (struct kobuki_host){.port = port};
    kobuki_client_init(&self->protocol);
}

void kobuki_host_open(struct kobuki_host *self, const char *path)
{
    kobuki_host_use(self, serial_port_await(path));
}

void kobuki_host_close(struct kobuki_host *self)
{
    close(self->port);
    self->port = -1;
}

static void note_time(struct kobuki_host *self)
{
    uint16_t now = self->protocol.reading.timestamp_ms;
    uint16_t passed_ms = (uint16_t)(now - self->timestamp_ms);
    if (self->has_timestamp) {
        if (passed_ms == 0 || passed_ms % PACKET_MS || passed_ms >= LONG_GAP_MS)
            self->wrong_steps++;
        else
            self->skipped_packets += passed_ms / PACKET_MS - 1u;
    }
    self->has_timestamp = true;
    self->timestamp_ms = now;
}

static uint64_t faults(const struct kobuki_host *self)
{
    const struct kobuki_counters *counters = &self->protocol.counters;
    return counters->skipped + counters->bad_packets + counters->malformed + self->wrong_steps;
}

static void keep_evidence(struct kobuki_host *self, const uint8_t *bytes, size_t size)
{
    self->evidence_size = size < sizeof self->evidence ? size : sizeof self->evidence;
    memcpy(self->evidence, bytes, self->evidence_size);
}

/* Reads once. Returns the number of packets that this read completed. */
static unsigned read_once(struct kobuki_host *self, int timeout_ms)
{
    uint8_t bytes[1024];
    unsigned packets = 0;
    int size = serial_port_read(self->port, bytes, sizeof bytes, timeout_ms);
    if (size < 0)
        fail_msg("the robot hung up after %llu packets",
                 (unsigned long long)self->protocol.counters.packets);
    self->bytes += (uint64_t)size;
    for (int i = 0; i < size; i++) {
        if (kobuki_client_push(&self->protocol, bytes[i])) {
            packets++;
            note_time(self);
            self->buttons_seen |= self->protocol.reading.buttons;
        }
    }
    if (size > 0 && faults(self) && !self->evidence_size)
        keep_evidence(self, bytes, (size_t)size);
    return packets;
}

unsigned kobuki_host_take(struct kobuki_host *self)
{
    return read_once(self, 0);
}

static unsigned await_packets(struct kobuki_host *self)
{
    int64_t end_ms = now_ms() + TEST_TIMEOUT_MS;
    unsigned packets;
    while ((packets = read_once(self, 1000)) == 0)
        if (now_ms() > end_ms)
            fail_msg("no packet within %d s; %llu bytes came before", TEST_TIMEOUT_MS / 1000,
                     (unsigned long long)self->bytes);
    return packets;
}

void kobuki_host_hear(struct kobuki_host *self, unsigned count)
{
    for (unsigned heard = 0; heard < count;)
        heard += await_packets(self);
}

void kobuki_host_drive(struct kobuki_host *self, int16_t speed_mm_s, int16_t radius_mm,
                       unsigned count)
{
    uint8_t command[KOBUKI_COMMAND_MAX];
    size_t size = kobuki_base_control(command, speed_mm_s, radius_mm);
    for (unsigned heard = 0; heard < count;) {
        heard += await_packets(self);
        assert_true(serial_port_write(self->port, command, size));
    }
}

void kobuki_host_drive_on(struct kobuki_host *self)
{
    WAIT_UNTIL((kobuki_host_drive(self, 200, 0, 50), self->protocol.reading.left_ticks != 0));
}

void kobuki_host_check(const struct kobuki_host *self, uint64_t gaps)
{
    const struct kobuki_counters *counters = &self->protocol.counters;
    if (!faults(self) && self->skipped_packets <= gaps && counters->packets)
        return;
    for (size_t i = 0; i < self->evidence_size; i++)
        print_error("%02x%c", self->evidence[i], i % 32 == 31 ? '\n' : ' ');
    fail_msg("%llu packets; %llu damaged, %llu bytes between packets, %llu parts malformed, "
             "%llu wrong times, %llu packets missing (allowed: %llu)",
             (unsigned long long)counters->packets, (unsigned long long)counters->bad_packets,
             (unsigned long long)counters->skipped, (unsigned long long)counters->malformed,
             (unsigned long long)self->wrong_steps, (unsigned long long)self->skipped_packets,
             (unsigned long long)gaps);
}
