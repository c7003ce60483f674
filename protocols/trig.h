/* Sine and cosine that are the same bits with every compiler and libc, for firmware that integrates
 * a heading. */
#ifndef PTYBOT_PROTOCOLS_TRIG_H
#define PTYBOT_PROTOCOLS_TRIG_H

/* Of an angle in radians, within 1e-14 up to some turns; NaN and infinities give those of 0. */
double trig_sine(double angle_rad);
double trig_cosine(double angle_rad);

#endif
