/* Properties of each firmware version. Sources: kobuki_core (firmware.cpp, hardware.hpp) and the
 * change list of firmware.rst. Values marked as chosen are unknown. */
#include <assert.h>

#include "protocols/kobuki/kobuki_state.h"

/* Chosen: two degrees per minute, the worst case that the maintainer mentions
 * (yujinrobot/kobuki#371). 1.1.4 fixed a drift of unknown size. */
#define OLD_DRIFT_DEG_S (2.0 / 60.0)

static const struct kobuki_profile profiles[KOBUKI_FIRMWARE_COUNT] = {
    [KOBUKI_FIRMWARE_1_0_0] = {.version = {.major = 1},
                               .legacy_number = 123,
                               .has_safety = true,
                               .has_charge_blip = true, /* until July 2012: yujinrobot/kobuki#137 */
                               .inertia_fill = 0x88,    /* captures of 2012 */
                               .drift_deg_s = OLD_DRIFT_DEG_S},
    [KOBUKI_FIRMWARE_1_1_0] = {.version = {.major = 1, .minor = 1},
                               .legacy_number = 10100,
                               .has_safety = true,
                               .drift_deg_s = OLD_DRIFT_DEG_S},
    [KOBUKI_FIRMWARE_1_1_1] = {.version = {.major = 1, .minor = 1, .patch = 1},
                               .legacy_number = 10101,
                               .has_safety = true,
                               .drift_deg_s = OLD_DRIFT_DEG_S},
    [KOBUKI_FIRMWARE_1_1_2] = {.version = {.major = 1, .minor = 1, .patch = 2},
                               .drift_deg_s = OLD_DRIFT_DEG_S},
    [KOBUKI_FIRMWARE_1_1_3] = {.version = {.major = 1, .minor = 1, .patch = 3},
                               .drift_deg_s = OLD_DRIFT_DEG_S},
    [KOBUKI_FIRMWARE_1_1_4] = {.version = {.major = 1, .minor = 1, .patch = 4}},
    [KOBUKI_FIRMWARE_1_2_0] = {.version = {.major = 1, .minor = 2}, .has_gains = true},
    [KOBUKI_FIRMWARE_1_3_0] = {.version = {.major = 1, .minor = 3}, .has_gains = true},
    [KOBUKI_FIRMWARE_2_0_0] = {.version = {.major = 2}, .has_gains = true},
};

const struct kobuki_profile *kobuki_profile(const struct kobuki_state *state)
{
    assert(state->options.firmware >= 0 && state->options.firmware < KOBUKI_FIRMWARE_COUNT);
    return &profiles[state->options.firmware];
}
