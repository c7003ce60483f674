/* Pins of Arduino boards: which of them a body file may name, and what an error message offers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/array.h"
#include "protocols/pins.h"

static void a_board_has_the_pins_that_are_printed_on_it(void **state)
{
    (void)state;
    static const struct {
        enum pin_board board;
        enum pin_kind kind;
        const char *name;
        bool has_it;
    } rows[] = {
        {BOARD_UNO, PIN_FORWARD, "0", true},        {BOARD_UNO, PIN_FORWARD, "13", true},
        {BOARD_UNO, PIN_FORWARD, "14", false},      {BOARD_UNO, PIN_FORWARD, "A5", true},
        {BOARD_UNO, PIN_FORWARD, "A6", false},      {BOARD_NANO, PIN_BUTTON, "A7", true},
        {BOARD_NANO, PIN_BUTTON, "A8", false},      {BOARD_LEONARDO, PIN_ECHO, "13", true},
        {BOARD_MEGA, PIN_STEP, "53", true},         {BOARD_MEGA, PIN_STEP, "54", false},
        {BOARD_MEGA, PIN_BATTERY, "A15", true},     {BOARD_MEGA, PIN_BATTERY, "A16", false},
        {BOARD_MEGA, PIN_BATTERY, "3", false},      {BOARD_UNO, PIN_FORWARD, "03", false},
        {BOARD_UNO, PIN_FORWARD, "-1", false},      {BOARD_UNO, PIN_FORWARD, "a1", false},
        {BOARD_UNO, PIN_FORWARD, "", false},        {BOARD_UNO, PIN_MPU6050, "Wire", true},
        {BOARD_UNO, PIN_MPU6050, "A4", false},      {BOARD_UNO, PIN_MPU6050, "Wire1", false},
        {BOARD_UNO, PIN_SERIAL, "Serial", true},    {BOARD_UNO, PIN_SERIAL, "Serial1", false},
        {BOARD_MEGA, PIN_SERIAL, "Serial3", true},  {BOARD_MEGA, PIN_SERIAL, "Serial4", false},
        {BOARD_MEGA, PIN_SERIAL, "Serial0", false}, {BOARD_LEONARDO, PIN_SERIAL, "Serial1", true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char advice[PIN_ADVICE_SIZE] = "";
        if (board_has_pin(rows[i].board, rows[i].kind, rows[i].name, advice) != rows[i].has_it)
            fail_msg("%s, %s: '%s'", board_names[rows[i].board], pin_kind_names[rows[i].kind],
                     rows[i].name);
    }
}

static void the_advice_lists_the_pins_of_the_board(void **state)
{
    (void)state;
    static const struct {
        enum pin_board board;
        enum pin_kind kind;
        const char *advice;
    } rows[] = {
        {BOARD_UNO, PIN_FORWARD, "0 .. 13, A0 .. A5"},
        {BOARD_NANO, PIN_BUMPER, "0 .. 13, A0 .. A7"},
        {BOARD_MEGA, PIN_ENCODER_A, "0 .. 53, A0 .. A15"},
        {BOARD_UNO, PIN_DISTANCE, "A0 .. A5"},
        {BOARD_UNO, PIN_MPU6050, "Wire"},
        {BOARD_UNO, PIN_SERIAL, "Serial"},
        {BOARD_MEGA, PIN_SERIAL, "Serial .. Serial3"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char advice[PIN_ADVICE_SIZE] = "";
        assert_false(board_has_pin(rows[i].board, rows[i].kind, "none", advice));
        assert_string_equal(advice, rows[i].advice);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_board_has_the_pins_that_are_printed_on_it),
        cmocka_unit_test(the_advice_lists_the_pins_of_the_board),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
