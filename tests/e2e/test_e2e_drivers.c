/* Public drivers, each with its way of opening, reading and writing the port. kobuki_client decodes
 * the packets. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/kobuki_host.h"
#include "tests/support/serial_port.h"
#include "tests/support/stage.h"

/* ---- The vendor's driver: kobuki_core on ecl_devices ---- */

struct vendor {
    int port;
    struct kobuki_client protocol;
    uint64_t written;
    unsigned version_requests, gain_requests;
};

/* ecl_core: ecl_devices/src/lib/serial_pos.cpp. None of its calls may fail on the pty. */
static void vendor_open(struct vendor *self, const char *path)
{
    static const cc_t waits_ds[] = {50, 50, 40};
    *self = (struct vendor){.port = -1};
    kobuki_client_init(&self->protocol);
    self->port = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK);
    assert_true(self->port >= 0);
    assert_int_equal(fcntl(self->port, F_SETFL, 0), 0);
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    assert_int_equal(fcntl(self->port, F_SETLK, &whole), 0);
    struct termios mode = {.c_cflag = CLOCAL | CREAD | CS8};
    assert_int_equal(cfsetspeed(&mode, B115200), 0);
    for (size_t i = 0; i < sizeof waits_ds; i++) {
        mode.c_cc[VMIN] = 0;
        mode.c_cc[VTIME] = waits_ds[i];
        assert_int_equal(tcsetattr(self->port, TCSAFLUSH, &mode), 0);
    }
    assert_int_equal(tcflush(self->port, TCIOFLUSH), 0);
}

/* Reads one packet as its packet finder does: header and length byte by byte, then the rest in one
 * read, and the same number of bytes again after a short read. False: 4 s without data. */
static bool vendor_read(struct vendor *self)
{
    uint8_t bytes[300];
    uint64_t before = self->protocol.counters.packets;
    size_t wanted = 1, rest = 0;
    while (self->protocol.counters.packets == before) {
        ssize_t size = read(self->port, bytes, wanted);
        assert_true(size >= 0);
        if (size == 0)
            return false;
        for (ssize_t i = 0; i < size; i++)
            kobuki_client_push(&self->protocol, bytes[i]);
        bool has_length = self->protocol.header == 2 && self->protocol.size == 1;
        if (has_length && wanted == 1)
            rest = bytes[0] + 1u;
        wanted = has_length ? rest : wanted;
        assert_int_equal(self->protocol.counters.bad_packets, 0);
    }
    return true;
}

static void vendor_write(struct vendor *self, const uint8_t *packet, size_t size)
{
    assert_int_equal(write(self->port, packet, size), size);
    self->written += size;
}

/* kobuki_core: src/driver/kobuki.cpp, after each packet. */
static void vendor_answer(struct vendor *self, int16_t speed_mm_s, int16_t radius_mm)
{
    uint8_t packet[KOBUKI_COMMAND_MAX];
    vendor_write(self, packet, kobuki_base_control(packet, speed_mm_s, radius_mm));
    if (!self->protocol.identity.has_udid) {
        vendor_write(self, packet, kobuki_request_versions(packet));
        self->version_requests++;
    }
    if (!self->protocol.identity.has_gains) {
        vendor_write(self, packet, kobuki_request_gains(packet));
        self->gain_requests++;
    }
}

/* Runs the robot for some milliseconds, after it has received all bytes of the driver. */
static void lockstep(const struct stage *stage, struct vendor *vendor, int ms)
{
    struct ptybot_run *client = stage_client(stage);
    char params[96];
    snprintf(params, sizeof params, "{\"ms\":%d,\"received\":{\"kobuki.uart\":%llu}}", ms,
             (unsigned long long)vendor->written);
    if (!ptybot_call(client, "step", params))
        fail_msg("%s", ptybot_error(client));
    ptybot_end(client);
}

/* Opens the port, and steps to 10 ms after the start of a packet, so that no packet is being
 * sent. */
