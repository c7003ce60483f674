/* A recording compared with the virtual robot. The same robot shows no difference. Each planted
 * difference is found and named, and nothing else is reported. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/lab/compare/compare_page.h"
#include "app/lab/compare/fit.h"
#include "app/record/capture_writer.h"
#include "sim/sim.h"
#include "tests/support/sample.h"
#include "tests/unit/compare_rig.h"

static struct folder folder;
static struct recording recording;
static struct trace ours;
static struct comparison found;

static int set_up(void **state)
{
    (void)state;
    folder_make(&folder);
    return 0;
}

static void forget(void)
{
    compare_free(&found);
    trace_free(&ours);
    recording_free(&recording);
}

static int tear_down(void **state)
{
    (void)state;
    forget();
    folder_remove(&folder);
    return 0;
}

static void compare(const struct rig_plan *plan)
{
    forget();
    char path[FOLDER_PATH_MAX];
    struct error error = {0};
    struct scene *scene = rig_scene((const char *const[8]){NULL});
    rig_record(&folder, "real.pcapng", plan, path);
    if (!recording_read(&recording, path, &(struct block_format){0}, scene->robots[0].type, 0, "",
                        &error) ||
        !trace_run(&ours, &recording, scene, 0, &error))
        fail_msg("%s", error.text);
    assert_true(compare_traces(&found, &recording.trace, &ours, &(struct compare_options){0}));
    scene_destroy(scene);
}

/* Lists all differences, one per line: `name: why`. */
static const char *differences(void)
{
    static char text[4096];
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < found.packet_count; i++)
        if (found.packets[i].is_beyond)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s: %s\n",
                                     found.packets[i].wire->name, found.packets[i].why);
    for (size_t i = 0; i < found.field_count; i++) {
        char name[160];
        if (!found.fields[i].is_beyond)
            continue;
        compare_field_name(&found, &found.fields[i], name, sizeof name);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s: %s\n", name,
                                 found.fields[i].why);
    }
    return text;
}

/* Each line must begin with one of the fields, and the text of one must contain WHAT. */
static void expect(const char *const names[], const char *what)
{
    const char *text = differences();
    if (!strstr(text, what))
        fail_msg("\"%s\" is not told in:\n%s", what, text);
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
        bool is_expected = false;
        for (int i = 0; names[i]; i++)
            is_expected = is_expected || strncmp(line, names[i], strlen(names[i])) == 0;
        if (!is_expected)
            fail_msg("unexpected among:\n%s", text);
    }
}

#define EXPECT(what, ...) expect((const char *const[]){__VA_ARGS__, NULL}, what)

static void the_same_robot_recorded_in_the_middle_with_another_clock_does_not_differ(void **state)
{
    (void)state;
    compare(&(struct rig_plan){
        .set = {"kobuki.left_encoder_start=65000", "kobuki.right_encoder_start=1234",
                "kobuki.timestamp_start_ms=60000", "kobuki.angle_start_deg=170"}});
    assert_string_equal(differences(), "");
    print_message("drift %.1f ppm, %zu packets\n", found.drift * 1e6, found.packets[0].pairs);
    assert_true(found.drift > 100e-6 && found.drift < 300e-6);
    assert_true(found.packets[0].pairs > 990);
}

/* ---- Fields of a Kobuki's packet, by their offsets in the frame ---- */

enum { LEFT_ENCODER = 10, BUTTONS = 16, BATTERY = 18, ANGLE_RATE = 29 };

static int get(const uint8_t *frame, int at)
{
    return (int16_t)(frame[at] | frame[at + 1] << 8);
}

static void put(uint8_t *frame, int at, int value)
{
    frame[at] = (uint8_t)value;
    frame[at + 1] = (uint8_t)((unsigned)value >> 8);
}

static double scaled_encoder(uint8_t *frame, size_t size, unsigned number)
{
    (void)size;
    static int before, sum;
    int now = get(frame, LEFT_ENCODER);
    sum = number == 0 ? 0 : sum + (int16_t)(now - before);
    before = now;
    put(frame, LEFT_ENCODER, (int)(sum * 1.06));
    return 0;
}

static void a_scaled_encoder(void **state)
{
    (void)state;
    compare(&(struct rig_plan){.plant = scaled_encoder});
    EXPECT("basic.left_encoder: scale: 1.06", "basic.left_encoder");
}

