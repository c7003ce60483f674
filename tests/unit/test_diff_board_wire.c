/* A board at its wire: calculated frames, their order, and how its parser handles broken frames. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/modem_lines.h"
#include "tests/unit/diff_board_rig.h"

static const char *const old_firmware[] = {"board.firmware=1.0.1", NULL};

#define APOLLO                                                                                     \
    "4100af002c000a40018c0a00000a00fa0032000000c800475a0001ffff"                                   \
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"

static void expect(struct board *board, const char *request, const char *reply)
{
    board->count = 0;
    board_write_hex(board, request);
    board_run(board, 30);
    if (!board_came(board, reply))
        fail_msg("%s is not answered by %s", request, reply);
}

/* ---- Worked frames ---- */

static void every_worked_request_has_its_worked_reply(void **state)
{
    (void)state;
    static const char *const frames[][2] = {
        {"5a0240" APOLLO "14", "5a02005c"},
        {"5a01005b", "5a0140" APOLLO "13"},
        {"5a0240" APOLLO "14", "5a02005c"},
        {"5a03005d", "5a03005d"},
        {"5a0510"
         "00000000000000000000000000000000"
         "6f",
         "5a05005f"},
        {"5a0620"
         "00000000000000000000000000000000"
         "00000000000000000000000000000000"
         "80",
         "5a060060"},
        {"5a0810"
         "00000000000000000000000000000000"
         "72",
         "5a080062"},
        {"5a04005e", "5a04061e000000000082"},
        {"5a04005e", "5a0406e2ff0000ceff12"},
        {"5a090063", "5a090864009cff000000006a"},
    };
    struct board board;
    board_open(&board, NULL);
    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++)
        expect(&board, frames[i][1], frames[i][0]);
    board_close(&board);
}

static void each_firmware_reports_its_version(void **state)
{
    (void)state;
    struct board board;
    board_open(&board, old_firmware);
    expect(&board, "5a00005a",
           "5a002076312e302e3100000000000000000000323031383033323900000000000000"
           "0077");
    board_close(&board);
    board_open(&board, NULL);
    const uint8_t *body = board_ask(&board, 0, 32);
    assert_memory_equal(body, "v2.0.0\0\0\0\0\0\0\0\0\0\00020200109-m3e3\0\0\0", 32);
    board_close(&board);
}

static void the_old_firmware_is_silent_at_the_newer_messages(void **state)
{
    (void)state;
    struct board board;
    board_open(&board, old_firmware);
    expect(&board, "5a080062", "");
    expect(&board, "5a090864009cff000000006a", "");
    expect(&board, "5a03005d", "5a03005d");
    assert_true(board_get(&board, "uart.unknown_ids") == 2);
    board_close(&board);
}

static void frames_of_one_write_are_answered_in_order(void **state)
{
    (void)state;
    struct board board;
    board_open(&board, NULL);
    static const uint8_t ids[] = {3, 2, 5, 0, 6, 7, 8, 4, 3, 1, 2, 5};
    for (int round = 0; round < 8; round++)
        for (size_t i = 0; i < sizeof ids; i++) {
            static const uint8_t zeros[BOARD_BLOCK];
            board_send(&board, ids[i], zeros, ids[i] == 1 ? 64 : ids[i] == 4 ? 6 : 0);
        }
    board_run(&board, 2000);
    assert_int_equal(board.count, 8 * sizeof ids);
    for (size_t i = 0; i < board.count; i++)
        assert_int_equal(board.frames[i].bytes[1], ids[i % sizeof ids]);
    assert_true(board_get(&board, "uart.overruns") == 0);
    board_close(&board);
}

/* The vendor's firmware does this in simavr: its loop waits while its port sends, and the port
 * buffers 63 bytes meanwhile. */
static void an_arduino_loses_what_its_port_cannot_hold(void **state)
{
    (void)state;
    static const struct {
        uint8_t id;
        int requests;
        size_t replies;
    } rows[] = {{2, 17, 17}, {2, 18, 17}, {2, 20, 17}, {0, 18, 18}, {0, 20, 19}, {4, 40, 40}};
    static const uint8_t zeros[6];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct board board;
        board_open(&board, (const char *const[]){"board.board=mega2560", NULL});
        for (int n = 0; n < rows[i].requests; n++)
            board_send(&board, rows[i].id, zeros, rows[i].id == 4 ? 6 : 0);
        board_run(&board, 1000);
        assert_int_equal(board.count, rows[i].replies);
        assert_true((board_get(&board, "uart.overruns") > 0) ==
                    (rows[i].replies < (size_t)rows[i].requests));
        board_close(&board);
    }
}

