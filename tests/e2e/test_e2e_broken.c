/* Drivers with one defect each, and the line of the report that names it. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/test_stage.h"

static const struct {
    const char *fault;
    const char *lines[2]; /* parts of the report; the second may be NULL */
} drivers[] = {
    {"crash", {"driver failure: the driver was killed by SIGSEGV", NULL}},
    {"exception",
     {"driver failure: the driver exited with 1 after", "its last line: KeyError: 'speed'"}},
    {"silence", {"driver failure: kobuki.uart: the driver never sent a byte", NULL}},
    {"hang", {"the longest gap between commands was ", "the driver did not read for "}},
    {"scale", {"received at most speed 20 mm/s in base_control", "check the unit"}},
    {"turn_sign", {"kobuki executed all commands it received: base_control", "radius -1 to 0 mm"}},
    {"endianness",
     {"speed 29440 mm/s in base_control", "the value is 115 mm/s: check the byte order"}},
    {"length", {"wire failure: kobuki.uart: ", " 0 understood: base_control with a wrong length"}},
    {"checksum", {" 0 understood: ", ": base_control with the checksum d3 where cb is right"}},
    {"no_feed", {"the watchdog stopped kobuki ", "repeat the command before the watchdog expires"}},
    {"baud", {"driver failure: serial settings of kobuki.uart: the driver set 57600 baud", NULL}},
    {"never_raw",
     {"the driver set no settings, and a real port starts with 9600 baud", "ICANON, ECHO"}},
    {"parity",
     {"driver failure: serial settings of kobuki.uart: the driver set 115200 baud, 8E1", NULL}},
    {"no_reader", {"driver failure: kobuki.uart: the driver did not read for ", "bytes unread"}},
    {"slow_reader", {"driver failure: kobuki.uart: the driver read too slowly for ", NULL}},
    {"forks", {"driver failure: the driver command exited while a process it had started", NULL}},
};

/* The part of the report about the test NAME: the whole section if it failed, its line in the
 * common table if it passed. The caller frees it. */
static char *section(const char *report, const char *name)
{
    char head[64], row[64];
    snprintf(head, sizeof head, "\n%s, seed 1\n", name);
    snprintf(row, sizeof row, "\n  passed   %s ", name);
    const char *at = strstr(report, head);
    const char *end = at ? strstr(at, " simulated in ") : NULL;
    if (!at && (at = strstr(report, row)))
        end = strchr(at + 1, '\n');
    if (!at || !end)
        fail_msg("there is no '%s' in:\n%s", name, report);
    char *part = at && end ? strndup(at, (size_t)(end - at)) : NULL;
    assert_non_null(part);
    return part;
}

/* A driver that does not read drives as well as the good one, so the scene fails by a sound that is
 * never played. */
static void write_scene(const struct stage *stage, const char *fault)
{
    char name[64];
    snprintf(name, sizeof name, "drivers/%s.yaml", fault);
    folder_write(&stage->folder, name,
                 "seed: 1\n"
                 "world: {size: {x: 20, y: 20}}\n"
                 "robots: [{name: kobuki, type: kobuki, pose: {x: 10, y: 10}}]\n"
                 "host: exec %s/broken_driver %s\n"
                 "expect:\n"
                 "  - {that: kobuki.x_m > 10.4, within: 4}\n"
                 "  - {that: kobuki.heading_deg > 45, within: 6}\n"
                 "%s",
                 PTYBOT_HOSTS_DIR, fault,
                 strstr(fault, "reader") ? "  - {that: kobuki.sound.note > 0, at_end: true}\n"
                                         : "");
}

static void file_has(const struct stage *stage, const char *name, const char *text)
{
    char *file = folder_read(&stage->folder, name);
    if (!strstr(file, text))
        fail_msg("'%s' is not in %s:\n%.2000s", text, name, file);
    free(file);
}

static void the_report_names_what_is_wrong_with_a_driver(void **state)
{
    struct stage *stage = *state;
    char path[FOLDER_PATH_MAX];
    assert_int_equal(mkdir(folder_path(&stage->folder, "drivers", path), 0700), 0);
    write_scene(stage, "good");
    for (size_t i = 0; i < COUNT(drivers); i++)
        write_scene(stage, drivers[i].fault);
    int code = TEST_RUN(stage, "drivers", "--warp", "max", "--for", "7", "--jobs", "4", "--junit",
                        "j.xml", "--out", "out");
    char *report = program_out(&stage->ptybot);
    assert_int_equal(code, 1);
    char *good = section(report, "good");
    assert_null(strstr(good, "kobuki.uart: "));
    free(good);
    for (size_t i = 0; i < COUNT(drivers); i++) {
        char *part = section(report, drivers[i].fault);
        for (size_t j = 0; j < 2; j++)
            if (drivers[i].lines[j] && !strstr(part, drivers[i].lines[j]))
                fail_msg("'%s' is not in:\n%s", drivers[i].lines[j], part);
        free(part);
    }
    free(report);
    file_has(stage, "j.xml", "<property name=\"wire.failure\" value=\"kobuki.uart: ");
    file_has(stage, "j.xml", "<property name=\"kobuki.uart.refused\" value=\"base_control with");
    file_has(stage, "j.xml", "<property name=\"kobuki.uart.reported\" value=\"base_control ");
    file_has(stage, "j.xml", ">wire failure: kobuki.uart: ");
    file_has(stage, "out/good/wire.log",
             " s  kobuki.uart <- base_control speed=200 mm/s, radius=0");
    file_has(stage, "out/good/wire.log", " s  kobuki.uart -> basic timestamp=");
    file_has(stage, "out/checksum/wire.log",
             "kobuki.uart <- refused (bad_frames): aa 55 06 01 04 c8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_STAGED(the_report_names_what_is_wrong_with_a_driver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
