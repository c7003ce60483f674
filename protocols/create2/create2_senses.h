/* Conversion of sensor data into the numbers of the firmware: bumpers, cliffs, light bumper,
 * infrared characters, buttons; and the readings in packets. */
#pragma once

#include "protocols/create2/create2_state.h"

/* Bits of packet 7. */
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

/* Reads the present state of all switches. Touches are kept until the next slot. */
void create2_senses_read(struct create2_state *state, const struct robot_sensors *sensors,
                         int64_t now_us);

/* Reads analog sensors and infrared once per slot, and updates all readings except distance and
 * angle. */
void create2_senses_slot(struct create2_state *state, const struct robot_sensors *sensors,
                         int64_t now_us);

/* Fills packets 19 and 20, and starts a new measurement of both. Reading either packet does this
 * (OI). */
void create2_senses_take_motion(struct create2_state *state);
