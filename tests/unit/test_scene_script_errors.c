/* Wrong timelines and expectations, each with the whole message for its author. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "app/files/scene_file.h"
#include "sim/parse/scene_parse.h"
#include "tests/unit/wrong_scene.h"

#define ACTION(text)      ROOM ROBOT "timeline:\n- " text "\n"
#define EXPECTATION(text) ROOM ROBOT "expect:\n- " text "\n"

static void items_of_a_timeline_with_wrong_keys(void **state)
{
    (void)state;
    static const struct wrong wrong[] = {
        {ACTION("{at: 1}"), "4:3: timeline[0]: has neither do nor signal; allowed: one of "
                            "do: COMMAND and signal: SIGTERM"},
        {ACTION("{at: 1, do: world.pause, signal: SIGINT}"),
         "4:3: timeline[0]: has both do and signal; allowed: one of do: COMMAND and signal: "
         "SIGTERM"},
        {ACTION("{at: 1, signal: SIGSTOP}"), "4:19: timeline[0].signal: 'SIGSTOP' is not *"},
        {ACTION("{do: world.pause}"), "4:3: timeline[0]: has neither at nor when; allowed: one of "
                                      "at: SECONDS and when: CONDITION"},
        {ACTION("{at: 1, when: a.x_m > 1, do: world.pause}"),
         "4:3: timeline[0]: has both at and when; allowed: one of at: SECONDS and when: CONDITION"},
        {ACTION("{at: -1, do: world.pause}"),
         "4:8: timeline[0].at: '-1' is out of range; allowed: a number from 0 to 1000000000 *"},
        {ACTION("{when: \"\", do: world.pause}"),
         "4:3: timeline[0]: when: empty; allowed: a condition, like kobuki.x_m > 4"},
        {ACTION("{at: 1, command: world.pause, do: world.pause}"),
         "4:11: timeline[0].command: no such key; allowed: at, when, do, signal"},
        {ROOM ROBOT "timeline: {at: 1, do: world.pause}\n",
         "3:11: timeline: found a mapping; allowed: a list of mappings of at, when, do, signal"},
    };
    EXPECT(wrong);
}

static void commands_and_conditions_of_a_timeline_that_name_what_is_not_there(void **state)
{
    (void)state;
    static const struct wrong wrong[] = {
        {ACTION("{at: 1, do: pause}"),
         "4:15: timeline[0].do: 'pause' is not a command; write TARGET.COMMAND key=value ..., such "
         "as world.pause or kobuki.press bumper=left"},
        {ACTION("{at: 1, do: b.reset}"), "4:15: timeline[0].do: there is no robot 'b'; *"},
        {ACTION("{at: 1, do: world.paus}"),
         "4:15: timeline[0].do: world has no command 'paus'; did you mean 'pause'? allowed: pause, "
         "step, speed, seek, estimate, reset, wall, box, remove"},
        {ACTION("{at: 1, do: a.pres bumper=left}"),
         "4:15: timeline[0].do: a has no command 'pres'; did you mean 'press'? allowed: *"},
        {ACTION("{at: 1, do: a.press bumpr=left}"),
         "4:15: timeline[0].do: a.press: unknown argument 'bumpr'; did you mean 'bumper'?"},
        {ACTION("{at: 1, do: a.press bumper=lft}"),
         "4:15: timeline[0].do: a.press: bumper: there is no 'lft'; it has: right, center, left"},
        {ACTION("{at: 1, do: a.unplug what=usb}"),
         "4:15: timeline[0].do: a.unplug: what: 'usb' is neither a channel nor the adapter; the "
         "first channel is 'uart'"},
        {ACTION("{at: 1, do: a.modem what=usb cts=on}"),
         "4:15: timeline[0].do: a.modem: what: 'usb' is not a serial channel; the first channel is "
         "'uart'"},
        {ACTION("{at: 1, do: a.place x=far y=1}"), "4:15: timeline[0].do: a.place: x: *"},
        {ACTION("{when: a.xm > 1, do: world.pause}"),
         "4:10: timeline[0].when: there is no signal 'a.xm'; did you mean 'a.x_m'? `ptybot list "
         "signals` lists all signals\n  a.xm > 1\n  ^"},
        {ACTION("{when: a.uart.hosts > 1, do: world.pause}"),
         "4:10: timeline[0].when: a.uart.hosts depends on the kernel or the wall clock, so the "
         "same run could have another verdict; allowed: signals that are not live\n"
         "  a.uart.hosts > 1\n  ^"},
    };
    EXPECT(wrong);
}

static void commands_that_no_state_of_the_scene_could_allow(void **state)
{
    (void)state;
    static const struct wrong wrong[] = {
        {ACTION("{at: 1, do: a.battery v=99}"),
         "4:15: timeline[0].do: a.battery: v: 99; allowed: 10.7 to 16.7 V"},
        {ACTION("{at: 1, do: a.lift wheel=3}"),
         "4:15: timeline[0].do: a.lift: wheel: no wheel 3; allowed: 0 to 1"},
        {ACTION("{at: 1, do: a.place x=99 y=1}"),
         "4:15: timeline[0].do: a.place: x=99 y=1 is outside the room of *"},
        {ACTION("{at: 1, do: a.modem what=uart}"),
         "4:15: timeline[0].do: a.modem: give at least one of cts, dsr, dcd, ri"},
        {ACTION("{at: 1, do: world.wall from_x=1 from_y=1 to_x=99 to_y=1}"),
         "4:15: timeline[0].do: world.wall: x=99 y=1 is outside the room of *"},
        {ACTION("{at: 1, do: world.wall from_x=1 from_y=1 to_x=1 to_y=1}"),
         "4:15: timeline[0].do: world.wall: its ends are at the same place"},
        {ACTION("{at: 1, do: world.wall from_x=1 from_y=1 to_x=2 to_y=1 number=65}"),
         "4:15: timeline[0].do: world.wall: number: 65; allowed: at most 64 in this scene"},
        {ACTION("{at: 1, do: world.box x=1 y=1 length=1 width=1 color=nocolor}"),
         "4:15: timeline[0].do: world.box: color: 'nocolor' is not a color; allowed: a name such "
         "as red, "
         "or #rrggbb"},
        {ACTION("{at: 1, do: world.box x=-1 y=1 length=1 width=1}"),
         "4:15: timeline[0].do: world.box: x=-1 y=1 is outside the room of *"},
        {ACTION("{at: 1, do: world.remove}"),
         "4:15: timeline[0].do: world.remove: give wall=NUMBER or box=NUMBER"},
        {ACTION("{at: 1, do: world.remove wall=65}"),
         "4:15: timeline[0].do: world.remove: wall: 65; allowed: at most 64 in this scene"},
        {ACTION("{at: 1, do: world.remove box=33}"),
         "4:15: timeline[0].do: world.remove: box: 33; allowed: at most 32 in this scene"},
    };
    EXPECT(wrong);
}

static void a_timeline_is_checked_in_order(void **state)
{
    (void)state;
    static const struct wrong wrong[] = {
        {ACTION("{at: 9, do: a.battery v=99}\n- {at: 1, do: a.lift wheel=3}"),
         "4:15: timeline[0].do: a.battery: *"},
        {ACTION("{at: 9, do: a.battery v=14}\n- {at: 1, do: a.lift wheel=3}"),
         "5:15: timeline[1].do: a.lift: *"},
    };
    EXPECT(wrong);
}

/* The objects in the room at the time of the command are not known in advance. */
static void a_command_that_some_state_could_allow_passes(void **state)
{
    (void)state;
    static const char yaml[] = ACTION("{at: 1, do: world.remove wall=7}\n"
                                      "- {at: 2, do: world.remove box=32}\n"
                                      "- {at: 3, do: world.pause paused=false}\n"
                                      "- {at: 3, do: a.place x=0.01 y=0.01}\n"
                                      "- {at: 4, do: world.wall from_x=0 from_y=0 to_x=1 to_y=0}");
    struct error error = {0};
    struct scene *scene = scene_parse(yaml, sizeof yaml - 1, "s.yaml", &error);
    if (!scene || !scene_file_check_script(scene, &error))
        fail_msg("%s", error.text);
    scene_destroy(scene);
}