static double lost_packet(uint8_t *frame, size_t size, unsigned number)
{
    (void)frame, (void)size;
    return number == 300 || number == 301 || number == 700 ? -1 : 0;
}

static void missing_packets(void **state)
{
    (void)state;
    compare(&(struct rig_plan){.plant = lost_packet});
    EXPECT("basic: 3 missing in the recording, the first at 6.0", "basic", "docking", "inertia",
           "cliff", "current", "gyro", "inputs");
}

static double late_packet(uint8_t *frame, size_t size, unsigned number)
{
    (void)frame, (void)size;
    return number == 400 ? 0.05 : 0;
}

static void a_late_packet(void **state)
{
    (void)state;
    compare(&(struct rig_plan){.plant = late_packet});
    EXPECT("late, at most by", "basic", "docking", "inertia", "cliff", "current", "gyro", "inputs");
}

static double swapped_rate(uint8_t *frame, size_t size, unsigned number)
{
    (void)size, (void)number;
    uint8_t low = frame[ANGLE_RATE];
    frame[ANGLE_RATE] = frame[ANGLE_RATE + 1];
    frame[ANGLE_RATE + 1] = low;
    return 0;
}

static void a_field_in_the_other_byte_order(void **state)
{
    (void)state;
    compare(&(struct rig_plan){.plant = swapped_rate});
    EXPECT("inertia.rate: byte order", "inertia.rate");
}

static double each_seventh_late(uint8_t *frame, size_t size, unsigned number)
{
    (void)frame, (void)size;
    return number % 7 == 3 ? 0.009 : 0;
}

static void packets_that_are_late_within_their_period(void **state)
{
    (void)state;
    compare(&(struct rig_plan){.plant = each_seventh_late, .is_precise = true});
    EXPECT("basic: 143 late, at most by ", "basic", "docking", "inertia", "cliff", "current",
           "gyro", "inputs");
    compare(&(struct rig_plan){.is_precise = true});
    assert_string_equal(differences(), "");
}

static double swapped_encoder(uint8_t *frame, size_t size, unsigned number)
{
    (void)size, (void)number;
    uint8_t low = frame[LEFT_ENCODER];
    frame[LEFT_ENCODER] = frame[LEFT_ENCODER + 1];
    frame[LEFT_ENCODER + 1] = low;
    return 0;
}

static void a_counter_in_the_other_byte_order(void **state)
{
    (void)state;
    compare(&(struct rig_plan){.plant = swapped_encoder});
    EXPECT("basic.left_encoder: byte order", "basic.left_encoder");
}

static double rate_with_gain(uint8_t *frame, size_t size, unsigned number)
{
    (void)size, (void)number;
    put(frame, ANGLE_RATE, (int)(get(frame, ANGLE_RATE) * 1.3));
    return 0;
}

static void a_gain(void **state)
{
    (void)state;
    compare(&(struct rig_plan){.plant = rate_with_gain});
    EXPECT("inertia.rate: scale: 1.", "inertia.rate");
}

static double reversed_rate(uint8_t *frame, size_t size, unsigned number)
{
    (void)size, (void)number;
    put(frame, ANGLE_RATE, -get(frame, ANGLE_RATE));
    return 0;
}

static void a_sign(void **state)
{
    (void)state;
    compare(&(struct rig_plan){.plant = reversed_rate});
    EXPECT("inertia.rate: sign reversed", "inertia.rate");
}

static void another_battery(void **state)
{
    (void)state;
    compare(&(struct rig_plan){.set = {"kobuki.battery_v=14.5"}});
    EXPECT("basic.battery: offset: -2", "basic.battery");
}

static double held_button(uint8_t *frame, size_t size, unsigned number)
{
    (void)size;
    frame[BUTTONS] |= number > 500 ? 2 : 0;
    return 0;
}

static void a_flag(void **state)
{
    (void)state;
    compare(&(struct rig_plan){.plant = held_button});
    EXPECT("basic.buttons: ", "basic.buttons");
}

static double every_second(uint8_t *frame, size_t size, unsigned number)
{
    (void)frame, (void)size;
    return number % 2 == 0 ? 0 : -1;
}

static void another_rate(void **state)
{
    (void)state;
    compare(&(struct rig_plan){.plant = every_second});
    EXPECT("basic: rate: 25.0", "basic", "docking", "inertia", "cliff", "current", "gyro",
           "inputs");
}

