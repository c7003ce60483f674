/* Converts between meters of the room and pixels of a picture. */
#include "viewer/draw/viewport.h"

#include <math.h>

#include "base/number.h"

/* chosen: space for a line of text above, and for grid numbers and the scale bar below */
static const double MARGIN_TOP_PX = 52, MARGIN_SIDE_PX = 44, MARGIN_BOTTOM_PX = 78;
/* chosen: on a phone the legend has up to two additional lines */
static const double NARROW_PX = 560, LINES_PX = 40;
/* chosen: from a hall to a single wheel */
static const double PX_PER_M_MIN = 2, PX_PER_M_MAX = 20000;

static double bottom_px(const struct viewport *viewport)
{
    bool is_phone = viewport->width_px < NARROW_PX && viewport->height_px > viewport->width_px;
    return MARGIN_BOTTOM_PX + (is_phone ? LINES_PX : 0);
}

void viewport_show(struct viewport *viewport, double left_m, double low_m, double right_m,
                   double high_m)
{
    double x_m = right_m - left_m, y_m = high_m - low_m;
    double across = (viewport->width_px - 2 * MARGIN_SIDE_PX) / x_m;
    double down = (viewport->height_px - MARGIN_TOP_PX - bottom_px(viewport)) / y_m;
    viewport->px_per_m = number_between(fmin(across, down), PX_PER_M_MIN, PX_PER_M_MAX);
    viewport->center_x_m = left_m + x_m / 2;
    viewport->center_y_m =
        low_m + y_m / 2 + (MARGIN_TOP_PX - bottom_px(viewport)) / 2 / viewport->px_per_m;
}

bool viewport_holds(const struct viewport *viewport, double left_m, double low_m, double right_m,
                    double high_m)
{
    struct viewport_point low = viewport_px(viewport, left_m, low_m);
    struct viewport_point high = viewport_px(viewport, right_m, high_m);
    // The margins are rounded.
    return low.x > MARGIN_SIDE_PX - 1 && high.y > MARGIN_TOP_PX - 1 &&
           high.x < viewport->width_px - MARGIN_SIDE_PX + 1 &&
           low.y < viewport->height_px - bottom_px(viewport) + 1;
}

void viewport_fit(struct viewport *viewport, const struct snapshot *snapshot)
{
    viewport_show(viewport, (double)snapshot->low.x_m, (double)snapshot->low.y_m,
                  (double)snapshot->high.x_m, (double)snapshot->high.y_m);
}

/* The center of VISIBLE_M as near to AT_M as possible, so that they stay between LOW_M and
 * HIGH_M. */
static double within(double at_m, double visible_m, double low_m, double high_m)
{
    double least = low_m + visible_m / 2, most = high_m - visible_m / 2;
    return least > most ? (low_m + high_m) / 2 : number_between(at_m, least, most);
}

void viewport_center(struct viewport *viewport, const struct snapshot *snapshot, double x_m,
                     double y_m)
{
    double px_per_m = viewport->px_per_m, side_m = MARGIN_SIDE_PX / px_per_m;
    viewport->center_x_m =
        within(x_m, viewport->width_px / px_per_m, (double)snapshot->low.x_m - side_m,
               (double)snapshot->high.x_m + side_m);
    viewport->center_y_m = within(y_m, viewport->height_px / px_per_m,
                                  (double)snapshot->low.y_m - bottom_px(viewport) / px_per_m,
                                  (double)snapshot->high.y_m + MARGIN_TOP_PX / px_per_m);
}

void viewport_zoom(struct viewport *viewport, double x_px, double y_px, double factor)
{
    double x_m, y_m;
    viewport_m(viewport, x_px, y_px, &x_m, &y_m);
    double zoomed = number_between(viewport->px_per_m * factor, PX_PER_M_MIN, PX_PER_M_MAX);
    viewport->px_per_m = zoomed;
    viewport->center_x_m = x_m - (x_px - viewport->width_px / 2) / zoomed;
    viewport->center_y_m = y_m + (y_px - viewport->height_px / 2) / zoomed;
}

struct viewport_point viewport_px(const struct viewport *viewport, double x_m, double y_m)
{
    return (struct viewport_point){
        viewport->width_px / 2 + (x_m - viewport->center_x_m) * viewport->px_per_m,
        viewport->height_px / 2 - (y_m - viewport->center_y_m) * viewport->px_per_m,
    };
}

void viewport_m(const struct viewport *viewport, double x_px, double y_px, double *x_m, double *y_m)
{
    *x_m = viewport->center_x_m + (x_px - viewport->width_px / 2) / viewport->px_per_m;
    *y_m = viewport->center_y_m - (y_px - viewport->height_px / 2) / viewport->px_per_m;
}

struct viewport_point viewport_local_px(const struct viewport *viewport, struct snapshot_pose pose,
                                        double x_m, double y_m)
{
    double cosine = cos(pose.heading_rad), sine = sin(pose.heading_rad);
    return viewport_px(viewport, pose.x_m + cosine * x_m - sine * y_m,
                       pose.y_m + sine * x_m + cosine * y_m);
}

bool viewport_is_same(const struct viewport *a, const struct viewport *b)
{
    return a->width_px == b->width_px && a->height_px == b->height_px &&
           a->px_per_m == b->px_per_m && a->center_x_m == b->center_x_m &&
           a->center_y_m == b->center_y_m && a->theme == b->theme && a->shows == b->shows;
}
