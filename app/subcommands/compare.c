/* `ptybot compare`: compares a recording of a real robot with the virtual robot. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/program.h"
#include "app/cli/table.h"
#include "app/cli/terminal.h"
#include "app/files/scene_file.h"
#include "app/lab/compare/compare.h"
#include "app/lab/compare/compare_page.h"
#include "app/subcommands/any_recording.h"
#include "app/subcommands/subcommands.h"
#include "sim/parse/scene_parse.h"

enum { RULES_MAX = 256 }; /* chosen: more than the fields of any robot */

struct compare_flags {
    char tolerance[PATH_MAX], html[PATH_MAX], line[CAPTURE_NAME_MAX];
    struct argument_texts set;
    bool has_room, is_raw;
};

static const struct flag_row flags[] = {
    FLAG_TEXT("tolerance", "FILE", compare_flags, tolerance, "",
              "File with lines `packet.field NUMBER` or `packet.field leave-out`"),
    FLAG_TEXT("html", "FILE.html", compare_flags, html, "",
              "Write a page with plots of the fields that differ most"),
    FLAG_TEXT("line", "NAME", compare_flags, line, "", "Line of the recording, such as usb1.4",
              .otherwise = "the first matching channel"),
    FLAG_REPEATED("set", "KEY=VALUE", compare_flags, set, "Change the scene, as in `ptybot run`"),
    FLAG_SWITCH("room", compare_flags, has_room,
                "Compare values that depend on the room, too: the scene is the real room"),
    FLAG_SWITCH("raw", compare_flags, is_raw,
                "Read a text log or bare bytes of the robot, as `ptybot decode --raw`"),
};

static bool read_rules(const char *path, struct compare_rule *rules, size_t *count,
                       struct error *error)
{
    FILE *file = *path ? fopen(path, "re") : NULL;
    *count = 0;
    if (!*path)
        return true;
    if (!file)
        return error_environment(error, "--tolerance %s: cannot be read", path);
    bool is_right = compare_rules_read(file, path, rules, RULES_MAX, count, error);
    fclose(file);
    return is_right;
}

/* ---- Results ---- */

static void print_packets(const struct comparison *comparison)
{
    struct table table;
    table_init(&table, (const char *const[]){"packet", "real", "virtual", "pairs", "real rate",
                                             "virtual rate", "jitter", "", NULL});
    for (size_t i = 0; i < comparison->packet_count; i++) {
        const struct compare_packet *packet = &comparison->packets[i];
        char real[24], ours[24], pairs[24], real_hz[24], our_hz[24], jitter[48];
        snprintf(real, sizeof real, "%zu", packet->real ? packet->real->count : 0);
        snprintf(ours, sizeof ours, "%zu", packet->ours ? packet->ours->count : 0);
        snprintf(pairs, sizeof pairs, "%zu", packet->pairs);
        snprintf(real_hz, sizeof real_hz, "%.2f Hz", packet->real_hz);
        snprintf(our_hz, sizeof our_hz, "%.2f Hz", packet->our_hz);
        snprintf(jitter, sizeof jitter, "%.1f and %.1f ms", packet->real_jitter_s * 1e3,
                 packet->our_jitter_s * 1e3);
        table_row(&table,
                  (const char *const[]){packet->wire->name, real, ours, pairs, real_hz, our_hz,
                                        jitter, packet->is_beyond ? packet->why : "ok"});
    }
    table_print(&table, 0, stdout);
}

static void print_fields(const struct comparison *comparison)
{
    struct table table;
    table_init(&table, (const char *const[]){"field", "beyond", "worst", "at", "tolerance",
                                             "meaning", NULL});
    for (size_t i = 0; i < comparison->field_count; i++) {
        const struct compare_field *field = &comparison->fields[i];
        char name[160], beyond[48], worst[64], at[32], tolerance[64];
        if (!field->is_beyond)
            continue;
        compare_field_name(comparison, field, name, sizeof name);
        snprintf(beyond, sizeof beyond, "%zu of %zu", field->beyond, field->pairs);
        snprintf(worst, sizeof worst, "%.4g %s", field->worst, field->field->unit);
        snprintf(at, sizeof at, "%.2f s", field->worst_at_s);
        snprintf(tolerance, sizeof tolerance, "%.4g %s, %.3g %%", field->rule.tolerance,
                 field->field->unit, field->rule.share * 100);
        table_row(&table, (const char *const[]){name, beyond, worst, at, tolerance, field->why});
    }
    table_print(&table, 0, stdout);
}

