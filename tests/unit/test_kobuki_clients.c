/* The statements of docs/hosts/kobuki.md about published clients, tested with the bytes that they
 * send and their way of reading. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/kobuki_rig.h"

enum { POWERS = 4 };
static const char *const powers[POWERS] = {"kobuki.power_3v3", "kobuki.power_5v",
                                           "kobuki.power_12v_5a", "kobuki.power_12v_1a5"};

static void put(struct rig *rig, const uint8_t *bytes, size_t size)
{
    sim_host_bytes(rig->sim, rig->channel, bytes, size);
    rig_run(rig, 0.1);
}

static void the_lamp_packet_of_jkobuki_is_refused(void **state)
{
    (void)state;
    /* Length 3, but four bytes before the checksum. */
    static const uint8_t lamps[] = {0xAA, 0x55, 0x03, 0x0C, 0x02, 0x00, 0x01, 0x0C};
    struct rig rig = rig_open(NULL);
    put(&rig, lamps, sizeof lamps);
    assert_true(rig_get(&rig, "kobuki.uart.bad_frames") == 1);
    assert_true(rig_get(&rig, "kobuki.led1_red") == 0);
    rig_base(&rig, 200, 0);
    rig_run(&rig, 0.1);
    assert_true(rig_get(&rig, "kobuki.uart.frames") == 1);
    rig_close(&rig);
}

static void the_lamp_packet_of_ckobuki_drops_all_power_rails(void **state)
{
    (void)state;
    static const uint8_t lamp[] = {0xAA, 0x55, 0x04, 0x0C, 0x02, 0x00, 0x01, 0x0B};
    static const uint8_t drive[] = {0xAA, 0x55, 0x0A, 0x0C, 0x02, 0xF0, 0x00,
                                    0x01, 0x04, 0xC8, 0x00, 0x00, 0x00, 0x39};
    struct rig rig = rig_open(NULL);
    for (int i = 0; i < POWERS; i++)
        assert_true(rig_get(&rig, powers[i]) == 1);
    put(&rig, lamp, sizeof lamp);
    assert_true(rig_get(&rig, "kobuki.led1_red") == 1);
    for (int i = 0; i < POWERS; i++)
        assert_true(rig_get(&rig, powers[i]) == 0);
    put(&rig, drive, sizeof drive);
    for (int i = 0; i < POWERS; i++)
        assert_true(rig_get(&rig, powers[i]) == 1);
    rig_close(&rig);
}

static void a_request_for_the_gains_of_length_14_is_refused(void **state)
{
    (void)state;
    static const uint8_t short_of_it[] = {0x0E, 0x0E, 0x00};
    static const uint8_t whole[16] = {0x0E, 0x0E};
    size_t size;
    struct rig rig = rig_open(NULL);
    rig_send(&rig, short_of_it, sizeof short_of_it);
    rig_send(&rig, whole, sizeof whole);
    rig_run(&rig, 0.1);
    assert_true(rig_get(&rig, "kobuki.uart.bad_lengths") == 2);
    assert_null(rig_part(&rig, 21, &size));
    rig_close(&rig);
}

/* kobuki_core requests the gains after each packet until it has received them. */
static void old_firmware_counts_fifty_unknown_ids_a_second(void **state)
{
    (void)state;
    static const uint8_t get_gain[] = {0x0E, 0x01, 0x00};
    struct rig rig = rig_open((const char *const[]){"kobuki.firmware=1.1.4", NULL});
    rig_run(&rig, 0.1);
    for (int i = 0; i < 50; i++) {
        rig_send(&rig, get_gain, sizeof get_gain);
        rig_run(&rig, 0.02);
    }
    assert_true(rig_get(&rig, "kobuki.uart.unknown_ids") == 50);
    rig_close(&rig);
}

/* ---- kobuki_core's way of reading: it requests length and checksum of a packet, and after a
 * read with fewer bytes it requests the same number again (src/driver/kobuki.cpp, packet_finder).
 * ---- */

