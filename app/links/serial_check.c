/* Checks the settings of serial ports. */
#include "app/links/serial_check.h"

#include <stdio.h>

void serial_check_came(struct serial_check *check)
{
    check->known = check->now = (struct serial_settings){0};
    check->is_set = check->has_right = check->is_reported = false;
}

void serial_check_set(struct serial_check *check, struct serial_settings settings, int64_t now_ns,
                      int64_t now_us)
{
    bool is_unset = settings.mode & SERIAL_UNSET;
    check->now = settings;
    if (settings.baud == 0)
        return;
    check->since_ns = now_ns;
    check->since_us = now_us;
    check->has_right |= serial_settings_equal(settings, check->robot);
    check->is_seen |= check->has_right;
    check->is_set |= !is_unset;
    // A host may restore the initial settings before it disconnects. They do not show which
    // settings it used.
    if (!is_unset)
        check->known = settings;
}

/* Whether the present settings are wrong and count. */
static bool is_wrong(struct serial_check *check, bool has_bytes, int64_t now_ns, int64_t now_us)
{
    bool is_settled = !check->has_right && now_ns - check->since_ns >= SERIAL_CHECK_SETTLE_NS &&
                      (now_us - check->since_us) * 1000 >= SERIAL_CHECK_SETTLE_NS;
    if (check->robot.baud == 0 || check->now.baud == 0 ||
        serial_settings_equal(check->now, check->robot) || (!has_bytes && !is_settled))
        return false;
    if (!check->is_set)
        check->known = check->now;
    if (has_bytes && check->wrong.baud == 0) {
        check->wrong = check->now;
        check->wrong_us = now_us;
    }
    check->is_seen = true;
    return true;
}

bool serial_check_count(struct serial_check *check, bool has_bytes, int64_t now_ns, int64_t now_us)
{
    bool is_due = is_wrong(check, has_bytes, now_ns, now_us) && !check->is_reported;
    check->is_reported |= is_due;
    return is_due;
}

void serial_check_left(struct serial_check *check, int64_t now_ns, int64_t now_us)
{
    // Settings of a host that never had the right ones count, even if it sent no bytes.
    if (is_wrong(check, false, now_ns, now_us) && check->wrong.baud == 0) {
        check->wrong = check->now;
        check->wrong_us = now_us;
    }
}

void serial_check_text(const struct serial_check *check, struct serial_settings found,
                       char text[static SERIAL_CHECK_TEXT_SIZE])
{
    char is[SERIAL_SETTINGS_TEXT_SIZE], wanted[SERIAL_SETTINGS_TEXT_SIZE];
    snprintf(text, SERIAL_CHECK_TEXT_SIZE, "the driver set %s%s; the robot has %s",
             found.mode & SERIAL_UNSET ? "no settings, and a real port starts with " : "",
             serial_settings_text(found, is), serial_settings_text(check->robot, wanted));
}
