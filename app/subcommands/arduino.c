/* `ptybot arduino`: compiles a sketch for the board of a body file, as its firmware. */
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/cli/keeper.h"
#include "app/cli/program.h"
#include "app/cli/terminal.h"
#include "app/files/fresh_file.h"
#include "app/files/scene_file.h"
#include "app/files/sketch.h"
#include "app/subcommands/subcommands.h"
#include "base/array.h"

enum { MISSING = 77 }; /* exit code of clients/avr/build.sh: no compiler, or no core */

struct arduino_options {
    char out[PATH_MAX];
    struct argument_texts libraries, defines;
};

static const struct flag_row flags[] = {
    FLAG_TEXT("out", "FILE.elf", arduino_options, out, "",
              "Write the binary to this file; -o is the same"),
    FLAG_REPEATED("lib", "DIR", arduino_options, libraries,
                  "Compile and include an Arduino library in this folder; repeatable"),
    FLAG_REPEATED("define", "NAME[=VALUE]", arduino_options, defines,
                  "Define a macro of the preprocessor; repeatable"),
};

/* ---- The compiler ---- */

static bool write_text(const char *path, const char *text, struct error *error)
{
    struct fresh_file file;
    if (!fresh_file_open(&file, path, error))
        return false;
    fputs(text, file.out);
    return fresh_file_close(&file, true, error);
}

/* Runs a command. Returns its exit code; -1 with ERROR: it cannot be started. */
static int run_words(const char *const *words, struct error *error)
{
    struct keeper keeper;
    int status = 0;
    fflush(NULL);
    pid_t child = keeper_fork(&keeper, false);
    if (child == 0) {
        execv(words[0], (char *const *)words);
        keeper_fail(&keeper);
    }
    if (child < 0)
        return error_set(error, "%s: %s", words[0], strerror(errno)) - 1;
    keeper_poll(&keeper, true, &status);
    keeper_end(&keeper);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int compile(const char *folder, const char *source, enum pin_board board,
                   const struct arduino_options *options, struct error *error)
{
    static const char *words[4 * ARGUMENTS_REPEATS_MAX + 8];
    char script[PATH_MAX];
    program_find(PROGRAM_AVR_BUILD, script, sizeof script);
    if (!*script)
        return error_set(
                   error,
                   "the compiler script of `ptybot arduino` is not installed with this program") -
               1;
    const char *const first[] = {script, source, folder, board_names[board], options->out};
    size_t count = COUNT(first);
    memcpy(words, first, sizeof first);
    for (size_t i = 0; i < options->libraries.count; i++) {
        words[count++] = "--lib";
        words[count++] = options->libraries.texts[i];
    }
    for (size_t i = 0; i < options->defines.count; i++) {
        words[count++] = "--define";
        words[count++] = options->defines.texts[i];
    }
    words[count] = NULL;
    int code = run_words(words, error);
    if (code == MISSING)
        return error_set(
                   error,
                   "no compiler for AVR: sudo apt-get install gcc-avr avr-libc arduino-core-avr") -
               1;
    return code;
}

/* ---- The subcommand ---- */

static void say_next(const struct robot_program *program, const char *body, const char *out)
{
    const char *slash = strrchr(out, '/');
    if (!program->avr || !strstr(program->avr, slash ? slash + 1 : out))
        terminal_say("%s does not use this binary; add to it: firmware: {avr: %s, board: %s}", body,
                     slash ? slash + 1 : out, board_names[program->board]);
    else
        terminal_say("next: ptybot run %s", body);
}

/* The folder with the .ino files: src/ in a PlatformIO project, otherwise FOLDER itself. */
static void find_sources(const char *folder, char sources[PATH_MAX])
{
    char project[PATH_MAX];
    snprintf(project, sizeof project, "%s/platformio.ini", folder);
    snprintf(sources, PATH_MAX, access(project, R_OK) == 0 ? "%s/src" : "%s", folder);
}

static int make(const char *folder, const char *body, const struct robot_program *program,
                const struct arduino_options *options, struct error *error)
{
    char work[] = "/tmp/ptybot-arduino-XXXXXX", source[sizeof work + 16], sources[PATH_MAX];
    find_sources(folder, sources);
    char *sketch = sketch_read(sources, error);
    if (!sketch)
        return EXIT_CODE_USAGE;
    int code = EXIT_CODE_ENVIRONMENT;
    if (mkdtemp(work)) {
        snprintf(source, sizeof source, "%s/sketch.cpp", work);
        int failed = write_text(source, sketch, error)
                         ? compile(folder, source, program->board, options, error)
                         : -1;
        code = failed < 0 ? EXIT_CODE_ENVIRONMENT : failed ? EXIT_CODE_USAGE : EXIT_CODE_OK;
        if (failed > 0)
            error_set(error, "%s: compilation failed", folder);
        else if (failed == 0)
            say_next(program, body, options->out);
        unlink(source);
        rmdir(work);
    } else
        error_set(error, "%s: %s", work, strerror(errno));
    free(sketch);
    return code;
}

static int arduino(struct arguments *arguments, void *memory)
{
    struct arduino_options *options = memory;
    struct error error = {0};
    if (!*options->out)
        return subcommand_misused(&arduino_subcommand, "give a file: -o firmware.elf");
    const char *body = arguments->words[1];
    struct scene *scene = scene_file_find(body, false, &error);
    if (!scene)
        return terminal_fail(EXIT_CODE_USAGE, "%s", error.text);
    const struct robot_program *program = scene->robots[0].type->program;
    int code = EXIT_CODE_USAGE;
    if (!program || program->pin_count == 0)
        error_set(&error,
                  "%s has no pins, which connect the board to the robot; see "
                  "docs/tutorials/arduino-sketch.md",
                  body);
    else
        code = make(arguments->words[0], body, program, options, &error);
    scene_destroy(scene);
    return code == EXIT_CODE_OK ? code : terminal_fail(code, "%s", error.text);
}

const struct subcommand arduino_subcommand = {
    .name = "arduino",
    .usage = "SKETCH|PROJECT BODY.yaml -o FILE.elf [FLAGS]",
    .summary = "compile an Arduino sketch for the board of a robot",
    .details =
        "SKETCH is a folder with .ino files, PROJECT a PlatformIO project: a folder with\n"
        "platformio.ini, whose sources are in src/ and lib/. They are not changed. The body file\n"
        "names the board and its pins. Needs gcc-avr, avr-libc and arduino-core-avr, and\n"
        "ptybot-avr to run the binary.\n\n"
        "  ptybot arduino bridge bridge.yaml -o bridge.elf\n"
        "  ptybot arduino . rover.yaml -o rover.elf --lib ~/Arduino/libraries/Encoder",
    SUBCOMMAND_FLAGS(flags, arduino_options),
    .words = {2, 2, "give the folder of a sketch and a body file"},
    .run = arduino,
};