/* 64 bytes of EEPROM, 3.3 ms each. The reply is sent before. */
static void an_arduino_is_busy_while_it_saves_parameters(void **state)
{
    (void)state;
    static const uint8_t zeros[BOARD_BLOCK];
    static const char *const boards[] = {"board.board=stm32f1", "board.board=mega2560"};
    for (int is_mega = 0; is_mega < 2; is_mega++) {
        struct board board;
        board_open(&board, (const char *const[]){boards[is_mega], NULL});
        board_send(&board, 1, zeros, BOARD_BLOCK);
        board_run(&board, 20);
        assert_int_equal(board.count, 1);
        board_send(&board, 3, NULL, 0);
        board_run(&board, 180);
        assert_int_equal(board.count, is_mega ? 1 : 2);
        board_run(&board, 50);
        assert_int_equal(board.count, 2);
        board_close(&board);
    }
}

/* A reply contains the values at the time of its request, not later changes. */
static void a_reply_is_as_old_as_its_request(void **state)
{
    (void)state;
    struct board board;
    board_open(&board, NULL);
    uint8_t block[BOARD_BLOCK];
    for (uint8_t round = 1; round <= 3; round++) {
        memset(block, round, sizeof block);
        board_send(&board, 1, block, sizeof block);
        board_send(&board, 2, NULL, 0);
    }
    board_run(&board, 200);
    assert_int_equal(board.count, 6);
    for (size_t i = 1; i < 6; i += 2) {
        memset(block, (int)(i + 1) / 2, sizeof block);
        assert_memory_equal(board.frames[i].bytes + 3, block, sizeof block);
    }
    board_close(&board);
}

/* ---- The parser ---- */

static void short_bodies_are_filled_with_zeros(void **state)
{
    (void)state;
    struct board board;
    board_open(&board, NULL);
    expect(&board, "5a01054100af002c7c", "5a01005b");
    uint8_t block[BOARD_BLOCK] = {0x41, 0x00, 0xaf, 0x00, 0x2c};
    assert_memory_equal(board_ask(&board, 2, 64), block, 64);
    board_close(&board);

    board_open(&board, (const char *const[]){"board.model=zeus", NULL});
    expect(&board, "5a0406140014003200be", "5a04005e");
    assert_true(board_get(&board, "set_velocity.v_liner_y") == 20);
    expect(&board, "5a04020a006a", "5a04005e");
    assert_true(board_get(&board, "set_velocity.v_liner_x") == 10);
    assert_true(board_get(&board, "set_velocity.v_liner_y") == 0);
    assert_true(board_get(&board, "set_velocity.v_angular_z") == 0);
    board_close(&board);
}

static void bodies_that_are_too_long_are_answered_as_usual(void **state)
{
    (void)state;
    struct board board;
    uint8_t body[255];
    memset(body, 0x5a, sizeof body);
    board_open(&board, NULL);
    static const uint8_t ids[] = {0, 3, 5, 6, 7};
    for (size_t i = 0; i < sizeof ids; i++) {
        board.count = 0;
        board_send(&board, ids[i], body, i % 2 ? 255 : 7);
        board_run(&board, 60);
        assert_int_equal(board.count, 1);
        assert_int_equal(board.frames[0].bytes[1], ids[i]);
    }
    board_close(&board);
}

static void a_wrong_sum_is_met_with_silence(void **state)
{
    (void)state;
    struct board board;
    board_open(&board, NULL);
    expect(&board, "5a05005e", "");
    expect(&board, "5a04061e000000000083", "");
    expect(&board, "5a03005d", "5a03005d");
    assert_true(board_get(&board, "uart.bad_frames") == 2);
    assert_true(board_get(&board, "running") == 0);
    board_close(&board);
}

static void an_unknown_id_ends_the_frame_at_that_byte(void **state)
{
    (void)state;
    struct board board;
    board_open(&board, NULL);
    expect(&board, "5a5a03005d", "");
    expect(&board, "5a03005d", "5a03005d");
    expect(&board, "5a0a005a", "");
    /* The 5A in that checksum starts a frame, which the 5A of the next request invalidates. */
    expect(&board, "5a03005d", "");
    expect(&board, "5a03005d", "5a03005d");
    board_close(&board);
}

