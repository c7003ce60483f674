/* Sine and cosine by folding into a quarter turn and a power series. Of libm only floor and
 * isfinite are used, which are exact. */
#include "protocols/trig.h"

#include <math.h>

static const double TURN_RAD = 6.283185307179586477;

/* The last term is below 1e-18 at a quarter turn. */
enum { TRIG_TERMS = 12 };

/* Of -0.25 to 0.25 turns. */
static double quarter_sine(double turns)
{
    double x = turns * TURN_RAD;
    double term = x;
    double sum = x;
    for (int k = 1; k <= TRIG_TERMS; k++) {
        term *= -(x * x) / (2.0 * k * (2.0 * k + 1.0));
        sum += term;
    }
    return sum;
}

static double turn_sine(double turns)
{
    turns -= floor(turns + 0.5);
    if (turns > 0.25) {
        turns = 0.5 - turns;
    } else if (turns < -0.25) {
        turns = -0.5 - turns;
    }
    return quarter_sine(turns);
}

double trig_sine(double angle_rad)
{
    return isfinite(angle_rad) ? turn_sine(angle_rad / TURN_RAD) : 0.0;
}

double trig_cosine(double angle_rad)
{
    double turns = isfinite(angle_rad) ? angle_rad / TURN_RAD : 0.0;
    return turn_sine(turns - floor(turns) + 0.25);
}
