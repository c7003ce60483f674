/* The serial settings of hosts, judged. */
#include "app/test/serial_cases.h"

#include <inttypes.h>
#include <stdio.h>

#include "app/links/poller.h"

static void add(struct judgement *judgement, const char *name, const struct serial_check *check)
{
    char what[128], found[SERIAL_CHECK_TEXT_SIZE];
    bool is_wrong = check->wrong.baud > 0;
    snprintf(what, sizeof what, "serial settings of %s", name);
    if (is_wrong)
        serial_check_text(check, check->wrong, found);
    else
        serial_settings_text(check->robot, found);
    judgement_add(judgement,
                  &(struct judgement_case){
                      .verdict = is_wrong ? JUDGEMENT_FAILED : JUDGEMENT_PASSED,
                      .what = what,
                      .found = found,
                      .kind = "serial_settings",
                      .at_s = is_wrong ? (double)check->wrong_us * 1e-6 : judgement->simulated_s,
                  });
    if (is_wrong && !diagnoses_add(&judgement->diagnoses, DIAGNOSIS_DRIVER, DIAGNOSIS_FAILURE,
                                   "troubleshooting.md#serial-settings",
                                   "%s: %s; correct the driver (cfmakeraw, cfsetspeed at %" PRIu32
                                   "), or set `baud_check: off` in the link of the scene",
                                   what, found, check->robot.baud))
        judgement->is_short = true;
}

void serial_cases_add(struct judgement *judgement, const struct links *links, int64_t now_us)
{
    for (size_t i = 0; i < links_count(links); i++) {
        struct links_view view;
        links_view(links, i, &view);
        if (!view.serial)
            continue;
        struct serial_check check = *view.serial;
        serial_check_left(&check, poller_now_ns(), now_us); // hosts that are still there
        if (check.is_seen)
            add(judgement, view.name, &check);
    }
}