static void vendor_join(const struct stage *stage, struct vendor *vendor)
{
    vendor_open(vendor, stage->port);
    do
        lockstep(stage, vendor, 20);
    while (stage_get(stage, "kobuki.uart.host") == 0);
    lockstep(stage, vendor, 12);
    assert_int_equal(tcflush(vendor->port, TCIFLUSH), 0);
}

static void the_vendors_driver_asks_once_and_echoes_each_packet(void **state)
{
    struct stage *stage = *state;
    struct vendor vendor;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--lockstep");
    vendor_join(stage, &vendor);
    for (int i = 0; i < 100; i++) {
        lockstep(stage, &vendor, 20);
        assert_true(vendor_read(&vendor));
        vendor_answer(&vendor, 200, 0);
    }
    /* The answers to the first packet are in the second. */
    assert_int_equal(vendor.version_requests, 1);
    assert_int_equal(vendor.gain_requests, 1);
    const struct kobuki_identity *identity = &vendor.protocol.identity;
    assert_true(identity->has_hardware && identity->has_firmware);
    assert_int_equal(identity->firmware.minor, 2);
    assert_int_equal(vendor.protocol.counters.skipped, 0);
    assert_int_equal(vendor.protocol.counters.malformed, 0);
    assert_true(stage_get(stage, "kobuki.uart.bad_frames") == 0);
    assert_true(stage_get(stage, "kobuki.x_m") > 10.3);
    close(vendor.port);
}

static void old_firmware_lets_the_vendors_driver_ask_for_gains_in_vain(void **state)
{
    struct stage *stage = *state;
    struct vendor vendor;
    stage_write_kobuki(stage, "", "firmware: \"1.1.4\"");
    STAGE_RUN_KOBUKI(stage, "--lockstep");
    vendor_join(stage, &vendor);
    for (int i = 0; i < 50; i++) {
        lockstep(stage, &vendor, 20);
        assert_true(vendor_read(&vendor));
        vendor_answer(&vendor, 0, 0);
    }
    assert_int_equal(vendor.version_requests, 1);
    assert_int_equal(vendor.gain_requests, 50);
    assert_int_equal(vendor.protocol.counters.malformed, 0);
    assert_true(stage_get(stage, "kobuki.uart.bad_frames") == 0);
    close(vendor.port);
}

/* rust-aarhus/kobuki-interface: examples/simple_drive.rs. */
static void a_command_a_second_keeps_the_robot_moving(void **state)
{
    struct stage *stage = *state;
    struct vendor vendor;
    uint8_t packet[KOBUKI_COMMAND_MAX];
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--lockstep");
    vendor_join(stage, &vendor);
    for (int second = 0; second < 5; second++) {
        vendor_write(&vendor, packet, kobuki_base_control(packet, 200, 0));
        uint16_t ticks = vendor.protocol.reading.left_ticks;
        for (int i = 0; i < 50; i++) {
            lockstep(stage, &vendor, 20);
            assert_true(vendor_read(&vendor));
            /* 200 mm/s are 47 ticks per packet. */
            uint16_t passed = (uint16_t)(vendor.protocol.reading.left_ticks - ticks);
            assert_true(second == 0 || (passed > 40 && passed < 55));
            ticks = vendor.protocol.reading.left_ticks;
        }
    }
    close(vendor.port);
}

static void a_silence_ends_the_vendors_read_after_4_s_and_the_stream_goes_on(void **state)
{
    struct stage *stage = *state;
    struct vendor vendor;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "1");
    vendor_open(&vendor, stage->port);
    for (int i = 0; i < 10; i++)
        assert_true(vendor_read(&vendor));
    stage_do(stage, "world.pause");
    int64_t from_ms;
    do
        from_ms = now_ms();
    while (vendor_read(&vendor));
    assert_true(now_ms() - from_ms > 3000);
    stage_do(stage, "world.pause paused=false");
    for (int i = 0; i < 10; i++)
        assert_true(vendor_read(&vendor));
    assert_int_equal(vendor.protocol.counters.malformed, 0);
    close(vendor.port);
}