struct reader {
    uint8_t waiting[4096]; /* in the kernel */
    size_t waiting_size;
    uint8_t packet[1024];
    size_t size;
    unsigned good, lost;
    bool has_version; /* a unique ID was received */
};

static bool holds(const uint8_t *packet, size_t size, uint8_t id)
{
    for (size_t at = 3; at + 2 < size; at += 2u + packet[at + 1])
        if (packet[at] == id)
            return true;
    return false;
}

static void reader_judge(struct reader *self)
{
    uint8_t sum = 0;
    for (size_t i = 2; i < self->size; i++)
        sum ^= self->packet[i];
    self->good += sum == 0;
    self->lost += sum != 0;
    self->has_version = self->has_version || (sum == 0 && holds(self->packet, self->size, 19));
    self->size = 0;
}

/* Reads until no bytes are waiting. */
static void reader_run(struct reader *self)
{
    while (self->waiting_size > 0) {
        size_t wanted = self->size < 3 ? 1 : self->packet[2] + 1u;
        size_t size = wanted < self->waiting_size ? wanted : self->waiting_size;
        memcpy(self->packet + self->size, self->waiting, size);
        memmove(self->waiting, self->waiting + size, self->waiting_size - size);
        self->size += size;
        self->waiting_size -= size;
        bool is_noise = self->packet[0] != 0xAA || (self->size == 2 && self->packet[1] != 0x55);
        if (is_noise)
            self->size = 0;
        else if (self->size > 3 && self->size >= self->packet[2] + 4u)
            reader_judge(self);
    }
}

/* Ten seconds with this kind of chunks. After each valid packet, the client requests versions until
 * it has received them. */
static struct reader read_for_ten_seconds(const char *chunks)
{
    static const uint8_t request[] = {0x09, 0x02, 0x0B, 0x00};
    struct reader reader = {0};
    char yaml[256];
    snprintf(yaml, sizeof yaml,
             "world: {size: {x: 4, y: 4}}\nrobots: [{name: kobuki, type: kobuki, "
             "pose: {x: 2, y: 2}, links: [{pty: kobuki, chunks: %s}]}]\n",
             chunks);
    struct rig rig = rig_open_scene(yaml, NULL);
    for (int ms = 0; ms < 10000; ms++) {
        const uint8_t *bytes;
        size_t size;
        unsigned good = reader.good;
        sim_step(rig.sim);
        while (sim_output(rig.sim, rig.channel, &bytes, &size)) {
            memcpy(reader.waiting + reader.waiting_size, bytes, size);
            reader.waiting_size += size;
            reader_run(&reader);
        }
        if (reader.good > good && !reader.has_version)
            rig_send(&rig, request, sizeof request);
    }
    rig_close(&rig);
    return reader;
}

static void kobuki_core_loses_nothing_byte_by_byte_and_most_behind_an_ftdi_chip(void **state)
{
    (void)state;
    struct reader whole = read_for_ten_seconds("frame");
    struct reader bytes = read_for_ten_seconds("byte");
    struct reader ftdi = read_for_ten_seconds("ftdi");
    assert_in_range(whole.good, 498, 500);
    assert_int_equal(whole.lost, 0);
    assert_in_range(bytes.good, 498, 500);
    assert_int_equal(bytes.lost, 0);
    assert_true(bytes.has_version);
    assert_in_range(ftdi.good, 50, 250);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lamp_packet_of_jkobuki_is_refused),
        cmocka_unit_test(the_lamp_packet_of_ckobuki_drops_all_power_rails),
        cmocka_unit_test(a_request_for_the_gains_of_length_14_is_refused),
        cmocka_unit_test(old_firmware_counts_fifty_unknown_ids_a_second),
        cmocka_unit_test(kobuki_core_loses_nothing_byte_by_byte_and_most_behind_an_ftdi_chip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
