/* Sine and cosine that give the same bits with every compiler and libc: a firmware that computes
 * with them sends the same bytes everywhere. */
#ifndef PTYBOT_PROTOCOLS_TRIG_H
#define PTYBOT_PROTOCOLS_TRIG_H

/* Right to 1e-14 up to a thousand turns; an angle that is no finite number counts as 0. */
void trig_sin_cos(double angle_rad, double *sine, double *cosine);

#endif
