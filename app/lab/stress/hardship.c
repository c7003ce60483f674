#include "app/lab/stress/hardship.h"

#include <string.h>

#include "base/array.h"

const char *const hardship_sizes[HARDSHIP_SIZES] = {"small", "medium", "large"};

/* Verdicts that are off. Crashes always count. */
#define HUNG       SURVIVAL_BIT(SURVIVAL_HUNG)
#define LOST       SURVIVAL_BIT(SURVIVAL_LOST)
#define MOVING     SURVIVAL_BIT(SURVIVAL_MOVING)
#define UNEXPECTED SURVIVAL_BIT(SURVIVAL_UNEXPECTED)
#define ESTIMATE   SURVIVAL_BIT(SURVIVAL_ESTIMATE)
#define UNAWARE    SURVIVAL_BIT(SURVIVAL_UNAWARE)
#define STARVED    SURVIVAL_BIT(SURVIVAL_STARVED)
#define LEAKS      SURVIVAL_BIT(SURVIVAL_LEAKS)
#define GAVE_UP    SURVIVAL_BIT(SURVIVAL_GAVE_UP)

#define ALWAYS   (LEAKS | STARVED)                      /* on in few rows */
#define DAMAGED  (ALWAYS | GAVE_UP)                     /* bytes are lost */
#define TO_ROBOT (DAMAGED | UNEXPECTED | MOVING | HUNG) /* the driver hardly notices */
/* The driver cannot stop the robot, whose position is unknown meanwhile. A driver that waits counts
 * as lost, not as hung. */
#define CUT       (DAMAGED | MOVING | HUNG | SURVIVAL_POSE)
#define UNPOWERED (DAMAGED | ESTIMATE | HUNG)
#define OBEYED    (ALWAYS | GAVE_UP | LOST | UNAWARE | UNEXPECTED)
#define HANDLED   (ALWAYS | LOST | UNEXPECTED | UNAWARE | ESTIMATE | GAVE_UP) /* it may react */
#define BLIND     (ALWAYS | UNEXPECTED | ESTIMATE | UNAWARE | LOST | GAVE_UP)

/* Three sizes, or durations in s. */
#define THREE(small, medium, large)                                                                \
    {                                                                                              \
        small, medium, large                                                                       \
    }
#define FRAMES        THREE("rate=0.01", "rate=0.1", "rate=0.5")
#define BYTES         THREE("rate=0.0005", "rate=0.005", "rate=0.05")
#define TIMES         THREE("", "", "") /* the sizes are those of the spans */
#define ONLY(text)    THREE(NULL, text, NULL)
#define LARGE(text)   THREE(NULL, NULL, text)
#define SPELLS        THREE(0.05, 0.5, 3)
#define EACH(seconds) THREE(seconds, seconds, seconds)
#define MOTION        HARDSHIP_MOTION
#define BOTH          (HARDSHIP_MOTION | HARDSHIP_OPENING)

/* Rows for a fault of a class of parts, for a command, and for a UNIX signal. */
#define FAULT(of, label, command, size, span, when, recover, unfair, cuts, noticed)                \
    {                                                                                              \
        .name = label, .target = HARDSHIP_FAULT, .class = FAULT_##of, .text = "fault %s=" command, \
        .sizes = size, .lasts_s = span, .moments = when, .recover_s = recover, .off = unfair,      \
        .fails_link = cuts, .notices = noticed                                                     \
    }
#define COMMAND(label, command, size, span, recover, unfair, cuts, noticed)                        \
    {                                                                                              \
        .name = label, .target = HARDSHIP_COMMAND, .text = command, .sizes = size,                 \
        .lasts_s = span, .moments = MOTION, .recover_s = recover, .off = unfair,                   \
        .fails_link = cuts, .notices = noticed                                                     \
    }
#define DRIVER(name_of_signal, command, start, recover, unfair, noticed)                           \
    {                                                                                              \
        .name = name_of_signal, .target = HARDSHIP_DRIVER, .text = command, .script = start,       \
        .sizes = TIMES, .moments = MOTION, .recover_s = recover, .off = unfair, .notices = noticed \
    }

/* Rows for a channel whose fault begins before the driver starts. */
#define LATE(label, command, start, span, recover, unfair, cuts, noticed)                          \
    {                                                                                              \
        .name = label, .target = HARDSHIP_LATE, .class = FAULT_CHANNEL, .text = command,           \
        .script = start, .sizes = TIMES, .lasts_s = span, .moments = HARDSHIP_OPENING,             \
        .recover_s = recover, .off = unfair, .fails_link = cuts, .notices = noticed                \
    }

/* A slow host. Recovery and rates have no meaning here. */
#define SLOW(label, command, noticed)                                                              \
    {                                                                                              \
        .name = label, .target = HARDSHIP_SLOW, .class = FAULT_CHANNEL, .text = command,           \
        .sizes = THREE("0..4ms", "0..40ms", "0..400ms"), .moments = MOTION, .recover_s = 10,       \
        .off = DAMAGED | LOST | ESTIMATE | MOVING | UNAWARE, .notices = noticed                    \
    }

