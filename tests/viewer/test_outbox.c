/* What a view wants to have run, and how it waits for the answers. */
#include <stdio.h>
#include <string.h>

#include "tests/support/check.h"
#include "tests/viewer/draw_rig.h"
#include "viewer/model/actions.h"
#include "viewer/model/pointer.h"

struct outbox_rig {
    struct draw_rig draw;
    struct view view;
};

static struct view *open_rig(struct outbox_rig *rig)
{
    draw_rig_open(&rig->draw, "kobuki_room", 100);
    view_init(&rig->view);
    view_resize(&rig->view, 1280, 800);
    view_set_snapshot(&rig->view, rig->draw.snapshot);
    return &rig->view;
}

static void commands_come_out_once_in_their_order(void **state)
{
    (void)state;
    static struct outbox_rig rig;
    struct view *view = open_rig(&rig);
    assert_null(outbox_take(&view->outbox));
    // Several rounds, so that the ring wraps.
    for (int i = 0; i < OUTBOX_MAX; i++) {
        action_run(view, ACTION_LIFT, 0);
        action_run(view, ACTION_STEP, 0);
        assert_string_equal(outbox_take(&view->outbox), "kobuki.lift up=true");
        assert_string_equal(outbox_take(&view->outbox), "world.pause");
        assert_string_equal(outbox_take(&view->outbox), "world.step ms=20");
        assert_null(outbox_take(&view->outbox));
    }
    draw_rig_close(&rig.draw);
}

static void a_command_too_many_is_dropped_and_named(void **state)
{
    (void)state;
    static struct outbox_rig rig;
    struct view *view = open_rig(&rig);
    for (int i = 0; i < OUTBOX_MAX; i++)
        action_run(view, ACTION_PLAY, 0);
    assert_string_equal(view->notice, "");
    action_run(view, ACTION_LIFT, 0);
    assert_string_equal(view->notice,
                        "dropped, since the run takes no commands: kobuki.lift up=true");
    for (int i = 0; i < OUTBOX_MAX; i++)
        assert_string_equal(outbox_take(&view->outbox), "world.pause paused=true");
    assert_null(outbox_take(&view->outbox));
    draw_rig_close(&rig.draw);
}

/* A robot is carried as fast as the run answers, not as fast as the mouse moves. */
static void a_dragged_robot_waits_for_the_last_answer(void **state)
{
    (void)state;
    static struct outbox_rig rig;
    struct view *view = open_rig(&rig);
    struct viewport_point at =
        viewport_px(&view->viewport, view_robot(view)->pose.x_m, view_robot(view)->pose.y_m);
    at.y += VIEW_TOOLBAR_PX;
    pointer_press(view, at.x, at.y, true);
    pointer_move(view, at.x + 50, at.y);
    pointer_send_target(view);
    pointer_move(view, at.x, at.y - 50);
    pointer_send_target(view); // the first has not been sent yet
    assert_non_null(strstr(outbox_take(&view->outbox), "heading=0"));
    assert_null(outbox_take(&view->outbox));
    view->outbox.unanswered = 1;
    pointer_send_target(view);
    assert_null(outbox_take(&view->outbox));
    view->outbox.unanswered = 0;
    pointer_send_target(view);
    assert_non_null(strstr(outbox_take(&view->outbox), "heading=90"));
    draw_rig_close(&rig.draw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_come_out_once_in_their_order),
        cmocka_unit_test(a_command_too_many_is_dropped_and_named),
        cmocka_unit_test(a_dragged_robot_waits_for_the_last_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
