/* Interface for robots in C outside the source tree. A shared object defines a struct robot_object
 * for each of its types. A scene names a type as `type: ./libmy_robot.so:my_robot`. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "protocols/robot.h"

/* Version of the interface in protocols/robot.h. It increases when existing members change their
 * meaning. Added members change ROBOT_LAYOUT automatically. */
#define ROBOT_ABI 2

/* The sizes of all structs that both sides share, combined into one number. */
#define ROBOT_MIX(hash, type) ((hash)*UINT64_C(1000003) ^ sizeof(type))
#define ROBOT_LAYOUT_BODY                                                                          \
    ROBOT_MIX(ROBOT_MIX(ROBOT_MIX(UINT64_C(17), struct robot_type), struct robot_body),            \
              struct channel_spec)
#define ROBOT_LAYOUT_ROWS                                                                          \
    ROBOT_MIX(                                                                                     \
        ROBOT_MIX(ROBOT_MIX(ROBOT_MIX(ROBOT_LAYOUT_BODY, struct option_row), struct signal_row),   \
                  struct command_row),                                                             \
        struct appearance_row)
#define ROBOT_LAYOUT_WIRE                                                                          \
    ROBOT_MIX(ROBOT_MIX(ROBOT_MIX(ROBOT_LAYOUT_ROWS, struct wire_packet), struct wire_field),      \
              struct wire_framing)
#define ROBOT_LAYOUT                                                                               \
    ROBOT_MIX(ROBOT_MIX(ROBOT_MIX(ROBOT_MIX(ROBOT_MIX(ROBOT_LAYOUT_WIRE, struct robot_sensors),    \
                                            struct robot_actuators),                               \
                                  struct robot_start),                                             \
                        struct robot_tx),                                                          \
              struct robot_stats)

struct robot_object {
    uint64_t abi, layout; /* of the headers used for its build; the first members in every
                           * version */
    const struct robot_type *type;
};

/* Defines the object NAME for a type: ROBOT_OBJECT(my_robot, &my_robot_type) */
#define ROBOT_OBJECT(name, type_)                                                                  \
    extern __attribute__((visibility("default"))) const struct robot_object name;                  \
    const struct robot_object name = {ROBOT_ABI, ROBOT_LAYOUT, (type_)}

/* Whether an object was built for this program and its type has everything that the interface
 * requires. If not, returns false, and ERROR has the problem and the remedy. */
bool robot_object_check(const struct robot_object *object, struct error *error);
