/* Docking of a Create 2 from 200 poses in the light of its Home Base, by its own seek dock and by a
 * host: figures, tab separated, and where a file is named, a map of them as SVG. */
#include <stdio.h>
#include <stdlib.h>

#include "base/angle.h"
#include "tests/support/home_trial.h"

enum { POSES = 200, SEED = 1, PANEL_PX = 560, SCALE_PX = 200 /* a meter */ };

static const char *const names[] = {[HOME_BY_FIRMWARE] = "firmware", [HOME_BY_HOST] = "host"};

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(enum home_trial_who who, const struct home_outcome *outcomes)
{
    double times_s[POSES];
    unsigned docked = 0;
    for (int i = 0; i < POSES; i++)
        if (outcomes[i].is_charging)
            times_s[docked++] = outcomes[i].took_s;
    qsort(times_s, docked, sizeof times_s[0], by_size);
    printf("home.%s.docked\t%u\tposes\t%.3f\tof %d inside the light\n", names[who], docked,
           (double)docked / POSES, POSES);
    printf("home.%s.median\t%.1f\ts\n", names[who], docked ? times_s[docked / 2] : 0);
    printf("home.%s.slowest\t%.1f\ts\n", names[who], docked ? times_s[docked - 1] : 0);
}

/* A pose as a dot with a tick where it looks: green is fast, red is slow, black did not dock. */
static void draw(FILE *out, int panel, struct pose pose, const struct home_outcome *outcome)
{
    double x_px = 30 + (pose.x_m - home_trial_dock.x_m) * SCALE_PX;
    double y_px =
        60 + panel * PANEL_PX + PANEL_PX / 2.0 - (pose.y_m - home_trial_dock.y_m) * SCALE_PX * 0.75;
    double share = outcome->took_s / 60 < 1 ? outcome->took_s / 60 : 1;
    double sine, cosine;
    angle_sin_cos(pose.heading_rad, &sine, &cosine);
    char color[32] = "#111";
    if (outcome->is_charging)
        snprintf(color, sizeof color, "hsl(%.0f 80%% 45%%)", 130 * (1 - share));
    fprintf(out,
            "<g stroke=\"%s\" fill=\"%s\"><line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
            "stroke-width=\"2\"/><circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/></g>\n",
            color, color, x_px, y_px, x_px + 12 * cosine, y_px - 12 * sine, x_px, y_px);
}

static void begin(FILE *out)
{
    fprintf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 580 %d\" font-family=\""
        "sans-serif\" font-size=\"15\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
        "<text x=\"20\" y=\"28\">Docking from %d poses: green at once, red after 60 s, black not"
        " at all</text>\n",
        60 + 2 * PANEL_PX, POSES);
    for (int panel = 0; panel < 2; panel++)
        fprintf(out,
                "<text x=\"20\" y=\"%d\">by %s</text><rect x=\"22\" y=\"%d\" width=\"16\" "
                "height=\"36\" fill=\"#2b3138\"/>\n",
                70 + panel * PANEL_PX, panel ? "a host" : "seek dock of the firmware",
                60 + panel * PANEL_PX + PANEL_PX / 2 - 18);
}

int main(int argc, char **argv)
{
    static struct pose poses[POSES];
    static struct home_outcome outcomes[POSES];
    FILE *out = argc > 1 ? fopen(argv[1], "w") : NULL;
    if (argc > 1 && !out) {
        perror(argv[1]);
        return EXIT_FAILURE;
    }
    if (out)
        begin(out);
    home_trial_poses(SEED, poses, POSES);
    unsigned failed = 0;
    for (int who = HOME_BY_FIRMWARE; who <= HOME_BY_HOST; who++) {
        for (int i = 0; i < POSES; i++) {
            outcomes[i] = home_trial_run((enum home_trial_who)who, poses[i]);
            failed += !outcomes[i].is_charging;
            if (out)
                draw(out, who, poses[i], &outcomes[i]);
        }
        report((enum home_trial_who)who, outcomes);
    }
    if (out) {
        fprintf(out, "</svg>\n");
        fclose(out);
    }
    return failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
