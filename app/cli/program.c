/* What the build knows about this program. */
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

/* A place relative to the binary's folder, so that an installation can be moved. False: nothing is
 * there. */
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
        wrote = snprintf(text, size, "%s", PTYBOT_SCENES_SOURCE);
    if (wrote < 0 || (size_t)wrote >= size)
        text[0] = '\0';
}

/* The absolute path of what an installation holds; "" where it is neither installed nor built. */
static void find_held(const char *where_installed, const char *where_built, char *text, size_t size)
{
    char place[2 * PATH_MAX];
    if (!installed(where_installed, R_OK, place, sizeof place))
        snprintf(place, sizeof place, "%s", where_built);
    char *real = realpath(place, NULL);
    int wrote = snprintf(text, size, "%s", real ? real : "");
    free(real);
    if (wrote < 0 || (size_t)wrote >= size)
        text[0] = '\0';
}

void program_docs(char *text, size_t size)
{
    find_held(PTYBOT_DOCS_INSTALLED, PTYBOT_DOCS_SOURCE, text, size);
}

void program_shim(char *text, size_t size)
{
    find_held(PTYBOT_SHIM_INSTALLED, PTYBOT_SHIM_BUILT, text, size);
}

void program_clock(char *text, size_t size)
{
    find_held(PTYBOT_CLOCK_INSTALLED, PTYBOT_CLOCK_BUILT, text, size);
}

static void find_program(const char *where_installed, const char *where_built, char *text,
                         size_t size)
{
    if (installed(where_installed, X_OK, text, size))
        return;
    int wrote = snprintf(text, size, "%s", where_built);
    if (size > 0 && (wrote < 0 || (size_t)wrote >= size || access(text, X_OK) != 0))
        text[0] = '\0';
}

void program_picture(char *text, size_t size)
{
    find_program(PTYBOT_PICTURE_INSTALLED, PTYBOT_PICTURE_BUILT, text, size);
}

void program_viewer(char *text, size_t size)
{
    find_program(PTYBOT_VIEWER_INSTALLED, PTYBOT_VIEWER_BUILT, text, size);
}

void program_web(char *text, size_t size)
{
    find_program(PTYBOT_WEB_INSTALLED, PTYBOT_WEB_BUILT, text, size);
}

void program_replay_page(char *text, size_t size)
{
    find_held(PTYBOT_REPLAY_PAGE_INSTALLED, PTYBOT_REPLAY_PAGE_BUILT, text, size);
}

void program_avr(char *text, size_t size)
{
    find_program(PTYBOT_AVR_INSTALLED, PTYBOT_AVR_BUILT, text, size);
}

void program_arduino(char *headers, char *core, size_t size)
{
    find_held(PTYBOT_SKETCH_INSTALLED, PTYBOT_SKETCH_SOURCE, headers, size);
    find_held(PTYBOT_CORE_INSTALLED, PTYBOT_CORE_BUILT, core, size);
}
