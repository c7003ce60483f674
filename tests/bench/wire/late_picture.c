#include "tests/bench/wire/late_picture.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "tests/bench/plot.h"

struct plot *late_picture_begin(const char *path)
{
    static const char *const times[] = {"1 µs",  "10 µs",  "100 µs", "1 ms",
                                        "10 ms", "100 ms", "1 s"};
    static const char *const shares[] = {"all", "1 in 10", "1 in 100", "1 in 1000", "1 in 10⁴"};
    static const struct plot_form form = {
        .titles = {"idle machine", "busy machine"},
        .x = {1, 1e6, times, COUNT(times)}, /* us */
        .y = {1, 1e-4, shares, COUNT(shares)},
        .key_y_px = {204, 204}, /* below the curves */
    };
    return plot_begin(path, &form);
}

bool late_picture_add(struct plot *plot, const char *round, bool is_bare, const double *late_us,
                      size_t count)
{
    bool is_realtime = strstr(round, "realtime") != NULL;
    double *shares = calloc(count, sizeof *shares);
    if (!shares)
        return false;
    for (size_t i = 0; i < count; i++)
        shares[i] = (double)(count - i) / (double)count;
    static const char *const names[2][2] = {{"ptybot", "ptybot, real-time"},
                                            {"a bare timerfd", "a bare timerfd, real-time"}};
    plot_add(plot, strncmp(round, "busy", 4) == 0,
             &(struct plot_curve){.name = names[is_bare][is_realtime],
                                  .color = is_realtime ? "#2a8c3a" : "#c2410c",
                                  .is_dashed = is_bare,
                                  .x = late_us,
                                  .y = shares,
                                  .count = count});
    free(shares);
    return true;
}