/* ---- Others ---- */

/* ferasboulala/kobuki: kobuki.cpp. Buffered files, reads of at least 3 bytes, a packet in three
 * writes, all outputs off at first, and radius -1 to turn right. */
static void a_driver_on_buffered_files_with_three_writes_a_packet_turns_right(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "2");
    FILE *file = fopen(stage->port, "rb+");
    assert_non_null(file);
    struct termios mode;
    assert_int_equal(tcgetattr(fileno(file), &mode), 0);
    mode.c_iflag = mode.c_oflag = mode.c_lflag = 0;
    mode.c_cflag = CLOCAL | CREAD | CS8;
    mode.c_cc[VMIN] = 3;
    mode.c_cc[VTIME] = 0;
    assert_int_equal(cfsetspeed(&mode, B115200), 0);
    assert_int_equal(tcsetattr(fileno(file), TCSANOW, &mode), 0);

    static const uint8_t outputs_off[] = {0xaa, 0x55, 0x04, 0x0c, 0x02, 0x00, 0x00, 0x0a};
    static const uint8_t turn_right[] = {0xaa, 0x55, 0x06, 0x01, 0x04,
                                         0x74, 0x00, 0xff, 0xff, 0x01 ^ 0x04 ^ 0x06 ^ 0x74};
    struct kobuki_client client;
    kobuki_client_init(&client);
    for (unsigned packets = 0; packets < 60;) {
        int byte = fgetc(file);
        assert_true(byte >= 0);
        if (!kobuki_client_push(&client, (uint8_t)byte))
            continue;
        const uint8_t *packet = packets++ == 0 ? outputs_off : turn_right;
        size_t size = 4u + packet[2];
        int port = fileno(file);
        assert_int_equal(write(port, packet, 3), 3);
        assert_int_equal(write(port, packet + 3, size - 4), size - 4);
        assert_int_equal(write(port, packet + size - 1, 1), 1);
    }
    assert_true(stage_get(stage, "kobuki.outputs") == 0);
    WAIT_UNTIL(stage_get(stage, "kobuki.heading_deg") < -5);
    assert_true(stage_get(stage, "kobuki.uart.bad_frames") == 0);
    fclose(file);
}

/* wuhanstudio/kobuki writes byte by byte; JakubHazik/rmr_kobuki puts outputs and base control into
 * one packet. */
static void a_packet_of_two_parts_written_byte_by_byte_is_obeyed(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "1");
    static const uint8_t packet[] = {0xaa, 0x55, 0x0a, 0x0c, 0x02, 0xf0, 0x01,
                                     0x01, 0x04, 0xc8, 0x00, 0x00, 0x00, 0x38};
    struct kobuki_host host;
    kobuki_host_open(&host, stage->port);
    for (int i = 0; i < 40; i++) {
        kobuki_host_hear(&host, 1);
        for (size_t k = 0; k < sizeof packet; k++)
            assert_true(serial_port_write(host.port, packet + k, 1));
    }
    WAIT_UNTIL(stage_get(stage, "kobuki.uart.frames") == 40);
    assert_true(stage_get(stage, "kobuki.led1_red") == 1);
    assert_true(stage_get(stage, "kobuki.x_m") > 10.05);
    kobuki_host_close(&host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGED(the_vendors_driver_asks_once_and_echoes_each_packet),
        STAGED(old_firmware_lets_the_vendors_driver_ask_for_gains_in_vain),
        STAGED(a_command_a_second_keeps_the_robot_moving),
        STAGED(a_silence_ends_the_vendors_read_after_4_s_and_the_stream_goes_on),
        STAGED(a_driver_on_buffered_files_with_three_writes_a_packet_turns_right),
        STAGED(a_packet_of_two_parts_written_byte_by_byte_is_obeyed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
