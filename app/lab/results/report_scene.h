/* What a report says of one scene. */
#ifndef PTYBOT_APP_LAB_RESULTS_REPORT_SCENE_H
#define PTYBOT_APP_LAB_RESULTS_REPORT_SCENE_H

#include <stdbool.h>
#include <stdio.h>

#include "app/lab/results/survey.h"

/* Its verdicts, how many cases passed by each thing that varies, and its measures, with those of an
 * earlier run BEFORE (NULL: there is none). PATH is that of the page. False: memory is short. */
bool report_scene(FILE *page, const char *path, const struct survey *survey,
                  const struct survey_scene *scene, const struct survey *before);

/* Cases that differ in nothing but their seed, and in what came of them. False: memory is short. */
bool report_flaky(FILE *page, const struct survey *survey);

#endif
