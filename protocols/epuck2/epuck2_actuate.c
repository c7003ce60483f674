/* Actuator bytes at work. */
#include "protocols/epuck2/epuck2_actuate.h"

#include <math.h>

#include "protocols/epuck2/epuck2_lamps.h"
#include "protocols/epuck2/epuck2_motion.h"
#include "protocols/epuck2/epuck2_senses.h"
#include "protocols/epuck2/epuck2_sounds.h"

int64_t epuck2_actuate(struct epuck2_state *state, const struct epuck2_command *command,
                       int64_t now_us)
{
    if ((command->settings & EPUCK2_SETTING_STEPS) != 0)
        epuck2_motion_count(state, command->left, command->right, now_us);
    else
        epuck2_motion_speeds(state, command->left, command->right, now_us);
    epuck2_motion_avoid(state, (command->settings & EPUCK2_SETTING_AVOID) != 0, now_us);
    epuck2_lamps_obey(state, command);
    int64_t free_us = epuck2_sounds_obey(&state->play, command->sound, now_us);
    if ((command->settings & EPUCK2_SETTING_CALIBRATE) != 0) {
        int64_t ready_us = now_us + (int64_t)floor(state->options.calibration_s * 1e6);
        epuck2_senses_calibrate(state);
        free_us = ready_us > free_us ? ready_us : free_us;
    }
    return free_us;
}
