/* The messages of a firmware process in JSON: the sensors that it observes, the values that it
 * receives, and invalid messages. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "app/firmware/firmware_json.h"
#include "protocols/process/process.h"

static const struct robot_body body = {
    .wheel_count = 2,
    .sensor_count = 3,
    .sensors = {{.kind = SENSOR_RANGE, .name = "sonar"},
                {.kind = SENSOR_CAMERA, .name = "eye", .width = 640, .height = 480},
                {.kind = SENSOR_SCANNER, .name = "lidar"}},
};

static struct firmware_names names(void)
{
    return (struct firmware_names){&process_type, &body, process_shape_of(&process_type, &body),
                                   false};
}

static size_t read_line(const char *line, uint8_t packed[PROCESS_ANSWER_MAX], struct error *error)
{
    struct firmware_names own = names();
    struct robot_actuators last = {0};
    return firmware_json_answer(&own, line, strlen(line), &last, packed, error);
}

static void a_look_in_json_is_the_same_packed(void **state)
{
    (void)state;
    uint8_t packed[PROCESS_ANSWER_MAX], wanted[PROCESS_ANSWER_MAX];
    struct error error = {0};
    struct firmware_names own = names();
    struct process_answer answer = {.wait_us = 1000, .observation_count = 2};
    answer.observations[0] =
        (struct process_observation){.sensor = 2, .rays = 8, .from_rad = -1.5, .to_rad = 0.25};
    answer.observations[1] = (struct process_observation){.sensor = 1, .width = 80};
    static const char *const keys[] = {"observe", "look"}; // the second is the old name
    for (size_t i = 0; i < 2; i++) {
        char line[256];
        snprintf(line, sizeof line,
                 "{\"%s\": [{\"sensor\": \"lidar\", \"rays\": 8, \"from_rad\": -1.5, "
                 "\"to_rad\": 0.25}, {\"width\": 80, \"sensor\": \"eye\"}]}",
                 keys[i]);
        size_t size = read_line(line, packed, &error);
        assert_int_equal(size, process_answer_write(&own.shape, &answer, wanted));
        assert_memory_equal(packed, wanted, size);
    }
    size_t without = read_line("{\"observe\": []}", packed, &error);
    answer.observation_count = 0;
    assert_int_equal(without, process_answer_write(&own.shape, &answer, wanted));
}

static const struct {
    const char *observation, *said;
} wrongs[] = {
    {"7", "observe: a list of up to 8 was expected, such as [{\"sensor\": \"eye\"}]"},
    {"[{},{},{},{},{},{},{},{},{}]", "a list of up to 8"},
    {"[7]", "observe: \"sensor\" is missing: its name in the body file"},
    {"[{\"width\": 80}]", "\"sensor\" is missing"},
    {"[{\"sensor\": 1}]", "\"sensor\" is missing"},
    {"[{\"sensor\": \"eyes\"}]", "observe: unknown sensor 'eyes'; did you mean 'eye'"},
    {"[{\"sensor\": \"eye\", \"widht\": 8}]", "observe: unknown key 'widht'; did you mean 'width'"},
    {"[{\"sensor\": \"eye\", \"width\": 0.5}]", "observe: width: a whole number was expected"},
    {"[{\"sensor\": \"eye\", \"width\": -80}]",
     "observe: sensor 1: width is -80; allowed: 0 .. 640"},
    {"[{\"sensor\": \"eye\", \"width\": 4294967376}]", "width is 4294967376; allowed: 0 .. 640"},
    {"[{\"sensor\": \"eye\"}, {\"sensor\": \"eye\"}]", "observe: sensor 1: twice"},
    {"[{\"sensor\": \"sonar\"}]", "observe: sensor 0: not a camera or scanner"},
    {"[{\"sensor\": \"lidar\"}]", "observe: sensor 2: rays is 0; allowed: 1 .. 2048"},
    {"[{\"sensor\": \"lidar\", \"rays\": 99999}]", "rays is 99999"},
    {"[{\"sensor\": \"lidar\", \"rays\": 2, \"from_rad\": \"a\"}]", "from_rad: a number"},
    {"[{\"sensor\": \"lidar\", \"rays\": 2, \"to_rad\": 99}]", "to_rad is 99; allowed: -10 .. 10"},
};

static void what_cannot_be_looked_at_is_said(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        char line[512];
        uint8_t packed[PROCESS_ANSWER_MAX];
        struct error error = {0};
        snprintf(line, sizeof line, "{\"observe\": %s}", wrongs[i].observation);
        if (read_line(line, packed, &error) > 0 || !strstr(error.text, wrongs[i].said))
            fail_msg("%s: '%s', not '%s'", wrongs[i].observation, error.text, wrongs[i].said);
    }
}

static double number_of(const json_t *list, size_t index)
{
    return json_number_value(json_array_get(list, index));
}

static void what_was_seen_is_in_the_question(void **state)
{
    (void)state;
    static const uint8_t pixels[] = {0, 1, 2, 0xfd, 0xfe, 0xff};
    static const struct robot_echo echoes[] = {{1.5, 0.25, 0.75}, {INFINITY, 0, 0}};
    static const struct robot_sight sights[] = {{.sensor = 2, .echoes = echoes, .echo_count = 2},
                                                {.sensor = 1, .image = {1, 2, pixels}}};
    struct firmware_names own = names();
    const struct process_question question = {.now_us = 5};
    char *line = firmware_json_question(&own, &question, sights, 2);
    json_t *root = json_loads(line, 0, NULL), *seen = json_object_get(root, "seen");
    assert_int_equal(json_array_size(seen), 2);
    const json_t *scan = json_array_get(seen, 0), *picture = json_array_get(seen, 1);
    const json_t *distances = json_object_get(scan, "distance_m");
    assert_string_equal(json_string_value(json_object_get(scan, "sensor")), "lidar");
    assert_true(number_of(distances, 0) == 1.5 && json_is_null(json_array_get(distances, 1)));
    assert_true(number_of(json_object_get(scan, "reflectance"), 0) == 0.25);
    assert_true(number_of(json_object_get(scan, "cosine"), 0) == 0.75);
    assert_string_equal(json_string_value(json_object_get(picture, "sensor")), "eye");
    assert_int_equal(json_integer_value(json_object_get(picture, "width")), 1);
    assert_int_equal(json_integer_value(json_object_get(picture, "height")), 2);
    assert_string_equal(json_string_value(json_object_get(picture, "rgb")), "000102fdfeff");
    json_decref(root);
    free(line);

    // Without `observe`, the message has no readings.
    line = firmware_json_question(&own, &question, NULL, 0);
    assert_null(strstr(line, "seen"));
    free(line);
}

/* The bytes after a line belong to the next line, or to no line. */
static void a_line_that_is_none_is_quoted_up_to_its_end(void **state)
{
    (void)state;
    static const char bytes[] = "no object\nand more";
    bool is_binary;
    struct error error = {0};
    struct firmware_names own = names();
    assert_false(firmware_json_hello_read(&own, bytes, strlen("no object"), &is_binary, &error));
    assert_non_null(strstr(error.text, "'no object'"));
    uint8_t packed[PROCESS_ANSWER_MAX];
    struct robot_actuators last = {0};
    assert_int_equal(firmware_json_answer(&own, bytes, strlen("no"), &last, packed, &error), 0);
    assert_non_null(strstr(error.text, "'no'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_look_in_json_is_the_same_packed),
        cmocka_unit_test(what_cannot_be_looked_at_is_said),
        cmocka_unit_test(what_was_seen_is_in_the_question),
        cmocka_unit_test(a_line_that_is_none_is_quoted_up_to_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
