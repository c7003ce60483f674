/* `ptybot arduino`: a sketch compiled for the PC, as the firmware of a body file. */
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/cli/program.h"
#include "app/cli/terminal.h"
#include "app/files/scene_file.h"
#include "app/files/sketch.h"
#include "app/subcommands/subcommands.h"
#include "base/array.h"

struct arduino_options {
    char out[PATH_MAX];
};

static const struct flag_row flags[] = {
    FLAG_TEXT("out", "FILE", arduino_options, out, "",
              "the program; -o is the same; F.cpp: what would be compiled"),
};

/* ---- The compiler ---- */

enum { WORDS_MAX = SKETCH_FILES_MAX + 24 };

static const char *const board_words[] = {
    [BOARD_UNO] = "-DARDUINO_AVR_UNO",
    [BOARD_NANO] = "-DARDUINO_AVR_NANO",
    [BOARD_LEONARDO] = "-DARDUINO_AVR_LEONARDO",
    [BOARD_MEGA] = "-DARDUINO_AVR_MEGA2560",
};

static bool write_text(const char *path, const char *text, struct error *error)
{
    FILE *file = fopen(path, "we");
    bool is_good = file && fputs(text, file) >= 0;
    if (file)
        is_good = fclose(file) == 0 && is_good;
    return is_good || error_set(error, "cannot write %s: %s", path, strerror(errno));
}

/* Its exit code; -1 with ERROR: it cannot be started. */
static int run_words(const char *const *words, struct error *error)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        execvp(words[0], (char *const *)words);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return error_set(error, "fork: %s", strerror(errno)) - 1;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    if (code == 127)
        return error_set(error, "there is no compiler '%s': install g++, or name one in CXX",
                         words[0]) -
               1;
    return code;
}

/* Sources of C are compiled as such by the suffix of their names. */
static int compile(const char *folder, const struct sketch *sketch, const char *source,
                   enum pin_board board, const char *out, struct error *error)
{
    static char paths[SKETCH_FILES_MAX][PATH_MAX];
    char headers[PATH_MAX], core[PATH_MAX];
    const char *words[WORDS_MAX], *compiler = getenv("CXX");
    program_find(PROGRAM_SKETCH, headers, sizeof headers);
    program_find(PROGRAM_CORE, core, sizeof core);
    if (!*headers || !*core)
        return error_set(error, "the core of Arduino is not installed: install the package "
                                "libptybot-dev") -
               1;
    const char *const first[] = {compiler && *compiler ? compiler : "g++",
                                 "-std=gnu++11",
                                 "-fpermissive",
                                 "-O2",
                                 "-g",
                                 "-DARDUINO=10819",
                                 board_words[board],
                                 "-I",
                                 headers,
                                 "-I",
                                 folder,
                                 "-o",
                                 out,
                                 source};
    const char *const last[] = {core, "-l:libjansson.so.4", "-lm", NULL};
    size_t count = COUNT(first);
    memcpy(words, first, sizeof first);
    for (size_t i = 0; i < sketch->source_count; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%s", folder, sketch->sources[i]);
        words[count++] = paths[i];
    }
    memcpy(words + count, last, sizeof last);
    return run_words(words, error);
}

/* ---- What is said ---- */

/* After a failure: a likely reason. */
static void explain(const struct sketch *sketch)
{
    size_t size;
    const char *name = sketch_register(sketch->text, &size);
    if (name)
        terminal_say("'%.*s' is a register or vector of a microcontroller, which a PC has not: "
                     "compile the sketch for its board and run the binary, `firmware: {avr: "
                     "firmware.elf}`",
                     (int)size, name);
}

static void say_differences(const struct robot_program *program, const char *body, const char *out)
{
    terminal_say("%s: board %s; here int has 32 bits, long 64 and double 64 (an AVR: 16, 32, 32), "
                 "there are no registers, and time goes by in calls of the core alone: "
                 "docs/own-robot.md",
                 out, board_names[program->board]);
    const char *slash = strrchr(out, '/');
    if (!program->run || !strstr(program->run, slash ? slash + 1 : out))
        terminal_say("%s does not run it; write there: firmware: {run: \"exec ./%s\", board: %s}",
                     body, slash ? slash + 1 : out, board_names[program->board]);
}

/* ---- The verb ---- */

static int make(const char *folder, const char *body, const struct robot_program *program,
                const char *out, struct error *error)
{
    char work[] = "/tmp/ptybot-arduino-XXXXXX", source[sizeof work + 16];
    struct sketch sketch;
    size_t size = strlen(out);
    int code = EXIT_CODE_ENVIRONMENT;
    if (!sketch_read(folder, &sketch, error))
        return EXIT_CODE_USAGE;
    if (size > 4 && strcmp(out + size - 4, ".cpp") == 0) {
        code = write_text(out, sketch.text, error) ? EXIT_CODE_OK : EXIT_CODE_ENVIRONMENT;
    } else if (mkdtemp(work)) {
        snprintf(source, sizeof source, "%s/sketch.cpp", work);
        int failed = write_text(source, sketch.text, error)
                         ? compile(folder, &sketch, source, program->board, out, error)
                         : -1;
        code = failed < 0 ? EXIT_CODE_ENVIRONMENT : failed ? EXIT_CODE_USAGE : EXIT_CODE_OK;
        if (failed > 0) {
            explain(&sketch);
            error_set(error, "%s: does not compile", folder);
        } else if (failed == 0)
            say_differences(program, body, out);
        unlink(source);
        rmdir(work);
    } else
        error_set(error, "%s: %s", work, strerror(errno));
    sketch_free(&sketch);
    return code;
}

static int arduino(struct arguments *arguments, void *memory)
{
    struct arduino_options *options = memory;
    struct error error = {0};
    if (!*options->out)
        return verb_misused(&arduino_verb, "give a file: -o firmware");
    const char *body = arguments->words[1];
    struct scene *scene = scene_file_find(body, false, &error);
    if (!scene)
        return terminal_fail(EXIT_CODE_USAGE, "%s", error.text);
    const struct robot_program *program = scene->robots[0].type->program;
    int code = EXIT_CODE_USAGE;
    if (!program || program->pin_count == 0)
        error_set(&error,
                  "%s has no pins: it says what the board is wired to, see "
                  "docs/own-robot.md",
                  body);
    else
        code = make(arguments->words[0], body, program, options->out, &error);
    scene_destroy(scene);
    return code == EXIT_CODE_OK ? code : terminal_fail(code, "%s", error.text);
}

const struct verb arduino_verb = {
    .name = "arduino",
    .usage = "SKETCH_DIR BODY.yaml -o FILE",
    .summary = "compile a sketch of Arduino for the PC, as a robot's firmware",
    .details = "The sketch stays as it is; the body file says what the pins of its board are wired "
               "to. Needs\ng++ (or CXX) and the package libptybot-dev. "
               "Of what differs from the board, docs/own-robot.md.\n\n"
               "  ptybot arduino bridge bridge.yaml -o bridge/firmware",
    VERB_FLAGS(flags, arduino_options),
    .has_short_out = true,
    .words = {2, 2, "give the folder of a sketch and a body file"},
    .run = arduino,
};
