/* Sine, cosine and arc tangent that give the same bits with every compiler and libc: a firmware
 * that computes with them sends the same bytes everywhere. */
#ifndef PTYBOT_PROTOCOLS_TRIG_H
#define PTYBOT_PROTOCOLS_TRIG_H

/* Right to 1e-14 up to a thousand turns; an angle that is no finite number counts as 0. */
void trig_sin_cos(double angle_rad, double *sine, double *cosine);

/* Angle of the vector (x, y), -pi..pi, right to 1e-15; 0 for the zero vector and for no number. */
double trig_atan2(double y, double x);

#endif