static void items_of_expectations_with_wrong_keys(void **state)
{
    (void)state;
    static const struct wrong wrong[] = {
        {EXPECTATION("{within: 3}"),
         "4:3: expect[0].that: missing; allowed: a text of at most 511 bytes"},
        {EXPECTATION("{that: a.x_m > 1}"),
         "4:3: expect[0]: has none of within, always and at_end; allowed: one of within: SECONDS, "
         "always: true and at_end: true"},
        {EXPECTATION("{that: a.x_m > 1, within: 1, always: true}"),
         "4:3: expect[0]: has more than one of within, always and at_end; *"},
        {EXPECTATION("{that: a.x_m > 1, always: false}"),
         "4:3: expect[0]: always: false; allowed: true, or another of within, always and at_end"},
        {EXPECTATION("{that: a.x_m > 1, at_end: off}"), "4:3: expect[0]: at_end: false; *"},
        {EXPECTATION("{that: a.x_m > 1, within: 0}"),
         "4:3: expect[0]: within: 0 leaves no time; allowed: more than 0 s"},
        {EXPECTATION("{that: a.x_m > 1, within: soon}"), "4:29: expect[0].within: *"},
        {EXPECTATION("{that: a.x_m > 1, at_end: true, after: 1}"),
         "4:3: expect[0]: after: needs within or always; an expectation at_end is judged only at "
         "the end"},
        {EXPECTATION("{that: a.x_m > 1, within: 1, after: -1}"),
         "4:3: expect[0]: after: -1 is out of range; allowed: 0 to 1e+09 s, or the name of an "
         "expectation with within"},
        {EXPECTATION("{that: a.x_m > 1, within: 1, after: 1e10}"), "4:3: expect[0]: after: 1e10*"},
        {EXPECTATION("{that: a.x_m > 1, within: 1, name: 5}"),
         "4:3: expect[0]: name: 5 is a number, which `after` takes for seconds; allowed: a text"},
        {EXPECTATION("{that: a.x_m > 1, within: 1, name: ''}"), "4:3: expect[0]: name: empty; *"},
        {EXPECTATION("{that: a.x_m > 1, at_end: true, stop: yes}"),
         "4:3: expect[0]: stop: only with within or always; an expectation at_end cannot stop the "
         "test"},
        {EXPECTATION("{that: a.x_m > 1, always: true, stop: soon}"), "4:41: expect[0].stop: *"},
        {EXPECTATION("{that: a.x_m > 1, wihtin: 1}"),
         "4:21: expect[0].wihtin: no such key; did you mean 'within'? allowed: name, that, within, "
         "always, at_end, after, stop"},
        {ROOM ROBOT "expect: true\n", "3:9: expect: found 'true'; allowed: a list of mappings of "
                                      "name, that, within, always, at_end, after, stop"},
    };
    EXPECT(wrong);
}

