/* From sensors to the numbers of the firmware: bumpers, cliffs, light bumper, infrared characters,
 * buttons; and the readings that packets carry. */
#pragma once

#include "protocols/create2/create2_state.h"

/* Bits of packet 7, and of cliffs from the left. */
enum {
    CREATE2_TOUCH_RIGHT = 1,
    CREATE2_TOUCH_LEFT = 2,
    CREATE2_DROP_RIGHT = 4,
    CREATE2_DROP_LEFT = 8
};

/* Bits of packets 18 and 165. */
enum {
    CREATE2_BUTTON_CLEAN = 0x01,
    CREATE2_BUTTON_SPOT = 0x02,
    CREATE2_BUTTON_DOCK = 0x04,
    CREATE2_BUTTON_SCHEDULE = 0x40,
    CREATE2_BUTTON_CLOCK = 0x80,
};

/* Switches, as they are now; touches are kept until the next slot. */
void create2_senses_read(struct create2_state *state, const struct robot_sensors *sensors,
                         int64_t now_us);

/* Analog sensors and infrared, once in a slot, and all readings but those since the last. */
void create2_senses_slot(struct create2_state *state, const struct robot_sensors *sensors,
                         int64_t now_us);

/* Fills packets 19 and 20, and begins them anew. Any reading of either does so (OI). */
void create2_senses_take_motion(struct create2_state *state);
