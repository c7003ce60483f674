/* The commands that a view sends, and how it waits for their answers. */
#include <math.h>
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
                        "ignored, because the run accepts no commands: kobuki.lift up=true");
    for (int i = 0; i < OUTBOX_MAX; i++)
        assert_string_equal(outbox_take(&view->outbox), "world.pause paused=true");
    assert_null(outbox_take(&view->outbox));
    draw_rig_close(&rig.draw);
}

static double far_px(const struct view *view)
{
    const struct snapshot_robot *robot = view_robot(view);
    struct viewport_point at = viewport_px(&view->viewport, robot->pose.x_m, robot->pose.y_m);
    return hypot(at.x - view->viewport.width_px / 2, at.y - view->viewport.height_px / 2);
}

static void show_next(struct outbox_rig *rig, int ms)
{
    draw_rig_run(&rig->draw, 20);
    rig->view.now_ms += (uint32_t)ms;
    view_set_snapshot(&rig->view, rig->draw.snapshot);
}

/* The picture frames robots and dock, and goes with them without a jump; keys choose the room. */
static void the_picture_frames_the_action_and_glides_after_it(void **state)
{
    (void)state;
    static struct outbox_rig rig;
    struct view *view = &rig.view;
    draw_rig_open(&rig.draw, "kobuki_dock", 100);
    view_init(view);
    view_resize(view, 1280, 800);
    view_set_snapshot(view, rig.draw.snapshot);
    double near_px_per_m = view->viewport.px_per_m;
    const struct snapshot_dock *dock =
        (const struct snapshot_dock *)snapshot_at(rig.draw.snapshot, rig.draw.snapshot->docks);
    struct viewport_point at = viewport_px(&view->viewport, dock->pose.x_m, dock->pose.y_m);
    assert_true(at.x < view->viewport.width_px - 44 && at.x > view->viewport.width_px / 2);
    action_run(view, ACTION_FIT, 0);
    double room_px_per_m = view->viewport.px_per_m;
    assert_true(near_px_per_m > 2 * room_px_per_m);

    // Back in small steps, to the same picture.
    action_run(view, ACTION_FRAME_ALL, 0);
    assert_float_equal(view->viewport.px_per_m, room_px_per_m, 1e-9);
    for (int i = 0; view_glide(view); i++) {
        double before = view->viewport.px_per_m;
        view->now_ms += 20;
        assert_true(i < 200 && view->viewport.px_per_m >= before);
        assert_true(view->viewport.px_per_m < 1.2 * before);
    }
    assert_float_equal(view->viewport.px_per_m, near_px_per_m, 1e-9);

    // The picture stays after a small step of the robot, and follows a step out of it.
    double x_m = view->viewport.center_x_m;
    draw_rig_do(&rig.draw, "kobuki.place x=4.8 y=1.6 heading=90");
    show_next(&rig, 20);
    assert_true(view->viewport.center_x_m == x_m && view->viewport.px_per_m == near_px_per_m);
    draw_rig_do(&rig.draw, "kobuki.place x=1 y=1.6 heading=90");
    show_next(&rig, 20);
    assert_true(view->aim.is_gliding && fabs(view->viewport.center_x_m - x_m) < 0.3);
    for (int i = 0; i < 200; i++)
        show_next(&rig, 20);
    assert_false(view->aim.is_gliding);
    assert_true(far_px(view) < view->viewport.width_px / 2 - 44);

    // After a move by the user it stays.
    action_run(view, ACTION_LEFT, 0);
    assert_int_equal(view->frame, FRAME_FREE);
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
        cmocka_unit_test(the_picture_frames_the_action_and_glides_after_it),
        cmocka_unit_test(a_dragged_robot_waits_for_the_last_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
