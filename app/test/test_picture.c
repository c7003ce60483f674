/* The picture of a failure. */
#include "app/test/test_picture.h"

#include "app/cli/terminal.h"

static void take(struct test_picture *picture, const struct sim *sim)
{
    struct error error = {0};
    picture->is_tried = true;
    picture->feed = picture_open(&(struct picture_options){.out = picture->path}, &error);
    if (!picture->feed)
        terminal_say("no picture of the failure: %s", error.text);
    else
        picture_take(picture->feed, sim, true);
}

void test_picture_look(struct test_picture *picture, const struct sim *sim)
{
    if (!picture->is_tried && sim_has_failed(sim))
        take(picture, sim);
}

void test_picture_finish(struct test_picture *picture, const struct sim *sim, bool has_failed)
{
    if (has_failed && !picture->is_tried)
        take(picture, sim);
    picture_close(picture->feed);
    picture->feed = NULL;
}
