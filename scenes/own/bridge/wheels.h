#pragma once

enum side { LEFT, RIGHT };

extern int16_t gains[4]; // Kp, Kd, Ki, Ko
extern bool is_moving;   // by the PID

const unsigned long PID_MS = 33, AUTO_STOP_MS = 2000;
