/* `ptybot new`: writes the files for a new robot, which work without changes. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/cli/terminal.h"
#include "app/subcommands/subcommands.h"
#include "base/text.h"

#include "app/subcommands/new_body.h"
#include "app/subcommands/new_cmake.h"
#include "app/subcommands/new_drive.h"
#include "app/subcommands/new_firmware.h"
#include "app/subcommands/new_robot_c.h"
#include "app/subcommands/new_scene.h"

enum { NAME_SIZE = 33 };

/* Replacements of @NAME@ and @TYPE@ in a template. */
struct words {
    const char *name;
    char type[2 * NAME_SIZE + 16];
};

struct template
{
    const char *file; /* name of the file; %s is the name of the robot */
    const unsigned char *bytes;
    size_t size;
};

enum { FILES = 4 };

static const struct template files_c[FILES] = {
    {"%s.c", new_robot_c, sizeof new_robot_c},
    {"CMakeLists.txt", new_cmake, sizeof new_cmake},
    {"scene.yaml", new_scene, sizeof new_scene},
    {"drive.py", new_drive, sizeof new_drive},
};
static const struct template files_python[FILES] = {
    {"%s.yaml", new_body, sizeof new_body},
    {"%s.py", new_firmware, sizeof new_firmware},
    {"scene.yaml", new_scene, sizeof new_scene},
    {"drive.py", new_drive, sizeof new_drive},
};

static void write_words(FILE *out, const struct template *from, const struct words *words)
{
    static const char name[] = "@NAME@", type[] = "@TYPE@";
    const char *at = (const char *)from->bytes, *end = at + from->size;
    while (at < end) {
        size_t left = (size_t)(end - at);
        if (left >= strlen(name) && memcmp(at, name, strlen(name)) == 0) {
            fputs(words->name, out);
            at += strlen(name);
        } else if (left >= strlen(type) && memcmp(at, type, strlen(type)) == 0) {
            fputs(words->type, out);
            at += strlen(type);
        } else {
            fputc(*at++, out);
        }
    }
}

/* Writes one file, which must not exist. Returns the exit code. */
static int write_file(const struct template *from, const struct words *words)
{
    char file[NAME_SIZE + 16], path[PATH_MAX];
    snprintf(file, sizeof file, from->file, words->name);
    snprintf(path, sizeof path, "%s/%s", words->name, file);
    FILE *out = fopen(path, "wxe");
    if (out)
        write_words(out, from, words);
    bool is_bad = !out || ferror(out) != 0;
    if (out && fclose(out) != 0)
        is_bad = true;
    int reason = errno;
    if (is_bad && out)
        unlink(path);
    if (is_bad)
        return terminal_fail(EXIT_CODE_ENVIRONMENT, "cannot write %s: %s", path, strerror(reason));
    printf("%s\n", path);
    return EXIT_CODE_OK;
}

struct new_options {
    bool is_python;
};

static const struct flag_row flags[] = {
    FLAG_SWITCH(
        "python", new_options, is_python,
        "Create a body file, and a firmware in Python that runs as a process; nothing is built"),
};

static int new_robot(struct arguments *arguments, void *memory)
{
    struct new_options *options = memory;
    if (arguments->word_count != 2 || strcmp(arguments->words[0], "robot") != 0)
        return subcommand_misused(&new_subcommand, "give `robot` and its name");
    struct words words = {.name = arguments->words[1]};
    if (!text_is_name(words.name) || strlen(words.name) >= NAME_SIZE) {
        return terminal_fail(EXIT_CODE_USAGE,
                             "'%s' is not a valid name of a robot; allowed: a letter, then "
                             "letters, digits and _, all lower-case, at most %d",
                             TEXT_QUOTE(words.name), NAME_SIZE - 1);
    }
    if (options->is_python)
        snprintf(words.type, sizeof words.type, "./%s.yaml", words.name);
    else
        snprintf(words.type, sizeof words.type, "./build/lib%s.so:%s", words.name, words.name);
    if (mkdir(words.name, 0777) != 0)
        return terminal_fail(EXIT_CODE_ENVIRONMENT, "cannot make the folder %s: %s", words.name,
                             strerror(errno));
    int code = EXIT_CODE_OK;
    const struct template *files = options->is_python ? files_python : files_c;
    for (size_t i = 0; i < FILES && code == EXIT_CODE_OK; i++)
        code = write_file(&files[i], &words);
    if (code == EXIT_CODE_OK)
        printf("\nnow: cd %s &&%s ptybot test scene.yaml\n", words.name,
               options->is_python ? "" : " cmake -B build && cmake --build build &&");
    return code;
}

const struct subcommand new_subcommand = {
    .name = "new",
    .usage = "robot NAME [--python]",
    .summary = "create the files of a custom robot in the folder NAME",
    .details = "A robot in C outside the tree: its source, the build files, a scene, and a driver "
               "that drives it\naround a square. It needs the package with the "
               "headers\n(docs/tutorials/robot-in-c.md).\nA new body with a firmware of ptybot "
               "needs no code: begin with\n`ptybot describe kobuki --body`.\n\n  ptybot new robot "
               "my_robot\n  ptybot new robot my_robot --python",
    SUBCOMMAND_FLAGS(flags, new_options),
    .run = new_robot,
};
