/* The built-in robots as a shared object, which a scene names like a user's shared object. */
#include "protocols/cobot/cobot.h"
#include "protocols/create2/create2.h"
#include "protocols/diff_board/diff_board.h"
#include "protocols/epuck2/epuck2.h"
#include "protocols/feetech/feetech.h"
#include "protocols/kobuki/kobuki.h"
#include "protocols/ld06/ld06.h"
#include "protocols/ros_arduino_bridge/ros_arduino_bridge.h"
#include "protocols/rplidar_a1/rplidar_a1.h"
#include "protocols/turtlebot3/turtlebot3.h"

#include "ptybot/robot.h"

ROBOT_OBJECT(kobuki, &kobuki_type);
ROBOT_OBJECT(cobot, &cobot_type);
ROBOT_OBJECT(diff_board, &diff_board_type);
ROBOT_OBJECT(epuck2, &epuck2_type);
ROBOT_OBJECT(create2, &create2_type);
ROBOT_OBJECT(rplidar_a1, &rplidar_a1_type);
ROBOT_OBJECT(ld06, &ld06_type);
ROBOT_OBJECT(ld19, &ld19_type);
ROBOT_OBJECT(lds_01, &lds_01_type);
ROBOT_OBJECT(lds_02, &lds_02_type);
ROBOT_OBJECT(sts3215, &sts3215_type);
ROBOT_OBJECT(so100, &so100_type);
ROBOT_OBJECT(so101, &so101_type);
ROBOT_OBJECT(lekiwi, &lekiwi_type);
ROBOT_OBJECT(ros_arduino_bridge, &ros_arduino_bridge_type);
ROBOT_OBJECT(turtlebot3_burger, &turtlebot3_burger_type);
ROBOT_OBJECT(turtlebot3_waffle, &turtlebot3_waffle_type);
ROBOT_OBJECT(turtlebot3_waffle_pi, &turtlebot3_waffle_pi_type);

/* Objects that ptybot must refuse: another version, another layout, no type. */
__attribute__((visibility("default")))
const struct robot_object of_another_abi = {ROBOT_ABI + 1, ROBOT_LAYOUT, &kobuki_type};
__attribute__((visibility("default")))
const struct robot_object of_another_layout = {ROBOT_ABI, ROBOT_LAYOUT + 1, &kobuki_type};
static const struct robot_type nothing = {.name = "nothing", .title = "Nothing"};
__attribute__((visibility("default")))
const struct robot_object of_nothing = {ROBOT_ABI, ROBOT_LAYOUT, &nothing};
