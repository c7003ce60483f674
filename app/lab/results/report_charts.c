#include "app/lab/results/report_charts.h"

#include <math.h>
#include <stdbool.h>

#include "app/files/page.h"
#include "app/test/judgement.h"
#include "base/number.h"

const char *const chart_colors[CHART_COLORS] = {[JUDGEMENT_PASSED] = "#2a9d5c",
                                                [JUDGEMENT_FAILED] = "#c22e12",
                                                [JUDGEMENT_ERROR] = "#7d4cc2",
                                                [JUDGEMENT_SKIPPED] = "#d5d5d5",
                                                [CHART_NONE] = "#ffffff"};

/* ---- Shares ---- */

void chart_shares(FILE *page, const struct chart_share *rows, size_t count)
{
    enum { WIDTH = 760, ROW = 20, FROM = 230, BAR = 400 }; // pixels
    if (count == 0)
        return;
    fprintf(page, "<svg viewBox=\"0 0 %d %zu\" width=\"%d\" font-size=\"13\">\n", WIDTH,
            ROW * count + 4, WIDTH);
    for (size_t i = 0; i < count; i++) {
        const struct share share = rows[i].share;
        double part = share.n > 0 ? (double)share.k / (double)share.n : 0;
        struct interval interval = statistics_wilson(share, STATISTICS_Z_95);
        size_t y = ROW * i + 2;
        fprintf(page, "<text x=\"%d\" y=\"%zu\" text-anchor=\"end\">", FROM - 8, y + 14);
        page_text(page, rows[i].label);
        fprintf(page,
                "</text><rect x=\"%d\" y=\"%zu\" width=\"%d\" height=\"%d\" fill=\"#eee\"/>"
                "<rect x=\"%d\" y=\"%zu\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>",
                FROM, y, BAR, ROW - 4, FROM, y, BAR * part, ROW - 4,
                chart_colors[JUDGEMENT_PASSED]);
        if (share.n > 0)
            fprintf(page, "<path d=\"M%.1f %zuH%.1f\" stroke=\"#000\" stroke-width=\"2\"/>",
                    FROM + BAR * interval.low, y + 8, FROM + BAR * interval.high);
        fprintf(page, "<text x=\"%d\" y=\"%zu\">%.1f %% of %zu</text>\n", FROM + BAR + 8, y + 14,
                100 * part, share.n);
    }
    fputs("</svg>\n", page);
}

/* ---- Distributions ---- */

enum { BINS = 30, PLOT_WIDTH = 720, PLOT_HEIGHT = 150 };

struct bins {
    double low, high; /* of all */
    double passed[BINS], failed[BINS], before[BINS];
    double most;
};

static void widen(struct bins *bins, struct chart_sample sample)
{
    if (sample.count == 0)
        return;
    bins->low = number_smaller(bins->low, sample.values[0]);
    bins->high = number_larger(bins->high, sample.values[sample.count - 1]);
}

static void fill(const struct bins *bins, struct chart_sample sample, size_t all,
                 double parts[BINS])
{
    for (size_t i = 0; i < sample.count; i++) {
        double at = (sample.values[i] - bins->low) / (bins->high - bins->low) * BINS;
        size_t bin = (size_t)number_between(at, 0, BINS - 1);
        parts[bin] += 1 / (double)all;
    }
}

static void put_bar(FILE *page, size_t bin, double from, double part, double most,
                    const char *color)
{
    double scale = PLOT_HEIGHT / most, width = (double)PLOT_WIDTH / BINS;
    if (part > 0)
        fprintf(page, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>",
                width * (double)bin + 0.5, PLOT_HEIGHT - scale * (from + part), width - 1,
                scale * part, color);
}

static void put_outline(FILE *page, const struct bins *bins)
{
    double width = (double)PLOT_WIDTH / BINS;
    fprintf(page, "<path fill=\"none\" stroke=\"#000\" stroke-width=\"1.5\" d=\"M0 %d",
            PLOT_HEIGHT);
    for (size_t i = 0; i < BINS; i++)
        fprintf(page, "V%.1fH%.1f", PLOT_HEIGHT * (1 - bins->before[i] / bins->most),
                width * (double)(i + 1));
    fprintf(page, "V%d\"/>\n", PLOT_HEIGHT);
}

