/* Sine and cosine: the series for a quarter of the angle, then doubled twice. */
#include "protocols/trig.h"

#include <math.h>

/* A turn in two parts: the first has so few digits that whole multiples of it are exact. */
static const double TRIG_TURN_HIGH_RAD = 6.28125;
static const double TRIG_TURN_LOW_RAD = 0.0019353071795864769253;

/* Terms of the series: for at most pi / 4 the next one is below 1e-16. */
enum { TRIG_TERMS = 9 };

void trig_sin_cos(double angle_rad, double *sine, double *cosine)
{
    double angle = isfinite(angle_rad) ? angle_rad : 0;
    double turns = floor(angle / (TRIG_TURN_HIGH_RAD + TRIG_TURN_LOW_RAD) + 0.5);
    double quarter = (angle - turns * TRIG_TURN_HIGH_RAD - turns * TRIG_TURN_LOW_RAD) / 4;

    /* 1 - cosine instead of the cosine, which would lose digits where the angle is small. */
    double s = 0;
    double short_of_1 = 0;
    double square = quarter * quarter;
    for (int i = TRIG_TERMS; i > 0; i--) {
        s = (1 - s) * square / (2 * i * (2 * i + 1));
        short_of_1 = (1 - short_of_1) * square / (2 * i * (2 * i - 1));
    }
    s = (1 - s) * quarter;
    for (int i = 0; i < 2; i++) {
        double twice = 2 * s * (1 - short_of_1);
        short_of_1 = 2 * s * s;
        s = twice;
    }
    *sine = s;
    *cosine = 1 - short_of_1;
}
