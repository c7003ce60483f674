/* Sine and cosine: the series for a quarter of the angle, then doubled twice. Arc tangent: halved
 * three times, then the series. */
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

/* For 0..1. The tangent of half an angle is t / (1 + sqrt(1 + t^2)); at most tan(pi / 32) is left.
 */
static double arc_tangent(double t)
{
    enum { HALVINGS = 3, TERMS = 9 };
    for (int i = 0; i < HALVINGS; i++)
        t = t / (1 + sqrt(1 + t * t));
    double sum = 0;
    double square = t * t;
    for (int i = TERMS; i > 0; i--)
        sum = 1.0 / (2 * i - 1) - square * sum;
    return t * sum * (1 << HALVINGS);
}

double trig_atan2(double y, double x)
{
    static const double half_turn_rad = 3.14159265358979323846;
    double width = fabs(x);
    double height = fabs(y);
    double larger = fmax(width, height);
    if (!isfinite(width + height) || larger == 0)
        return 0;
    double angle = arc_tangent(fmin(width, height) / larger);
    angle = height > width ? half_turn_rad / 2 - angle : angle;
    angle = x < 0 ? half_turn_rad - angle : angle;
    return y < 0 ? -angle : angle;
}
