/* `ptybot tap`: records everything that passes between a real robot and its driver. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/terminal.h"
#include "app/lab/recording/tap.h"
#include "app/subcommands/subcommands.h"
#include "base/text.h"
#include "protocols/registry.h"
#include "protocols/robot.h"

struct tap_options {
    char as[64];
    char port[PATH_MAX];
    char capture[PATH_MAX];
    int64_t baud;
    bool is_viewed;
};

static const struct flag_row flags[] = {
    FLAG_TEXT("as", "ROBOT", tap_options, as, "",
              "Type of the robot, such as kobuki or, with a channel, cobot.uart"),
    FLAG_TEXT("port", "PATH", tap_options, port, "",
              "Port for the driver; a relative path is in the user's folder",
              .otherwise = "the robot's type"),
    FLAG_TEXT("capture", "FILE.pcapng", tap_options, capture, "", "Record all bytes that pass"),
    // Up to the highest baud of Linux.
    FLAG_INTEGER("baud", "BAUD", tap_options, baud, "bit/s", 0, 4000000, "0",
                 "Baud rate of the device until the driver sets one", .otherwise = "the robot's"),
    FLAG_SWITCH("view", tap_options, is_viewed, "Show the frames in a window as they pass"),
};

/* Finds the robot type and channel that --as names. False after it has printed an error. */
static bool find_line(const char *as, const struct robot_type **type,
                      const struct channel_spec **channel)
{
    char name[64];
    const char *names[TEXT_WORDS_MAX];
    size_t size = strcspn(as, ".");
    registry_names(names);
    snprintf(name, sizeof name, "%.*s", (int)size, as);
    *type = registry_find(name);
    if (!*type) {
        subcommand_misused(&tap_subcommand, *as ? "--as: there is no such robot"
                                                : "--as is missing: which robot is it?");
        terminal_say("%s", TEXT_ADVICE(names, name));
        return false;
    }
    for (size_t i = 0; i < (*type)->channel_count; i++) {
        *channel = &(*type)->channels[i];
        bool is_named = as[size] == '\0' || strcmp(as + size + 1, (*channel)->name) == 0;
        if (is_named && (*channel)->kind == CHANNEL_SERIAL)
            return true;
    }
    subcommand_misused(&tap_subcommand, "--as: the robot has no such serial channel");
    return false;
}

static void print_summary(const struct tap_counts *counts, const char *capture)
{
    printf("%" PRIu64 " bytes to the robot, %" PRIu64 " to the driver; %" PRIu64
           " of the robot while no driver was connected; %" PRIu64 " lost\n",
           counts->to_robot, counts->to_driver, counts->unheard, counts->lost);
    if (*capture)
        printf("recorded in %s\n", capture);
}

static int run_tap(const struct tap_config *config)
{
    struct error error = {0};
    struct poller poller;
    if (!poller_open(&poller, &error))
        return terminal_fail(EXIT_CODE_ENVIRONMENT, "%s", error.text);
    struct tap *tap = tap_open(config, &error);
    bool is_open = tap && stop_catch(&poller, &error);
    struct tap_counts counts = {0};
    if (is_open) {
        printf("%s: the driver opens %s; the robot is at %s\n", config->name, tap_port(tap),
               config->device);
        terminal_flush();
        tap_run(tap, &poller);
        counts = tap_counts(tap);
        stop_release();
    }
    bool is_whole = tap_close(tap, &error) && is_open;
    poller_close(&poller);
    if (is_open)
        print_summary(&counts, config->capture);
    if (is_whole)
        return EXIT_CODE_OK;
    return terminal_fail(error.is_environment ? EXIT_CODE_ENVIRONMENT : EXIT_CODE_USAGE, "%s",
                         error.text);
}

static int run(struct arguments *arguments, void *memory)
{
    struct tap_options *options = memory;
    const struct robot_type *type;
    const struct channel_spec *channel;
    char name[96], what[96];
    if (!find_line(options->as, &type, &channel))
        return EXIT_CODE_USAGE;
    snprintf(name, sizeof name, "%s.%s", type->name, channel->name);
    snprintf(what, sizeof what, "%s %s", type->name, channel->name);
    return run_tap(&(struct tap_config){
        .device = arguments->words[0],
        .port = *options->port ? options->port : type->name,
        .name = name,
        .what = what,
        .baud = options->baud > 0 ? (uint32_t)options->baud : channel->baud,
        .capture = options->capture,
        .is_viewed = options->is_viewed,
    });
}

const struct subcommand tap_subcommand = {
    .name = "tap",
    .usage = "DEVICE --as ROBOT [FLAGS]",
    .summary = "record the traffic between a real robot and its driver",
    .details =
        "DEVICE is the serial device of the robot (`ptybot list ports`). The driver opens the "
        "port\nthat ptybot prints instead. Bytes pass unchanged in both directions without delay. "
        "ptybot\nsets the driver's baud rate, DTR and RTS at the device, and reports the robot's "
        "CTS, DSR,\nDCD and RI at the port (to drivers that run with `ptybot shim`). A lost device "
        "is opened\nagain when it returns. The tap ends with SIGINT or SIGTERM, not with its "
        "window.\n\n  ptybot tap /dev/ttyUSB0 --as kobuki --capture real.pcapng",
    SUBCOMMAND_FLAGS(flags, tap_options),
    .words = {1, 1, "give the robot's serial device, such as /dev/ttyUSB0"},
    .run = run,
};
