/* The picture of a failure: of the moment in which the first expectation failed, else of the end.
 */
#ifndef PTYBOT_APP_TEST_TEST_PICTURE_H
#define PTYBOT_APP_TEST_TEST_PICTURE_H

#include <limits.h>
#include <stdbool.h>

#include "app/run/picture.h"

struct test_picture {
    char path[PATH_MAX];
    struct picture_feed *feed; /* the painter at work; or NULL */
    bool is_tried;
};

/* Takes the picture if something has just failed; call it before each step. Painting is another
 * process's, so it costs the world no more than a copy. */
void test_picture_look(struct test_picture *picture, const struct sim *sim);

/* Of a test that HAS_FAILED, takes it now at the latest; waits for the painter. */
void test_picture_finish(struct test_picture *picture, const struct sim *sim, bool has_failed);

#endif
