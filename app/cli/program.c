/* Build facts about this program. */
#include "app/cli/program.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/build_id.h"

const char *program_version(void)
{
    return PTYBOT_VERSION;
}

const char *program_build(void)
{
    return PTYBOT_BUILD_ID;
}

const char *program_compiler(void)
{
#ifdef __clang__
    return "clang " __clang_version__;
#else
    return "gcc " __VERSION__;
#endif
}

/* Resolves PLACE relative to the binary's folder, so that an installation can be moved. False: no
 * such file. */
static bool installed(const char *place, int access_mode, char *text, size_t size)
{
    char binary[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", binary, sizeof binary - 1);
    if (length <= 0)
        return false;
    binary[length] = '\0';
    char *slash = strrchr(binary, '/');
    if (!slash)
        return false;
    *slash = '\0';
    int wrote = snprintf(text, size, "%s/%s", binary, place);
    return wrote > 0 && (size_t)wrote < size && access(text, access_mode) == 0;
}

void program_scene_folder(char *text, size_t size)
{
    int wrote = 0;
    if (!installed(PTYBOT_SCENES_INSTALLED, R_OK | X_OK, text, size))
        wrote = snprintf(text, size, "%s", PTYBOT_SCENES_BUILT);
    if (wrote < 0 || (size_t)wrote >= size)
        text[0] = '\0';
}

/* Files and folders become absolute paths without symbolic links; paths of programs stay as the
 * build names them. */
static const struct {
    const char *installed, *built;
    bool is_program;
} parts[] = {
    [PROGRAM_DOCS] = {PTYBOT_DOCS_INSTALLED, PTYBOT_DOCS_BUILT, false},
    [PROGRAM_SHIM] = {PTYBOT_SHIM_INSTALLED, PTYBOT_SHIM_BUILT, false},
    [PROGRAM_CLOCK] = {PTYBOT_CLOCK_INSTALLED, PTYBOT_CLOCK_BUILT, false},
    [PROGRAM_REPLAY_PAGE] = {PTYBOT_REPLAY_PAGE_INSTALLED, PTYBOT_REPLAY_PAGE_BUILT, false},
    [PROGRAM_AVR_BUILD] = {PTYBOT_AVR_BUILD_INSTALLED, PTYBOT_AVR_BUILD_BUILT, false},
    [PROGRAM_PICTURE] = {PTYBOT_PICTURE_INSTALLED, PTYBOT_PICTURE_BUILT, true},
    [PROGRAM_VIEWER] = {PTYBOT_VIEWER_INSTALLED, PTYBOT_VIEWER_BUILT, true},
    [PROGRAM_WEB] = {PTYBOT_WEB_INSTALLED, PTYBOT_WEB_BUILT, true},
    [PROGRAM_AVR] = {PTYBOT_AVR_INSTALLED, PTYBOT_AVR_BUILT, true},
};

void program_find(enum program_part part, char *text, size_t size)
{
    char place[2 * PATH_MAX];
    int access_mode = parts[part].is_program ? X_OK : R_OK;
    if (!installed(parts[part].installed, access_mode, place, sizeof place))
        snprintf(place, sizeof place, "%s", parts[part].built);
    char *real = realpath(place, NULL);
    const char *found = parts[part].is_program ? place : real;
    bool is_there = real && access(place, access_mode) == 0;
    int wrote = snprintf(text, size, "%s", is_there ? found : "");
    free(real);
    if (wrote < 0 || (size_t)wrote >= size)
        text[0] = '\0';
}