static void a_stray_header_silences_version_requests_for_ever(void **state)
{
    (void)state;
    struct board board;
    board_open(&board, NULL);
    board_write_hex(&board, "5a");
    for (int i = 0; i < 20; i++)
        expect(&board, "5a00005a", "");
    /* Any other request is lost, and then the parser is synchronized. */
    expect(&board, "5a03005d", "");
    expect(&board, "5a03005d", "5a03005d");
    board_ask(&board, 0, 32);
    board_close(&board);
}

static void bytes_may_come_as_late_as_they_like(void **state)
{
    (void)state;
    struct board board;
    board_open(&board, NULL);
    static const uint8_t frame[] = {0x5a, 0x03, 0x00, 0x5d};
    for (size_t i = 0; i < sizeof frame; i++) {
        board_write(&board, frame + i, 1);
        board_run(&board, 300);
    }
    assert_true(board_came(&board, "5a03005d"));

    /* A host that died within a frame: the rest of the frame is taken from the next host's
     * requests. */
    board.count = 0;
    board_write_hex(&board, "5a04061e00");
    board_run(&board, 5000);
    expect(&board, "5a03005d", "");
    expect(&board, "5a03005d", "");
    expect(&board, "5a03005d", "5a03005d");
    board_close(&board);
}

/* ---- Time ---- */

static void a_reply_takes_its_turnaround_and_the_wire(void **state)
{
    (void)state;
    static const struct {
        const char *options[3];
        double least_ms, most_ms;
    } cases[] = {
        /* Request 4 bytes, reply 68 bytes: 6.25 ms at 115200 baud, 0.78 at 921600; steps of 1 ms.
         */
        {{NULL}, 7.25, 10},
        {{"board.board=stm32f4"}, 1.78, 4},
        {{"board.turnaround_ms=20"}, 26.25, 29},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct board board;
        board_open(&board, cases[i].options);
        int64_t asked_us = sim_now_us(board.rig.sim);
        board_ask(&board, 2, 64);
        double took_ms = (double)(board.frames[0].at_us - asked_us) / 1000;
        assert_true(took_ms >= cases[i].least_ms && took_ms <= cases[i].most_ms);
        board_close(&board);
    }
}

static void a_board_never_speaks_unasked(void **state)
{
    (void)state;
    struct board board;
    board_open(&board, NULL);
    board_run(&board, 20000);
    board_velocity(&board, 20, 0, 0);
    board_run(&board, 5000);
    assert_true(board_came(&board, "5a04005e"));
    board_close(&board);
}

static void the_fast_board_has_the_fast_line(void **state)
{
    (void)state;
    static const char *const boards[] = {"mega2560", "mega2560_shield", "stm32f1", "stm32f4"};
    for (size_t i = 0; i < 4; i++) {
        char option[64];
        struct board board;
        snprintf(option, sizeof option, "board.board=%s", boards[i]);
        board_open(&board, (const char *const[]){option, NULL});
        assert_int_equal(sim_channel_baud(board.rig.sim, 0), i == 3 ? 921600 : 115200);
        board_close(&board);
    }
}

static void an_arduino_boots_when_a_host_opens_the_port_or_pulses_dtr(void **state)
{
    (void)state;
    struct board board;
    board_open(&board, (const char *const[]){"board.auto_reset=yes", NULL});
    board_run(&board, 1700);
    board_set(&board, 15, 10000, 2); /* cmd_last_time: it would drive on for long */
    board_velocity(&board, 30, 0, 0);
    board_run(&board, 2000);
    assert_true(board_get(&board, "speed_m_s") > 0.25);

    sim_host_present(board.rig.sim, 0, false);
    board_run(&board, 100);
    assert_true(board_get(&board, "speed_m_s") > 0.25);
    sim_host_present(board.rig.sim, 0, true);
    board.count = 0;
    for (int ms = 0; ms < 1500; ms += 100) {
        board_send(&board, 0, NULL, 0);
        board_run(&board, 100);
    }
    assert_int_equal(board.count, 0);
    assert_true(board_get(&board, "speed_m_s") < 0.01);
    board_run(&board, 200);
    struct board_odometry odometry = board_odometry(&board);
    assert_int_equal(odometry.x_cm, 0);
    assert_int_equal(odometry.vx_cm_s, 0);
    assert_int_equal(board_ask(&board, 2, 64)[15], 10000 & 0xff);
    assert_true(board_get(&board, "boots") == 3); /* power-on and two hosts */

    /* A flashing tool does this: a pulse on DTR while the port stays open. */
    sim_host_lines(board.rig.sim, 0, MODEM_RTS);
    board_run(&board, 10);
    assert_true(board_get(&board, "boots") == 3);
    sim_host_lines(board.rig.sim, 0, MODEM_DTR | MODEM_RTS);
    board_run(&board, 10);
    assert_true(board_get(&board, "boots") == 4);
    board_close(&board);
}

