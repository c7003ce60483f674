/* Robots with Feetech serial servos on a bus: servos without a machine, the arms SO-100 and SO-101,
 * LeKiwi. */
#pragma once

#include "protocols/robot.h"

extern const struct robot_type sts3215_type, so100_type, so101_type, lekiwi_type;

struct feetech_options {
    int64_t servos;
    int32_t model, role;
    bool has_echo;
    double supply_v, supply_ohm;
};
