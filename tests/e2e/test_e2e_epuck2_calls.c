/* A driver that gives up after three connection attempts, three seconds apart, with an e-puck2 that
 * restarts, or loses its power or its network: the real program in virtual time, to keep the test
 * short. */
#include <stdio.h>
#include <string.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/test_stage.h"

static const char caller[] = PTYBOT_HOSTS_DIR "/epuck2_calls";

/* The driver connects, loses the connection by the timeline commands EVENTS, and connects again. */
static void check_returns(struct stage *stage, const char *events, const char *connections)
{
    folder_write(&stage->folder, "s.yaml",
                 "world: {size: {x: 4, y: 4}}\n"
                 "robots: [{name: epuck2, type: epuck2, pose: {x: 2, y: 2}}]\n"
                 "timeline: [%s]\n"
                 "expect: [{that: epuck2.collisions == 0, always: true}]\n",
                 events);
    char host[512];
    snprintf(host, sizeof host, "exec %s $PTYBOT_PORT_EPUCK2 %s", caller, connections);
    int code = TEST_RUN(stage, "s.yaml", "--warp", "20", "--out", "out", "--", "sh", "-c", host);
    if (code != 0) {
        char *out = program_out(&stage->ptybot);
        fail_msg("%s: code %d: %s", events, code, out);
    }
}

static void it_comes_back_after_a_reset(void **state)
{
    check_returns(*state, "{at: 12, do: epuck2.reset}", "2");
}

static void it_comes_back_after_a_loss_of_power(void **state)
{
    check_returns(*state, "{at: 12, do: epuck2.fault power=off for=4}", "2");
}

static void it_comes_back_after_a_loss_of_the_network(void **state)
{
    check_returns(*state, "{at: 12, do: epuck2.unplug what=wifi for=4}", "2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_STAGED(it_comes_back_after_a_reset),
        TEST_STAGED(it_comes_back_after_a_loss_of_power),
        TEST_STAGED(it_comes_back_after_a_loss_of_the_network),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
