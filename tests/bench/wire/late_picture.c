#include "tests/bench/wire/late_picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 400, HEIGHT = 260, LEFT = 60, TOP = 40, BETWEEN = 50 };

/* The axes: from 1 us to 1 s, from all packets down to one in 10,000. */
static const double decades_x = 6, decades_y = 4;

struct late_picture {
    FILE *file;
    int curves[2]; /* of each panel */
};

static double panel_x(int panel)
{
    return LEFT + panel * (WIDTH + BETWEEN);
}

static double x_of(int panel, double late_us)
{
    return panel_x(panel) + WIDTH * log10(fmin(fmax(late_us, 1), 1e6)) / decades_x;
}

static double y_of(double share)
{
    return TOP - HEIGHT * log10(share) / decades_y;
}

static void draw_axes(FILE *file, int panel)
{
    static const char *const times[] = {"1 µs",  "10 µs",  "100 µs", "1 ms",
                                        "10 ms", "100 ms", "1 s"};
    static const char *const shares[] = {"all", "1 in 10", "1 in 100", "1 in 1000", "1 in 10⁴"};
    fprintf(file, "<text x=\"%g\" y=\"%d\" font-weight=\"bold\">%s machine</text>\n",
            panel_x(panel), TOP - 18, panel == 0 ? "idle" : "busy");
    for (int i = 0; i <= (int)decades_x; i++) {
        double x = panel_x(panel) + WIDTH * i / decades_x;
        fprintf(file,
                "<path d=\"M%g %d v%d\" stroke=\"#ddd\"/><text x=\"%g\" y=\"%d\" "
                "text-anchor=\"middle\">%s</text>\n",
                x, TOP, HEIGHT, x, TOP + HEIGHT + 16, times[i]);
    }
    for (int i = 0; i <= (int)decades_y; i++) {
        double y = TOP + HEIGHT * i / decades_y;
        fprintf(file, "<path d=\"M%g %g h%d\" stroke=\"#ddd\"/>\n", panel_x(panel), y, WIDTH);
        if (panel == 0)
            fprintf(file, "<text x=\"%d\" y=\"%g\" text-anchor=\"end\">%s</text>\n", LEFT - 4,
                    y + 4, shares[i]);
    }
}

struct late_picture *late_picture_begin(const char *path)
{
    struct late_picture *picture = calloc(1, sizeof *picture);
    if (picture)
        picture->file = fopen(path, "w");
    if (!picture || !picture->file) {
        free(picture);
        return NULL;
    }
    fprintf(picture->file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "font-family=\"DejaVu Sans, sans-serif\" font-size=\"11\" fill=\"#333\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            LEFT + 2 * WIDTH + BETWEEN + 20, TOP + HEIGHT + 30);
    draw_axes(picture->file, 0);
    draw_axes(picture->file, 1);
    return picture;
}

void late_picture_add(struct late_picture *picture, const char *round, bool is_bare,
                      const double *late_us, size_t count)
{
    FILE *file = picture->file;
    int panel = strncmp(round, "busy", 4) == 0;
    bool is_realtime = strstr(round, "realtime") != NULL;
    const char *color = is_realtime ? "#2a8c3a" : "#c2410c";
    double last_x = -1;
    for (size_t i = 0; i < count; i++) {
        double x = x_of(panel, late_us[i]);
        if (x - last_x < 0.5 && i + 1 < count)
            continue; // less than is to be seen
        fprintf(file, last_x < 0 ? "<path d=\"M%.1f %.1f" : " L%.1f %.1f", x,
                y_of((double)(count - i) / (double)count));
        last_x = x;
    }
    fprintf(file, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"%s/>\n", color,
            is_bare ? " stroke-dasharray=\"4 3\"" : "");
    int row = picture->curves[panel]++;
    double x = panel_x(panel) + 10, y = TOP + HEIGHT - 56 + 15 * row;
    fprintf(file,
            "<path d=\"M%g %g h22\" stroke=\"%s\" stroke-width=\"1.5\"%s/>"
            "<text x=\"%g\" y=\"%g\">%s%s</text>\n",
            x, y - 4, color, is_bare ? " stroke-dasharray=\"4 3\"" : "", x + 28, y,
            is_bare ? "a bare timerfd" : "ptybot", is_realtime ? ", real-time" : "");
}

bool late_picture_end(struct late_picture *picture)
{
    bool is_whole = fputs("</svg>\n", picture->file) >= 0 && !ferror(picture->file);
    is_whole &= fclose(picture->file) == 0;
    free(picture);
    return is_whole;
}