/* Replaces the ID of part 0x0d by one that the robot does not know. */
static double without_gyro(uint8_t *frame, size_t size, unsigned number)
{
    (void)number;
    for (size_t i = 3; i + 1 < size; i += 2u + frame[i + 1])
        if (frame[i] == 0x0d)
            frame[i] = 0x7d;
    return 0;
}

static void a_packet_that_never_comes(void **state)
{
    (void)state;
    compare(&(struct rig_plan){.plant = without_gyro});
    EXPECT("gyro: the real robot never sent this packet", "gyro");
}

static void a_page_shows_the_worst_fields_first(void **state)
{
    (void)state;
    char path[FOLDER_PATH_MAX];
    struct error error = {0};
    compare(&(struct rig_plan){.plant = reversed_rate});
    assert_true(
        compare_page_write(folder_path(&folder, "page.html", path), "a < b", &found, &error));
    char *page = folder_read(&folder, "page.html");
    assert_non_null(strstr(page, "a &lt; b"));
    assert_true(strstr(page, "<tr><td>") == strstr(page, "<tr><td>inertia.rate"));
    assert_true(strstr(page, "{\"name\":") == strstr(page, "{\"name\":\"inertia.rate"));
    free(page);
    assert_false(compare_page_write("/nowhere/page.html", "x", &found, &error));
}

static void user_tolerances_come_first(void **state)
{
    (void)state;
    const struct compare_rule rules[] = {{"inertia.rate", COMPARE_LEFT_OUT, 0, 0}};
    compare(&(struct rig_plan){.plant = reversed_rate});
    compare_free(&found);
    assert_true(compare_traces(&found, &recording.trace, &ours,
                               &(struct compare_options){.rules = rules, .rule_count = 1}));
    assert_string_equal(differences(), "");
}

/* A user's tolerance for a counter applies to its increments. The start values differ, so a
 * comparison of absolute values would report a difference. */
static void a_counter_with_a_tolerance_of_the_users_stays_one(void **state)
{
    (void)state;
    const struct compare_rule rules[] = {{"left_encoder", COMPARE_VALUE, 40, 0}};
    compare(&(struct rig_plan){.set = {"kobuki.left_encoder_start=30000"}});
    compare_free(&found);
    assert_true(compare_traces(&found, &recording.trace, &ours,
                               &(struct compare_options){.rules = rules, .rule_count = 1}));
    assert_string_equal(differences(), "");
}

static void tolerances_are_read_from_a_file(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
    } wrong[] = {
        {"\n\nbattery much\n", "t:3: 'much' is not a tolerance"},
        {"battery -1\n", "t:1: '-1' is not a tolerance"},
        {"battery\n", "t:1: '' is not a tolerance"},
        {"a 1\nb 1\nc 1\n", "t:3: more than 2 tolerances"},
    };
    struct compare_rule rules[2];
    struct error error = {0};
    char text[] = "# mine\n  inertia.rate 8  # deg/s\r\n\ncurrent\tleave-out";
    FILE *file = fmemopen(text, sizeof text - 1, "r");
    size_t count = 0;
    assert_true(compare_rules_read(file, "t", rules, 2, &count, &error));
    fclose(file);
    assert_int_equal(count, 2);
    assert_string_equal(rules[0].field, "inertia.rate");
    assert_true(rules[0].kind == COMPARE_VALUE && rules[0].tolerance == 8);
    assert_true(strcmp(rules[1].field, "current") == 0 && rules[1].kind == COMPARE_LEFT_OUT);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        count = 0;
        file = fmemopen((void *)(uintptr_t)wrong[i].text, strlen(wrong[i].text), "r");
        assert_false(compare_rules_read(file, "t", rules, 2, &count, &error));
        fclose(file);
        if (!strstr(error.text, wrong[i].why))
            fail_msg("%s: %s", wrong[i].text, error.text);
    }
}

/* ---- Damaged recordings ---- */

enum { SECOND_NS = 1000000000 };

/* A recording of a real robot: a packet that it sent, a status block with the bytes of FOUR, and
 * after QUIET_S another packet. */
