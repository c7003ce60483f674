/* What a camera sees looks right: golden pictures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/picture.h"
#include "tests/unit/camera_rig.h"

static void check_picture(const char *name, const char *world, struct pose pose, const char *more)
{
    struct eye eye = eye_open(world, pose, more);
    eye_capture(&eye);
    picture_check(name, eye.image.rgb, EYE_WIDTH, EYE_HEIGHT);
    eye_close(&eye);
}

static void pictures_look_right(void **state)
{
    (void)state;
    check_picture("camera_boxes",
                  "  size: {x: 3, y: 2}\n"
                  "  boxes:\n"
                  "    - {pose: {x: 1.5, y: 1.25, heading: 30}, size: {x: 0.1, y: 0.1}, color: "
                  "red, height: 0.1}\n"
                  "    - {pose: {x: 1.9, y: 0.85}, size: {x: 0.2, y: 0.2}, color: \"#2040c0\", "
                  "height: 0.25}\n"
                  "    - {pose: {x: 1.05, y: 0.9, heading: 20}, size: {x: 0.1, y: 0.06}, color: "
                  "yellow, height: 0.015}\n"
                  "  discs: [{pose: {x: 1.6, y: 1.0}, radius: 0.06, color: green, height: 0.12}]\n",
                  (struct pose){0.6, 1, 0}, "");
    check_picture("camera_course", eye_course, (struct pose){0.6, 1.3, 0}, "");
    check_picture("camera_cliff",
                  "  size: {x: 3, y: 2}\n"
                  "  room: {color: \"#c8b090\", height: 0.25}\n"
                  "  cliffs: [{points: [{x: 0.9, y: 0.7}, {x: 1.2, y: 0.7}, {x: 1.2, y: 1.2}, {x: "
                  "0.9, y: 1.3}], depth: 0.02}]\n"
                  "  docks: [{name: dock, pose: {x: 2.9, y: 1, heading: 180}}]\n",
                  (struct pose){0.6, 1, 0}, "");
    check_picture("camera_robots", "  size: {x: 3, y: 2}\n", (struct pose){0.5, 1, 0},
                  "  - {name: near, type: kobuki, pose: {x: 1.3, y: 1.1, heading: 20}}\n"
                  "  - {name: far, type: cobot, pose: {x: 2, y: 0.7, heading: 120}}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_look_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
