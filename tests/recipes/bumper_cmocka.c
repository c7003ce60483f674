/* A test of a driver in C, with cmocka. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>
#include <ptybot/client.h>

static void a_pressed_bumper_reaches_the_driver(void **state)
{
    struct ptybot_run *sim = *state = ptybot_start("kobuki", "--lockstep", NULL);
    int port = open(ptybot_port(sim, "kobuki"), O_RDWR | O_NOCTTY);
    ptybot_do(sim, "kobuki.press bumper=left");
    unsigned char packet[8];
    assert_true(ptybot_step(sim, 100) && read(port, packet, 8) == 8);
    assert_int_equal(packet[7], 4);
}

static int end(void **state)
{
    return ptybot_end(*state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_pressed_bumper_reaches_the_driver, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