static void an_arduino_boots_at_power_on_too(void **state)
{
    (void)state;
    struct board board;
    board_open(&board, (const char *const[]){"board.auto_reset=yes", NULL});
    board_run(&board, 1700);
    assert_true(board_get(&board, "booting") == 0);
    rig_do(&board.rig, "board.reset");
    board_run(&board, 1500);
    assert_true(board_get(&board, "booting") == 1);
    board.count = 0;
    board_send(&board, 0, NULL, 0);
    board_run(&board, 50);
    assert_int_equal(board.count, 0);
    board_run(&board, 150);
    assert_true(board_get(&board, "booting") == 0);
    assert_int_equal(board_ask(&board, 2, 64)[15], 250 & 0xff);
    board_close(&board);
}

static void a_board_that_starts_knows_the_lines_of_its_host(void **state)
{
    (void)state;
    struct board board;
    board_open(&board, (const char *const[]){"board.auto_reset=yes", NULL});
    board_run(&board, 1700);
    rig_do(&board.rig, "board.reset");
    board_run(&board, 1700);
    double boots = board_get(&board, "boots");
    sim_host_lines(board.rig.sim, 0, MODEM_DTR);
    board_run(&board, 10);
    assert_true(board_get(&board, "boots") == boots);

    /* Line changes by the host while the board was off count too. */
    rig_do(&board.rig, "board.fault power=off");
    board_run(&board, 10);
    sim_host_lines(board.rig.sim, 0, 0);
    board_run(&board, 10);
    rig_do(&board.rig, "board.heal");
    board_run(&board, 1700);
    boots = board_get(&board, "boots");
    sim_host_lines(board.rig.sim, 0, MODEM_DTR);
    board_run(&board, 10);
    assert_true(board_get(&board, "boots") == boots + 1);
    board_close(&board);
}

static void boots_are_counted_over_resets(void **state)
{
    (void)state;
    struct board board;
    board_open(&board, NULL);
    board_run(&board, 100);
    assert_true(board_get(&board, "boots") == 1);
    rig_do(&board.rig, "board.reset");
    board_run(&board, 10);
    assert_true(board_get(&board, "boots") == 2);
    rig_do(&board.rig, "board.fault power=off");
    board_run(&board, 10);
    assert_true(board_get(&board, "boots") == 2);
    assert_true(board_get(&board, "booting") == 0);
    rig_do(&board.rig, "board.heal");
    board_run(&board, 10);
    assert_true(board_get(&board, "boots") == 3);
    board_close(&board);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_worked_request_has_its_worked_reply),
        cmocka_unit_test(each_firmware_reports_its_version),
        cmocka_unit_test(the_old_firmware_is_silent_at_the_newer_messages),
        cmocka_unit_test(frames_of_one_write_are_answered_in_order),
        cmocka_unit_test(an_arduino_loses_what_its_port_cannot_hold),
        cmocka_unit_test(an_arduino_is_busy_while_it_saves_parameters),
        cmocka_unit_test(a_reply_is_as_old_as_its_request),
        cmocka_unit_test(short_bodies_are_filled_with_zeros),
        cmocka_unit_test(bodies_that_are_too_long_are_answered_as_usual),
        cmocka_unit_test(a_wrong_sum_is_met_with_silence),
        cmocka_unit_test(an_unknown_id_ends_the_frame_at_that_byte),
        cmocka_unit_test(a_stray_header_silences_version_requests_for_ever),
        cmocka_unit_test(bytes_may_come_as_late_as_they_like),
        cmocka_unit_test(a_reply_takes_its_turnaround_and_the_wire),
        cmocka_unit_test(a_board_never_speaks_unasked),
        cmocka_unit_test(the_fast_board_has_the_fast_line),
        cmocka_unit_test(an_arduino_boots_when_a_host_opens_the_port_or_pulses_dtr),
        cmocka_unit_test(an_arduino_boots_at_power_on_too),
        cmocka_unit_test(a_board_that_starts_knows_the_lines_of_its_host),
        cmocka_unit_test(boots_are_counted_over_resets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
