/* The door for robots in C outside the tree: a shared object defines a struct robot_object for each
 * of its types, and a scene names it by `type: ./libmy_robot.so:my_robot`. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "protocols/robot.h"

/* The contract of protocols/robot.h. It goes up when the same bytes begin to mean something else;
 * what is added to a struct changes ROBOT_LAYOUT by itself. */
#define ROBOT_ABI 2

/* The sizes of what both sides share, in one number. */
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
    uint64_t abi, layout; /* of the headers that it was built with; first, in each version */
    const struct robot_type *type;
};

/* Defines the object NAME for a type: ROBOT_OBJECT(my_robot, &my_robot_type) */
#define ROBOT_OBJECT(name, type_)                                                                  \
    extern __attribute__((visibility("default"))) const struct robot_object name;                  \
    const struct robot_object name = {ROBOT_ABI, ROBOT_LAYOUT, (type_)}

/* Whether an object was built for this program and its type has all that the contract asks for.
 * False, with what is wrong and the remedy in ERROR. */
bool robot_object_check(const struct robot_object *object, struct error *error);
