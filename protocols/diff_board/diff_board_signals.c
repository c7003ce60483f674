/* What can be observed of a board beside its wire: signals and mirrors. */
#include "protocols/diff_board/diff_board_rows.h"
#include "protocols/diff_board/diff_board_state.h"

#define AT(member) .offset = offsetof(struct diff_board_state, member)
#define NUMBER(label, kind, member, units, words)                                                  \
    {                                                                                              \
        .name = (label), .type = SIGNAL_##kind, AT(member), .unit = (units), .note = (words)       \
    }
#define MOTOR(n, i)                                                                                \
    NUMBER("motor" n "_target", DOUBLE, motion.motor[i].target, "count", "in a PID interval"),     \
        NUMBER("motor" n "_feedback", I32, motion.motor[i].feedback, "count",                      \
               "in the last PID interval"),                                                        \
        NUMBER("motor" n "_error_sum", DOUBLE, motion.motor[i].error_sum, "count s", ""),          \
        NUMBER("motor" n "_pwm", DOUBLE, motion.motor[i].pwm, "", "as the firmware sets it"),      \
        NUMBER("motor" n "_count", I64, motion.motor[i].count, "count",                            \
               "since the last initialization")

const struct signal_row diff_board_signal_rows[DIFF_BOARD_SIGNAL_COUNT] = {
    MOTOR("1", 0),
    MOTOR("2", 1),
    MOTOR("3", 2),
    MOTOR("4", 3),
    NUMBER("running", BOOL, motion.is_running, "", "the control loop is not idle"),
    NUMBER("by_hand", BOOL, motion.is_by_hand, "", "PWM set by message 9"),
    NUMBER("pid_passes", U64, motion.passes, "", "of the control loop"),
    NUMBER("time_outs", U64, motion.time_outs, "", "times that silence stopped the motors"),
    NUMBER("bad_values", U64, motion.bad_values, "", "numbers that are none, from parameters of 0"),
    NUMBER("odom_x_m", DOUBLE, odom.x_m, "m", "before it is rounded"),
    NUMBER("odom_y_m", DOUBLE, odom.y_m, "m", "before it is rounded"),
    NUMBER("odom_yaw_rad", DOUBLE, odom.yaw_rad, "rad", "before it is rounded"),
    NUMBER("odom_vx_m_s", DOUBLE, odom.velocity.x, "m/s", "before it is rounded"),
    NUMBER("odom_vy_m_s", DOUBLE, odom.velocity.y, "m/s", "before it is rounded"),
    NUMBER("odom_turn_rad_s", DOUBLE, odom.velocity.turn, "rad/s", "before it is rounded"),
    NUMBER("imu_samples", U64, imu.samples, "", ""),
    NUMBER("waiting_replies", U32, replies.count, "", ""),
    NUMBER("booting", BOOL, is_booting, "", "deaf and silent"),
    NUMBER("boots", U64, boots, "", "power-on and resets by a host"),
    NUMBER("unsaved", BOOL, storage.is_dirty, "", "parameters changed since they were saved"),
};

#define LAST(member) offsetof(struct diff_board_state, last.member)

const struct signal_mirror diff_board_mirror_rows[DIFF_BOARD_MIRROR_COUNT] = {
    {&diff_board_set_parameters_packet, LAST(set_parameters)},
    {&diff_board_set_velocity_packet, LAST(set_velocity)},
    {&diff_board_set_pwm_packet, LAST(set_pwm)},
    {&diff_board_version_packet, LAST(version)},
    {&diff_board_parameters_packet, offsetof(struct diff_board_state, parameters)},
    {&diff_board_odometry_packet, LAST(odometry)},
    {&diff_board_pid_packet, LAST(pid)},
    {&diff_board_imu_packet, LAST(imu)},
    {&diff_board_encoders_packet, LAST(encoders)},
};
