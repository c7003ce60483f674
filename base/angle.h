/* Angles. Sine, cosine and arc tangent are implemented here, so that every compiler and libc gives
 * the same bits. */
#pragma once

#define ANGLE_PI      3.14159265358979323846
#define ANGLE_RAD_DEG (ANGLE_PI / 180) /* radians per degree */

/* Sine and cosine of any finite angle, within 1e-15 of the true values for |angle| < 1e5 rad. */
void angle_sin_cos(double angle_rad, double *sine, double *cosine);

/* The angle of a vector, -pi..pi; 0 for the zero vector. Within 1e-15 rad relative. */
double angle_atan2(double y, double x);

/* The same angle in -pi (excluded) .. pi. */
double angle_wrap(double angle_rad);
