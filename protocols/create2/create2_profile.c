/* The boot texts, capacities and buttons of the models. */
#include <stddef.h>

#include "protocols/create2/create2_state.h"

/* Text that a board prints on a reset. An empty line is the wait of the bootloader. Sources:
 * robotics.SE 7121, 10666, 12846; pycreate2#1, #12. */
static const char *const str730_lines[] = {"bl-start",
                                           "STR730",
                                           "bootloader id: #x47186549 82ECCFFF",
                                           "bootloader info rev: #xF000",
                                           "bootloader rev: #x0001",
                                           "2007-05-14-1715-L   ",
                                           "",
                                           "Roomba by iRobot!",
                                           "str730",
                                           "2012-03-22-1549-L",
                                           "battery-current-zero 258",
                                           "r3_robot/tags/release-3.4.1:5858 CLEAN",
                                           "bootloader id: 4713 5160 6BFA 3FFF",
                                           "assembly: 3.3",
                                           "revision: 0",
                                           "flash version: 10",
                                           "flash info crc passed: 1",
                                           NULL};
static const char *const stm32_lines[] = {"Soft reset!",
                                          "",
                                          "Roomba by iRobot!",
                                          "stm32",
                                          "2018-07-19-1005-L",
                                          "battery-current-zero 257",
                                          "r3-robot/tags/release-stm32-3.7.7:6913 CLEAN",
                                          NULL};

/* Capacities as owners read them: 2696 mAh. Chosen: 3000 for the older battery. A 600 never reports
 * the buttons clock and schedule (libcreate). */
static const struct create2_profile profiles[CREATE2_MODELS] = {
    [CREATE2_CREATE_2] = {2696, false, 0x3f, str730_lines},
    [CREATE2_ROOMBA_500] = {3000, true, 0xff, str730_lines},
    [CREATE2_ROOMBA_600] = {2696, true, 0x3f, stm32_lines},
};

const struct create2_profile *create2_profile(const struct create2_state *state)
{
    return &profiles[state->options.model];
}