/* Rows for a fault that damages bytes: frames to the driver, bytes to the driver, bytes to the
 * robot. */
#define DAMAGE(kind)                                                                               \
    FAULT(CHANNEL, kind "-frame", kind " unit=frame direction=to_host", FRAMES, EACH(3), BOTH, 2,  \
          DAMAGED, false, "a checksum or a gap"),                                                  \
        FAULT(CHANNEL, kind "-byte", kind " direction=to_host", BYTES, EACH(3), MOTION, 2,         \
              DAMAGED | ESTIMATE, false, "a checksum, but two errors may cancel out"),             \
        FAULT(CHANNEL, kind "-to-robot", kind " direction=to_robot", BYTES, EACH(3), MOTION, 2,    \
              TO_ROBOT, false, "hardly anything")

/* Rows for a servo: its status packets fail, or the servo itself is absent or faulty. */
#define STATUS(kind, noticed)                                                                      \
    FAULT(SERVO, kind, kind, THREE("count=1", "rate=0.01", "rate=0.1"), EACH(3), BOTH, 2, DAMAGED, \
          false, noticed)
#define SERVO(kind, cuts, noticed)                                                                 \
    FAULT(SERVO, kind, kind, TIMES, SPELLS, BOTH, 10, UNPOWERED, cuts, noticed)

#define READING "a reading that may be true"
#define ARRIVES "every byte arrives"
#define SILENCE "silence, then a robot that has restarted"

/* Unless a row says otherwise, sizes, times and limits were chosen after runs with published
 * drivers. */