static void print_comparison(const struct comparison *comparison, bool is_untimed)
{
    size_t held = 0, left_out = 0, fields = 0;
    for (size_t i = 0; i < comparison->field_count; i++) {
        held += comparison->fields[i].rule.kind != COMPARE_LEFT_OUT;
        left_out += comparison->fields[i].rule.kind == COMPARE_LEFT_OUT;
        fields += comparison->fields[i].is_beyond;
    }
    print_packets(comparison);
    if (is_untimed)
        printf("\nthe bytes have no times: packets are compared in their order, rates are not\n");
    else if (comparison->has_drift)
        printf("\nclock of the recording: %+.0f ppm compared with the virtual robot's\n",
               comparison->drift * 1e6);
    else
        printf("\nclock of the recording: not identifiable; the packets drift by %+.0f ppm, more "
               "than a clock does\n",
               comparison->drift * 1e6);
    printf("%zu fields compared, %zu left out, %zu differ\n", held, left_out, fields);
    if (fields > 0) {
        putchar('\n');
        print_fields(comparison);
    }
}

/* Prints a summary that an owner of a real robot can paste into an issue, as plain text. */
static void print_summary(const struct comparison *comparison, const char *path,
                          const struct scene_robot *robot, const struct recording *recording)
{
    const char *file = strrchr(path, '/');
    printf("\nSummary, to paste into an issue:\n\n- %s, %s: %.1f s of %s, ptybot %s\n",
           robot->type->name, robot->name, (double)recording->length_ns * 1e-9,
           file ? file + 1 : path, program_version());
    for (size_t i = 0; i < comparison->packet_count; i++)
        printf("- %s: %zu pairs, %s\n", comparison->packets[i].wire->name,
               comparison->packets[i].pairs,
               comparison->packets[i].is_beyond ? comparison->packets[i].why : "ok");
    for (size_t i = 0; i < comparison->field_count; i++) {
        const struct compare_field *field = &comparison->fields[i];
        char name[160];
        compare_field_name(comparison, field, name, sizeof name);
        if (field->is_beyond)
            printf("- %s: %s, %zu of %zu\n", name, field->why, field->beyond, field->pairs);
    }
}

/* ---- The subcommand ---- */

static int compare_all(const char *path, struct scene *scene, const struct compare_flags *given,
                       const struct compare_options *options, struct error *error)
{
    struct recording recording = {0};
    struct trace ours = {0};
    struct comparison comparison = {0};
    const struct robot_type *type = scene->robots[0].type;
    unsigned channel = scene->robots[0].link_count > 0 ? scene->robots[0].links[0].channel : 0;
    const struct block_format format = {given->is_raw, CAPTURE_TO_HOST};
    char place[PATH_MAX];
    int code = EXIT_CODE_USAGE;
    int fd;
    const char *from = any_recording(path, place, &fd, error);
    if (from && recording_read(&recording, from, &format, type, channel, given->line, error) &&
        trace_run(&ours, &recording, scene, 0, error)) {
        code = EXIT_CODE_ENVIRONMENT;
        recording_take_times(&recording, &ours);
        if (!compare_traces(&comparison, &recording.trace, &ours, options)) {
            error_environment(error, "not enough memory to compare");
        } else {
            print_comparison(&comparison, recording.is_untimed);
            print_summary(&comparison, path, scene->robots, &recording);
            code = comparison.beyond > 0 ? EXIT_CODE_FAILED : EXIT_CODE_OK;
            if (*given->html && !compare_page_write(given->html, path, &comparison, error))
                code = EXIT_CODE_ENVIRONMENT;
        }
    }
    compare_free(&comparison);
    trace_free(&ours);
    recording_free(&recording);
    if (fd >= 0)
        close(fd);
    return code;
}

static int run(struct arguments *arguments, void *memory)
{
    struct compare_flags *given = memory;
    static struct compare_rule rules[RULES_MAX];
    struct compare_options options = {.rules = rules};
    struct error error = {0};
    options.has_room = given->has_room;
    struct scene *scene = scene_file_find(arguments->words[1], false, &error);
    bool is_right = scene && read_rules(given->tolerance, rules, &options.rule_count, &error);
    for (size_t i = 0; is_right && i < given->set.count; i++)
        is_right = scene_set(scene, given->set.texts[i], &error);
    int code = EXIT_CODE_USAGE;
    if (is_right)
        code = compare_all(arguments->words[0], scene, given, &options, &error);
    if (error.text[0])
        terminal_fail(code, "%s", error.text);
    scene_destroy(scene);
    return code;
}

const struct subcommand compare_subcommand = {
    .name = "compare",
    .usage = "REAL.pcapng SCENE|ROBOT [FLAGS]",
    .summary = "compare a recording of a real robot with the virtual one",
    .details = "The virtual robot, the first of the scene, gets the driver's bytes of the "
               "recording at\ntheir times. ptybot compares the bytes of both robots packet by "
               "packet: order, rates,\njitter, and each field by its tolerance. For counters it "
               "compares the increments, for\nclocks the rates. Values that depend on the room are "
               "left out without --room. The exit\ncode is 1 if something is beyond its tolerance. "
               "Bare bytes have no times: their packets\nare compared in their order.\n\n  ptybot "
               "compare real.pcapng kobuki --html differences.html",
    SUBCOMMAND_FLAGS(flags, compare_flags),
    .words = {2, 2, "give a recording, and a scene or a robot type"},
    .run = run,
};