static void record_odd(const char *four, int64_t quiet_s, char path[FOLDER_PATH_MAX])
{
    static const uint8_t packet[] = {0xAA, 0x55, 5, 3, 3, 0, 0, 0, 5};
    const struct capture_interface interface = {.name = "rosie.uart", .description = "kobuki uart"};
    const int64_t start_ns = INT64_C(1700000000000000000);
    const struct capture_block blocks[] = {
        {.kind = CAPTURE_TO_HOST, .time_ns = start_ns, .bytes = packet, .size = sizeof packet},
        {.kind = CAPTURE_STATUS,
         .time_ns = start_ns + 1,
         .bytes = (const uint8_t *)four,
         .size = strlen(four)},
        {.kind = CAPTURE_TO_HOST,
         .time_ns = start_ns + quiet_s * SECOND_NS,
         .bytes = packet,
         .size = sizeof packet},
    };
    struct error error = {0};
    struct capture_writer *writer =
        capture_writer_open(folder_path(&folder, "odd.pcapng", path), "--capture", &error);
    assert_non_null(writer);
    capture_writer_interface(writer, &interface);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        struct capture_block block = blocks[i];
        block.comment = "";
        capture_writer_add(writer, &block);
    }
    assert_true(capture_writer_close(writer, &error));
}

static void bytes_behind_a_status_are_ignored(void **state)
{
    (void)state;
    char path[FOLDER_PATH_MAX];
    struct error error = {0};
    struct scene *scene = rig_scene((const char *const[8]){NULL});
    record_odd("four", 1, path);
    assert_true(recording_read(&recording, path, &(struct block_format){0}, scene->robots[0].type,
                               0, "", &error));
    assert_int_equal(recording.input_count, 1);
    assert_true(trace_run(&ours, &recording, scene, 0, &error));
    assert_true(ours.count > 0);
    scene_destroy(scene);
}

static void a_recording_that_is_quiet_for_too_long_is_refused_with_its_block(void **state)
{
    (void)state;
    char path[FOLDER_PATH_MAX];
    struct error error = {0};
    struct scene *scene = rig_scene((const char *const[8]){NULL});
    record_odd("", 600, path);
    assert_true(recording_read(&recording, path, &(struct block_format){0}, scene->robots[0].type,
                               0, "", &error));
    recording_free(&recording);
    record_odd("", 86400, path);
    assert_false(recording_read(&recording, path, &(struct block_format){0}, scene->robots[0].type,
                                0, "", &error));
    if (!strstr(error.text, "block 3 at 1700086400.000000 s") || !strstr(error.text, "86400 s"))
        fail_msg("%s", error.text);
    scene_destroy(scene);
}

/* ---- Logs of other programs ---- */

/* Writes the bytes that a Kobuki sends in 20 s after its fifth second: as raw bytes, and as lines
 * with times. */
static void write_logs(const char *bare_path, const char *log_path)
{
    struct error error = {0};
    struct scene *scene = rig_scene((const char *const[8]){NULL});
    struct sim *sim = sim_create(scene, NULL, NULL, &error);
    FILE *bare = fopen(bare_path, "we"), *log = fopen(log_path, "we");
    assert_true(sim && bare && log);
    sim_host_present(sim, 0, true);
    for (int ms = 0; ms < 25000; ms++) {
        const uint8_t *bytes;
        size_t size;
        sim_step(sim);
        while (sim_output(sim, 0, &bytes, &size)) {
            if (ms < 5000)
                continue;
            fwrite(bytes, 1, size, bare);
            fprintf(log, "%.6f < ", (double)sim_now_us(sim) * 1e-6);
            for (size_t i = 0; i < size; i++)
                fprintf(log, "%02x", bytes[i]);
            fputc('\n', log);
        }
    }
    assert_true(fclose(bare) == 0 && fclose(log) == 0);
    sim_destroy(sim);
    scene_destroy(scene);
}

static void compare_log(const char *path, bool is_untimed)
{
    const struct block_format raw = {true, CAPTURE_TO_HOST};
    struct error error = {0};
    struct scene *scene = rig_scene((const char *const[8]){NULL});
    if (!recording_read(&recording, path, &raw, scene->robots[0].type, 0, "", &error) ||
        !trace_run(&ours, &recording, scene, 0, &error))
        fail_msg("%s", error.text);
    assert_true(recording.is_untimed == is_untimed);
    recording_take_times(&recording, &ours);
    assert_true(compare_traces(&found, &recording.trace, &ours, &(struct compare_options){0}));
    assert_string_equal(differences(), "");
    assert_in_range(found.packets[0].pairs, 990, 1000);
    compare_free(&found);
    trace_free(&ours);
    recording_free(&recording);
    scene_destroy(scene);
}