const struct hardship hardships[] = {
    DAMAGE("drop"),
    DAMAGE("flip"),
    DAMAGE("duplicate"),
    DAMAGE("insert"),
    FAULT(CHANNEL, "delay", "delay", THREE("rate=0.1 ms=5", "rate=0.3 ms=30", "rate=1 ms=100"),
          EACH(3), MOTION, 1, ALWAYS, false, ARRIVES),
    FAULT(CHANNEL, "split", "split direction=to_host",
          THREE("rate=0.1 ms=5", "rate=0.3 ms=30", "rate=1 ms=100"), EACH(3), BOTH, 0.5, LEAKS,
          false, ARRIVES),
    FAULT(CHANNEL, "ftdi", "ftdi", THREE("ms=1", "ms=16", "ms=40"), EACH(3), MOTION, 0.5, LEAKS,
          false, ARRIVES),
    FAULT(CHANNEL, "stall", "stall", TIMES, SPELLS, BOTH, 1, DAMAGED, true,
          "silence, then every byte"),
    FAULT(CHANNEL, "garbage", "garbage direction=to_host",
          THREE("bytes=1", "bytes=16", "bytes=200"), EACH(0.7), HARDSHIP_OPENING, 2,
          DAMAGED | UNEXPECTED, false, "bytes outside of any frame"),
    FAULT(CHANNEL, "baud", "baud", ONLY("baud=9600"), EACH(1), MOTION, 2,
          DAMAGED | UNEXPECTED | ESTIMATE | MOVING, true, "bytes without a valid frame"),
    FAULT(CHANNEL, "hangup", "hangup", TIMES, THREE(0.02, 0.5, 3), BOTH, 10, CUT, true,
          "end of file or EIO"),
    FAULT(SENSOR, "dead", "dead", TIMES, SPELLS, MOTION, 2, BLIND, false, READING),
    FAULT(SENSOR, "stuck", "stuck", LARGE(""), SPELLS, MOTION, 2, BLIND, false, READING),
    FAULT(BUMPER, "dead", "dead", LARGE(""), SPELLS, MOTION, 2, BLIND, false, "nothing"),
    FAULT(BUMPER, "stuck", "stuck", LARGE(""), SPELLS, MOTION, 2, BLIND, false, READING),
    FAULT(BUTTON, "stuck", "stuck", LARGE(""), SPELLS, MOTION, 2, BLIND, false, READING),
    FAULT(INERTIAL, "dead", "dead", LARGE(""), SPELLS, MOTION, 2, BLIND, false, "zeros"),
    FAULT(INERTIAL, "stuck", "stuck", LARGE(""), SPELLS, MOTION, 2, BLIND, false,
          "values that do not change"),
    FAULT(INERTIAL, "drift", "drift", THREE("deg_s=1", "deg_s=10", "deg_s=100"), EACH(3), MOTION, 2,
          BLIND, false, "a turn that the wheels do not make"),
    FAULT(ENCODER, "dead", "dead", LARGE(""), SPELLS, MOTION, 2, BLIND, false,
          "wheels that do not turn"),
    FAULT(ENCODER, "loss", "loss", FRAMES, EACH(3), MOTION, 2, BLIND, false, "nothing"),
    FAULT(WHEEL, "slip", "slip", THREE("grip=0.5", "grip=0.2", "grip=0.05"), EACH(3), MOTION, 2,
          BLIND, false, "nothing"),
    FAULT(BATTERY, "low", "low", LARGE(""), EACH(0), MOTION, 2, BLIND, false, "a low voltage"),
    FAULT(BATTERY, "drain", "drain", LARGE("factor=1000"), EACH(3), MOTION, 2, BLIND, false,
          "a voltage that falls"),
    FAULT(POWER, "off", "off", TIMES, SPELLS, BOTH, 10, UNPOWERED, true, SILENCE),
    FAULT(POWER, "off-at-first", "off", TIMES, THREE(0.5, 3, 10), HARDSHIP_OPENING, 10, UNPOWERED,
          true, "silence from the beginning"),
    FAULT(POWER, "brownout", "brownout", ONLY(""), SPELLS, MOTION, 10, UNPOWERED, true, SILENCE),
    FAULT(POWER, "usb", "usb", LARGE(""), SPELLS, MOTION, 10, UNPOWERED | LOST, false,
          "motors that do nothing"),
    STATUS("lost", "no status packet within its timeout"),
    STATUS("damaged", "a checksum"),
    STATUS("late", "a status packet that it has given up"),
    SERVO("absent", true, SILENCE),
    SERVO("twin", true, "checksums"),
    SERVO("hot", false, "an error bit"),
    SERVO("sag", false, "an error bit and a low voltage"),
    SERVO("jammed", false, "an error bit after 2 s"),
    SERVO("foreign", true, "a model number that does not fit"),
    SERVO("echo", true, "its own bytes"),
    COMMAND("restart", "reset", ONLY(""), EACH(0), 10, UNPOWERED, true, SILENCE),
    COMMAND("press", "press bumper=%s", TIMES, SPELLS, 2, HANDLED, false, "a bumper"),
    COMMAND("lift", "lift", TIMES, SPELLS, 2, HANDLED, false, "wheels that drop"),
    COMMAND("wheel-drop", "lift wheel=0", LARGE(""), SPELLS, 2, HANDLED, false,
            "one wheel that drops"),
    COMMAND("motor-stall", "stall", TIMES, SPELLS, 5, ALWAYS, false,
            "the scan rate; a motor needs 3 s to spin up"),
    {.name = "reconnects",
     .target = HARDSHIP_FAULT,
     .class = FAULT_CHANNEL,
     .text = "fault %s=hangup",
     .sizes = LARGE(""),
     .lasts_s = EACH(0.1),
     .repeats = 50, // chosen: enough for a leak to show
     .moments = MOTION,
     .recover_s = 10,
     .off = CUT & ~LEAKS,
     .fails_link = true,
     .notices = "end of file or EIO"},
    // The device returns under another name, which a driver cannot know, or not at all.
    FAULT(CHANNEL, "gone", "hangup", LARGE("for=1000"), EACH(0), MOTION, 10, CUT | LOST | ESTIMATE,
          true, "end of file or EIO, then no such file"),
    LATE("missing", "fault %s=hangup", "sleep 0.1; exec \"$@\"", THREE(0.5, 3, 10), 10, CUT, true,
         "no such file"),
    // Another program opens the port first and does not read. Chosen: at most somewhat more bytes
    // than a terminal buffers.
    LATE("stale", NULL, "(stty raw -echo; sleep %1$s; sleep 1) <>{%2$s} & sleep %1$s; exec \"$@\"",
         THREE(0.1, 0.5, 3), 2, DAMAGED, false, "old frames, then a gap"),
    SLOW("slow", NULL, "nothing"),
    SLOW("slow-hangup", "fault %s=hangup for=0.02", "end of file or EIO"),
    {.name = "wake-order",
     .target = HARDSHIP_ORDER,
     .sizes = THREE("1", "2", "3"),
     .moments = MOTION,
     .off = ALWAYS,
     .notices = "nothing"},
    DRIVER("SIGINT", "signal=SIGINT", NULL, 2, OBEYED, "everything"),
    DRIVER("SIGTERM", "signal=SIGTERM", NULL, 2, OBEYED, "everything"),
    // Movement between the two lives of the driver is not its fault: many robots have no watchdog.
    DRIVER("SIGKILL", NULL, "\"$@\" & sleep %1$s; kill -KILL $!; exec \"$@\"", 10,
           ALWAYS | UNEXPECTED | ESTIMATE, "a robot that is in the middle of something"),
};
const struct hardship hardship_random = {.name = "random",
                                         .target = HARDSHIP_COMMAND,
                                         .text = "",
                                         .sizes = ONLY(""),
                                         .moments = MOTION,
                                         .notices = "see the hardships"};
const size_t hardship_count = COUNT(hardships);