static void expectations_of_what_is_not_there(void **state)
{
    (void)state;
    static const struct wrong wrong[] = {
        {EXPECTATION("{that: a.battry_v > 15, within: 1}"),
         "4:10: expect[0].that: there is no signal 'a.battry_v'; did you mean 'a.battery_v'? "
         "`ptybot "
         "list signals` lists all signals\n  a.battry_v > 15\n  ^"},
        {EXPECTATION("{that: a.x_m = 1, within: 1}"),
         "4:10: expect[0].that: found '=' after a.x_m; allowed: == != < <= > >=, + - * "
         "/\n  a.x_m = 1\n        ^"},
        {EXPECTATION("{that: a.uart.dropped_frames == 0, always: true}"),
         "4:10: expect[0].that: a.uart.dropped_frames depends on the kernel or the wall clock*"},
        {EXPECTATION("{that: a.x_m > 1, within: 1}\n- {that: b.x_m > 1, within: 1}"),
         "5:10: expect[1].that: there is no signal 'b.x_m'; *"},
    };
    EXPECT(wrong);
}

#define MEASURE(text) ROOM ROBOT "measure:\n- " text "\n"

static void measures_that_cannot_be_taken(void **state)
{
    (void)state;
    static const struct wrong wrong[] = {
        {MEASURE("{name: x}"),
         "4:3: measure[0].value: missing; allowed: a text of at most 511 bytes"},
        {MEASURE("{value: a.x_m}"),
         "4:3: measure[0].name: missing; allowed: a text of at most 127 bytes"},
        {MEASURE("{name: '', value: a.x_m}"), "4:3: measure[0]: name: empty; allowed: a text"},
        {MEASURE("{name: x, value: a.xm}"),
         "4:20: measure[0].value: there is no signal 'a.xm'; did you mean 'a.x_m'? *"},
        {MEASURE("{name: x, value: a.x_m, when: a.ym > 1}"),
         "4:33: measure[0].when: there is no signal 'a.ym'; did you mean 'a.y_m'? *"},
        {MEASURE("{name: x, value: a.x_m, take: most}"), "4:33: measure[0].take: 'most' is not *"},
        {MEASURE("{name: x, value: a.x_m}\n- {name: x, value: a.y_m}"), "5:10: measure[1].name: *"},
        {MEASURE("{name: x, value: a.x_m, when: ''}"),
         "4:3: measure[0]: when: empty; allowed: a condition, like kobuki.x_m > 4"},
        {MEASURE("{name: x, value: a.x_m, when: '   '}"),
         "4:3: measure[0]: when: empty; allowed: a condition, like kobuki.x_m > 4"},
        {MEASURE("{name: x, value: a.x_m, when: \"\\t \\t\"}"), "4:33: measure[0].when: has the *"},
        {ACTION("{when: '   ', do: world.pause}"),
         "4:3: timeline[0]: when: empty; allowed: a condition, like kobuki.x_m > 4"},
    };
    EXPECT(wrong);
}