void chart_histogram(FILE *page, struct chart_sample passed, struct chart_sample failed,
                     struct chart_sample before)
{
    struct bins bins = {.low = INFINITY, .high = -INFINITY};
    size_t all = passed.count + failed.count;
    widen(&bins, passed);
    widen(&bins, failed);
    widen(&bins, before);
    if (all == 0 || bins.high <= bins.low)
        return;
    fill(&bins, passed, all, bins.passed);
    fill(&bins, failed, all, bins.failed);
    fill(&bins, before, before.count, bins.before);
    for (size_t i = 0; i < BINS; i++)
        bins.most = number_larger(bins.most,
                                  number_larger(bins.passed[i] + bins.failed[i], bins.before[i]));
    fprintf(page, "<svg viewBox=\"0 -4 %d %d\" width=\"%d\" font-size=\"13\">\n", PLOT_WIDTH,
            PLOT_HEIGHT + 26, PLOT_WIDTH);
    for (size_t i = 0; i < BINS; i++) {
        put_bar(page, i, 0, bins.failed[i], bins.most, chart_colors[JUDGEMENT_FAILED]);
        put_bar(page, i, bins.failed[i], bins.passed[i], bins.most, chart_colors[JUDGEMENT_PASSED]);
    }
    if (before.count > 0)
        put_outline(page, &bins);
    fprintf(page,
            "<path d=\"M0 %dH%d\" stroke=\"#000\"/><text x=\"0\" y=\"%d\">%.5g</text>"
            "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.5g</text>"
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">highest: %.3g %%</text></svg>\n",
            PLOT_HEIGHT, PLOT_WIDTH, PLOT_HEIGHT + 16, bins.low, PLOT_WIDTH, PLOT_HEIGHT + 16,
            bins.high, PLOT_WIDTH / 2, PLOT_HEIGHT + 16, 100 * bins.most);
}

/* ---- Verdicts ---- */

enum { CELLS_MAX = 2000, COLUMNS = 50, CELL = 6 }; /* chosen: cells that one sees */

/* Of those of one cell: what is worth a look comes first. */
static unsigned char worst(const unsigned char *verdicts, size_t count)
{
    static const unsigned char order[CHART_COLORS] = {
        JUDGEMENT_ERROR, JUDGEMENT_FAILED, JUDGEMENT_PASSED, JUDGEMENT_SKIPPED, CHART_NONE};
    for (size_t k = 0; k < CHART_COLORS; k++)
        for (size_t i = 0; i < count; i++)
            if (verdicts[i] == order[k])
                return order[k];
    return CHART_NONE;
}

void chart_verdicts(FILE *page, const unsigned char *verdicts, size_t count)
{
    size_t each = (count + CELLS_MAX - 1) / CELLS_MAX;
    size_t cells = each > 0 ? (count + each - 1) / each : 0;
    size_t columns = cells < COLUMNS ? cells : COLUMNS;
    size_t rows = columns > 0 ? (cells + columns - 1) / columns : 0;
    if (count == 0)
        return;
    fprintf(page, "<svg viewBox=\"0 0 %zu %zu\" width=\"%zu\" height=\"%zu\">", CELL * columns,
            CELL * rows, CELL * columns, CELL * rows);
    for (size_t color = 0; color < CHART_COLORS; color++) {
        fprintf(page, "<path fill=\"%s\" d=\"", chart_colors[color]);
        for (size_t i = 0; i < cells; i++) {
            size_t from = i * each, left = count - from;
            if (worst(verdicts + from, left < each ? left : each) == color)
                fprintf(page, "M%zu %zuh%dv%dh-%dz", CELL * (i % columns), CELL * (i / columns),
                        CELL - 1, CELL - 1, CELL - 1);
        }
        fputs("\"/>", page);
    }
    fputs("</svg>", page);
    if (each > 1)
        fprintf(page, "<p>A cell is %zu cases and has the color of the worst.</p>", each);
    fputc('\n', page);
}
