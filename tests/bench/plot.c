#include "tests/bench/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 400, HEIGHT = 260, LEFT = 60, TOP = 40, BETWEEN = 50, KEY_X = 10 };

struct plot {
    FILE *file;
    const struct plot_form *form;
    int curves[2]; /* of each panel */
};

static double panel_x(int panel)
{
    return LEFT + panel * (WIDTH + BETWEEN);
}

/* Position of a value on an axis: 0 at its start .. 1 at its end. */
static double part_of(const struct plot_axis *axis, double value)
{
    return fmin(fmax(log(value / axis->from) / log(axis->to / axis->from), 0), 1);
}

static void draw_axes(const struct plot *plot, int panel)
{
    const struct plot_axis *x_axis = &plot->form->x, *y_axis = &plot->form->y;
    fprintf(plot->file, "<text x=\"%g\" y=\"%d\" font-weight=\"bold\">%s</text>\n", panel_x(panel),
            TOP - 18, plot->form->titles[panel]);
    for (int i = 0; i < x_axis->count; i++) {
        double x = panel_x(panel) + (double)WIDTH * i / (x_axis->count - 1);
        fprintf(plot->file,
                "<path d=\"M%g %d v%d\" stroke=\"#ddd\"/><text x=\"%g\" y=\"%d\" "
                "text-anchor=\"middle\">%s</text>\n",
                x, TOP, HEIGHT, x, TOP + HEIGHT + 16, x_axis->words[i]);
    }
    for (int i = 0; i < y_axis->count; i++) {
        double y = TOP + (double)HEIGHT * i / (y_axis->count - 1);
        fprintf(plot->file, "<path d=\"M%g %g h%d\" stroke=\"#ddd\"/>\n", panel_x(panel), y, WIDTH);
        if (panel == 0)
            fprintf(plot->file, "<text x=\"%d\" y=\"%g\" text-anchor=\"end\">%s</text>\n", LEFT - 4,
                    y + 4, y_axis->words[i]);
    }
}

struct plot *plot_begin(const char *path, const struct plot_form *form)
{
    struct plot *plot = calloc(1, sizeof *plot);
    if (plot)
        plot->file = fopen(path, "w");
    if (!plot || !plot->file) {
        free(plot);
        return NULL;
    }
    plot->form = form;
    fprintf(plot->file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "font-family=\"DejaVu Sans, sans-serif\" font-size=\"11\" fill=\"#333\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            LEFT + 2 * WIDTH + BETWEEN + 20, TOP + HEIGHT + 30);
    draw_axes(plot, 0);
    draw_axes(plot, 1);
    return plot;
}

void plot_add(struct plot *plot, int panel, const struct plot_curve *curve)
{
    const char *dashes = curve->is_dashed ? " stroke-dasharray=\"4 3\"" : "";
    double last_x = -1;
    for (size_t i = 0; i < curve->count; i++) {
        double x = panel_x(panel) + WIDTH * part_of(&plot->form->x, curve->x[i]);
        if (x - last_x < 0.5 && i + 1 < curve->count)
            continue; // less than is to be seen
        fprintf(plot->file, last_x < 0 ? "<path d=\"M%.1f %.1f" : " L%.1f %.1f", x,
                TOP + HEIGHT * part_of(&plot->form->y, curve->y[i]));
        last_x = x;
    }
    fprintf(plot->file, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"%s/>\n", curve->color,
            dashes);
    double x = panel_x(panel) + KEY_X;
    double y = TOP + plot->form->key_y_px[panel] + 15 * plot->curves[panel]++;
    fprintf(plot->file,
            "<path d=\"M%g %g h22\" stroke=\"%s\" stroke-width=\"1.5\"%s/>"
            "<text x=\"%g\" y=\"%g\">%s</text>\n",
            x, y - 4, curve->color, dashes, x + 28, y, curve->name);
}

bool plot_end(struct plot *plot)
{
    bool is_whole = fputs("</svg>\n", plot->file) >= 0 && !ferror(plot->file);
    is_whole &= fclose(plot->file) == 0;
    free(plot);
    return is_whole;
}
