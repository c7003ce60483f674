#include "app/lab/recording/compare_page.h"

#include <stdio.h>
#include <stdlib.h>

#include "app/files/page.h"

enum {
    PLOTS_MAX = 8,     /* chosen: what one looks at */
    POINTS_MAX = 2000, /* chosen: of a curve, more than the pixels of a screen */
    WIDTH = 900,
    HEIGHT = 220,
};

void compare_field_name(const struct comparison *comparison, const struct compare_field *field,
                        char *text, size_t size)
{
    const struct compare_packet *packet = &comparison->packets[field->packet];
    int used = snprintf(text, size, "%s.%s", packet->real->packet->name, field->field->name);
    if (field->field->count > 1 && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, "[%zu]", field->element);
}

struct plot {
    const struct compare_columns *columns;
    double from_s, to_s, low, high;
};

static void find_bounds(struct plot *plot)
{
    const struct compare_columns *columns = plot->columns;
    *plot = (struct plot){columns, columns->time_s[0], columns->time_s[columns->count - 1],
                          columns->real[0], columns->real[0]};
    for (size_t i = 0; i < columns->count; i++) {
        double values[] = {columns->real[i], columns->ours[i]};
        for (int k = 0; k < 2; k++) {
            plot->low = values[k] < plot->low ? values[k] : plot->low;
            plot->high = values[k] > plot->high ? values[k] : plot->high;
        }
    }
    if (plot->high <= plot->low)
        plot->high = plot->low + 1;
    if (plot->to_s <= plot->from_s)
        plot->to_s = plot->from_s + 1;
}

static void put_curve(FILE *page, const struct plot *plot, const double *values, const char *color)
{
    size_t stride = plot->columns->count / POINTS_MAX + 1;
    fprintf(page, "<polyline fill='none' stroke='%s' points='", color);
    for (size_t i = 0; i < plot->columns->count; i += stride)
        fprintf(page, "%.1f,%.1f ",
                WIDTH * (plot->columns->time_s[i] - plot->from_s) / (plot->to_s - plot->from_s),
                HEIGHT * (plot->high - values[i]) / (plot->high - plot->low));
    fputs("'/>\n", page);
}

static bool put_plot(FILE *page, const struct comparison *comparison,
                     const struct compare_field *field)
{
    char name[160];
    struct compare_columns columns;
    if (!compare_columns_take(&columns, comparison, field))
        return false;
    struct plot plot = {.columns = &columns};
    find_bounds(&plot);
    compare_field_name(comparison, field, name, sizeof name);
    fputs("<h2>", page);
    page_text(page, name);
    fprintf(page, "</h2><p>%s; worst %.4g %s at %.2f s; %zu of %zu beyond</p>\n",
            *field->why ? field->why : "within its tolerance", field->worst, field->field->unit,
            field->worst_at_s, field->beyond, field->pairs);
    fprintf(page, "<svg viewBox='-4 -4 %d %d' width='%d'>\n", WIDTH + 8, HEIGHT + 8, WIDTH);
    put_curve(page, &plot, columns.ours, "#1668b8");
    put_curve(page, &plot, columns.real, "#c8401a");
    fprintf(page, "</svg><p>%.4g to %.4g %s, %.2f to %.2f s</p>\n", plot.low, plot.high,
            field->field->unit, plot.from_s, plot.to_s);
    compare_columns_free(&columns);
    return true;
}

static int by_score(const void *a, const void *b)
{
    const struct compare_field *left = *(const struct compare_field *const *)a;
    const struct compare_field *right = *(const struct compare_field *const *)b;
    return (left->score < right->score) - (left->score > right->score);
}

static bool put_plots(FILE *page, const struct comparison *comparison)
{
    const struct compare_field **worst = calloc(comparison->field_count + 1, sizeof *worst);
    size_t count = 0;
    bool is_right = worst;
    for (size_t i = 0; is_right && i < comparison->field_count; i++)
        if (comparison->fields[i].pairs > 0)
            worst[count++] = &comparison->fields[i];
    if (is_right)
        qsort(worst, count, sizeof *worst, by_score);
    for (size_t i = 0; is_right && i < count && i < PLOTS_MAX; i++)
        is_right = put_plot(page, comparison, worst[i]);
    free(worst);
    return is_right;
}

bool compare_page_write(const char *path, const char *title, const struct comparison *comparison,
                        struct error *error)
{
    FILE *page = page_open(path, title, "svg{border:1px solid #999}", error);
    if (!page)
        return false;
    fputs("<p>Real: red. Virtual: blue. The fields that differ most come first.</p>\n", page);
    bool is_whole = put_plots(page, comparison) ||
                    error_environment(error, "--html %s: not enough memory", path);
    return page_close(page, path, error) && is_whole;
}
