/* One line for each type of robot. */
#include "protocols/registry.h"

#include <string.h>

#include "base/array.h"
#include "protocols/cobot/cobot.h"
#include "protocols/create2/create2.h"
#include "protocols/diff_board/diff_board.h"
#include "protocols/epuck2/epuck2.h"
#include "protocols/feetech/feetech.h"
#include "protocols/kobuki/kobuki.h"
#include "protocols/ld06/ld06.h"
#include "protocols/process/process.h"
#include "protocols/ros_arduino_bridge/ros_arduino_bridge.h"
#include "protocols/rplidar_a1/rplidar_a1.h"
#include "protocols/turtlebot3/turtlebot3.h"

static const struct robot_type *const types[] = {&kobuki_type,
                                                 &cobot_type,
                                                 &diff_board_type,
                                                 &epuck2_type,
                                                 &create2_type,
                                                 &rplidar_a1_type,
                                                 &ld06_type,
                                                 &ld19_type,
                                                 &lds_01_type,
                                                 &lds_02_type,
                                                 &ros_arduino_bridge_type,
                                                 &turtlebot3_burger_type,
                                                 &turtlebot3_waffle_type,
                                                 &turtlebot3_waffle_pi_type,
                                                 &sts3215_type,
                                                 &so100_type,
                                                 &so101_type,
                                                 &lekiwi_type};

const struct robot_type *const *registry_types(size_t *count)
{
    *count = COUNT(types);
    return types;
}

const struct robot_type *registry_find(const char *name)
{
    for (size_t i = 0; i < COUNT(types); i++)
        if (strcmp(types[i]->name, name) == 0)
            return types[i];
    return NULL;
}

void registry_names(const char *names[static TEXT_WORDS_MAX])
{
    _Static_assert(COUNT(types) < TEXT_WORDS_MAX, "room for the NULL");
    for (size_t i = 0; i < COUNT(types); i++)
        names[i] = types[i]->name;
    names[COUNT(types)] = NULL;
}

const struct robot_type *registry_process(void)
{
    return &process_type;
}