/* Also on the first line. Only a command from outside of the scene has no place. */
static void a_command_is_reported_where_it_stands(void **state)
{
    (void)state;
    static const struct wrong wrong[] = {
        {"{world: {size: {x: 4, y: 4}}, timeline: [{at: 1, do: world.paus}], robots: [{name: a, "
         "type: kobuki, pose: {x: 1, y: 1}}]}",
         "1:54: timeline[0].do: world has no command 'paus'; did you mean 'pause'? *"},
        {"{world: {size: {x: 4, y: 4}}, measure: [{name: x, value: a.xm}], robots: [{name: a, "
         "type: kobuki, pose: {x: 1, y: 1}}]}",
         "1:58: measure[0].value: there is no signal 'a.xm'; *"},
    };
    static const char plain[] = ROOM ROBOT;
    static const char says[] = "do: world has no command 'paus'; did you mean 'pause'?";
    EXPECT(wrong);
    struct error error = {0};
    struct scene *scene = scene_parse(plain, sizeof plain - 1, "s.yaml", &error);
    if (!scene || !scene_set(scene, "do=world.paus", &error))
        fail_msg("%s", error.text);
    assert_false(scene_file_check_script(scene, &error));
    assert_memory_equal(error.text, says, sizeof says - 1);
    scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_of_a_timeline_with_wrong_keys),
        cmocka_unit_test(commands_and_conditions_of_a_timeline_that_name_what_is_not_there),
        cmocka_unit_test(commands_that_no_state_of_the_scene_could_allow),
        cmocka_unit_test(a_timeline_is_checked_in_order),
        cmocka_unit_test(a_command_that_some_state_could_allow_passes),
        cmocka_unit_test(items_of_expectations_with_wrong_keys),
        cmocka_unit_test(expectations_of_what_is_not_there),
        cmocka_unit_test(measures_that_cannot_be_taken),
        cmocka_unit_test(a_command_is_reported_where_it_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