static void a_text_log_and_bare_bytes_are_compared(void **state)
{
    (void)state;
    char bare[FOLDER_PATH_MAX], log[FOLDER_PATH_MAX];
    write_logs(folder_path(&folder, "bare", bare), folder_path(&folder, "log", log));
    compare_log(log, false);
    compare_log(bare, true);
}

/* ---- Fit ---- */

/* Fits the first COUNT options of the plan. */
static void fit_to(const struct rig_plan *plan, size_t count, struct fit *fit)
{
    static const char *const names[] = {"battery_v", "gyro_bias_x", "gyro_bias_z", "watchdog_s",
                                        "command_dead_time_s"};
    char path[FOLDER_PATH_MAX];
    struct error error = {0};
    struct scene *scene = rig_scene((const char *const[8]){NULL});
    rig_record(&folder, "real.pcapng", plan, path);
    if (!recording_read(&recording, path, &(struct block_format){0}, scene->robots[0].type, 0, "",
                        &error) ||
        !fit_recording(fit, scene, &recording, names, count, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < fit->count; i++)
        print_message("%s %g +- %g, %s\n", names[i], fit->options[i].found,
                      2 * fit->options[i].sigma, fit->options[i].is_known ? "known" : "unknown");
    scene_destroy(scene);
}

static void three_wrong_options_are_found_within_a_percent(void **state)
{
    (void)state;
    struct fit fit = {0};
    static const double planted[] = {14.5, 260, -400};
    fit_to(&(struct rig_plan){.set = {"kobuki.battery_v=14.5", "kobuki.gyro_bias_x=260",
                                      "kobuki.gyro_bias_z=-400"}},
           5, &fit);
    for (int i = 0; i < 3; i++) {
        assert_true(fit.options[i].is_known);
        assert_true(fabs(fit.options[i].found / planted[i] - 1) < 0.01);
        assert_true(fit.options[i].sigma < 0.01 * fabs(planted[i]));
    }
    assert_true(fit.square_after < 0.2 * fit.square_before);
}

static void what_a_robot_at_rest_does_not_show_is_not_told(void **state)
{
    (void)state;
    struct fit fit = {0};
    static const bool known[] = {true, true, true, false, false};
    fit_to(&(struct rig_plan){.is_still = true, .set = {"kobuki.battery_v=15.5"}}, 5, &fit);
    for (int i = 0; i < 5; i++)
        assert_int_equal(fit.options[i].is_known, known[i]);
    assert_true(fabs(fit.options[0].found / 15.5 - 1) < 0.01);
}

/* The Kobuki reports its battery in steps of 0.1 V. */
static void the_error_of_a_fit_covers_the_rounding_of_the_field(void **state)
{
    (void)state;
    struct fit fit = {0};
    fit_to(&(struct rig_plan){.is_still = true, .set = {"kobuki.battery_v=15.46"}}, 1, &fit);
    assert_true(fabs(fit.options[0].found - 15.46) <= 2 * fit.options[0].sigma);
    assert_true(fit.options[0].sigma > 0.02 && fit.options[0].sigma < 0.1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_same_robot_recorded_in_the_middle_with_another_clock_does_not_differ),
        TEST(a_scaled_encoder),
        TEST(missing_packets),
        TEST(packets_that_are_late_within_their_period),
        TEST(a_counter_in_the_other_byte_order),
        TEST(a_sign),
        TEST(a_flag),
        TEST(another_rate),
        TEST(a_packet_that_never_comes),
        TEST(a_page_shows_the_worst_fields_first),
        TEST(user_tolerances_come_first),
        TEST(a_counter_with_a_tolerance_of_the_users_stays_one),
        TEST(tolerances_are_read_from_a_file),
        TEST(bytes_behind_a_status_are_ignored),
        TEST(a_recording_that_is_quiet_for_too_long_is_refused_with_its_block),
        TEST(a_text_log_and_bare_bytes_are_compared),
        TEST(the_error_of_a_fit_covers_the_rounding_of_the_field),
    };
    /* The fit below executes all code of a fit, the differences above all of a comparison. */
    const struct CMUnitTest more[] = {
        TEST(three_wrong_options_are_found_within_a_percent),
        TEST(what_a_robot_at_rest_does_not_show_is_not_told),
        TEST(a_late_packet),
        TEST(a_field_in_the_other_byte_order),
        TEST(a_gain),
        TEST(another_battery),
    };
    return SAMPLE_RUN(tests, more);
}
